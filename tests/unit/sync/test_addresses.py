"""The addresses below a page that moved, in whatever order the responses arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import SITE, entry
from tests.support.states import opened

from pressync.sync.addresses import AddressTracker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.model.records import Entry
    from pressync.state.state import State

TOP, BELOW, DEEP = "content/pages/a.md", "content/pages/a/b.md", "content/pages/a/b/c.md"


def page(path: str, number: int, address: str, parent: str | None = None) -> Entry:
    """Make the entry of a page at an address."""
    return entry(path, number, link=f"{SITE}{address}", parent_path=parent)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """Open the state of a line of three pages."""
    with opened(tmp_path) as state:
        state.put(page(TOP, 1, "/a/"), page(BELOW, 2, "/a/b/", TOP), page(DEEP, 3, "/a/b/c/", BELOW))
        yield state


def moved(state: State, path: str, address: str) -> Entry:
    """Settle a write after which a page stands elsewhere; give what the manifest said before."""
    before = state.manifest.entries[path]
    state.put(page(path, before.id, address, before.parent_path))
    return before


def addresses(state: State) -> list[str]:
    return [state.manifest.entries[path].link.removeprefix(SITE) for path in (TOP, BELOW, DEEP)]


def test_the_pages_below_move_along_and_remember_where_they_were(state: State) -> None:
    AddressTracker(state).follow(TOP, moved(state, TOP, "/z/"), busy=())
    assert addresses(state) == ["/z/", "/z/b/", "/z/b/c/"]
    assert state.manifest.entries[DEEP].former == (f"{SITE}/a/b/c/",)


def test_a_page_that_did_not_move_moves_nobody(state: State) -> None:
    AddressTracker(state).follow(TOP, state.manifest.entries[TOP], busy=())
    assert addresses(state) == ["/a/", "/a/b/", "/a/b/c/"]


def test_a_page_whose_own_call_is_under_way_moves_with_its_answer(state: State) -> None:
    followed = AddressTracker(state)
    followed.follow(TOP, moved(state, TOP, "/z/"), busy=(BELOW,))
    assert addresses(state) == ["/z/", "/a/b/", "/a/b/c/"]
    followed.follow(BELOW, state.manifest.entries[BELOW], busy=())
    assert addresses(state) == ["/z/", "/z/b/", "/z/b/c/"]


def test_a_child_that_stood_elsewhere_is_left_there(state: State) -> None:
    state.put(page(BELOW, 2, "/elsewhere/", TOP))
    AddressTracker(state).follow(TOP, moved(state, TOP, "/z/"), busy=())
    assert addresses(state) == ["/z/", "/elsewhere/", "/a/b/c/"]


@pytest.mark.parametrize("path", [TOP, BELOW])
def test_pages_below_a_moved_page_that_the_service_made_a_draft_move_along(state: State, path: str) -> None:
    before = state.manifest.entries[path]
    drafted = replace(before, link=f"{SITE}/?page_id={before.id}", slug="z", former=(before.link,))
    state.put(drafted)
    AddressTracker(state).follow(path, before, ())
    old = before.link.rstrip("/").removesuffix(before.slug)
    assert state.manifest.entries[DEEP].link.startswith(f"{old}z/")


def test_a_page_that_came_back_takes_its_children_back(state: State) -> None:
    followed = AddressTracker(state)
    followed.follow(TOP, moved(state, TOP, "/z/"), busy=())
    followed.follow(TOP, moved(state, TOP, "/a/"), busy=())
    assert addresses(state) == ["/a/", "/a/b/", "/a/b/c/"]


def test_a_page_that_was_deleted_is_followed_nowhere(state: State) -> None:
    before = state.manifest.entries[TOP]
    state.drop(TOP)
    AddressTracker(state).follow(TOP, before, busy=())
    assert state.manifest.entries[BELOW].link == f"{SITE}/a/b/"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["/a/a/", "/a/a/b/", "/a/a/b/c/"], ["/a/", "/a/b/", "/a/b/c/"]),
        (["/a/a/", "/a/a/a/", "/a/a/a/a/"], ["/a/", "/a/a/", "/a/a/a/"]),
        (["/a/", "/a/a/", "/a/a/a/"], ["/a/a/", "/a/a/a/", "/a/a/a/a/"]),
        (["/a", "/a/b", "/a/b/c"], ["/z", "/z/b", "/z/b/c"]),
        (["/a/a", "/a/a/a", "/a/a/a/a"], ["/a", "/a/a", "/a/a/a"]),
        (["/a/", "/?p=2", "/?p=3"], ["/z/", "/?p=2", "/?p=3"]),
        (["/a/", "/a/b/", "/a/b/c/"], ["/?p=1", "/a/b/", "/a/b/c/"]),
        (["/?p=1", "/?p=1/b", "/?p=3"], ["/?q=1", "/?p=1/b", "/?p=3"]),
    ],
    ids=[
        "up to its parent",
        "up, all of one name",
        "down",
        "no slash",
        "up, no slash",
        "queries",
        "to one",
        "of one",
    ],
)
def test_where_the_pages_below_stand_after_a_move(state: State, before: list[str], after: list[str]) -> None:
    top, below, deep = before
    state.put(page(TOP, 1, top), page(BELOW, 2, below, TOP), page(DEEP, 3, deep, BELOW))
    followed = AddressTracker(state)
    followed.follow(TOP, moved(state, TOP, after[0]), busy=())
    followed.follow(BELOW, state.manifest.entries[BELOW], busy=())
    assert addresses(state) == after
