"""Words of files about their authors become users of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.content.documents import Defaults, read
from pressync.content.front_matter.authors import Authors
from pressync.model.records import FieldReference, Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.content.documents import ParsedFile
    from pressync.model.records import Document

TABLE: dict[str, str | int] = {"Jane Doe": "jane", "Bot": "", "Anna": 3, "*": "editor"}


def reading(front_matter: str, users: Mapping[str, str | int] | None = None) -> ParsedFile:
    return read(
        Source("content/pages/a.md", "b10b"),
        f"---\n{front_matter}\n---\n".encode(),
        content="content",
        defaults=Defaults({}),
        authors=Authors(TABLE if users is None else users),
    )


def document(front_matter: str, users: Mapping[str, str | int] | None = None) -> Document:
    result = reading(front_matter, users)
    assert result.document, result.problems
    return result.document


@pytest.mark.parametrize(
    ("front_matter", "user"),
    [
        ("author: Jane Doe", "jane"),
        ("author: jane  doe", "jane"),
        ("author: John Roe, Example Ltd.", "editor"),
        ("author: [Jane Doe, John Roe]", "jane"),
        ("authors: [Jane Doe]", "jane"),
        ("authors: zkochan", "editor"),
        ("authors: [{name: Jane Doe, url: x}]", "jane"),
        ("author: {name: Jane Doe}", "jane"),
        ("author: Jane Doe\nauthors: [John Roe]", "jane"),
        ("author:\nauthors: [Jane Doe]", "jane"),
    ],
)
def test_an_author_becomes_the_user_of_the_table(front_matter: str, user: str) -> None:
    (mention,) = document(front_matter).mentions
    assert (mention.field, mention.given) == ("author", (user,))


@pytest.mark.parametrize(("front_matter", "number"), [("author: Anna", 3), ("author: 7", 7)])
def test_an_author_may_be_an_id(front_matter: str, number: int) -> None:
    assert document(front_matter).fields["author"] == number


def test_two_people_may_differ_in_the_case_of_their_names() -> None:
    users = {"Matz": "yukihiro", "matz": "matthias"}
    found = [document(f"author: {name}", users).mentions[0].given[0] for name in users]
    assert found == ["yukihiro", "matthias"]


@pytest.mark.parametrize("front_matter", ["author: Bot", "author: []", "authors: [{url: x}]", "author: ''"])
def test_an_empty_user_leaves_the_author_out(front_matter: str) -> None:
    found = document(front_matter)
    assert found.mentions == ()
    assert "author" not in found.fields


def test_an_author_whom_the_table_does_not_name_is_a_user() -> None:
    assert document("author: anna", {"Jane Doe": "jane"}).mentions == (
        FieldReference("author", ("anna",), 2),
    )


def test_templates_have_the_words_of_the_file() -> None:
    assert document("author: Jane Doe").extra == {"author": "Jane Doe"}
    assert document("authors: [Jane Doe, John Roe]").extra == {
        "author": "jane",
        "authors": ["Jane Doe", "John Roe"],
    }


def test_several_authors_are_told() -> None:
    assert [str(each) for each in reading("title: x\nauthors: [Jane Doe, John Roe]").problems] == [
        "content/pages/a.md:3: it has several authors, and a record has one; the first is taken"
    ]
    assert reading("authors: [Jane Doe]").problems == ()


def test_without_a_table_authors_belong_to_the_templates() -> None:
    found = document("authors: [Jane Doe, John Roe]", {})
    assert (found.mentions, found.extra) == ((), {"authors": ["Jane Doe", "John Roe"]})
