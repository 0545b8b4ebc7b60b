"""The addresses of pages below a page that moved, and those that new pages will have."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import SITE, create, entry
from tests.support.states import opened

from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.sync.addresses import AddressTracker, ExpectedAddresses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.model.changes import Create
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
    followed = AddressTracker(state)
    followed.follow(TOP, moved(state, TOP, "/z/"), busy=(BELOW,))
    # A page whose own call is under way moves with its answer.
    assert addresses(state) == ["/z/", "/a/b/", "/a/b/c/"]
    followed.follow(BELOW, state.manifest.entries[BELOW], busy=())
    assert addresses(state) == ["/z/", "/z/b/", "/z/b/c/"]
    assert state.manifest.entries[DEEP].former == (f"{SITE}/a/b/c/",)


@pytest.mark.parametrize("path", [TOP, BELOW])
def test_pages_below_a_moved_page_that_the_service_made_a_draft_move_along(state: State, path: str) -> None:
    before = state.manifest.entries[path]
    drafted = replace(before, link=f"{SITE}/?page_id={before.id}", slug="z", former=(before.link,))
    state.put(drafted)
    AddressTracker(state).follow(path, before, ())
    old = before.link.rstrip("/").removesuffix(before.slug)
    assert state.manifest.entries[DEEP].link.startswith(f"{old}z/")


def draft(path: str, number: int, slug: str, parent: str | None = None) -> Entry:
    """Make the entry of a page that visitors never saw: its address has its id and not its slug."""
    return replace(page(path, number, f"/?page_id={number}", parent), slug=slug)


@pytest.mark.parametrize("busy", [(), (BELOW,)])
def test_pages_below_a_draft_move_along_with_the_page_above_the_draft(
    state: State, busy: tuple[str, ...]
) -> None:
    state.put(hidden := draft(BELOW, 2, "b", TOP))
    followed = AddressTracker(state)
    followed.follow(TOP, moved(state, TOP, "/z/"), busy)
    followed.follow(BELOW, hidden, ())
    assert addresses(state) == ["/z/", "/?page_id=2", "/z/b/c/"]


@pytest.mark.parametrize(
    ("path", "after"),
    [(BELOW, ["/a/", "/?page_id=2", "/a/new/c/"]), (TOP, ["/?page_id=1", "/new/b/", "/new/b/c/"])],
)
def test_pages_below_a_draft_move_with_its_slug(state: State, path: str, after: list[str]) -> None:
    entry_of, beside = state.manifest.entries[path], page("content/pages/s.md", 4, "/s/")
    hidden = draft(path, entry_of.id, path[-4], entry_of.parent_path)
    state.put(replace(beside, slug="s"), renamed := replace(hidden, slug="new"))
    followed = AddressTracker(state)
    followed.follow(path, hidden, ())
    assert addresses(state) == after
    assert state.manifest.entries[path] == renamed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["/a/a/", "/a/a/b/", "/a/a/b/c/"], ["/a/", "/a/b/", "/a/b/c/"]),
        (["/a/a/", "/a/a/a/", "/a/a/a/a/"], ["/a/", "/a/a/", "/a/a/a/"]),
        (["/a/", "/a/a/", "/a/a/a/"], ["/a/a/", "/a/a/a/", "/a/a/a/a/"]),
        (["/a", "/a/b", "/a/b/c"], ["/z", "/z/b", "/z/b/c"]),
        (["/a/a", "/a/a/a", "/a/a/a/a"], ["/a", "/a/a", "/a/a/a"]),
        # Those that stood elsewhere are left there, as are those whose addresses show no way.
        (["/a/", "/elsewhere/", "/a/b/c/"], ["/z/", "/elsewhere/", "/a/b/c/"]),
        (["/a/", "/?p=2", "/?p=3"], ["/z/", "/?p=2", "/?p=3"]),
        (["/a/", "/a/b/", "/a/b/c/"], ["/?p=1", "/a/b/", "/a/b/c/"]),
        (["/?p=1", "/?p=1/b", "/?p=3"], ["/?q=1", "/?p=1/b", "/?p=3"]),
    ],
)
def test_where_the_pages_below_stand_after_a_move(state: State, before: list[str], after: list[str]) -> None:
    top, below, deep = before
    state.put(page(TOP, 1, top), page(BELOW, 2, below, TOP), page(DEEP, 3, deep, BELOW))
    followed = AddressTracker(state)
    followed.follow(TOP, moved(state, TOP, after[0]), busy=())
    followed.follow(BELOW, state.manifest.entries[BELOW], busy=())
    assert addresses(state) == after


A, B, C = "content/pages/a.md", "content/pages/b.md", "content/pages/b/c.md"
OLD, NEWS = "content/posts/old.md", "content/posts/news.md"


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[State]:
    """Open an empty state."""
    with opened(tmp_path) as empty:
        yield empty


def new(path: str, **changes: object) -> Create:
    """Make a create that another one links to, and that links to all."""
    return dataclasses.replace(create(path, links=(A, B, C, NEWS), **changes), completed_later=True)


def expected(empty: State, *changes: Create) -> ExpectedAddresses:
    """Expect the addresses of these creates."""
    return ExpectedAddresses(empty, changes)


def link(addresses: ExpectedAddresses, path: str) -> str | None:
    """Give the expected address."""
    found = addresses.get(path)
    return found.link if found else None


def test_a_page_is_below_its_parent_whether_that_one_exists_or_not(empty: State) -> None:
    empty.put(entry(A))
    addresses = expected(empty, new(B), new(C, parent_path=B))
    assert link(addresses, C) == f"{SITE}/b/c/"
    empty.put(entry(B, link=f"{SITE}/b-2/"))
    assert link(addresses, C) == f"{SITE}/b-2/c/"


@pytest.mark.parametrize(
    ("shown", "date", "awaited"),
    [
        ("2023/01/05/old/", "2024-02-29T10:00:00", "2024/02/29/news/"),
        ("2023/01/old/", "2024-02-29T10:00:00", "2024/02/news/"),
        ("2023/01/old/", "", None),
        ("blog/old/", "", "blog/news/"),
        ("archives/77", "", None),
    ],
)
def test_a_post_is_below_its_date_where_dates_are(
    empty: State, shown: str, date: str, awaited: str | None
) -> None:
    empty.put(entry(OLD, kind=Kind.POST, link=f"{SITE}/{shown}"))
    news = new(NEWS, kind=Kind.POST, date=date)
    assert link(expected(empty, news), NEWS) == (awaited and f"{SITE}/{awaited}")


@pytest.mark.parametrize(
    "irregular",
    [
        new(B, slug=""),
        new(B, create_only={"status": fingerprint("draft")}),
        new(B, fingerprints={"parent": fingerprint(12)}),
    ],
    ids=["without a slug", "a draft", "below a record by its id"],
)
def test_no_address_is_expected_of_a_page_that_may_get_another(empty: State, irregular: Create) -> None:
    empty.put(entry(A))
    assert link(expected(empty, irregular), B) is None
    assert not expected(empty, irregular).teaches(irregular)


def test_plain_permalinks_show_no_pattern_and_only_a_few_pages_are_asked_for_one(empty: State) -> None:
    creates = [new(f"content/pages/p{n}.md") for n in range(5)] + [new(A), new(B)]
    addresses = expected(empty, *creates)
    taught = []
    for number, change in enumerate(creates, 1):
        taught.append(addresses.teaches(change))
        empty.put(entry(change.path, number, link=f"{SITE}/?page_id={number}"))
        addresses.take(change.path)
    assert taught == [True] * 3 + [False] * 4


def test_a_pattern_that_the_site_has_left_is_learned_again(empty: State) -> None:
    empty.put(entry("content/pages/old.md", link="https://old.test/old/"))
    addresses = expected(empty, new(A), new(B))
    assert link(addresses, A) == "https://old.test/a/"
    empty.put(entry(A, 8, link=f"{SITE}/a/"))
    addresses.take(A)
    assert link(addresses, B) == f"{SITE}/b/"


def test_after_several_wrong_addresses_nothing_is_expected(empty: State) -> None:
    empty.put(entry(OLD, 1, kind=Kind.POST, link=f"{SITE}/kitchen/old/"))
    paths = [f"content/posts/p{n}.md" for n in range(5)]
    addresses = expected(empty, *(new(path, kind=Kind.POST) for path in (*paths, NEWS)))
    for number, path in enumerate(paths, 2):
        assert (link(addresses, path) is None) == (number > 5)
        empty.put(entry(path, number, kind=Kind.POST, link=f"{SITE}/{number}/{path[14:-3]}/"))
        addresses.take(path)
    assert link(addresses, NEWS) is None


def test_what_shows_a_pattern_goes_first_and_a_page_without_links_before_others(empty: State) -> None:
    child, plain = new(C, parent_path=B), create("content/pages/plain.md", links=())
    changes = (child, new(A), plain, new(B), new(NEWS, kind=Kind.POST))
    addresses = expected(empty, *changes)
    leading = [change.path for change in addresses.leading(changes)]
    assert leading == [plain.path, B, C, NEWS, A]
    empty.put(entry(plain.path, 1))
    addresses.take(plain.path)
    # One page goes before all others at each depth of which nothing is known yet.
    assert [change.path for change in changes if addresses.teaches(change)] == [C, B, NEWS]
    empty.put(entry(B, 2))
    addresses.take(B)
    empty.put(entry(C, 3, parent_path=B, link=f"{SITE}/b/c/"))
    addresses.take(C)
    assert [change.path for change in changes if addresses.teaches(change)] == [NEWS]


def test_it_has_the_entries_that_exist_and_no_other_can_be_listed(empty: State) -> None:
    empty.put(entry(A))
    addresses = expected(empty, new(B))
    assert list(addresses) == [A]
    assert len(addresses) == 1
    assert addresses[A] is empty.manifest.entries[A]
