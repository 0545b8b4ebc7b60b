"""The interface as data, held to the interface document: to its tables where it is at hand, and to a copy."""

from __future__ import annotations

import copy
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pressync.model import interface
from pressync.model.interface import DOCUMENTED_TYPES, Type

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
PAGE_BODY_ORDER = (
    "date date_gmt slug status password parent title content author excerpt featured_media "
    "comment_status ping_status menu_order meta template"
)
PAGE_BODY = {name: PAGE_RECORD[name] for name in PAGE_BODY_ORDER.split()}
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


def test_records_and_bodies_have_the_documented_fields_and_posts_differ_as_documented() -> None:
    def of_posts(fields: dict[str, str]) -> dict[str, str]:
        return {name: kind for name, kind in fields.items() if name not in ABSENT_FROM_POSTS} | ADDED_TO_POSTS

    assert described(interface.PAGE_RECORD) == PAGE_RECORD
    assert list(described(interface.PAGE_BODY).items()) == list(PAGE_BODY.items())
    assert described(interface.POST_RECORD) == of_posts(PAGE_RECORD)
    assert described(interface.POST_BODY) == of_posts(PAGE_BODY)
    assert " ".join(described(interface.POST_BODY)) == POST_BODY_ORDER
    assert interface.SHOWN_VALUES == SHOWN
    assert [str(kind) for kind in DOCUMENTED_TYPES.kinds] == ["page", "post"]


def test_there_are_five_operations_with_the_bodies_of_their_kinds() -> None:
    ours = [(operation.name, operation.method, operation.path) for operation in interface.OPERATIONS]
    assert ours == [
        (f"{words.split()[0].lower()}_{words.split()[2]}", method, path) for words, method, path in OPERATIONS
    ]
    for operation in interface.OPERATIONS:
        if operation.method == "POST":
            assert operation.body == operation.kind.row.body
        else:
            assert described(operation.body) == {"force": "boolean"}
    for kind in DOCUMENTED_TYPES.kinds:
        records = {field.name: field for field in kind.row.record}
        assert all(records[field.name] == field for field in kind.row.body)


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


def test_the_document_s_tables_are_the_copy_and_its_content_types_ours() -> None:
    assert {name: as_described(type_, notes) for name, type_, notes in table("2.1")} == PAGE_RECORD
    rows = table("2.2")
    assert {name for word, name, _ in rows if word == "absent"} == ABSENT_FROM_POSTS
    assert {name: as_described(type_) for word, name, type_ in rows if word == "added"} == ADDED_TO_POSTS
    assert dict(table("2.3")) == SHOWN
    assert [(name, as_described(type_)) for name, type_ in table("4.1")] == list(PAGE_BODY.items())
    assert " ".join(name for name, _ in table("4.4")) == POST_BODY_ORDER
    assert {name: as_described(type_) for name, type_ in table("4.4")} == described(interface.POST_BODY)
    assert [tuple(row) for row in table("1")] == OPERATIONS
    words = sections()["4"]
    assert f"content type {interface.FORM_CONTENT_TYPE} (header" in words
    assert f"content type {interface.JSON_CONTENT_TYPE} and" in words


def test_a_copy_of_a_kind_has_its_facts() -> None:
    assert copy.deepcopy({"kind": interface.Kind.PAGE})["kind"].row is interface.Kind.PAGE.row
