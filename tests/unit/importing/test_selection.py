"""The files of a part are those that an import of the whole source gives the same items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Never

import pytest

from pressync.content.sources import folder_parent
from pressync.importing.selection import (
    FORGOTTEN,
    OTHERS,
    Part,
    Selection,
    addresses,
    chosen_paths,
    parents,
    select,
    slug_of,
)
from pressync.importing.sources.item import Item, OwnSite, Place
from pressync.model.bounds import names_git
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    NotOurs = Callable[[Collection[tuple[Kind, int]]], Mapping[tuple[Kind, int], tuple[str, str]]]


def page_at(address: str) -> Item:
    return Item("1", Kind.PAGE, Place("https://example.org/x/"), address=address)


@pytest.mark.parametrize(
    ("under", "address", "has"),
    [
        ("/docs/", "/docs/install/", True),
        ("/docs", "/docs2/", False),
        ("https://example.org/Docs/", "/docs/a", True),
        ("/мир/", "/%d0%bc%d0%b8%d1%80/a/", True),
        ("/?p=1", "/?p=12", False),
    ],
)
def test_an_address_has_everything_below_it_in_each_spelling(under: str, address: str, *, has: bool) -> None:
    assert (Part((under,)).refusal(page_at(address), address) is None) is has


def test_what_is_left_out_says_why_and_an_empty_part_is_refused() -> None:
    part = Part(("/docs/", "/blog/"), ("/docs/old/",))
    refused = [
        part.refusal(page_at(address), address) for address in ("/about/", "/docs/old/a/", "", "/docs/")
    ]
    assert [each and (each.kind, each.why, each.is_wanted) for each in refused] == [
        ("outside of --under", "its address is not below /docs/ or /blog/", True),
        ("below --without", "it is below /docs/old/", True),
        ("outside of --under", "it has no address yet", True),
        None,
    ]
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


def test_a_draft_is_where_the_page_above_it_is() -> None:
    found = selected(Part(("/docs/",)))
    assert found.wanted == {"1", "2"}
    assert found.paths == {key: selected(Part()).paths[key] for key in ("1", "2")}
    # A page outside that has a file here is a target of links.
    assert selected(Part(("/docs/",)), "content/pages/about.md").paths.keys() == {"1", "2", "3"}
    assert selected(Part((), ("/docs/",))).wanted == {"3", "4"}
    assert [(thing.kind, thing.why) for thing in found.left_out] == [
        ("outside of --under", "its address is not below /docs/"),
        ("outside of --under", "it has no address yet"),
    ]


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


def page(key: str, slug: str = "", **more: Any) -> Item:  # noqa: ANN401 - any field
    return Item(key, Kind.PAGE, Place("x"), slug=slug, **more)


def test_a_page_is_below_its_parents() -> None:
    items = [page("1", "team", parent="2"), page("2", "about"), page("3", "a", parent="1")]
    assert chosen_paths(items, "content") == {
        "1": "content/pages/about/team/index.md",
        "2": "content/pages/about/index.md",
        "3": "content/pages/about/team/a.md",
    }
    assert parents(items, chosen_paths(items, "content"), "content") == {}
    items = [page("1", "home", address="/"), page("2", "team", parent="1")]
    paths = chosen_paths(items, "content")
    assert paths == {"1": "content/pages/index.md", "2": "content/pages/team.md"}
    assert parents(items, paths, "content") == {"2": "content/pages/index.md"}, "folders cannot say it"
    circle = [page("1", "a", parent="2"), page("2", "b", parent="1")]
    assert set(chosen_paths(circle, "").values()) == {"pages/b/a/index.md", "pages/a/b/index.md"}


def test_two_items_never_get_one_file() -> None:
    items = [page("1", "Same"), page("2", "same"), page("3", path="pages/same.md")]
    assert list(chosen_paths(items, "").values()) == ["pages/Same.md", "pages/same-2.md", "pages/same-3.md"]


@pytest.mark.parametrize(
    ("item", "path"),
    [
        (page("1", path="../../etc/passwd"), "etc/passwd"),
        (page("1", "index"), "pages/index-page.md"),
        (page("1", path=f"pages/a.{'m' * 300}"), f"pages/a.{'m' * 198}"),
        (page("1", "a\udcff"), "pages/a.md"),
        (Item("5", Kind.POST, Place("x"), slug="%d0%bc%d0%b8%d1%80"), "posts/мир.md"),
        (Item("6", Kind.POST, Place("x"), title="Dots", path="posts/...md"), "posts/dots.md"),
        (Item("5", Kind.POST, Place("x")), "posts/post-5.md"),
    ],
)
def test_a_name_is_safe_on_every_disk(item: Item, path: str) -> None:
    assert chosen_paths([item], "") == {item.key: path}


@pytest.mark.parametrize(
    ("folders", "address"), [(False, "/guide/"), (True, "/docs/guide/")], ids=["without", "with"]
)
def test_a_bare_folder_is_in_addresses_only_if_the_settings_say_so(*, folders: bool, address: str) -> None:
    items = [page("1", path="pages/docs/guide.md")]
    assert addresses(items, chosen_paths(items, "content"), "content", {}, folders=folders) == {"1": address}


def test_addresses_have_the_slugs_of_all_parents_and_are_left_out_where_a_site_makes_other_slugs() -> None:
    items = [
        page("1", path="pages/docs/_index.md", slug="manual"),
        page("2", path="pages/docs/index/a.md"),
        page("3", path="pages/docs/v3.5/a.md"),
        page("4", path="pages/index.md", slug="home"),
        page("5", "about", parent="6"),
        page("6", "us", parent="5"),
        Item("7", Kind.POST, Place("x"), slug="hello"),
    ]
    paths = chosen_paths(items, "")
    found = addresses(items, paths, "", parents(items, paths, ""), folders=True)
    assert found == {"1": "/manual/", "2": "/manual/index/a/", "4": "/"}


def test_a_page_in_or_below_a_circle_has_no_certain_address() -> None:
    items = [page("1", "a", parent="2"), page("2", "b", parent="1"), page("3", "c", parent="3")]
    items += [page("4", "d", parent="1"), page("5", "e")]
    paths = chosen_paths(items, "")
    assert addresses(items, paths, "", parents(items, paths, ""), folders=False) == {"5": "/e/"}
    items = [Item("1", Kind.POST, Place("x"), slug="a"), page("2", "b", parent="1")]
    paths = chosen_paths(items, "")
    assert addresses(items, paths, "", parents(items, paths, ""), folders=False) == {}, "below a post"


@pytest.mark.sweep
def test_a_long_line_of_parents_gives_short_paths_and_names_the_parents() -> None:
    # Were it quadratic, or did it call itself for each page, it would not come back.
    items = [page(f"{number}", f"s{number}", parent=f"{number - 1}") for number in range(20_000)]
    paths = chosen_paths(items, "content")
    assert max(map(len, paths.values())) < 1_000
    assert len(set(paths.values())) == len(items)
    named = parents(items, paths, "content")
    found = addresses(items, paths, "content", named, folders=False)
    assert found["2"] == "/s0/s1/s2/"
    assert "19999" not in found
    by_folder = folder_parent(paths["19999"], {*paths.values()}, "content")
    assert named.get("19999", by_folder) == paths["19998"]
    alike = chosen_paths([page(f"{number}", "s") for number in range(20_000)], "")
    assert alike["19999"] == "pages/s-20000.md"
    assert len(slug_of(page("1", "я" * 300)).encode()) <= 200


@pytest.mark.parametrize("path", ["", ".", "../..", "/", "pages/" + "d/" * 2000 + "x.md"])
def test_a_path_that_is_empty_or_too_long_for_a_disk_is_not_taken(path: str) -> None:
    assert chosen_paths([page("1", "a", path=path)], "content") == {"1": "content/pages/a.md"}


@pytest.mark.parametrize(
    "part",
    [".git", ".GIT", "git~1", "GIT~1", ".git.", ".git ", ".git::$INDEX_ALLOCATION", ".g\u200cit", "git~1. "],
)
def test_no_item_leads_into_the_folder_of_git(part: str) -> None:
    items = [
        page("1", path=f"pages/{part}/hooks.md"),
        page("2", path=part),
        page("3", part),
        page("4", "a", parent="3"),
    ]
    assert not any(names_git(path) for path in chosen_paths(items, "content").values())
