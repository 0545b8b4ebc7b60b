"""The place of a value is the line that has to be changed to change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.explain.explanation import ValueSource
from pressync.app.explain.origins import DocumentOrigins, SettingsFile
from pressync.config.settings import load
from pressync.content import documents
from pressync.content.documents import Defaults
from pressync.content.front_matter.convert import READERS
from pressync.content.front_matter.keys import SPELLINGS
from pressync.model.interface import BODIES, Kind
from pressync.model.records import Source

if TYPE_CHECKING:
    from pressync.app.explain.explanation import ValueOrigin

SITE = '[sites.live]\nurl = "https://example.org/wp-json"\ndialect = "wordpress"\n'


def origins(text: str, settings: str = "", path: str = "content/pages/a/b.md") -> DocumentOrigins:
    """Read a document, and give the origins of its values."""
    found = load(SITE + settings, where="pressync.toml", environ={})
    read = documents.read(
        Source(path, "0" * 40), text.encode(), content="content", defaults=Defaults(found.site.defaults)
    )
    assert read.document, read.problems
    return DocumentOrigins(read.document, text, found, SettingsFile(SITE + settings, "pressync.toml"))


def where(origin: ValueOrigin) -> tuple[str, str]:
    return origin.source.value, origin.place.removeprefix("content/pages/a/")


@pytest.mark.parametrize(
    ("text", "field", "place"),
    [
        ("---\nslug: x\n---\n", "slug", ("front_matter", "b.md:2")),
        ("---\ndraft: true\n---\n", "status", ("front_matter", "b.md:2")),
        ("---\ndraft: false\n---\n", "status", ("pressync", "")),
        ("---\ndraft: false\npublished: false\n---\n", "status", ("front_matter", "b.md:3")),
        ("---\ndraft: true\nstatus: draft\n---\n", "status", ("front_matter", "b.md:3")),
        ("---\ndescription: a\nsummary: b\n---\n", "excerpt", ("front_matter", "b.md:3")),
        ("---\nweight: 2\n---\n", "menu_order", ("front_matter", "b.md:2")),
        ("---\ndate: 2024-01-31T10:00:00Z\n---\n", "date_gmt", ("front_matter", "b.md:2")),
        ("---\nstatus: deprecated\n---\n", "status", ("pressync", "")),
        ("---\nparent: null\n---\n", "parent", ("folder", "content/pages/a")),
        ("---\nparent: x.md\n---\n", "parent", ("front_matter", "b.md:2")),
        ("---\nlayout: wide\n---\n", "layout", ("front_matter", "b.md:2")),
        ("---\nauthor: jane\n---\n", "author", ("front_matter", "b.md:2")),
        ("# Hello\n", "title", ("text", "b.md:1")),
        ("---\nslug: x\n---\n\nA\n\nHello\n=====\n", "title", ("text", "b.md:7")),
        ("text\n", "title", ("file_name", "b.md")),
        ("text\n", "slug", ("file_name", "b.md")),
        ("text\n", "sticky", ("service", "")),
        ('{"slug": "x",\n "excerpt": "y"}\n', "excerpt", ("front_matter", "b.md:2")),
        ('+++\nslug = "x"\n+++\n', "slug", ("front_matter", "b.md:2")),
    ],
)
def test_a_value_comes_from_the_file(text: str, field: str, place: tuple[str, str]) -> None:
    found = where(origins(text).of(field))
    assert (found[0], found[1].removeprefix("content/pages/a/")) == place


def test_a_default_of_the_innermost_folder_wins_and_the_site_wins_over_all_sites() -> None:
    settings = """\

[defaults]
status = "draft"
excerpt = "for all"

[defaults."pages"]
excerpt = "for pages"

[sites.live.defaults."/pages/a/"]
weight = 3

[sites.live.defaults]
status = "private"
"""
    found = origins("text\n", settings)
    assert where(found.of("status")) == ("default", "pressync.toml:16")
    assert where(found.of("excerpt")) == ("default", "pressync.toml:10")
    assert where(found.of("menu_order")) == ("default", "pressync.toml:13")
    assert [each.folder for each in found.defaults()] == ["pages/a", "pages", ""]
    assert where(origins("---\nexcerpt: own\n---\n", settings).of("excerpt")) == ("front_matter", "b.md:2")


def test_a_value_of_another_tool_leaves_the_default() -> None:
    found = origins("---\nstatus: deprecated\n---\n", '\n[defaults]\nstatus = "draft"\n')
    assert where(found.of("status")) == ("default", "pressync.toml:6")


def test_the_front_page_may_come_from_the_site() -> None:
    found = origins("text\n", "front_page = true\n").of("front_page")
    assert (found.source, found.place) == (ValueSource.SETTINGS, "pressync.toml:4")


def test_each_spelling_is_a_key_that_sets_the_field() -> None:
    fields = {field.name for body in BODIES.values() for field in body}
    assert SPELLINGS.keys() <= fields
    known = {key for kind in Kind for key in READERS[kind]} | {"published", "authors"}
    assert {key for keys in SPELLINGS.values() for key in keys} <= known


def test_a_user_or_a_term_that_a_table_gave_is_said_to_come_from_it() -> None:
    text = "---\nauthor: anna\ntags: [x, y]\ncategories: [z]\n---\n"
    tables = f'{SITE}[authors]\nanna = "jane"\n[terms]\n"tags/x" = "X-ray"\n'
    settings = load(tables, where="pressync.toml", environ={})
    read = documents.DocumentReader(settings).read(Source("content/posts/a.md", "0" * 40), text.encode())
    assert read.document, read.problems
    said = DocumentOrigins(read.document, text, settings, SettingsFile(tables, "pressync.toml"))
    notes = {field: said.of(field).note for field in ("author", "tags", "categories")}
    assert notes == {"author": "by `[authors]`", "tags": "by `[terms]`", "categories": ""}
