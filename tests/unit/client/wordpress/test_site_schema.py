"""The schema of a site, from the responses of three versions and from those of odd sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.described_site import VERSIONS, DescribedSite, described
from tests.unit.client.wordpress.answered import answered

from pressync.client.wordpress.site_schema import read
from pressync.model.errors import BadAnswer, Refused
from pressync.model.interface import Kind
from pressync.model.site_schema import decode, encode, kinds_of

if TYPE_CHECKING:
    from pressync.client.port import HttpRequest, HttpResponse
    from pressync.model.site_schema import SiteSchema

# What the core describes beside the fields of the stand.
_SEO = {key: {"default": "", "type": "string"} for key in ("_yoast_wpseo_metadesc", "_yoast_wpseo_title")}


def asking(site: DescribedSite, names: frozenset[str] | None = None) -> tuple[SiteSchema, list[str]]:
    """Read a site; give also the sentences."""

    def send(request: HttpRequest) -> HttpResponse:
        assert (request.method, request.body, request.override) == ("GET", b"", "")
        return answered(*site.take(request.path))

    told: list[str] = []
    return read(send, told.append, names), told


@pytest.fixture(params=VERSIONS)
def site(request: pytest.FixtureRequest) -> DescribedSite:
    """Give the site of each version."""
    return described(request.param)


def test_a_site_is_read_into_the_same_kinds_in_every_version(site: DescribedSite) -> None:
    schema, told = asking(site)
    kinds = kinds_of(decode(encode(schema), where="x"), {}, where="x")
    assert [*map(str, kinds)] == ["book", "chapter", "page", "place", "post", "wp_block"]
    book, chapter, place = (kinds[Kind(name)] for name in ("book", "chapter", "place"))
    assert (book.folder, book.route, book.hierarchical, book.batched) == (
        "books",
        "/wp/v2/books",
        False,
        True,
    )
    assert chapter.hierarchical
    assert place.route == "/atlas/v1/places"
    assert schema.types["place"].meta == _SEO
    assert {"genre", "mood", "menu_order", "excerpt", "meta.isbn", "acf.cover"} <= book.fields.keys()
    assert "categories" not in book.fields
    assert {"categories", "tags", "mood", "sticky"} <= kinds[Kind.POST].fields.keys()
    # A type that this user may not edit is not among those of the context `edit`.
    assert [sentence.split(":")[0] for sentence in told] == ["The type “event” is left out"]


def test_a_field_keeps_what_says_which_values_it_takes(site: DescribedSite) -> None:
    book = asking(site)[0].types["book"]
    assert book.meta["binding"] == {
        "type": "string",
        "default": "paper",
        "enum": ["cloth", "leather", "paper"],
    }
    assert book.meta["size"] == {
        "type": "object",
        # PHP wrote both empty maps as lists.
        "default": {},
        "properties": {"width": {"type": "integer", "minimum": 1}, "height": {"type": "integer"}},
        "additionalProperties": False,
    }
    assert book.meta["keywords"] == {"type": "array", "items": {"type": "string", "default": ""}}
    assert book.acf["cover"] == {"type": ["integer", "null"], "title": "Cover", "description": "An image"}
    assert "hidden_key" not in book.meta


def test_the_right_to_make_a_term_is_another_one_in_a_tree(site: DescribedSite) -> None:
    # Measured: an author makes a mood by REST, and is refused a genre.
    found = asking(site)[0].taxonomies
    assert (found["genre"].create, found["genre"].assign) == ("manage_categories", "edit_posts")
    assert (found["mood"].create, found["mood"].assign) == ("edit_posts", "edit_posts")
    assert (found["genre"].field, found["category"].field) == ("genres", "categories")


def shuffled(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Turn the order of every object and of every set round."""
    if isinstance(value, dict):
        return {name: shuffled(value[name]) for name in reversed(value)}
    return [shuffled(each) for each in reversed(value)] if isinstance(value, list) else value


