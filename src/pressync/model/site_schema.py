"""The schema of one site: its types, taxonomies and registered fields, as `pressync schema site` wrote them.

The file is committed, so anybody who may push can write it. A route in it gets the site's credentials. So
only the path of a list is a route, and a list of the core that has no content is not one. Pure.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import structs

from pressync.model.errors import ConfigError
from pressync.model.interface import (
    DOCUMENTED_TYPES,
    KIND_NAME,
    NAMESPACE,
    OBJECTS,
    Field,
    Kind,
    KindRow,
    SiteTypes,
    Taxonomy,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION = 1

_Name = Annotated[str, msgspec.Meta(pattern=rf"^{KIND_NAME.pattern}$")]
# The name of a taxonomy may be longer than that of a type: 32 characters.
_Taxonomy = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
_Route = Annotated[str, msgspec.Meta(pattern=r"^/[a-z0-9_-]+/[a-z0-9._-]+/[A-Za-z0-9_-]{1,60}$")]
_Right = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{0,60}$")]
# The key of a registered field.
FIELD_KEY = r"[^\x00-\x1f\x7f/]{1,255}"
_Schemas = dict[Annotated[str, msgspec.Meta(pattern=rf"^{FIELD_KEY}$")], dict[str, Any]]
# Lists of the core whose records are not content. A write there would change users or settings.
_NOT_CONTENT = frozenset(
    """
    users settings media comments plugins themes types taxonomies statuses search widgets widget-types
    sidebars menus menu-items menu-locations templates template-parts navigation global-styles font-families
    """.split()  # noqa: SIM905 - forty quoted words would be harder to read
)
_ROUTES = {str(kind): kind.row.route for kind in DOCUMENTED_TYPES.kinds}
# The core has these two under another name; front matter has the names of their fields.
CORE_TAXONOMIES = {"category": "categories", "post_tag": "tags"}
# The fields that any kind can have.
STANDARD: Mapping[str, Field] = {
    row.name: row for kind in DOCUMENTED_TYPES.kinds for row in kind.row.body if row.name not in OBJECTS
}
_OWN_FOLDER = 'give one its own: [sites.NAME.types.{}] folder = "…"'
_PLURAL = re.compile(r"edit_(.+)")


# A schema with more than this is not that of a site: nobody has a tenth of it.
MOST_TYPES, MOST_FIELDS = 500, 10_000
_DEEPEST = 32
_Size = Annotated[int, msgspec.Meta(ge=0)]
# The most characters of the title of a site.
LONGEST_TITLE = 200


class Rules(msgspec.Struct, frozen=True, rename="camel"):
    """The rules for the values of a field, in JSON Schema, as far as pressync reads them."""

    type: str | list[str] = "string"
    enum: list[str | float | bool | None] | None = None
    format: str = ""
    title: str = ""
    description: str = ""
    required: bool | list[str] = False
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    multiple_of: Annotated[float, msgspec.Meta(gt=0)] | None = None
    min_length: _Size | None = None
    max_length: _Size | None = None
    min_items: _Size | None = None
    max_items: _Size | None = None
    unique_items: bool = False
    properties: dict[str, dict[str, Any]] = {}
    items: dict[str, Any] = {}
    additional_properties: bool | dict[str, Any] = True


class SiteType(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A type: the path of its list, the right that edits it, its standard fields, taxonomies and own fields.

    `meta` and `acf` have the schema of each field, by its key.
    """

    route: _Route
    right: _Right = ""
    hierarchical: bool = False
    batch: bool = False
    fields: tuple[str, ...] = ()
    taxonomies: tuple[_Taxonomy, ...] = ()
    meta: _Schemas = {}
    acf: _Schemas = {}


class SiteTaxonomy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A taxonomy: the path of its list, the member of a record with its terms, who may make and use them."""

    route: _Route
    field: _Right
    hierarchical: bool = False
    create: _Right = ""
    assign: _Right = ""


class SiteSchema(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All types and taxonomies of a site that its content can have, by name.

    `title` is that of the site, and `release` its version as `6.8`; "" if the site does not show them.
    """

    version: int = VERSION
    title: Annotated[str, msgspec.Meta(max_length=LONGEST_TITLE)] = ""
    release: Annotated[str, msgspec.Meta(pattern=r"^(\d{1,3}\.\d{1,3})?$")] = ""
    types: dict[_Name, SiteType] = {}
    taxonomies: dict[_Taxonomy, SiteTaxonomy] = {}


