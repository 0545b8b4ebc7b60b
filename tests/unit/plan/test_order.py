"""The order of a plan: parents first, one place at a time, children deleted first, slugs set free in time.

Then what each change waits for, the page above a record, which addresses may move, and links that are
completed later.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.support.builders import blocked, create, delete, desired, entry, keep, prints, update

from pressync.model.changes import Create, Delete, Update
from pressync.model.fingerprint import fingerprint, unsure
from pressync.model.interface import Kind
from pressync.plan.order import (
    PagesAbove,
    Schedule,
    held_place,
    linked_update,
    may_move,
    needs,
    relocates,
    schedule,
    settle_links,
    wanted_place,
    wave_numbers,
)

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


# Updates


def test_updates_follow_the_creates() -> None:
    assert waves(update("a.md"), create("b.md")) == [["b.md"], ["a.md"]]


def test_a_chain_of_pages_moves_on_from_its_end() -> None:
    changes: list[Change] = [
        create("one.md"),
        renamed("two.md", was="one", number=1),
        renamed("three.md", was="two", number=2),
        renamed("four.md", was="three", number=3),
    ]
    assert waves(*changes) == [["four.md"], ["three.md"], ["two.md"], ["one.md"]]


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


def test_a_page_moves_out_from_below_another_after_that_one_has_moved() -> None:
    leaving = moved("child.md", to=None, out_of="home.md", number=8)
    assert waves(leaving, moved("home.md", to=None, out_of="x.md")) == [["home.md"], ["child.md"]]


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
                changes.append(
                    update(path, old=structs.replace(known, commit="", slug="", link=""), **wanted)
                )
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


def needed(*changes: Change) -> dict[str, list[str]]:
    """Give what each change of a plan waits for, without those that wait for nothing."""
    entries = entries_of(changes)
    planned = schedule(changes, entries)
    found = needs(planned.waves, entries) | needs(planned.last, entries)
    return {path: sorted(paths) for path, paths in found.items() if paths}


def test_a_page_waits_for_its_own_parent_alone() -> None:
    changes = [create(DOCS), create("other.md"), child(GUIDE, DOCS), child(DEEP, GUIDE)]
    assert needed(*changes) == {GUIDE: [DOCS], DEEP: [GUIDE]}


def test_siblings_share_what_they_wait_for() -> None:
    changes = [create(DOCS), child(GUIDE, DOCS), child("docs/other.md", DOCS)]
    found = needs(schedule(changes, {}).waves, {})
    assert found[GUIDE] is found["docs/other.md"]


def test_a_page_waits_for_those_of_earlier_waves_that_it_links_to() -> None:
    linking = child(GUIDE, DOCS, links=("about.md", "kept.md", DEEP))
    assert needed(create(DOCS), create("about.md"), linking, child(DEEP, GUIDE))[GUIDE] == ["about.md", DOCS]


def test_a_page_that_links_below_a_moving_one_waits_for_the_move() -> None:
    moving = renamed("history.md", was="about")
    entries = {**entries_of([moving]), "deep.md": entry("deep.md", 8, parent_path="history.md")}
    changes: list[Change] = [moving, create("about.md"), child("about/x.md", "about.md", links=("deep.md",))]
    found = needs(schedule(changes, entries).waves, entries)
    assert found["about/x.md"] == {"about.md", "history.md"}


def test_an_update_waits_only_for_the_new_pages_that_its_text_or_its_place_needs() -> None:
    linking = update("b.md", number=2, links=("new.md",))
    assert needed(create("new.md"), update("a.md", number=1), linking) == {"b.md": ["new.md"]}


def test_a_page_waits_for_the_delete_that_sets_its_place_free() -> None:
    assert needed(create("new/team.md"), delete("team.md", 3), create("a.md")) == {"new/team.md": ["team.md"]}


def test_of_two_that_wait_for_each_other_the_first_of_the_order_waits_for_nothing() -> None:
    changes: list[Change] = [renamed("a.md", was="b", number=1), renamed("b.md", was="a", number=2)]
    assert needed(*changes) == {"b.md": ["a.md"]}


@given(any_plan())
def test_a_change_waits_only_for_changes_of_earlier_waves(changes: list[Change]) -> None:
    entries = entries_of(changes)
    waves = schedule(changes, entries).waves
    wave_of = {change.path: number for number, wave in enumerate(waves) for change in wave}
    for path, paths in needs(waves, entries).items():
        assert all(wave_of[needed_path] < wave_of[path] for needed_path in paths)


@given(any_plan())
def test_what_takes_a_place_waits_for_all_that_took_or_left_it_in_earlier_waves(
    changes: list[Change],
) -> None:
    entries = entries_of(changes)
    waves = schedule(changes, entries).waves
    found = needs(waves, entries)
    every = [(number, change) for number, wave in enumerate(waves) for change in wave]
    for number, change in every:
        if isinstance(change, Delete) or not relocates(change):
            continue
        awaited = {change.path}
        while more := {path for each in awaited for path in found[each]} - awaited:
            awaited |= more
        for earlier, other in every:
            if earlier < number and _takes_or_left(other, change):
                assert other.path in awaited


def _takes_or_left(other: Change, change: Create | Update) -> bool:
    if isinstance(other, Delete):
        return held_place(other.entry) == wanted_place(change)
    return (
        isinstance(other, Create | Update)
        and relocates(other)
        and wanted_place(other) == wanted_place(change)
    )


ABOUT = "about.md"
ABOVE = PagesAbove([delete(ABOUT, 12), entry("blog.md", 13, kind=Kind.POST)])


def test_a_parent_that_a_file_or_a_folder_names_is_the_parent() -> None:
    assert ABOVE.parent(entry(GUIDE, parent_path="other.md")) == "other.md"


def test_a_parent_that_is_named_by_its_id_is_found_among_the_pages() -> None:
    below = prints(GUIDE, parent=12)
    assert ABOVE.parent(desired(GUIDE, fingerprints=below)) == ABOUT
    assert ABOVE.parent(entry(GUIDE, fingerprints=below)) == ABOUT


def test_a_parent_may_be_one_of_two_if_the_last_write_got_no_response() -> None:
    either = {"parent": unsure(fingerprint(0), fingerprint(12))}
    assert ABOVE.parent(entry(GUIDE, fingerprints=either)) == ABOUT
    assert ABOVE.parent(entry(GUIDE, fingerprints={"parent": unsure(fingerprint(0))})) is None


@pytest.mark.parametrize("number", [0, 13, 99])
def test_the_top_a_post_and_an_unknown_id_are_not_one_of_the_pages(number: int) -> None:
    assert ABOVE.parent(entry(GUIDE, fingerprints=prints(GUIDE, parent=number))) is None


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


NEW, MOVED = create("b.md"), update("b.md", "slug")
LINKING, EDIT = create("a.md", links=("b.md",)), update("a.md", links=("b.md",))
EARLY, MARKED = update("a.md", "content", "slug", links=("b.md",)), replace(LINKING, completed_later=True)


@pytest.mark.parametrize(
    ("changes", "moving", "waves", "later"),
    [
        pytest.param((NEW, LINKING), "ab", {"b.md": 0, "a.md": 1}, False, id="the page is made earlier"),
        pytest.param((LINKING, NEW), "ab", {"a.md": 0, "b.md": 0}, True, id="the page is of the same wave"),
        pytest.param((LINKING, NEW), "ab", {"a.md": 0, "b.md": 1}, True, id="the page is of a later wave"),
        pytest.param((LINKING, MOVED), "ab", {"a.md": 0}, True, id="the page moves"),
        pytest.param((LINKING,), "a", {"a.md": 0}, False, id="the page stays"),
        pytest.param((NEW, EDIT), "b", {"b.md": 0}, False, id="an update comes after all creates"),
        pytest.param((EDIT, MOVED), "b", {}, True, id="an update links to another one that moves"),
        pytest.param((EARLY, NEW), "ab", {"a.md": 0, "b.md": 1}, True, id="an update goes before creates"),
        pytest.param((MARKED,), "a", {"a.md": 0}, False, id="an earlier look has left its mark"),
    ],
)
def test_a_link_whose_address_is_not_known_in_time_is_completed_later(
    changes: tuple[Create | Update, ...], moving: str, waves: dict[str, int], later: bool
) -> None:
    settled = settle_links(changes, {f"{name}.md" for name in moving}, waves)
    written_twice = [
        each.path for each in settled if isinstance(each, Create | Update) and each.completed_later
    ]
    assert written_twice == (["a.md"] if later else [])


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
