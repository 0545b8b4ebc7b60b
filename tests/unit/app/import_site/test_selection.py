"""The files of a part are those that an import of the whole source gives the same items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from pressync.app.import_site.part import Part
from pressync.app.import_site.selection import select
from pressync.importers.in_step import OwnSite
from pressync.importers.item import Item, Place
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pressync.app.import_site.selection import Selection

    Lost = Callable[[Collection[tuple[Kind, int]]], Mapping[tuple[Kind, int], str] | None]

DOCS = Item("1", Kind.PAGE, Place("https://e.org/docs/"), slug="docs", address="/docs/", id=1)
GUIDE = Item("2", Kind.PAGE, Place("https://e.org/docs/guide/"), slug="guide", parent="1", id=2)
ABOUT = Item("3", Kind.PAGE, Place("https://e.org/about/"), slug="about", address="/about/", id=3)
# A draft below nothing. The guide is one below a page.
DRAFT = Item("4", Kind.POST, Place("https://e.org/?p=4"), slug="draft", parent="4")
ITEMS = (DOCS, GUIDE, ABOUT, DRAFT)


def own_site(lost: Lost) -> OwnSite:
    def connect() -> Never:
        raise AssertionError

    return OwnSite("https://e.org", connect, lost=lost)


def selected(part: Part, *files: str, own: OwnSite | None = None, **flags: Any) -> Selection:  # noqa: ANN401
    return select(ITEMS, "content", part, own, files.__contains__, **{"forgotten": False, **flags})


def test_the_paths_are_those_of_the_whole_source() -> None:
    whole, part = selected(Part()), selected(Part(("/about/",)))
    assert whole.wanted == {"1", "2", "3", "4"}
    assert part.wanted == {"3"}
    assert part.paths == {"3": whole.paths["3"]} == {"3": "content/pages/about.md"}


def test_a_draft_is_where_the_page_above_it_is() -> None:
    found = selected(Part(("/docs/",)))
    assert found.wanted == {"1", "2"}
    assert selected(Part((), ("/docs/",))).wanted == {"3", "4"}
    assert [(thing.kind, thing.why) for thing in found.left_out] == [
        ("outside of --under", "its address is not below /docs/"),
        ("outside of --under", "it has no address yet"),
    ]


def test_a_page_outside_that_has_a_file_here_is_a_target_of_links() -> None:
    found = selected(Part(("/docs/",)), "content/pages/about.md")
    assert found.wanted == {"1", "2"}
    assert found.paths.keys() == {"1", "2", "3"}


def test_records_that_the_repository_has_lost_stay_away_until_somebody_asks_for_them() -> None:
    own = own_site(lambda records: {record: "why" for record in records if record[1] == ABOUT.id})
    found = selected(Part(), "content/pages/docs/index.md", own=own)
    assert found.wanted == {"1", "2", "4"}
    assert [(thing.kind, thing.why, thing.address) for thing in found.left_out] == [
        ("forgotten here", "why", "/about/")
    ]
    assert found.fresh == ("https://e.org/docs/guide/",)
    again = selected(Part(), own=own, forgotten=True)
    assert again.wanted == {"1", "2", "3", "4"}
    assert again.left_out == ()


def test_the_first_import_has_nothing_new() -> None:
    own = own_site(lambda _records: None)
    assert selected(Part(), own=own).fresh == ()