def encode(schema: SiteSchema) -> str:
    """Write a schema; equal schemas give equal texts, which end with a newline."""
    sorted_ = msgspec.json.encode(msgspec.to_builtins(schema), order="deterministic")
    return msgspec.json.format(sorted_, indent=1).decode() + "\n"


def decode(text: str | bytes, *, where: str) -> SiteSchema:
    """Read a schema; `where` names its file in messages.

    :raises ConfigError: the text is not a schema of this version, or a route is not that of content.
    """
    todo = "read it from the site again: `pressync schema site`"
    try:
        schema = msgspec.json.decode(text, type=SiteSchema)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ConfigError(f"it is not the schema of a site: {error}", where=where, todo=todo) from error
    if schema.version > VERSION:
        problem = f"it was written by a newer pressync (version {schema.version})"
        raise ConfigError(problem, where=where, todo="upgrade pressync")
    if wrong := next(_wrong(schema), ""):
        raise ConfigError(f"it is not the schema of a site: {wrong}", where=where, todo=todo)
    rows: list[tuple[str, SiteType | SiteTaxonomy]] = [*schema.types.items(), *schema.taxonomies.items()]
    for name, row in rows:
        if not has_own_route(name, row):
            raise ConfigError(f"{row.route} is not the route of “{name}”", where=where, todo=todo)
    return schema


