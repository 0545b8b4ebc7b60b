"""The order of a plan: parents first, one place at a time, children deleted first, slugs set free in time."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.builders import blocked, create, delete, desired, entry, keep, prints, update

from pressync.model.changes import Create, Delete, Update
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.plan.dependents import linked_update
from pressync.plan.order import Schedule, schedule, wave_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.model.changes import Change
    from pressync.model.records import Entry

DOCS, GUIDE, DEEP = "docs/index.md", "docs/guide/index.md", "docs/guide/deep.md"


def waves(*changes: Change) -> list[list[str]]:
    """Order the changes, as the paths of each wave; deletes know the deletes as their manifest."""
    planned = schedule(changes, entries_of(changes))
    return [
        [change.path for change in wave] for wave in (*planned.waves, planned.links, *planned.last) if wave
    ]


def entries_of(changes: Iterable[Change]) -> dict[str, Entry]:
    """Gather the manifest's entries of the records that the changes are of."""
    return {c.path: c.entry for c in changes if isinstance(c, Update | Delete)}


def child(path: str, parent: str, **changes: Any) -> Create:  # noqa: ANN401 - any member of a desired document
    """Make a create whose parent is made in the same plan."""
    digests = {**prints(path), "parent": fingerprint(f"the id of {parent}")}
    return create(path, **{"parent_path": parent, "fingerprints": digests, **changes})


def renamed(path: str, *, was: str, number: int = 7, fields: tuple[str, ...] = ("slug",)) -> Update:
    """Make the update of a page that had the slug `was` and wants its file's name."""
    return update(path, *fields, old=entry(path, number, slug=was))


# Creates


def test_unrelated_creates_go_together() -> None:
    assert waves(create("a.md"), create("b.md")) == [["a.md", "b.md"]]


def test_parents_are_made_before_their_children_whatever_the_order_of_the_plan() -> None:
    assert waves(child(DEEP, GUIDE), child(GUIDE, DOCS), create(DOCS)) == [[DOCS], [GUIDE], [DEEP]]


def test_two_of_one_slug_under_one_parent_are_never_under_way_together() -> None:
    assert waves(create("a/team.md"), create("b/team.md"), create("c.md")) == [
        ["a/team.md", "c.md"],
        ["b/team.md"],
    ]


def test_one_slug_under_two_parents_goes_together() -> None:
    first = child("a/team.md", "a/index.md")
    second = child("b/team.md", "b/index.md")
    assert waves(first, second) == [["a/team.md", "b/team.md"]]


def test_a_page_and_a_post_of_one_slug_go_together() -> None:
    assert waves(create("pages/team.md"), create("posts/team.md", kind=Kind.POST)) == [
        ["pages/team.md", "posts/team.md"]
    ]


def test_a_parent_named_by_its_id_is_the_same_parent_as_one_named_by_its_folder() -> None:
    below = {**prints("a/team.md"), "parent": fingerprint(12)}
    by_folder = create("a/team.md", parent_path="a/index.md", fingerprints=below)
    by_id = create("b/team.md", fingerprints=below)
    assert waves(by_folder, by_id) == [["a/team.md"], ["b/team.md"]]


def test_an_explicit_top_is_the_same_place_as_none() -> None:
    at_top = create("a/team.md", fingerprints={**prints("a/team.md"), "parent": fingerprint(0)})
    assert waves(at_top, create("b/team.md")) == [["a/team.md"], ["b/team.md"]]


def test_a_parent_that_is_bound_for_the_first_time_goes_before_its_children() -> None:
    bound = update(DOCS, old=entry(DOCS, 12, commit="", slug="", link=""), bound_id=12)
    assert waves(child(GUIDE, DOCS), bound, create("new.md")) == [[DOCS, "new.md"], [GUIDE]]


# Updates


def test_updates_follow_the_creates() -> None:
    assert waves(update("a.md"), create("b.md")) == [["b.md"], ["a.md"]]


def test_a_page_leaves_its_place_before_another_is_made_there() -> None:
    assert waves(create("about.md"), renamed("history.md", was="about")) == [["history.md"], ["about.md"]]


