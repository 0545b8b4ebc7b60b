"""The interface as data, held to the interface document: to its tables where it is at hand, and to a copy."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pressync.model import interface
from pressync.model.interface import Kind, Type

if TYPE_CHECKING:
    from pressync.model.interface import Field

DOCUMENT = Path(__file__).parents[4] / "shared" / "content-service.md"

RAW_RENDERED = "object {raw: string, rendered: string}"
CONTENT = "object {raw: string, rendered: string, block_version: integer, protected: boolean}"
EXCERPT = "object {raw: string, rendered: string, protected: boolean}"
MOMENT = "string, ISO 8601 date-time"
META = "object {footnotes: string}"

# Section 2.1.
PAGE_RECORD = {
    "date": MOMENT,
    "date_gmt": MOMENT,
    "guid": RAW_RENDERED,
    "id": "integer",
    "link": "string",
    "modified": MOMENT,
    "modified_gmt": MOMENT,
    "slug": "string",
    "status": "string",
    "type": "string",
    "password": "string",
    "permalink_template": "string",
    "generated_slug": "string",
    "class_list": "array of strings",
    "parent": "integer",
    "title": RAW_RENDERED,
    "content": CONTENT,
    "author": "integer",
    "excerpt": EXCERPT,
    "featured_media": "integer",
    "comment_status": "string",
    "ping_status": "string",
    "menu_order": "integer",
    "meta": META,
    "template": "string",
}
# Section 4.1.
PAGE_BODY = {
    "date": MOMENT,
    "date_gmt": MOMENT,
    "slug": "string",
    "status": "string",
    "password": "string",
    "parent": "integer",
    "title": RAW_RENDERED,
    "content": CONTENT,
    "author": "integer",
    "excerpt": EXCERPT,
    "featured_media": "integer",
    "comment_status": "string",
    "ping_status": "string",
    "menu_order": "integer",
    "meta": META,
    "template": "string",
}
# Section 2.2.
ABSENT_FROM_POSTS = {"parent", "menu_order"}
ADDED_TO_POSTS = {
    "format": "string",
    "sticky": "boolean",
    "categories": "array of integers",
    "tags": "array of integers",
}
# Section 4.4, which has an order of its own.
POST_BODY_ORDER = (
    "date date_gmt slug status password title content author excerpt featured_media "
    "comment_status ping_status format meta sticky template categories tags"
)
# Section 1.
OPERATIONS = [
    ("Create a page", "POST", "/wp/v2/pages"),
    ("Update a page", "POST", "/wp/v2/pages/{id}"),
    ("Delete a page", "DELETE", "/wp/v2/pages/{id}"),
    ("Update a post", "POST", "/wp/v2/posts/{id}"),
    ("Delete a post", "DELETE", "/wp/v2/posts/{id}"),
]
SHOWN = {"status": "publish", "comment_status": "open", "ping_status": "open", "format": "standard"}


def described(fields: tuple[Field, ...]) -> dict[str, str]:
    """Write fields as the document's tables do: name -> type with members."""
    return {field.name: _described(field) for field in fields}


def _described(field: Field) -> str:
    if field.type is not Type.OBJECT:
        return str(field.type.value)
    return f"object {{{', '.join(f'{member.name}: {member.type.value}' for member in field.members)}}}"


# The copy, which is always there


def test_a_page_record_has_the_documented_fields() -> None:
    assert described(interface.PAGE_RECORD) == PAGE_RECORD
    assert len(interface.PAGE_RECORD) == 25


def test_a_page_body_has_the_documented_fields_in_the_documented_order() -> None:
    assert list(described(interface.PAGE_BODY).items()) == list(PAGE_BODY.items())
    assert len(interface.PAGE_BODY) == 16


def test_a_post_record_differs_as_documented() -> None:
    ours = described(interface.POST_RECORD)
    assert (
        ours
        == {name: type_ for name, type_ in PAGE_RECORD.items() if name not in ABSENT_FROM_POSTS}
        | ADDED_TO_POSTS
    )


