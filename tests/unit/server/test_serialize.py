"""A record as the document shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from pressync.model.interface import RECORDS, Kind, Type
from pressync.server.database import SiteSettings
from pressync.server.record import StoredRecord
from pressync.server.serialize import to_json

if TYPE_CHECKING:
    from pressync.model.interface import Field

NOON = 1709294400  # 2024-03-01T12:00:00 in GMT
PAGE = StoredRecord(
    id=7,
    kind=Kind.PAGE,
    guid="http://a/?p=7",
    date=NOON,
    modified=NOON,
    slug="a",
    title="A & <b>",
    content="<p>Text</p>",
)
SITE = SiteSettings(address="https://example.org", offset=60)

_TYPES = {
    Type.STRING: str,
    Type.DATETIME: str,
    Type.INTEGER: int,
    Type.BOOLEAN: bool,
    Type.OBJECT: dict,
    Type.INTEGERS: list,
    Type.STRINGS: list,
}


def check_shape(value: object, fields: tuple[Field, ...]) -> None:
    assert isinstance(value, dict)
    assert list(value) == [field.name for field in fields]
    for field in fields:
        assert type(value[field.name]) is _TYPES[field.type], field.name
        if field.members:
            check_shape(value[field.name], field.members)


@pytest.mark.parametrize("kind", Kind)
def test_a_record_has_exactly_the_documented_fields_and_members(kind: Kind) -> None:
    check_shape(to_json(structs.replace(PAGE, kind=kind), "/a/", SITE), RECORDS[kind])


def test_dates_are_in_site_time_and_in_gmt() -> None:
    record = to_json(PAGE, "/a/", SITE)
    assert (record["date"], record["date_gmt"]) == ("2024-03-01T13:00:00", "2024-03-01T12:00:00")
    assert (record["modified"], record["modified_gmt"]) == ("2024-03-01T13:00:00", "2024-03-01T12:00:00")


def test_a_title_is_escaped_and_content_is_not() -> None:
    record = to_json(PAGE, "/a/", SITE)
    assert record["title"] == {"raw": "A & <b>", "rendered": "A &amp; &lt;b&gt;"}
    assert record["content"] == {
        "raw": "<p>Text</p>",
        "rendered": "<p>Text</p>",
        "block_version": 0,
        "protected": False,
    }


def test_an_excerpt_is_made_from_the_content_where_none_is_given() -> None:
    assert to_json(PAGE, "/a/", SITE)["excerpt"] == {"raw": "", "rendered": "<p>Text</p>", "protected": False}
    given = structs.replace(PAGE, excerpt="In short")
    assert to_json(given, "/a/", SITE)["excerpt"] == {
        "raw": "In short",
        "rendered": "<p>In short</p>",
        "protected": False,
    }


def test_a_password_protects_content_and_excerpt() -> None:
    record = to_json(structs.replace(PAGE, password="secret"), "/a/", SITE)
    assert record["password"] == "secret"
    for name in ("content", "excerpt"):
        member = record[name]
        assert isinstance(member, dict)
        assert member["protected"] is True


@pytest.mark.parametrize(
    ("kind", "path", "template"),
    [
        (Kind.PAGE, "/docs/a/", "https://example.org/docs/%pagename%/"),
        (Kind.PAGE, "/", "https://example.org/%pagename%/"),
        (Kind.POST, "/blog/a/", "https://example.org/blog/%postname%/"),
    ],
)
def test_the_permalink_template_leaves_the_last_segment_open(kind: Kind, path: str, template: str) -> None:
    record = to_json(structs.replace(PAGE, kind=kind), path, SITE)
    assert (record["link"], record["permalink_template"]) == (f"https://example.org{path}", template)


@pytest.mark.parametrize(
    ("structure", "path", "template"),
    [("/%postname%", "/docs/a", "/docs/%pagename%"), ("", "/?page_id=7", "/?page_id=7")],
)
def test_the_permalink_template_has_the_form_of_the_link(structure: str, path: str, template: str) -> None:
    record = to_json(PAGE, path, replace(SITE, permalinks=structure))
    assert record["permalink_template"] == f"https://example.org{template}"