def test_a_chain_of_pages_moves_on_from_its_end() -> None:
    changes: list[Change] = [
        create("one.md"),
        renamed("two.md", was="one", number=1),
        renamed("three.md", was="two", number=2),
        renamed("four.md", was="three", number=3),
    ]
    assert waves(*changes) == [["four.md"], ["three.md"], ["two.md"], ["one.md"]]


def test_a_chain_without_a_create_moves_on_from_its_end_as_well() -> None:
    changes: list[Change] = [renamed("two.md", was="one", number=1), renamed("three.md", was="two", number=2)]
    assert waves(*changes) == [["three.md"], ["two.md"]]


def test_two_pages_that_swap_their_slugs_go_one_after_the_other() -> None:
    changes: list[Change] = [renamed("a.md", was="b", number=1), renamed("b.md", was="a", number=2)]
    assert waves(*changes) == [["a.md"], ["b.md"]]


def test_a_page_that_moves_below_a_new_one_waits_for_it_even_where_its_place_is_wanted() -> None:
    new = create("about.md")
    below = prints("about/history.md", slug="history", parent="the id of about.md")
    moving = update(
        "about/history.md",
        "parent",
        "slug",
        old=entry("about/history.md", slug="about"),
        parent_path="about.md",
        fingerprints=below,
    )
    assert waves(moving, new) == [["about.md"], ["about/history.md"]]


def test_an_edit_of_the_body_leaves_no_place() -> None:
    changed = update("about.md", old=entry("about.md", slug="about-2"))
    assert waves(changed, create("x/about-2.md")) == [["x/about-2.md"], ["about.md"]]


def test_edits_of_records_that_share_a_slug_go_together() -> None:
    edits: list[Change] = [update(f"{n}/news.md", number=n, slug="news") for n in range(1, 16)]
    assert len(waves(*edits)) == 1


def test_updates_for_their_links_alone_go_after_all_others() -> None:
    linked = linked_update(desired("a.md"), entry("a.md"), {"b.md"})
    assert waves(linked, delete("c.md", 9), update("b.md"), create("d.md")) == [
        ["d.md"], ["b.md"], ["a.md"], ["c.md"],
    ]  # fmt: skip


def moved(path: str, *, to: str | None, out_of: str | None, number: int = 7) -> Update:
    """Make the update of a page that moves from below one page to below another."""
    digests = prints(path, parent=to or 0)
    old = entry(path, number, parent_path=out_of, fingerprints=prints(path, parent=out_of or 0))
    return update(path, "parent", old=old, parent_path=to, fingerprints=digests)


def test_what_is_below_a_moving_page_is_written_after_it_has_moved() -> None:
    below = update("child.md", old=entry("child.md", 8, parent_path="home.md"), parent_path="home.md")
    assert waves(below, moved("home.md", to=None, out_of="x.md")) == [["home.md"], ["child.md"]]


def test_a_page_moves_out_from_below_another_after_that_one_has_moved() -> None:
    leaving = moved("child.md", to=None, out_of="home.md", number=8)
    assert waves(leaving, moved("home.md", to=None, out_of="x.md")) == [["home.md"], ["child.md"]]


def test_pages_far_below_a_moving_one_wait_for_it_though_those_between_stay() -> None:
    deep = update("deep.md", old=entry("deep.md", 9, parent_path="child.md"), parent_path="child.md")
    moving = moved("home.md", to=None, out_of="x.md")
    entries = {**entries_of([deep, moving]), "child.md": entry("child.md", 8, parent_path="home.md")}
    assert [change.path for change in schedule([deep, moving], entries).changes()] == ["home.md", "deep.md"]


def test_a_page_is_never_moved_below_one_of_its_own_children() -> None:
    down = moved("a.md", to="b.md", out_of=None, number=1)
    up = moved("b.md", to=None, out_of="a.md", number=2)
    assert waves(down, up) == [["b.md"], ["a.md"]]


def test_two_pages_that_move_below_each_other_never_go_at_once() -> None:
    circle = [
        moved("a.md", to="b.md", out_of=None, number=1),
        moved("b.md", to="a.md", out_of=None, number=2),
    ]
    assert waves(*circle) == [["a.md"], ["b.md"]]


