"""Tells how the kinds and the taxonomies of a site are stored.

The terms of the two taxonomies of the core have columns. Those of a site's own taxonomies, and its registered
fields, are in the column `own`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.interface import DOCUMENTED_TYPES, PAGE_RECORD, Field, Kind, SiteTypes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


# The stored names of the two taxonomies of the core, whose terms have columns. A site's own have their names.
TAXONOMIES: Mapping[str, str] = {"categories": "category", "tags": "post_tag"}
_FIELDS: Mapping[str, str] = {taxonomy: field for field, taxonomy in TAXONOMIES.items()}
# WordPress gives a reusable block the address of a post.
_AS_POSTS = frozenset({*DOCUMENTED_TYPES.kinds, "wp_block"})


def is_own(kind: Kind) -> bool:
    """Tell whether a kind is one of the site's own, which the core does not know."""
    return kind not in _AS_POSTS


# The members of a record that no type chooses.
ALWAYS = frozenset(
    """
    date date_gmt guid id link modified modified_gmt slug status type password
    permalink_template generated_slug class_list
    """.split()  # noqa: SIM905 - fourteen quoted words would be harder to read
)
_ADDRESSED = frozenset({"permalink_template", "generated_slug", "class_list"})


def members(kind: Kind) -> Iterable[Field]:
    """Give the standard members of a kind; a reusable block has no address of its own."""
    if kind in DOCUMENTED_TYPES.kinds:
        return kind.row.record
    always = ALWAYS if is_own(kind) else ALWAYS - _ADDRESSED
    chosen = {field.name: field for field in PAGE_RECORD if field.name in always}
    standard = (field for field in kind.row.body if not (field.inside or field.member))
    return {**chosen, **{field.name: field for field in standard}}.values()


def taxonomy_of(field: str) -> str:
    """Give the stored name of the taxonomy of a field."""
    return TAXONOMIES.get(field, field)


def field_of(taxonomy: str) -> str:
    """Give the field of a taxonomy by its stored name."""
    return _FIELDS.get(taxonomy, taxonomy)


def is_hierarchical(types: SiteTypes, taxonomy: str) -> bool:
    """Tell whether the terms of a taxonomy, by its stored name, have parents."""
    return types.taxonomies[field_of(taxonomy)].hierarchical


def term_fields(kind: Kind) -> Iterator[Field]:
    """Give the fields of a kind that hold terms."""
    return (each for each in kind.row.body if each.taxonomy)


def each_term(taxonomy: str) -> str:
    """Write the SQL that gives each term of a record in a taxonomy, by its stored name."""
    if taxonomy in _FIELDS:
        return f"json_each({_FIELDS[taxonomy]})"
    # The names of a schema are letters, digits, `-` and `_` alone.
    return f"json_each(own, '$.\"{taxonomy}\"')"