def test_a_post_body_differs_as_documented_and_has_its_own_order() -> None:
    ours = described(interface.POST_BODY)
    assert (
        ours
        == {name: type_ for name, type_ in PAGE_BODY.items() if name not in ABSENT_FROM_POSTS}
        | ADDED_TO_POSTS
    )
    assert " ".join(ours) == POST_BODY_ORDER


def test_there_are_five_operations_and_no_more() -> None:
    ours = [(operation.name, operation.method, operation.path) for operation in interface.OPERATIONS]
    assert ours == [
        (f"{words.split()[0].lower()}_{words.split()[2]}", method, path) for words, method, path in OPERATIONS
    ]


def test_a_delete_has_force_and_nothing_else() -> None:
    deletes = [operation for operation in interface.OPERATIONS if operation.method == "DELETE"]
    assert [described(operation.body) for operation in deletes] == [{"force": "boolean"}] * 2


def test_each_write_has_the_body_of_its_kind() -> None:
    for operation in interface.OPERATIONS:
        if operation.method == "POST":
            assert operation.body == operation.kind.row.body


def test_a_body_has_no_field_that_its_record_lacks() -> None:
    for kind in Kind:
        records = {field.name: field for field in kind.row.record}
        assert all(records[field.name] == field for field in kind.row.body)


def test_only_the_shown_values_are_known() -> None:
    assert interface.SHOWN_VALUES == SHOWN


def test_a_kind_is_the_word_that_a_record_s_type_says() -> None:
    assert [kind.value for kind in Kind] == ["page", "post"]


# The document itself


@cache
def sections() -> dict[str, str]:
    """Read the document's sections by their number."""
    if not DOCUMENT.is_file():
        pytest.skip(f"the interface document is not at {DOCUMENT}; the copy of its tables is tested")
    parts = re.split(
        r"^#{2,3} (\d(?:\.\d)?)\.? .*$", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def table(section: str) -> list[list[str]]:
    """Read the rows of a section's table, without its head."""
    lines = [line for line in sections()[section].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def as_described(type_: str, notes: str = "") -> str:
    """Write a type of any of the document's tables in the one way of this test."""
    if members := re.findall(r"(\w+) \((\w+)\)", notes if type_ == "object" else ""):
        return f"object {{{', '.join(f'{name}: {kind}' for name, kind in members)}}}"
    return re.sub(r"^JSON |, see 2\.3$| \((?:category|tag) identifiers\)$", "", type_)


def test_the_document_s_page_record_is_the_copy() -> None:
    assert {name: as_described(type_, notes) for name, type_, notes in table("2.1")} == PAGE_RECORD


def test_the_document_s_differences_of_posts_are_the_copy() -> None:
    rows = table("2.2")
    assert {name for word, name, _ in rows if word == "absent"} == ABSENT_FROM_POSTS
    assert {name: as_described(type_) for word, name, type_ in rows if word == "added"} == ADDED_TO_POSTS


def test_the_document_s_values_are_the_copy() -> None:
    assert dict(table("2.3")) == SHOWN


def test_the_document_s_bodies_are_the_copy() -> None:
    assert [(name, as_described(type_)) for name, type_ in table("4.1")] == list(PAGE_BODY.items())
    assert " ".join(name for name, _ in table("4.4")) == POST_BODY_ORDER
    assert {name: as_described(type_) for name, type_ in table("4.4")} == described(interface.POST_BODY)


def test_the_document_s_operations_are_the_copy() -> None:
    assert [tuple(row) for row in table("1")] == OPERATIONS


def test_the_document_s_content_types_are_ours() -> None:
    words = sections()["4"]
    assert f"content type {interface.FORM_CONTENT_TYPE} (header" in words
    assert f"content type {interface.JSON_CONTENT_TYPE} and" in words
