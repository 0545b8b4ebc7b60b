"""The files of a part are those that an import of the whole source gives the same items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Never

import pytest

from pressync.importing.selection import FORGOTTEN, OTHERS, Part, select
from pressync.importing.sources.in_step import OwnSite
from pressync.importing.sources.item import Item, Place
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pressync.importing.selection import Selection

    NotOurs = Callable[[Collection[tuple[Kind, int]]], Mapping[tuple[Kind, int], tuple[str, str]]]


def page(address: str) -> Item:
    return Item("1", Kind.PAGE, Place("https://example.org/x/"), address=address)


@pytest.mark.parametrize(
    ("under", "address", "has"),
    [
        ("/docs/", "/docs/install/", True),
        ("docs", "/docs/", True),
        ("/docs", "/docs2/", False),
        ("/docs/", "/blog/docs/", False),
        ("https://example.org/Docs/", "/docs/a", True),
        ("/мир/", "/%d0%bc%d0%b8%d1%80/a/", True),
        ("/", "/?p=12", True),
        ("/?p=1", "/?p=1", True),
        ("/?p=1", "/?p=12", False),
        ("/docs/", "", False),
    ],
)
def test_an_address_has_everything_below_it_in_each_spelling(under: str, address: str, *, has: bool) -> None:
    assert (Part((under,)).refusal(page(address), address) is None) is has


def test_what_is_left_out_says_why_and_that_somebody_wants_it() -> None:
    part = Part(("/docs/", "/blog/"), ("/docs/old/",))
    refused = [part.refusal(page(address), address) for address in ("/about/", "/docs/old/a/", "", "/docs/")]
    assert [each and (each.kind, each.why, each.is_wanted) for each in refused] == [
        ("outside of --under", "its address is not below /docs/ or /blog/", True),
        ("below --without", "it is below /docs/old/", True),
        ("outside of --under", "it has no address yet", True),
        None,
    ]


def test_a_part_that_has_nothing_is_refused_with_the_parts_that_there_are() -> None:
    with pytest.raises(ConfigError, match="no page or post has an address below /doc/") as told:
        Part(("/doc/",)).check(["/docs/", "/docs/a/", "/about/", ""])
    assert told.value.todo == "name one of those that there are: /docs/ (2), /about/ (1)"
    with pytest.raises(ConfigError) as told:
        Part(("/doc/",)).check([])
    assert told.value.todo == "import the whole source"
    Part().check([])
    with pytest.raises(ConfigError, match="--without: it leaves out every page and post below /docs/"):
        Part(("/docs/",), ("/docs/",)).check(["/docs/", "/docs/a/", "/about/"])


@pytest.mark.parametrize(("flag", "part"), [("--under", Part(("",))), ("--without", Part((), (" ",)))])
def test_an_empty_address_is_not_the_whole_site(flag: str, part: Part) -> None:
    with pytest.raises(ConfigError, match=f"{flag}: the address is empty"):
        part.check(["/docs/"])


DOCS = Item("1", Kind.PAGE, Place("https://e.org/docs/"), slug="docs", address="/docs/", id=1)
GUIDE = Item("2", Kind.PAGE, Place("https://e.org/docs/guide/"), slug="guide", parent="1", id=2)
ABOUT = Item("3", Kind.PAGE, Place("https://e.org/about/"), slug="about", address="/about/", id=3)
# A draft below nothing. The guide is one below a page.
DRAFT = Item("4", Kind.POST, Place("https://e.org/?p=4"), slug="draft", parent="4")
ITEMS = (DOCS, GUIDE, ABOUT, DRAFT)


def own_site(not_ours: NotOurs) -> OwnSite:
    def connect() -> Never:
        raise AssertionError

    return OwnSite("https://e.org", connect, not_ours=not_ours)


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


def test_records_that_are_not_ours_stay_away_until_somebody_asks_for_forgotten_ones() -> None:
    reasons = {ABOUT.id: (FORGOTTEN, "why"), GUIDE.id: (OTHERS, "docs.json has it")}
    own = own_site(lambda records: {record: reasons[record[1]] for record in records if record[1] in reasons})
    found = selected(Part(), "content/pages/docs/index.md", own=own)
    assert found.wanted == {"1", "4"}
    assert [(thing.kind, thing.why, thing.address) for thing in found.left_out] == [
        ("of another manifest", "docs.json has it", ""),
        ("forgotten here", "why", "/about/"),
    ]
    again = selected(Part(), own=own, forgotten=True)
    assert again.wanted == {"1", "3", "4"}


def test_only_a_later_import_has_something_new() -> None:
    own = own_site(lambda _records: {})
    assert selected(Part(), own=own).fresh == ()
    known = replace(DOCS, path="pages/docs/index.md")
    later = select((known, GUIDE, DRAFT), "content", Part(), own, lambda _path: False, forgotten=False)
    assert later.fresh == ("https://e.org/docs/guide/",)
