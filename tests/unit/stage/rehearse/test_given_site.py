"""A stage begins with what the manifest says, and with what was read of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.client.abilities import LibraryFile
from pressync.client.address import home_of
from pressync.client.terms import Term
from pressync.model.interface import Kind
from pressync.model.records import Entry, Manifest, Name, Record
from pressync.stage.rehearse import given_site
from pressync.stage.rehearse.live_site import LiveSite, Unread
from pressync.stage.server.database import SiteSettings

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.model.records import Fields


def test_the_address_of_the_pages_is_that_of_the_interface_without_its_route() -> None:
    assert home_of("https://example.org/blog/wp-json") == "https://example.org/blog"
    assert home_of("https://example.org/blog/index.php?rest_route=/") == "https://example.org/blog"
    assert home_of("https://cms.example.org/api") == "https://cms.example.org"


ADDRESS = "https://example.org"


def posts(*links: str) -> Manifest:
    return Manifest(
        "t",
        {
            link: Entry(link, Kind.POST, n, link.rstrip("/").rpartition("/")[2], link, "", "", "", "", {})
            for n, link in enumerate(links, 1)
        },
    )


@pytest.mark.parametrize(
    ("live", "known", "structure"),
    [
        (LiveSite(permalinks="/archive/%post_id%"), posts(), "/archive/%post_id%"),
        (LiveSite(), posts(f"{ADDRESS}/2024/01/31/hello/"), "/%year%/%monthnum%/%day%/%postname%/"),
        (LiveSite(), posts(), "/%postname%/"),
        (LiveSite(permalinks="/%of_a_plugin%/"), posts(), "/%postname%/"),
        (LiveSite(permalinks=""), posts(), ""),
    ],
)
def test_the_permalinks_are_those_of_the_site_if_known(
    live: LiveSite, known: Manifest, structure: str
) -> None:
    assert given_site.given_settings(SiteSettings(), live, known, ADDRESS).permalinks == structure


@pytest.mark.parametrize(
    ("live", "known", "front"),
    [
        (LiveSite(front=7), posts(), 7),
        (LiveSite(front=0), posts(f"{ADDRESS}/"), 0),
        (LiveSite(), posts(f"{ADDRESS}/about/", f"{ADDRESS}/"), 2),
        (LiveSite(), posts(f"{ADDRESS}/index/"), 0),
        (LiveSite(), posts(), -1),
    ],
)
def test_the_front_page_is_that_of_the_site_if_known(live: LiveSite, known: Manifest, front: int) -> None:
    assert given_site.given_settings(SiteSettings(), live, known, ADDRESS).front == front


def test_terms_that_were_read_have_their_ids_and_others_those_of_the_manifest() -> None:
    names = {Name("categories", "News"): 4, Name("categories", "News/Old"): 5, Name("tags", "a/b"): 6}
    manifest = Manifest("t", names=names)
    rows = given_site.terms(LiveSite(), manifest)
    assert [(row.id, row.name, row.parent) for row in rows] == [
        *((1, "Uncategorized", 0), (4, "News", 0), (5, "Old", 4), (6, "a/b", 0))
    ]
    refused = LiveSite(terms={"categories": (), "tags": ()}, unread=(Unread("categories", "403"),))
    assert [row.id for row in given_site.terms(refused, manifest)] == [1, 4, 5]
    read = LiveSite(terms={"tags": (Term(9, "A &amp; B", "a-b", 0),), "categories": ()})
    assert [(term.id, term.name) for term in given_site.terms(read, Manifest("t"))] == [(9, "A &amp; B")]


def test_a_text_of_ours_has_a_block_and_what_a_visitor_does_not_see_is_as_it_was_synced() -> None:
    def record(*, raw: Fields | None = None, **fields: str) -> Record:
        return Record(Kind.PAGE, 3, "a", "", "", "2024-01-01T00:00:00", dict(fields), raw=raw or {})

    assert "wp:html" in given_site.as_it_is(record(content="<p>x</p>"), "wordpress", 0).content
    theirs = {"content": "x\r\ny", "title": "<em>T</em>"}
    kept = given_site.as_it_is(record(content="x\ny", title="<em>T</em>", raw=theirs), "wordpress", 0)
    assert (kept.content, kept.title) == ("x\r\ny", "<em>T</em>")
    then = {"title": "Then", "content": "<p>x</p>"}
    stored = given_site.as_it_is(record(title="Now"), "wordpress", 0, then)
    assert (stored.title, "<p>x</p>" in stored.content) == ("Now", True)
    undated = given_site.stored_record(
        Kind.PAGE, 1, {"date": "0000-00-00T00:00:00"}, modified="2024-02-01T00:00:00", offset=0
    )
    assert undated.date == undated.modified


def test_files_of_the_site_take_their_slugs_but_uploads_of_ours_are_not_found(tmp_path: Path) -> None:
    files = (
        LibraryFile(20, "about", 0, f"{ADDRESS}/wp-content/uploads/2024/01/about.png", "image/png"),
        LibraryFile(21, "team", 3, "https://cdn.example.org/team.png", "image/png"),
        LibraryFile(22, "logo-0123456789abcdef"),
    )
    found = list(given_site.media(LiveSite(files=files), Manifest("t"), ADDRESS, tmp_path, repository=None))  # type: ignore[arg-type]
    assert [(file.id, file.slug, file.file) for file in found] == [
        (20, "about", "2024/01/about.png"),
        (21, "media-21", "21"),
    ]
    assert given_site.last_id(LiveSite(files=files), Manifest("t")) == 22