def test_where_a_page_moves_below_its_own_child_the_other_children_still_wait_for_it() -> None:
    changes = [
        moved("one.md", to=None, out_of="home.md", number=1),
        moved("two.md", to=None, out_of="home.md", number=2),
        moved("home.md", to="one.md", out_of=None, number=3),
    ]
    assert waves(*changes) == [["one.md"], ["home.md"], ["two.md"]]


def test_of_two_that_swap_their_slugs_one_goes_before_the_page_that_leaves_it() -> None:
    changes = [
        moved("child.md", to=None, out_of="a.md", number=3),
        renamed("a.md", was="b", number=1),
        renamed("b.md", was="a", number=2),
    ]
    assert waves(*changes) == [["a.md"], ["child.md", "b.md"]]


def test_updates_that_move_nothing_go_together_with_those_below_them() -> None:
    below = update("child.md", old=entry("child.md", 8, parent_path="home.md"), parent_path="home.md")
    assert waves(update("home.md", "title"), below) == [["home.md", "child.md"]]


# Deletes


def test_deletes_go_last_children_first() -> None:
    changes: list[Change] = [
        delete(DOCS, 1),
        delete(GUIDE, 2, parent_path=DOCS),
        delete(DEEP, 3, parent_path=GUIDE),
        create("a.md"),
    ]
    assert waves(*changes) == [["a.md"], [DEEP], [GUIDE], [DOCS]]


def test_a_page_that_names_its_parent_by_id_is_deleted_before_it() -> None:
    below = delete(GUIDE, 2, fingerprints=prints(GUIDE, parent=1))
    assert waves(delete(DOCS, 1), below) == [[GUIDE], [DOCS]]
    assert waves(create("x/docs.md"), delete("docs.md", 1), below) == [[GUIDE], ["docs.md"], ["x/docs.md"]]


def test_a_delete_that_sets_a_wanted_slug_free_goes_first() -> None:
    assert waves(create("new/team.md"), delete("team.md", 3)) == [["team.md"], ["new/team.md"]]


@pytest.mark.parametrize("field", ["slug", "parent"])
def test_a_record_that_moves_to_a_deleted_one_s_place_waits_for_it(field: str) -> None:
    moving = renamed("x/team.md", was="staff", fields=(field,))
    assert waves(moving, delete("team.md", 3)) == [["team.md"], ["x/team.md"]]


def test_all_that_is_deleted_below_a_freeing_delete_goes_with_it() -> None:
    changes: list[Change] = [
        create("x/docs.md"),
        delete("docs.md", 1),
        delete(GUIDE, 2, parent_path="docs.md"),
    ]
    assert waves(*changes) == [[GUIDE], ["docs.md"], ["x/docs.md"]]


def test_a_delete_with_a_child_that_stays_is_not_hurried() -> None:
    changes: list[Change] = [create("x/docs.md"), delete("docs.md", 1)]
    entries = {"docs.md": entry("docs.md", 1), GUIDE: entry(GUIDE, 2, parent_path="docs.md")}
    planned = schedule(changes, entries)
    assert [change.path for change in planned.changes()] == ["x/docs.md", "docs.md"]


def test_the_slug_of_another_parent_s_child_is_not_waited_for() -> None:
    gone = delete("a/team.md", 3, fingerprints=prints("a/team.md", parent=12))
    assert waves(create("team.md"), gone) == [["team.md"], ["a/team.md"]]


def test_parents_that_are_each_other_s_are_ordered_all_the_same() -> None:
    circle: list[Change] = [delete("a.md", 1, parent_path="b.md"), delete("b.md", 2, parent_path="a.md")]
    assert sorted(path for wave in waves(*circle) for path in wave) == ["a.md", "b.md"]
    makes: list[Change] = [child("a.md", "b.md"), child("b.md", "a.md")]
    assert waves(*makes) == [["a.md", "b.md"]]


# The numbers of waves


def test_waves_are_numbered_for_creates_and_for_the_updates_among_them() -> None:
    changes: list[Change] = [
        create("about.md"),
        renamed("history.md", was="about"),
        update("other.md"),
        keep("kept.md"),
    ]
    assert wave_numbers(changes) == {"history.md": 0, "about.md": 1}


