"""The schema of a site, from the responses of three versions and from those of odd sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.described_site import VERSIONS, DescribedSite, described
from tests.unit.client.wordpress.answered import answered

from pressync.client.wordpress.site_schema import read
from pressync.model.errors import BadAnswer, Refused
from pressync.model.site_schema import Rules, decode, encode, site_types

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
    types = site_types(decode(encode(schema), where="x"), {}, where="x")
    assert sorted(types.kinds) == ["book", "chapter", "page", "place", "post", "wp_block"]
    book, chapter, place = (types.kind(name).row for name in ("book", "chapter", "place"))
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
    assert {"categories", "tags", "mood", "sticky"} <= types.kind("post").row.fields.keys()
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
    """Turn the order of every object and of every set round; the types of a value have an order."""
    if isinstance(value, dict):
        return {name: value[name] if name == "type" else shuffled(value[name]) for name in reversed(value)}
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
        ("2fast", {}, "that begins with a letter"),
        ("font", {"rest_base": r"fonts/(?P<id>[\d]+)/faces"}, "not a route of its own"),
        ("member", {"rest_base": "users"}, "not a route of its own"),
        ("letter", {"rest_base": "pages"}, "not a route of its own"),
        ("page", {"rest_base": "sheets"}, "not a route of its own"),
        ("lost", {"rest_base": "lost"}, "rest_no_route"),
        ("number", {"rest_base": 7}, "does not say where it is"),
        ("listed", {"rest_namespace": ["a"]}, "does not say where it is"),
        ("far", {"rest_namespace": "\x1b[2J"}, "not a route of its own"),
        ("none", None, "does not describe it"),
        ("text", "text", "does not describe it"),
        ("bare", {"rest_base": "bare"}, "has no schema of a record"),
        ("fatal", {"rest_base": "fatal"}, "WordPress fails to describe /wp/v2/fatal (500: internal_server"),
    ],
)
def test_a_type_that_cannot_be_used_is_left_out_and_told(
    name: str, row: dict[str, object] | None, why: str
) -> None:
    site = described()
    usual = {**site.types["book"], "rest_namespace": "wp/v2"}
    site.types[name] = {**usual, **row} if isinstance(row, dict) else row
    site.answers["/wp/v2/bare"] = {"endpoints": []}
    site.answers["/wp/v2/fatal"] = {"code": "internal_server_error", "message": "There has been an error."}
    schema, told = asking(site)
    assert name not in schema.types
    (sentence,) = (each for each in told if f"“{name}”" in each)
    assert why in sentence
    assert "book" in schema.types


@pytest.mark.parametrize("nothing", [None, False, "", 0, "0", [], {}])
def test_an_empty_member_of_a_row_is_the_default_of_wordpress(nothing: object) -> None:
    site = described()
    empty = dict.fromkeys(("rest_namespace", "rest_base", "hierarchical", "capabilities"), nothing)
    site.answers["/wp/v2/taxonomies edit"]["mood"] |= empty
    site.types["book"] |= empty
    site.answers["/wp/v2/book"] = site.answers.pop("/wp/v2/books")
    schema, told = asking(site)
    assert schema.types["book"].route == "/wp/v2/book"
    assert (schema.taxonomies["mood"].route, schema.taxonomies["mood"].field) == ("/wp/v2/mood", "mood")
    assert "mood" in schema.types["book"].taxonomies
    assert len(told) == 1


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"rest_base": 7}, "does not say where it is"),
        ({"rest_base": "users"}, "/wp/v2/users is not a route of its own"),
        ({"rest_base": "status"}, "its terms have the name of another field, `status`"),
        ({"rest_namespace": "a b"}, "/a b/mood is not a route of its own"),
        ("text", "does not describe it"),
    ],
)
def test_a_taxonomy_that_cannot_be_used_is_left_out_and_told(row: object, why: str) -> None:
    site = described()
    rows = site.answers["/wp/v2/taxonomies edit"]
    rows["mood"] = {**rows["mood"], **row} if isinstance(row, dict) else row
    schema, told = asking(site)
    (sentence,) = (each for each in told if each.startswith("The taxonomy “mood” is left out: "))
    assert why in sentence
    assert schema.types["book"].taxonomies == ("genre",)


def test_a_taxonomy_without_a_route_is_left_out_and_told() -> None:
    site = described()
    site.terms.remove("/wp/v2/mood")
    schema, told = asking(site)
    (sentence,) = (each for each in told if each.startswith("The taxonomy “mood” is left out: "))
    assert "the site does not list its terms at /wp/v2/mood" in sentence
    assert "rest_no_route" in sentence
    assert schema.types["book"].taxonomies == ("genre",)
    # A run that needs the type finds the same, and compares it with the committed schema.
    assert asking(site, frozenset({"book"}))[0].taxonomies.keys() == {"genre"}


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
    ],
)
def test_a_response_of_another_shape_is_an_error(key: str, answer: object) -> None:
    site = described()
    site.answers[key] = answer
    with pytest.raises(BadAnswer):
        asking(site)


@pytest.mark.parametrize("answer", [{"endpoints": []}, {"schema": {"properties": []}}])
def test_a_type_that_a_run_needs_is_not_gone_because_it_cannot_be_read(answer: object) -> None:
    site = described()
    site.answers["/wp/v2/books"] = answer
    with pytest.raises(BadAnswer):
        asking(site, frozenset({"book"}))
    site.types["book"] = None
    with pytest.raises(BadAnswer):
        asking(site, frozenset({"book"}))


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
    assert found["gaps"] == {"type": ["string", "null"], "enum": ["a", "b"], "required": True}
    assert not {"a/b", "text", "fixed"} & found.keys()


RULES = Rules.__struct_encode_fields__
# The values that a plug-in, or a stranger, can give to a member.
ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(
        ["", "0", "wp/v2", "../users", "\x1b[2J", "\ud800", "a" * 400, "acf", "string", "object"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
ROW = ("rest_base", "rest_namespace", "hierarchical", "viewable", "taxonomies", "types", "capabilities")
CHANGES = st.tuples(
    st.one_of(
        st.tuples(st.sampled_from([("types", "book"), ("taxonomies", "genre")]), st.sampled_from(ROW)),
        # A whole row, one more row, and the rules of a field.
        st.tuples(st.sampled_from(["types", "taxonomies", "acf"]), st.text(max_size=6)),
        st.tuples(st.just("rules"), st.sampled_from(["isbn", "size", "binding", "keywords"])),
    ),
    ANY,
)


@given(st.lists(CHANGES, min_size=1, max_size=4))
def test_one_odd_row_never_refuses_a_site_and_its_file_can_be_read(changes: list[Any]) -> None:
    site = described()
    fields = site.properties("/wp/v2/books")
    for (place, name), value in changes:
        match place:
            case (part, of):
                site.answers[f"/wp/v2/{part} edit"][of][name] = value
            case "acf":
                fields["acf"] = {"properties": {name: value}} if name else value
            case "rules":
                fields["meta"]["properties"][name] |= dict.fromkeys(RULES, value)
            case part:
                site.answers[f"/wp/v2/{part} edit"].setdefault(name or "extra", value)
    schema, told = asking(site)
    assert decode(encode(schema), where="x") == schema
    assert {"page", "post", "chapter", "place"} <= schema.types.keys()
    assert all(sentence.isprintable() for sentence in told)
    # A type is in the schema or in a sentence.
    assert "book" in schema.types or any("“book”" in each for each in told)
