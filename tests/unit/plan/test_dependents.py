"""Rules that need several paths: no parent, addresses that may change, links that are completed later."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import blocked, create, delete, desired, entry, keep, prints, update

from pressync.model.changes import Blocked, Create, Delete, Keep, Update
from pressync.model.interface import Kind
from pressync.plan.dependents import (
    block_below_absent,
    block_orphans,
    keep_parents,
    linked_update,
    may_move,
    settle_links,
)

if TYPE_CHECKING:
    from pressync.model.changes import Change

DOCS, GUIDE, DEEP = "docs/index.md", "docs/guide/index.md", "docs/guide/deep.md"
BELOW_DOCS = prints(GUIDE, parent=7)


# Orphans


def test_a_create_whose_parent_is_made_in_the_same_plan_goes_on() -> None:
    changes: list[Change] = [create(DOCS), create(GUIDE, parent_path=DOCS)]
    assert block_orphans(changes, entries=()) == changes


def test_a_create_below_a_record_goes_on_whatever_becomes_of_the_record() -> None:
    changes: list[Change] = [blocked(DOCS, number=3), create(GUIDE, parent_path=DOCS)]
    assert block_orphans(changes, entries={DOCS}) == changes


def test_a_blocked_parent_blocks_all_creates_below_it() -> None:
    changes: list[Change] = [
        create(DEEP, parent_path=GUIDE),
        create(GUIDE, parent_path=DOCS),
        blocked(DOCS),
        create("other.md"),
    ]
    deep, guide, _, other = block_orphans(changes, entries=())
    assert isinstance(guide, Blocked)
    assert guide.reason == f"its parent {DOCS} has no record yet and cannot get one in this run"
    assert isinstance(deep, Blocked)
    assert GUIDE in deep.reason
    assert isinstance(other, Create)


def test_a_parent_that_is_bound_by_its_front_matter_has_a_record() -> None:
    bound = update(DOCS, old=entry(DOCS, 12, commit="", link="", slug=""), bound_id=12)
    changes: list[Change] = [bound, create(GUIDE, parent_path=DOCS)]
    assert block_orphans(changes, entries=()) == changes


def test_a_record_is_not_moved_to_the_top_because_its_new_parent_cannot_be_made() -> None:
    moving = update(GUIDE, "content", "parent", parent_path=DOCS)
    below = create(DEEP, parent_path=GUIDE)
    stays, fine, _ = block_orphans([moving, below, blocked(DOCS)], entries={GUIDE})
    assert isinstance(stays, Blocked)
    assert (stays.id, stays.fields) == (moving.id, ("content", "parent"))
    assert fine == below, "its own parent has a record all the same"


def test_no_page_is_put_below_a_page_in_the_trash() -> None:
    trashed = entry(DOCS)
    changes: list[Change] = [
        create(GUIDE, parent_path=DOCS),
        update(DEEP, "parent", number=9, fingerprints=BELOW_DOCS),
        update("text.md", "title", number=10, parent_path=DOCS),
        create("other.md"),
    ]
    new, moved, *rest = block_below_absent(changes, [trashed], [])
    reason = f"its parent {DOCS} is in the trash on the site; restore that page there, or move this file"
    assert isinstance(new, Blocked)
    assert (new.id, new.reason) == (None, reason)
    assert isinstance(moved, Blocked)
    assert (moved.id, moved.fields, moved.reason) == (9, ("parent",), reason)
    assert rest == changes[2:]
    assert block_below_absent(changes, [], []) == changes
    new, *_ = block_below_absent(changes, [], [trashed])
    assert isinstance(new, Blocked)
    assert new.reason == f"its parent {DOCS} was deleted on the site; remove or forget that page first"


# Parents of records that stay


def test_a_whole_line_is_deleted() -> None:
    entries = {DOCS: entry(DOCS), GUIDE: entry(GUIDE, 8, parent_path=DOCS)}
    changes: list[Change] = [delete(DOCS), delete(GUIDE, 8, parent_path=DOCS)]
    assert keep_parents(changes, entries) == changes


@pytest.mark.parametrize("rest", [[blocked(DEEP, number=9)], []], ids=["blocked", "not chosen"])
def test_no_page_above_a_record_that_stays_is_deleted(rest: list[Change]) -> None:
    entries = {
        DOCS: entry(DOCS),
        GUIDE: entry(GUIDE, 8, parent_path=DOCS),
        DEEP: entry(DEEP, 9, parent_path=GUIDE),
        "other.md": entry("other.md", 10),
    }
    docs, guide, other, *_ = keep_parents(
        [delete(DOCS), delete(GUIDE, 8, parent_path=DOCS), delete("other.md", 10), *rest], entries
    )
    assert isinstance(guide, Blocked)
    assert guide.reason == f"its file was removed, but {DEEP} stays below it; delete or move that page first"
    assert isinstance(docs, Blocked)
    assert GUIDE in docs.reason
    assert isinstance(other, Delete)


@pytest.mark.parametrize(
    "child",
    [
        [],
        [Keep(GUIDE, Kind.PAGE, 8, entry(GUIDE, 8, fingerprints=BELOW_DOCS))],
        [update(GUIDE, number=8, fingerprints=BELOW_DOCS)],
        [create(GUIDE, fingerprints=BELOW_DOCS)],
    ],
    ids=["not chosen", "up to date", "changed", "new"],
)
def test_a_page_that_names_its_parent_by_id_keeps_that_parent(child: list[Change]) -> None:
    entries = {DOCS: entry(DOCS), GUIDE: entry(GUIDE, 8, fingerprints=BELOW_DOCS)}
    docs, *_ = keep_parents([delete(DOCS), *child], entries)
    assert isinstance(docs, Blocked)
    assert f"{GUIDE} stays below it" in docs.reason


def test_a_parent_is_deleted_with_the_page_that_names_it_by_id_or_after_that_page_has_moved() -> None:
    entries = {DOCS: entry(DOCS), GUIDE: entry(GUIDE, 8, fingerprints=BELOW_DOCS)}
    changes: list[Change] = [delete(DOCS), delete(GUIDE, 8, fingerprints=BELOW_DOCS)]
    assert keep_parents(changes, entries) == changes
    changes = [delete(DOCS), update(GUIDE, "parent", old=entries[GUIDE])]
    assert keep_parents(changes, entries) == changes


def test_a_page_that_moves_away_holds_nobody() -> None:
    entries = {DOCS: entry(DOCS), GUIDE: entry(GUIDE, 8, parent_path=DOCS)}
    changes: list[Change] = [update(GUIDE, "parent", old=entries[GUIDE]), delete(DOCS)]
    assert keep_parents(changes, entries) == changes
    changes = [keep(GUIDE, 8), delete(DOCS)]
    assert keep_parents(changes, entries) == changes


# Addresses that may move


@pytest.mark.parametrize("field", ["slug", "parent", "status"])
def test_a_page_may_move_with_its_slug_parent_or_status(field: str) -> None:
    assert may_move([update(DOCS, field)], {}) == {DOCS}


@pytest.mark.parametrize("field", ["slug", "status", "date", "date_gmt"])
def test_a_post_may_move_with_its_slug_status_or_date(field: str) -> None:
    assert may_move([update("posts/a.md", field, kind=Kind.POST)], {}) == {"posts/a.md"}


def test_other_edits_move_nothing() -> None:
    assert (
        may_move([update(DOCS, "title", "content"), keep(GUIDE), delete(DEEP), blocked("x.md")], {}) == set()
    )


def test_a_record_whose_address_is_not_known_yet_may_move() -> None:
    assert may_move([update(DOCS, "title", old=entry(DOCS, link=""))], {}) == {DOCS}


def test_all_pages_below_a_moving_page_move_with_it() -> None:
    parents = {GUIDE: DOCS, DEEP: GUIDE, DOCS: None, "other.md": None}
    assert may_move([update(DOCS, "slug"), keep(GUIDE), keep(DEEP)], parents) == {DOCS, GUIDE, DEEP}


def test_a_circle_of_parents_ends() -> None:
    assert may_move([create(DOCS)], {DOCS: GUIDE, GUIDE: DOCS}) == {DOCS, GUIDE}


# Links


def completed_later(*changes: Create | Update, moving: set[str], waves: dict[str, int]) -> list[str]:
    """Name the changes that are written a second time."""
    settled = settle_links(changes, moving, waves)
    return [
        change.path for change in settled if isinstance(change, Create | Update) and change.completed_later
    ]


def test_a_link_to_a_page_of_an_earlier_wave_is_known_at_once() -> None:
    child = create(GUIDE, links=(DOCS,))
    assert completed_later(create(DOCS), child, moving={DOCS, GUIDE}, waves={DOCS: 0, GUIDE: 1}) == []


@pytest.mark.parametrize("target_wave", [0, 1])
def test_a_link_to_a_page_of_the_same_or_a_later_wave_is_completed_later(target_wave: int) -> None:
    first = create("a.md", links=("b.md",))
    waves = {"a.md": 0, "b.md": target_wave}
    assert completed_later(first, create("b.md"), moving={"a.md", "b.md"}, waves=waves) == ["a.md"]


def test_a_new_page_that_links_to_itself_is_completed_later() -> None:
    assert completed_later(create("a.md", links=("a.md",)), moving={"a.md"}, waves={"a.md": 0}) == ["a.md"]


def test_a_new_page_that_links_to_a_moving_one_is_completed_later() -> None:
    new, moved = create("a.md", links=("b.md",)), update("b.md", "slug")
    assert completed_later(new, moved, moving={"a.md", "b.md"}, waves={"a.md": 0}) == ["a.md"]


def test_a_link_to_a_page_that_stays_needs_no_second_write() -> None:
    assert completed_later(create("a.md", links=("b.md",)), moving={"a.md"}, waves={"a.md": 0}) == []


def test_an_update_comes_after_all_creates_and_knows_their_addresses() -> None:
    edit = update("a.md", links=("new.md",))
    assert completed_later(create("new.md"), edit, moving={"new.md"}, waves={"new.md": 0}) == []


def test_an_update_that_links_to_another_moving_record_is_completed_later() -> None:
    edit, moved = update("a.md", links=("b.md",)), update("b.md", "slug")
    assert completed_later(edit, moved, moving={"b.md"}, waves={}) == ["a.md"]


def test_an_update_that_goes_before_the_creates_does_not_know_their_addresses() -> None:
    early = update("old.md", "content", "slug", links=("new.md",))
    waves = {"old.md": 0, "new.md": 1}
    assert completed_later(early, create("new.md"), moving=set(waves), waves=waves) == ["old.md"]


def test_an_update_for_its_links_alone_is_never_announced_twice() -> None:
    linked = linked_update(desired("a.md", links=("b.md",)), entry("a.md"), {"b.md"})
    assert settle_links([linked], {"b.md"}, {}) == [linked]


def test_what_is_no_write_passes_unchanged() -> None:
    changes: list[Change] = [keep("a.md"), blocked("b.md"), delete("c.md")]
    assert settle_links(changes, {"a.md"}, {}) == changes


def test_an_up_to_date_record_is_written_only_if_a_linked_page_really_moves() -> None:
    wanted, known = desired("a.md", links=("b.md", "c.md")), entry("a.md", 5)
    change = linked_update(wanted, known, {"c.md", "b.md"})
    assert (change.id, change.fields, change.only_if_moved) == (5, ("content",), True)
    assert change.reason == "links to b.md, c.md, whose address is new or may change"


def test_many_linked_pages_are_counted() -> None:
    change = linked_update(desired("a.md"), entry("a.md"), {f"{n}.md" for n in range(5)})
    assert change.reason == "links to 0.md, 1.md, 2.md and 2 more, whose address is new or may change"


def test_marks_of_an_earlier_look_are_taken_back() -> None:
    marked = replace(create("a.md", links=("b.md",)), completed_later=True)
    assert completed_later(marked, moving={"a.md"}, waves={"a.md": 0}) == []
