"""Each item gets a file of its own, at the place where pressync expects a page of its address."""

from __future__ import annotations

from typing import Any

import pytest

from pressync.content.sources import folder_parent
from pressync.importing.paths import addresses, chosen, parents, slug_of
from pressync.importing.sources.item import Item, Place
from pressync.model.bounds import names_git
from pressync.model.interface import Kind


def page(key: str, slug: str = "", **more: Any) -> Item:  # noqa: ANN401 - any field
    """Make a page."""
    return Item(key, Kind.PAGE, Place("x"), slug=slug, **more)


def test_a_page_is_below_its_parents() -> None:
    items = [page("1", "team", parent="2"), page("2", "about"), page("3", "a", parent="1")]
    assert chosen(items, "content") == {
        "1": "content/pages/about/team/index.md",
        "2": "content/pages/about/index.md",
        "3": "content/pages/about/team/a.md",
    }
    assert parents(items, chosen(items, "content"), "content") == {}


def test_a_parent_that_folders_cannot_say_is_named() -> None:
    home = page("1", "home", address="/")
    items = [home, page("2", "team", parent="1")]
    paths = chosen(items, "content")
    assert paths == {"1": "content/pages/index.md", "2": "content/pages/team.md"}
    assert parents(items, paths, "content") == {"2": "content/pages/index.md"}


def test_a_circle_of_parents_ends() -> None:
    items = [page("1", "a", parent="2"), page("2", "b", parent="1")]
    assert set(chosen(items, "").values()) == {"pages/b/a/index.md", "pages/a/b/index.md"}


def test_two_items_never_get_one_file() -> None:
    items = [page("1", "Same"), page("2", "same"), page("3", path="pages/same.md")]
    assert list(chosen(items, "").values()) == ["pages/Same.md", "pages/same-2.md", "pages/same-3.md"]


@pytest.mark.parametrize(
    ("item", "path"),
    [
        (page("1", path="../../etc/passwd"), "etc/passwd"),
        (page("1", path="/pages/./a b.md"), "pages/a-b.md"),
        (page("1", "index"), "pages/index-page.md"),
        (page("1", "a/b\x00c"), "pages/a-b-c.md"),
        (page("1", title="Hello, World!"), "pages/hello-world.md"),
        (page("1", path="pages/docs/_index.md"), "pages/docs/_index.md"),
        (page("1", path="pages/a.\0\n.m:d"), "pages/a.m-d"),
        (page("1", path=f"pages/a.{'m' * 300}"), f"pages/a.{'m' * 198}"),
        (page("1", "a\udcff"), "pages/a.md"),
        (Item("5", Kind.POST, Place("x"), slug="%d0%bc%d0%b8%d1%80"), "posts/мир.md"),
        (Item("5", Kind.POST, Place("x")), "posts/post-5.md"),
    ],
)
def test_a_name_is_safe_on_every_disk(item: Item, path: str) -> None:
    assert chosen([item], "") == {item.key: path}


def test_a_long_slug_is_cut_to_what_a_disk_takes() -> None:
    assert len(slug_of(page("1", "я" * 300)).encode()) <= 200


@pytest.mark.parametrize(
    ("folders", "address"), [(False, "/guide/"), (True, "/docs/guide/")], ids=["without", "with"]
)
def test_a_folder_without_a_page_is_in_addresses_only_if_the_settings_say_so(
    *, folders: bool, address: str
) -> None:
    items = [page("1", path="pages/docs/guide.md")]
    assert addresses(items, chosen(items, "content"), "content", {}, folders=folders) == {"1": address}


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
    paths = chosen(items, "")
    found = addresses(items, paths, "", parents(items, paths, ""), folders=True)
    assert found == {
        "1": "/manual/",
        "2": "/manual/index/a/",
        "4": "/",
    }


def test_a_page_in_or_below_a_circle_has_no_certain_address() -> None:
    items = [page("1", "a", parent="2"), page("2", "b", parent="1"), page("3", "c", parent="3")]
    items += [page("4", "d", parent="1"), page("5", "e")]
    paths = chosen(items, "")
    assert addresses(items, paths, "", parents(items, paths, ""), folders=False) == {"5": "/e/"}


def test_a_page_below_a_post_has_no_certain_address() -> None:
    items = [Item("1", Kind.POST, Place("x"), slug="a"), page("2", "b", parent="1")]
    paths = chosen(items, "")
    assert addresses(items, paths, "", parents(items, paths, ""), folders=False) == {}


def test_a_long_line_of_parents_gives_short_paths_and_names_the_parents() -> None:
    # Were it quadratic, or did it call itself for each page, it would not come back.
    items = [page(f"{number}", f"s{number}", parent=f"{number - 1}") for number in range(20_000)]
    paths = chosen(items, "content")
    assert max(map(len, paths.values())) < 1_000
    assert len(set(paths.values())) == len(items)
    named = parents(items, paths, "content")
    found = addresses(items, paths, "content", named, folders=False)
    assert found["2"] == "/s0/s1/s2/"
    assert "19999" not in found
    by_folder = folder_parent(paths["19999"], {*paths.values()}, "content")
    assert named.get("19999", by_folder) == paths["19998"]


def test_thousands_of_items_with_one_name_have_numbers() -> None:
    # Were it quadratic, it would not come back.
    found = chosen([page(f"{number}", "s") for number in range(20_000)], "")
    assert found["19999"] == "pages/s-20000.md"


@pytest.mark.parametrize("path", ["", ".", "../..", "/", "pages/" + "d/" * 2000 + "x.md"])
def test_a_path_that_is_empty_or_too_long_for_a_disk_is_not_taken(path: str) -> None:
    assert chosen([page("1", "a", path=path)], "content") == {"1": "content/pages/a.md"}


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
    assert not any(names_git(path) for path in chosen(items, "content").values())