def test_the_order_in_which_plugins_register_leaves_the_bytes_alone(site: DescribedSite) -> None:
    before = encode(asking(site)[0])
    assert encode(asking(DescribedSite(shuffled(site.answers)))[0]) == before
    for row in site.answers["/wp/v2/types edit"].values():
        row["labels"] = {"name": "Other words"}
    assert encode(asking(site)[0]) == before
    site.properties("/wp/v2/books")["meta"]["properties"]["isbn"]["description"] = "Words\x1b\n" * 100
    (words,) = {*encode(asking(site)[0]).splitlines()} - {*before.splitlines()}
    assert words.startswith('     "description": "Words Words ')
    assert len(words) < 250


def test_only_the_types_of_a_run_are_asked_for() -> None:
    site = described()
    schema, told = asking(site, frozenset({"place", "gone"}))
    assert [*schema.types] == ["place"]
    assert site.asked == ["/wp/v2/types", "/atlas/v1/places"]
    assert not told
    assert asking(described(), frozenset({"book"}))[0].taxonomies.keys() == {"genre", "mood"}


@pytest.mark.parametrize(
    ("name", "row", "why"),
    [
        ("2fast", {}, "does not begin with a letter"),
        ("font", {"rest_base": r"fonts/(?P<id>[\d]+)/faces"}, "not a route of its own"),
        ("member", {"rest_base": "users"}, "not a route of its own"),
        ("letter", {"rest_base": "pages"}, "not a route of its own"),
        ("page", {"rest_base": "sheets"}, "not a route of its own"),
        ("lost", {"rest_base": "lost"}, "rest_no_route"),
    ],
)
def test_a_type_that_cannot_be_used_is_left_out_and_told(name: str, row: dict[str, str], why: str) -> None:
    site = described()
    site.types[name] = {**site.types["book"], "rest_namespace": "wp/v2", **row}
    schema, told = asking(site)
    assert name not in schema.types
    (sentence,) = (each for each in told if f"“{name}”" in each)
    assert why in sentence
    assert "book" in schema.types


def test_a_taxonomy_that_the_user_may_not_use_is_not_there() -> None:
    site = described()
    del site.answers["/wp/v2/taxonomies edit"]["genre"]
    schema, _ = asking(site)
    assert schema.types["book"].taxonomies == ("mood",)
    site.answers["/wp/v2/taxonomies edit"] = {}
    assert not asking(site)[0].taxonomies


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("/wp/v2/types edit", {"post": "x"}),
        ("/wp/v2/types edit", ["x"]),
        ("/wp/v2/types edit", {"book": {"rest_base": 7}}),
        ("/wp/v2/books", {"endpoints": []}),
        ("/wp/v2/books", {"schema": {"properties": []}}),
    ],
)
def test_a_response_of_another_shape_is_an_error(key: str, answer: object) -> None:
    site = described()
    site.answers[key] = answer
    with pytest.raises(BadAnswer):
        asking(site)


def test_a_user_without_any_right_is_refused() -> None:
    site = described()
    del site.answers["/wp/v2/types edit"]
    with pytest.raises(Refused):
        asking(site)


def test_fields_of_any_shape_are_read_and_deep_ones_are_cut() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(40):
        deep = {"type": "array", "items": deep}
    site = described()
    site.properties("/wp/v2/books")["meta"]["properties"] |= {
        "deep": deep,
        "odd": {
            "type": 7,
            "enum": "x",
            "items": [],
            "default": [],
            "properties": ["a"],
            "additionalProperties": [],
        },
        "gaps": {"type": ["string", "null"], "enum": {"1": "b", "4": "a"}, "required": True},
        "a/b": {"type": "string"},
        "text": "text",
        "fixed": {"type": "string", "readonly": True},
    }
    schema, _ = asking(site)
    found = decode(encode(schema), where="x").types["book"].meta
    assert str(found["deep"]).count("array") == 12
    assert found["odd"] == {"items": {}, "properties": {}, "additionalProperties": {}, "default": []}
    assert found["gaps"] == {"type": ["null", "string"], "enum": ["a", "b"], "required": True}
    assert not {"a/b", "text", "fixed"} & found.keys()
