"""Registered fields are read as the schema of the site types them, or refused with place and remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.kinds import BOOK, TYPES

from pressync.content.front_matter.keys import Meaning, interpret
from pressync.content.front_matter.value import given
from pressync.model.errors import Code
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes

if TYPE_CHECKING:
    from collections.abc import Mapping


def meaning(
    values: Mapping[str, object],
    kind: Kind = BOOK,
    types: SiteTypes = TYPES,
    **options: Any,  # noqa: ANN401 - those of `interpret`
) -> Meaning:
    lines = {key: number for number, key in enumerate(values, 2)}
    return interpret(
        {key: given(value, None, lines[key]) for key, value in values.items()}, kind, "x.md", types, **options
    )


@pytest.mark.parametrize(
    ("key", "written", "read"),
    [
        ("isbn", 9780142437247, "9780142437247"),
        ("isbn", "010", "010"),
        ("price", 12, 12),
        ("copies", "3", 3),
        ("in_print", True, True),
        ("keywords", ["sea", 1851], ("sea", "1851")),
        ("keywords", "sea", ("sea",)),
        ("size", {"width": 10, "height": "20"}, {"width": 10, "height": 20}),
        ("published_on", "1851-10-18", "1851-10-18T00:00:00"),
        ("published_on", "1851-10-18T10:00:00+02:00", "1851-10-18T08:00:00+00:00"),
        ("shop", "https://example.org/", "https://example.org/"),
    ],
)
def test_a_value_has_the_type_of_its_schema(key: str, written: object, read: object) -> None:
    found = meaning({"meta": {key: written}})
    assert found.problems == ()
    assert found.fields == {f"meta.{key}": read}
    assert type(found.fields[f"meta.{key}"]) is type(read)


@pytest.mark.parametrize(
    ("key", "written", "todo"),
    [
        ("price", -1, "the site takes at least 0"),
        ("copies", 1.5, "the site takes a whole number here"),
        ("in_print", "perhaps", "the site takes true or false here"),
        ("binding", "clothe", "did you mean 'cloth'?"),
        ("reviews", ["a", "b", "c", "d"], "the site takes at most 3 values"),
        ("size", {"width": 0}, "the site takes at least 1"),
        ("size", {"wide": 1}, "did you mean 'width'?"),
        ("isbn", ["a"], "the site takes text here"),
        ("published_on", "soon", "write it like 2024-01-31T10:00:00"),
        ("shop", "the shop", "write an address like https://example.org/"),
    ],
)
def test_a_value_that_the_site_refuses_is_an_error_with_its_line(
    key: str, written: object, todo: str
) -> None:
    (problem,) = meaning({"title": "A", "meta": {key: written}}).problems
    assert (problem.line, problem.todo, problem.warning) == (3, todo, False)
    assert problem.what.startswith(f"meta.{key}")


def test_an_unknown_key_is_a_problem_with_what_to_write() -> None:
    (problem,) = meaning({"meta": {"colour": "red"}}).problems
    assert (problem.code, problem.warning) == (Code.UNKNOWN_FIELD, False)
    assert "register_post_meta('book', 'colour'" in problem.todo
    (misspelt,) = meaning({"meta": {"isbm": "1"}}).problems
    assert misspelt.todo == "did you mean 'isbn'?"
    (dotted,) = meaning({"meta.isbn": "1"}).problems
    assert dotted.todo == "write `meta: {isbn: …}`"
    (elsewhere,) = meaning({"meta": {"isbn": "1"}}, TYPES.kind("chapter")).problems
    assert "it has it for book" in elsewhere.todo
    (problem,) = meaning({"isbn": "1"}).problems
    assert (problem.what, problem.todo, problem.warning) == (
        "unknown key 'isbn'",
        "write `meta: {isbn: …}`",
        True,
    )


def test_no_value_empties_a_field_that_takes_null() -> None:
    found = meaning({"acf": {"pages": "", "subtitle": ""}})
    assert (found.problems, dict(found.fields)) == ((), {"acf.subtitle": "", "acf.pages": ""})


@pytest.mark.parametrize("path", ["covers/moby.png", "moby-1.jpg", "2024.mp4", "a.7z"])
def test_the_path_of_a_file_stands_for_the_id_of_its_upload(path: str) -> None:
    (reference,) = meaning({"acf": {"cover": path}}).mentions
    assert (reference.field, reference.files, reference.names) == ("acf.cover", (path,), ())
    assert meaning({"acf": {"cover": 12}}).fields == {"acf.cover": 12}


def test_terms_of_a_taxonomy_are_names_or_ids() -> None:
    (reference,) = meaning({"genre": ["Fiction", "Fiction / Sea"]}).mentions
    assert (reference.field, reference.given) == ("genre", ("Fiction", "Fiction/Sea"))
    assert meaning({"mood": [3, 1]}).fields == {"mood": (1, 3)}
    # A taxonomy without parents has names with slashes.
    (flat,) = meaning({"mood": "dark/grim"}).mentions
    assert flat.given == ("dark/grim",)


def test_words_of_seo_go_to_the_field_that_the_site_has() -> None:
    assert meaning({"seo": {"title": "For search"}}).fields == {"meta._yoast_wpseo_title": "For search"}
    named = meaning({"seo": {"title": "For search"}}, seo={"title": "meta.isbn"})
    assert named.fields == {"meta.isbn": "For search"}
    # A word of another tool is left to the templates.
    assert meaning({"seo": {"type": "Book"}}).fields == {}
    (problem,) = meaning({"seo": {"canonical": "https://example.org/"}}).problems
    assert problem.code == Code.UNKNOWN_FIELD
    assert "meta._yoast_wpseo_canonical" in problem.todo


def test_a_kind_without_a_schema_reads_meta_as_the_interface_has_it() -> None:
    found = meaning({"meta": {"footnotes": "[]", "isbn": "1"}}, Kind.PAGE, DOCUMENTED_TYPES)
    assert found.fields == {"meta": {"footnotes": "[]"}}
    assert [problem.warning for problem in found.problems] == [True]
