"""What each change waits for: its parent, its place and the addresses in its text, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from tests.support.builders import create, delete, entry, update
from tests.unit.plan.test_order import DEEP, DOCS, GUIDE, any_plan, child, entries_of, moved, renamed

from pressync.model.changes import Create, Delete, Update
from pressync.plan.order import schedule
from pressync.plan.prerequisites import held_place, needs, relocates, wanted_place

if TYPE_CHECKING:
    from pressync.model.changes import Change


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


def test_two_of_one_slug_under_one_parent_wait_for_each_other() -> None:
    changes = [create("a/team.md"), create("b/team.md"), create("c/team.md")]
    assert needed(*changes) == {"b/team.md": ["a/team.md"], "c/team.md": ["b/team.md"]}


def test_a_page_waits_for_the_delete_that_sets_its_place_free() -> None:
    assert needed(create("new/team.md"), delete("team.md", 3), create("a.md")) == {"new/team.md": ["team.md"]}


def test_the_delete_of_a_page_waits_for_the_deletes_below_it() -> None:
    changes: list[Change] = [
        delete(DOCS, 1),
        delete(GUIDE, 2, parent_path=DOCS),
        delete(DEEP, 3, parent_path=GUIDE),
        delete("other.md", 4),
    ]
    assert needed(*changes) == {GUIDE: [DEEP], DOCS: [GUIDE]}


def test_what_is_below_a_moving_page_waits_for_it_also_where_another_page_is_between() -> None:
    deep = update("deep.md", old=entry("deep.md", 9, parent_path="child.md"), parent_path="child.md")
    moving = moved("home.md", to=None, out_of="x.md")
    entries = {**entries_of([deep, moving]), "child.md": entry("child.md", 8, parent_path="home.md")}
    assert needs(schedule([deep, moving], entries).waves, entries)["deep.md"] == {"home.md"}


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
