"""The differences between two schemas of a site: which sentence, and whether a run would be wrong."""

from __future__ import annotations

from typing import Any

import pytest

from pressync.model.site_schema import SiteSchema, SiteTaxonomy, SiteType
from pressync.plan.schema_changes import differences

_UNSENT = "nothing is sent to an address that the site does not name"


def schema(
    meta: dict[str, dict[str, Any]] | None = None, genre: dict[str, Any] | None = None, **book: object
) -> SiteSchema:
    """Give a site with one type and one taxonomy."""
    type_: dict[str, Any] = {
        "route": "/wp/v2/books",
        "fields": ("title",),
        "taxonomies": ("genre",),
        "batch": True,
        **book,
    }
    taxonomy = {"route": "/wp/v2/genres", "field": "genres", "hierarchical": True, **(genre or {})}
    return SiteSchema(
        types={"book": SiteType(**type_ | book, meta=meta or {})},
        taxonomies={"genre": SiteTaxonomy(**taxonomy)},
    )


def of(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[bool, str]]:
    """Compare two schemas of one field."""
    found = differences(schema({"x": before}), schema({"x": after}))
    return [(each.contradicts, str(each)) for each in found]


@pytest.mark.parametrize(
    ("now", "sentence"),
    [
        (SiteSchema(), "the site does not show the type “book” to this account: nothing is written"),
        (schema(route="/wp/v2/library"), f"“book” is at /wp/v2/library and not at /wp/v2/books: {_UNSENT}"),
        (schema(hierarchical=True), "“book” has parents now: addresses would change"),
        (schema(batch=False), "the site takes no batches of “book” any more"),
        (schema(fields=()), "“book” has no field `title` any more: the site would ignore its values"),
        (schema(taxonomies=()), "“book” has no taxonomy `genre` any more: the site would ignore its values"),
        (schema(genre={"route": "/x"}), f"“genre” is at /x and not at /wp/v2/genres: {_UNSENT}"),
        (
            schema(genre={"hierarchical": False}),
            "“genre” has no parents any more: the site would ignore them",
        ),
        (schema(genre={"field": "g"}), "the terms of “genre” are in the member `g` and not in `genres`"),
    ],
)
def test_a_contradiction_is_one_plain_sentence(now: SiteSchema, sentence: str) -> None:
    (said,) = (str(each) for each in differences(schema(), now) if each.contradicts)
    assert said.startswith(sentence)


@pytest.mark.parametrize(
    "now",
    [
        schema({"isbn": {"type": "string"}}),
        schema(fields=("title", "excerpt")),
        schema(taxonomies=("genre", "mood")),
        schema(right="edit_books"),
        schema(genre={"create": "manage_genres"}),
        SiteSchema(
            types={**schema().types, "film": SiteType(route="/wp/v2/films")}, taxonomies=schema().taxonomies
        ),
    ],
)
def test_news_of_a_site_is_a_difference_and_not_a_contradiction(now: SiteSchema) -> None:
    (found,) = differences(schema(), now)
    assert not found.contradicts
    assert not differences(now, now)


@pytest.mark.parametrize(
    ("before", "after", "contradicts", "sentence"),
    [
        ({"type": "number"}, {"type": "string"}, True, "is of the type string and not number"),
        ({"type": "number"}, {"type": "integer"}, True, "is of the type integer and not number"),
        ({"type": ["null", "string"]}, {"type": "string"}, True, "string and not null or string"),
        ({}, {"type": "string"}, True, "is of the type string and not any"),
        ({"type": "integer"}, {"type": "number"}, False, "otherwise: type number"),
        ({"type": "string"}, {"type": ["null", "string"]}, False, "otherwise: type null or string"),
        ({"type": "string"}, {}, False, "otherwise: type none"),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, True, "does not take b any more"),
        ({}, {"enum": ["a"]}, True, "does not take any other value any more"),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}, False, "takes b as well"),
        ({"enum": ["a"]}, {}, False, "takes any other value as well"),
        ({"maxLength": 9}, {"maxLength": 5}, False, "describes `meta.x` of “book” otherwise: maxLength 5"),
        ({"default": True}, {}, False, "otherwise: default none"),
        ({"items": {"type": "string"}}, {"items": {"type": "integer"}}, True, "`meta.x[]` of “book” is of"),
        (
            {"properties": {"a": {"enum": ["x", "y"]}}},
            {"properties": {"a": {"enum": ["x"]}}},
            True,
            "`meta.x.a` of “book” does not take y",
        ),
        ({"properties": {"a": {}}}, {"properties": {}}, True, "has no field `meta.x.a` any more"),
    ],
)
def test_a_field_contradicts_where_a_value_would_be_refused(
    before: dict[str, Any], after: dict[str, Any], contradicts: bool, sentence: str
) -> None:
    ((said, words),) = of(before, after)
    assert said is contradicts
    assert sentence in words