def usable(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Give the rules for the values of a field without those that are not JSON Schema: plug-ins write any."""
    made = {}
    for key, rule in rules.items():
        with suppress(msgspec.ValidationError):
            msgspec.convert({key: rule}, Rules)
            made[key] = rule
    return made


def _wrong(schema: SiteSchema) -> Iterator[str]:
    """Say what no site has: too many types or fields, or rules for a field that are not JSON Schema."""
    fields = [
        (f"{name}: {inside}.{key}", rules)
        for name, row in schema.types.items()
        for inside, schemas in zip(OBJECTS, (row.meta, row.acf), strict=True)
        for key, rules in schemas.items()
    ]
    for count, most, noun in ((len(schema.types), MOST_TYPES, "types"), (len(fields), MOST_FIELDS, "fields")):
        if count > most:
            yield f"it has {count:,} {noun}, and pressync reads at most {most:,}"
    for place, rules in fields:
        yield from _wrong_rules(place, rules)


def _wrong_rules(place: str, rules: dict[str, Any], depth: int = 1) -> Iterator[str]:
    try:
        parsed = msgspec.convert(rules, Rules)
    except msgspec.ValidationError as error:
        yield f"{place}: {error}"
        return
    others = parsed.additional_properties
    inner = {**parsed.properties, "[]": parsed.items, "*": others if isinstance(others, dict) else {}}
    for name, schema in inner.items() if depth < _DEEPEST else ():
        yield from _wrong_rules(f"{place}.{name}", schema, depth + 1) if schema else ()
    if depth == _DEEPEST and any(inner.values()):
        yield f"{place} is nested deeper than {_DEEPEST} levels"


def has_own_route(name: str, row: SiteType | SiteTaxonomy) -> bool:
    """Tell whether the route is one of content, and not that of another type, of users or of settings."""
    space, _, base = row.route.rpartition("/")
    own = _ROUTES.get(name) if isinstance(row, SiteType) else None
    if own:
        return row.route == own
    return space != NAMESPACE or (base not in _NOT_CONTENT and row.route not in _ROUTES.values())


def site_types(schema: SiteSchema, folders: Mapping[str, str], *, where: str) -> SiteTypes:
    """Give the kinds of a site with this schema; `folders` has the folders of types that settings name.

    :raises ConfigError: two types have one folder.
    """
    taxonomies = {
        name: DOCUMENTED_TYPES.taxonomies.get(CORE_TAXONOMIES.get(name, ""))
        or Taxonomy(name, described.route, hierarchical=described.hierarchical)
        for name, described in schema.taxonomies.items()
    }
    for name, holder, folder in _shared_folders(schema, folders):
        problem = f"the files of the types {holder} and {name} have one folder, {folder}/"
        raise ConfigError(problem, where=where, todo=_OWN_FOLDER.format(name))
    # A documented kind keeps its place.
    made = dict(DOCUMENTED_TYPES.by_name)
    for name, described in sorted(schema.types.items()):
        body = (*_standard(name, described), *_terms(described, schema, taxonomies), *_own_fields(described))
        if documented := DOCUMENTED_TYPES.by_name.get(name):
            made[name] = Kind(name, documented.row._replace(body=body, has_schema=True))
            continue
        plural = _PLURAL.fullmatch(described.right)
        row = KindRow(
            folder=_folder(name, described, folders),
            route=described.route,
            record=body,
            body=body,
            verbs=(),
            rights=plural[1] if plural else "posts",
            hierarchical=described.hierarchical,
            batched=described.batch,
            has_schema=True,
        )
        made[name] = Kind(name, row)
    return SiteTypes(tuple(made.values()))


def without_shared_folders(
    schema: SiteSchema, folders: Mapping[str, str]
) -> tuple[SiteSchema, tuple[tuple[str, str], ...]]:
    """Leave out each type whose folder another one has, unless settings name it; also say why, by type."""
    shared = [taken for taken in _shared_folders(schema, folders) if taken[0] not in folders]
    types = {name: row for name, row in schema.types.items() if name not in {taken[0] for taken in shared}}
    return structs.replace(schema, types=types), tuple(
        (name, f"its files would be in {folder}/ with those of “{holder}”; {_OWN_FOLDER.format(name)}")
        for name, holder, folder in shared
    )


def _shared_folders(schema: SiteSchema, folders: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Give each type whose folder another type has: its name, the name of the other one, the folder."""
    held = {folder: str(kind) for folder, kind in DOCUMENTED_TYPES.folders.items()}
    for name, row in sorted(schema.types.items()):
        folder = _folder(name, row, folders)
        if name not in DOCUMENTED_TYPES.by_name and (holder := held.setdefault(folder, name)) != name:
            yield name, holder, folder


def _folder(name: str, row: SiteType, folders: Mapping[str, str]) -> str:
    return folders.get(name) or row.route.rpartition("/")[2]


def has_more_than_stock(schema: SiteSchema) -> bool:
    """Tell whether a schema has a type, a taxonomy or a field that WordPress does not have by itself."""
    fields = {key for row in schema.types.values() for key in (*row.meta, *row.acf)}
    names = {*schema.types, *schema.taxonomies, *fields} - {*DOCUMENTED_TYPES.kinds, *CORE_TAXONOMIES}
    return not names <= {"wp_block", "wp_pattern_category", "footnotes", "wp_pattern_sync_status"}


def _standard(name: str, row: SiteType) -> Iterator[Field]:
    """Give the fields that the core has; a documented kind keeps those of the document, in its order."""
    documented = DOCUMENTED_TYPES.by_name.get(name)
    names = [member.name for member in documented.row.body] if documented else row.fields
    for member in names:
        if member in STANDARD and not STANDARD[member].taxonomy:
            yield STANDARD[member]
    if documented and not row.meta:
        yield documented.row.fields["meta"]


def _terms(row: SiteType, schema: SiteSchema, taxonomies: Mapping[str, Taxonomy]) -> Iterator[Field]:
    """Give a field for each taxonomy of the type; a name that is a standard field already is not one."""
    for name in row.taxonomies:
        if core := CORE_TAXONOMIES.get(name):
            yield STANDARD[core]
        elif name in taxonomies and name not in {*STANDARD, *OBJECTS}:
            member = schema.taxonomies[name].field
            yield Field(name, Type.INTEGERS, member=member, taxonomy=taxonomies[name])


def _own_fields(row: SiteType) -> Iterator[Field]:
    for inside, schemas in zip(OBJECTS, (row.meta, row.acf), strict=True):
        for key, schema in sorted(schemas.items()):
            yield Field(f"{inside}.{key}", Type.JSON, inside=inside, member=key, schema=schema)
