"""The addresses that new pages are expected to get, by the addresses that others have got."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import SITE, create, entry
from tests.support.states import opened

from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.sync.addresses import ExpectedAddresses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.model.changes import Create
    from pressync.state.state import State

A, B, C = "content/pages/a.md", "content/pages/b.md", "content/pages/b/c.md"
OLD, NEWS = "content/posts/old.md", "content/posts/news.md"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """Open an empty state."""
    with opened(tmp_path) as state:
        yield state


def new(path: str, **changes: object) -> Create:
    """Make a create that another one links to, and that links to all."""
    return replace(create(path, links=(A, B, C, NEWS), **changes), completed_later=True)


def expected(state: State, *changes: Create) -> ExpectedAddresses:
    """Expect the addresses of these creates."""
    return ExpectedAddresses(state, changes)


def link(addresses: ExpectedAddresses, path: str) -> str | None:
    """Give the expected address."""
    found = addresses.get(path)
    return found.link if found else None


def test_nothing_is_expected_before_a_response_shows_the_pattern(state: State) -> None:
    addresses = expected(state, new(A), new(B))
    assert link(addresses, A) is None
    assert addresses.teaches(new(A))
    state.put(entry(A, link=f"{SITE}/blog/a/"))
    addresses.take(A)
    assert link(addresses, B) == f"{SITE}/blog/b/"
    assert not addresses.teaches(new(B))


def test_a_page_is_below_its_parent_whether_that_one_exists_or_not(state: State) -> None:
    state.put(entry(A))
    addresses = expected(state, new(B), new(C, parent_path=B))
    assert link(addresses, C) == f"{SITE}/b/c/"
    state.put(entry(B, link=f"{SITE}/b-2/"))
    assert link(addresses, C) == f"{SITE}/b-2/c/"


def test_an_address_without_a_slash_at_its_end_stays_so(state: State) -> None:
    state.put(entry(A, link=f"{SITE}/a"))
    addresses = expected(state, new(B), new(C, parent_path=B))
    assert link(addresses, C) == f"{SITE}/b/c"


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
def test_a_post_is_below_its_date_where_the_site_writes_dates(
    state: State, shown: str, date: str, awaited: str | None
) -> None:
    state.put(entry(OLD, kind=Kind.POST, link=f"{SITE}/{shown}"))
    news = new(NEWS, kind=Kind.POST, date=date)
    assert link(expected(state, news), NEWS) == (awaited and f"{SITE}/{awaited}")


@pytest.mark.parametrize(
    "irregular",
    [
        new(B, slug=""),
        new(B, create_only={"status": fingerprint("draft")}),
        new(B, fingerprints={"parent": fingerprint(12)}),
    ],
    ids=["without a slug", "a draft", "below a record by its id"],
)
def test_no_address_is_expected_of_a_page_that_may_get_another(state: State, irregular: Create) -> None:
    state.put(entry(A))
    assert link(expected(state, irregular), B) is None
    assert not expected(state, irregular).teaches(irregular)


def test_plain_permalinks_show_no_pattern_and_only_a_few_pages_are_asked_for_one(state: State) -> None:
    creates = [new(f"content/pages/p{n}.md") for n in range(5)] + [new(A), new(B)]
    addresses = expected(state, *creates)
    taught = []
    for number, change in enumerate(creates, 1):
        taught.append(addresses.teaches(change))
        state.put(entry(change.path, number, link=f"{SITE}/?page_id={number}"))
        addresses.take(change.path)
    assert taught == [True] * 3 + [False] * 4


def test_a_pattern_that_the_site_has_left_is_learned_again(state: State) -> None:
    state.put(entry("content/pages/old.md", link="https://old.test/old/"))
    addresses = expected(state, new(A), new(B))
    assert link(addresses, A) == "https://old.test/a/"
    state.put(entry(A, 8, link=f"{SITE}/a/"))
    addresses.take(A)
    assert link(addresses, B) == f"{SITE}/b/"


def test_a_service_that_puts_every_page_at_the_top_is_believed(state: State) -> None:
    state.put(entry(A))
    addresses = expected(state, new(B), new(C, parent_path=A), new("content/pages/a/d.md", parent_path=A))
    assert link(addresses, C) == f"{SITE}/a/c/"
    state.put(entry(C, 8, parent_path=A, link=f"{SITE}/c/"))
    addresses.take(C)
    assert link(addresses, "content/pages/a/d.md") == f"{SITE}/d/"


def test_wrong_addresses_of_a_pattern_that_was_left_do_not_count_against_the_next_one(state: State) -> None:
    state.put(entry(A))
    paths = [f"content/pages/a/p{n}.md" for n in range(9)]
    addresses = expected(state, *(new(path, parent_path=A) for path in (*paths, C)))
    # Nine of them are sent with the pattern that nobody has seen a response to.
    assert [link(addresses, path) for path in paths] == [f"{SITE}/a/p{n}/" for n in range(9)]
    for number, path in enumerate(paths, 8):
        state.put(entry(path, number, parent_path=A, link=f"{SITE}/{path[16:-3]}/"))
        addresses.take(path)
    assert link(addresses, C) == f"{SITE}/c/"


def test_the_manifest_shows_the_pattern_of_a_depth_so_that_nothing_waits_for_it(state: State) -> None:
    state.put(entry(A, 1))
    state.put(entry("content/pages/a/x.md", 2, parent_path=A, link=f"{SITE}/x/"))
    child = new("content/pages/a/d.md", parent_path=A)
    addresses = expected(state, child, new(C, parent_path=A))
    assert link(addresses, C) == f"{SITE}/c/"
    assert not addresses.teaches(child)
    assert addresses.leading((child,)) == (child,)


def test_one_page_with_an_address_of_its_own_does_not_change_the_pattern_of_the_others(state: State) -> None:
    state.put(entry(A, 1))
    paths = [f"content/pages/a/p{n}.md" for n in range(6)]
    addresses = expected(state, *(new(path, parent_path=A) for path in (*paths, C)))
    for number, path in enumerate(paths, 2):
        slug = path[16:-3]
        assert link(addresses, path) == f"{SITE}/a/{slug}/"
        odd = number == 5
        state.put(entry(path, number, parent_path=A, link=f"{SITE}/{slug}/" if odd else f"{SITE}/a/{slug}/"))
        addresses.take(path)
    assert link(addresses, C) == f"{SITE}/a/c/"


def test_after_several_wrong_addresses_nothing_is_expected(state: State) -> None:
    state.put(entry(OLD, 1, kind=Kind.POST, link=f"{SITE}/kitchen/old/"))
    paths = [f"content/posts/p{n}.md" for n in range(5)]
    addresses = expected(state, *(new(path, kind=Kind.POST) for path in (*paths, NEWS)))
    for number, path in enumerate(paths, 2):
        assert (link(addresses, path) is None) == (number > 5)
        state.put(entry(path, number, kind=Kind.POST, link=f"{SITE}/{number}/{path[14:-3]}/"))
        addresses.take(path)
    assert link(addresses, NEWS) is None


def test_of_a_create_that_failed_nothing_is_expected(state: State) -> None:
    state.put(entry(A))
    addresses = expected(state, new(B))
    assert link(addresses, B)
    addresses.take(B)
    assert link(addresses, B) is None


def test_what_shows_a_pattern_goes_first_and_a_page_without_links_before_others(state: State) -> None:
    child, plain = new(C, parent_path=B), create("content/pages/plain.md", links=())
    changes = (child, new(A), plain, new(B), new(NEWS, kind=Kind.POST))
    addresses = expected(state, *changes)
    leading = [change.path for change in addresses.leading(changes)]
    assert leading == [plain.path, B, C, NEWS, A]
    state.put(entry(plain.path, 1))
    addresses.take(plain.path)
    # One page goes before all others at each depth of which nothing is known yet.
    assert [change.path for change in changes if addresses.teaches(change)] == [C, B, NEWS]
    state.put(entry(B, 2))
    addresses.take(B)
    state.put(entry(C, 3, parent_path=B, link=f"{SITE}/b/c/"))
    addresses.take(C)
    assert [change.path for change in changes if addresses.teaches(change)] == [NEWS]


def test_where_no_page_links_to_a_new_one_nothing_waits(state: State) -> None:
    alone = create(A)
    assert not expected(state, alone).teaches(alone)
    assert expected(state, alone).leading((alone,)) == (alone,)


def test_it_has_the_entries_that_exist_and_no_other_can_be_listed(state: State) -> None:
    state.put(entry(A))
    addresses = expected(state, new(B))
    assert list(addresses) == [A]
    assert len(addresses) == 1
    assert addresses[A] is state.manifest.entries[A]
