"""The schema of a site is read strictly, because anybody who may push can write it."""

from __future__ import annotations

import json

import pytest
from tests.support.kinds import SCHEMA, SCHEMA_TEXT, TYPES

from pressync.model.errors import ConfigError
from pressync.model.interface import DOCUMENTED_TYPES, Kind
from pressync.model.site_schema import (
    SiteSchema,
    SiteType,
    decode,
    encode,
    site_types,
    usable,
    without_shared_folders,
)


def test_a_schema_is_the_same_bytes_whenever_it_is_written() -> None:
    assert decode(SCHEMA_TEXT, where="x") == SCHEMA
    turned = SiteSchema(
        types=dict(reversed(SCHEMA.types.items())), taxonomies=dict(reversed(SCHEMA.taxonomies.items()))
    )
    assert encode(turned) == SCHEMA_TEXT


def test_the_kinds_of_a_schema_have_its_routes_fields_and_taxonomies() -> None:
    book, chapter, place, post = map(TYPES.kind, ("book", "chapter", "place", "post"))
    assert (book.row.known, book.row.route, book.row.folder) == (True, "/wp/v2/books", "books")
    assert TYPES.folders["chapters"] is chapter
    assert chapter.row.hierarchical
    assert not place.row.batched
    assert TYPES.taxonomies["genre"].hierarchical
    assert book.row.fields["genre"].key == "genres"
    assert {"meta.isbn", "acf.cover"} <= book.row.fields.keys()
    assert post.row.has("mood")


def test_the_kinds_of_one_site_are_not_those_of_another() -> None:
    assert DOCUMENTED_TYPES.kinds == ("page", "post")
    assert not DOCUMENTED_TYPES.kind("book").row.known
    assert "genre" not in DOCUMENTED_TYPES.taxonomies
    page = TYPES.kind("page")
    assert (page == Kind.PAGE, page.row.has_schema, Kind.PAGE.row.has_schema) == (True, True, False)


@pytest.mark.parametrize(
    ("name", "route"),
    [
        ("book", "/wp/v2/users"),
        ("book", "/wp/v2/settings"),
        ("book", "/wp/v2/pages"),
        ("page", "/wp/v2/books"),
        ("book", "/wp/v2/books?_method=DELETE"),
        ("book", "/wp/v2/../users"),
        ("book", "//evil.example/v2/books"),
        ("Book", "/wp/v2/books"),
        ("a/b", "/wp/v2/books"),
    ],
)
def test_a_route_that_is_not_that_of_content_is_refused(name: str, route: str) -> None:
    text = json.dumps({"version": 1, "types": {name: {"route": route}}, "taxonomies": {}})
    with pytest.raises(ConfigError):
        decode(text, where="x")


def test_a_schema_of_a_newer_version_and_a_text_that_is_none_are_named() -> None:
    with pytest.raises(ConfigError, match="newer pressync"):
        decode('{"version": 2, "types": {}, "taxonomies": {}}', where="x")
    with pytest.raises(ConfigError, match="not the schema"):
        decode("[" * 100_000, where="x")


def nested(levels: int) -> dict[str, object]:
    """Give the rules for objects in objects."""
    rules: dict[str, object] = {"type": "string"}
    for _ in range(levels):
        rules = {"type": "object", "properties": {"a": rules}}
    return rules


@pytest.mark.parametrize(
    ("meta", "why"),
    [
        ({"isbn": {"minimum": "a"}}, "book: meta.isbn: Expected `float | null`, got `str`"),
        ({"isbn": {"type": 5}}, "book: meta.isbn: Expected"),
        ({"isbn": {"items": {"properties": [1]}}}, r"book: meta.isbn.\[\]: Expected"),
        ({"isbn": nested(40)}, "book: meta.isbn.*a is nested deeper than 32 levels"),
        ({f"f{number}": {} for number in range(10_001)}, "it has 10,001 fields, and pressync reads at most"),
    ],
    ids=["minimum", "type", "items", "deep", "many"],
)
def test_rules_that_no_site_has_are_refused_with_their_place(meta: dict[str, object], why: str) -> None:
    types = {"book": {"route": "/wp/v2/books", "meta": meta}}
    with pytest.raises(ConfigError, match=why):
        decode(json.dumps({"version": 1, "types": types, "taxonomies": {}}), where="x")


def test_rules_of_a_plug_in_that_are_not_json_schema_are_left_out() -> None:
    rules = {"type": ["string", "int"], "minLength": "3", "enum": [["a"]], "maximum": 5}
    assert usable(rules) == {"type": ["string", "int"], "maximum": 5}


def test_two_types_with_one_folder_are_refused() -> None:
    schema = SiteSchema(
        types={"book": SiteType(route="/wp/v2/books"), "tome": SiteType(route="/my/v1/books")}
    )
    with pytest.raises(ConfigError, match="one folder"):
        site_types(schema, {}, where="x")
    assert site_types(schema, {"tome": "tomes"}, where="x").kind("tome").row.folder == "tomes"


def test_of_two_types_of_a_site_with_one_folder_the_second_is_left_out_until_it_has_its_own() -> None:
    routes = {"book": "/wp/v2/books", "sheet": "/my/v1/pages", "tome": "/my/v1/books"}
    schema = SiteSchema(types={name: SiteType(route=route) for name, route in routes.items()})
    kept, why = without_shared_folders(schema, {"sheet": "sheets"})
    assert kept.types.keys() == {"book", "sheet"}
    own = 'give one its own: [sites.NAME.types.tome] folder = "…"'
    assert why == (("tome", f"its files would be in books/ with those of “book”; {own}"),)
    # People chose these folders, so they are told of the clash as of any other wrong setting.
    assert without_shared_folders(schema, {"sheet": "books", "tome": "books"})[0] == schema
