"""The records of an export are looked up on the site that it is of, and newer records are conflicts."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from tests.live.sites import open_at
from tests.support.builders import desired
from tests.support.embedded_wordpress import PASSWORD, USER

from pressync.client.credentials import basic
from pressync.importers.in_step import OwnSite, as_agreed, in_conflict
from pressync.importers.item import Item, Place
from pressync.importers.media import Uploads
from pressync.importers.own_export import look_up
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress

    from pressync.client.port import Service


def own(site: EmbeddedWordPress, password: str = PASSWORD) -> OwnSite:
    @contextmanager
    def connect() -> Iterator[Service]:
        with closing(open_at(site.url, basic(USER, password) if password else None)) as service:
            yield service

    return OwnSite(site.url, connect)


def item(site: EmbeddedWordPress, number: int, **members: str) -> Item:
    """Give the item that an export of today has for a record."""
    row = site.shown[number]
    modified = members.get("modified", row["modified_gmt"].replace("T", " "))
    return Item(str(number), Kind(row["type"]), Place("export.xml"), id=number, modified=modified)


def test_the_record_of_the_site_is_noted_for_each_item(site: EmbeddedWordPress) -> None:
    for route in ("pages", "posts"):
        site.post(route, title=route, content="<p>We</p>", status="publish")
    source = own(site)
    assert look_up(source, [item(site, number) for number in site.shown]) == ()
    assert {entry.id for entry in source.seen.values()} == set(site.shown)
    assert source.changed == {}


def test_a_record_that_is_newer_than_the_export_is_a_conflict(site: EmbeddedWordPress) -> None:
    number = site.post("pages", title="About", slug="about", content="<p>They</p>", status="publish")
    source = own(site)
    assert look_up(source, [item(site, number, modified="2001-01-01 00:00:00")]) == ()
    key = str(number)
    agreed = as_agreed(desired("content/pages/about.md"), source.seen[key], "")
    assert in_conflict(agreed, source.changed[key]).conflict == {"content": "<p>They</p>"}


def test_an_item_without_a_record_is_given_back(site: EmbeddedWordPress) -> None:
    gone = Item("99", Kind.POST, Place("export.xml"), id=99)
    assert look_up(own(site), [gone]) == (gone,)


def test_a_visitor_cannot_look_anything_up(site: EmbeddedWordPress) -> None:
    assert look_up(own(site, ""), [Item("99", Kind.POST, Place("export.xml"), id=99)]) is None


def test_nothing_to_look_up_is_not_asked_for(site: EmbeddedWordPress) -> None:
    assert look_up(own(site), [Item("x", Kind.POST, Place("export.xml"))]) == ()
    assert site.received == []


def test_the_library_is_read_if_pictures_were_copied(site: EmbeddedWordPress, tmp_path: Path) -> None:
    source = own(site)
    source.uploads = Uploads(tmp_path, "https://example.org")
    assert look_up(source, []) == ()
    assert source.library == ()
    assert "/wp/v2/media" in site.received[0].path