def test_what_needs_no_call_is_not_scheduled() -> None:
    assert schedule([keep("a.md"), blocked("b.md")], {}) == Schedule((), (), ())


# Any plan

_PATHS = [f"{number}.md" for number in range(8)]


@st.composite
def any_plan(draw: st.DrawFn) -> list[Change]:
    """Draw changes of some paths, with parents and slugs that meet; parents make no circle."""
    changes: list[Change] = []
    for number, path in enumerate(_PATHS):
        parent = draw(st.none() | st.sampled_from(_PATHS[:number])) if number else None
        slug = draw(st.sampled_from("abc"))
        digests = {**prints(path, slug=slug), "parent": fingerprint(f"the id of {parent}" if parent else 0)}
        known = entry(path, number + 1, slug=draw(st.sampled_from("abc")), parent_path=parent)
        wanted: dict[str, Any] = {"slug": slug, "parent_path": parent, "fingerprints": digests}
        match draw(st.sampled_from(["create", "update", "bind", "link", "delete", "keep"])):
            case "create":
                changes.append(create(path, **wanted))
            case "update":
                changes.append(
                    update(path, *draw(st.sampled_from([("slug",), ("content",)])), old=known, **wanted)
                )
            case "bind":
                changes.append(update(path, old=replace(known, commit="", slug="", link=""), **wanted))
            case "link":
                changes.append(linked_update(desired(path, **wanted), known, {"x.md"}))
            case "delete":
                changes.append(delete(path, number + 1, slug=slug, parent_path=parent))
            case _:
                changes.append(keep(path))
    return draw(st.permutations(changes))


def wave_of(planned: Schedule) -> dict[str, int]:
    """Give the wave of each change of a whole schedule."""
    every = (*planned.waves, planned.links, *planned.last)
    return {change.path: number for number, wave in enumerate(every) for change in wave}


@given(any_plan())
def test_every_change_is_made_exactly_once(changes: list[Change]) -> None:
    planned = schedule(changes, entries_of(changes))
    expected = [c for c in changes if isinstance(c, Create | Update | Delete)]
    assert sorted(c.path for c in planned.changes()) == sorted(c.path for c in expected)


@given(any_plan())
def test_every_create_follows_what_gives_its_parent_a_record(changes: list[Change]) -> None:
    numbers = wave_of(schedule(changes, entries_of(changes)))
    makers = {
        c.path for c in changes if isinstance(c, Create) or (isinstance(c, Update) and not c.entry.commit)
    }
    for change in changes:
        if isinstance(change, Create) and change.desired.parent_path in makers:
            assert numbers[change.desired.parent_path] < numbers[change.path]


@given(any_plan())
def test_no_wave_moves_two_records_to_one_place(changes: list[Change]) -> None:
    for wave in schedule(changes, entries_of(changes)).waves:
        moves = [c for c in wave if isinstance(c, Create | Update) and {"slug", "parent"} & {*c.fields}]
        places = [(c.kind, c.desired.fingerprints["parent"], c.desired.slug) for c in moves]
        assert len(places) == len(set(places))


@given(any_plan())
def test_no_record_is_deleted_before_what_is_deleted_below_it(changes: list[Change]) -> None:
    numbers = wave_of(schedule(changes, entries_of(changes)))
    deletes = {c.path for c in changes if isinstance(c, Delete)}
    for change in changes:
        if isinstance(change, Delete) and change.entry.parent_path in deletes:
            assert numbers[change.path] < numbers[change.entry.parent_path]


@given(any_plan())
def test_the_numbers_of_waves_are_those_of_the_schedule(changes: list[Change]) -> None:
    numbers = wave_numbers(changes)
    planned = wave_of(schedule(changes, entries_of(changes)))
    in_plan_order = sorted(numbers, key=lambda path: planned[path])
    for earlier, later in pairwise(in_plan_order):
        assert numbers[earlier] <= numbers[later]
        assert (numbers[earlier] == numbers[later]) == (planned[earlier] == planned[later])
