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
from pressync.model.visibility import FRONT_PAGE
from pressync.plan.order import (
    PagesAbove,
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
    from pressync.plan.order import (
        Schedule,
    )


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


BELOW = {**prints("a/team.md"), "parent": fingerprint(12)}
TOP = {**prints("a/team.md"), "parent": fingerprint(0)}
LINKED = linked_update(desired("a.md"), entry("a.md"), {"b.md"})


@pytest.mark.parametrize(
    ("changes", "order"),
    [
        # Creates of one slug: below two parents, or of two kinds, they go together.
        ([child("a/team.md", "a/index.md"), child("b/team.md", "b/index.md")], ["a/team.md b/team.md"]),
        ([create("a/team.md"), create("b/team.md", kind=Kind.POST)], ["a/team.md b/team.md"]),
        # A parent that is named by its id, and an explicit top, are the same places as others.
        (
            [
                create("a/team.md", parent_path="x.md", fingerprints=BELOW),
                create("b/team.md", fingerprints=BELOW),
            ],
            ["a/team.md", "b/team.md"],
        ),
        ([create("a/team.md", fingerprints=TOP), create("b/team.md")], ["a/team.md", "b/team.md"]),
        # Updates follow, those for their links alone after all others, and deletes come last.
        ([LINKED, delete("c.md", 9), update("b.md"), create("d.md")], ["d.md", "b.md", "a.md", "c.md"]),
        # A chain of pages moves on from its end.
        (
            [
                create("one.md"),
                renamed("two.md", was="one", number=1),
                renamed("three.md", was="two", number=2),
                renamed("four.md", was="three", number=3),
            ],
            ["four.md", "three.md", "two.md", "one.md"],
        ),
        # An edit of the body leaves no place, and edits of one slug go together.
        (
            [update("about.md", old=entry("about.md", slug="about-2")), create("x/about-2.md")],
            ["x/about-2.md", "about.md"],
        ),
        ([update(f"{n}.md", number=n, slug="news") for n in range(1, 5)], ["1.md 2.md 3.md 4.md"]),
        ([renamed("a.md", was="x", number=1), update("b.md", number=2)], ["a.md b.md"]),
        # A delete that sets a wanted slug free goes first, and the child of another parent sets none free.
        ([create("new/team.md"), delete("team.md", 3)], ["team.md", "new/team.md"]),
        (
            [create("team.md"), delete("a/team.md", 3, fingerprints=prints("a/team.md", parent=12))],
            ["team.md", "a/team.md"],
        ),
        # Of deletes, children go first, by whatever they name their parent.
        (
            [delete(DOCS, 1), delete(GUIDE, 2, parent_path=DOCS), delete(DEEP, 3, parent_path=GUIDE)],
            [DEEP, GUIDE, DOCS],
        ),
        ([delete(DOCS, 1), delete(GUIDE, 2, fingerprints=prints(GUIDE, parent=1))], [GUIDE, DOCS]),
        (
            [
                create("x/docs.md"),
                delete("docs.md", 1),
                delete(GUIDE, 2, fingerprints=prints(GUIDE, parent=1)),
            ],
            [GUIDE, "docs.md", "x/docs.md"],
        ),
        # Parents that are each other's are ordered all the same.
        ([child("a.md", "b.md"), child("b.md", "a.md")], ["a.md b.md"]),
    ],
)
def test_changes_go_in_waves(changes: list[Change], order: list[str]) -> None:
    assert waves(*changes) == [wave.split() for wave in order]


# Updates


def moved(path: str, *, to: str | None, out_of: str | None, number: int = 7) -> Update:
    """Make the update of a page that moves from below one page to below another."""
    digests = prints(path, parent=to or 0)
    old = entry(path, number, parent_path=out_of, fingerprints=prints(path, parent=out_of or 0))
    return update(path, "parent", old=old, parent_path=to, fingerprints=digests)


@pytest.mark.parametrize(
    ("moves", "order"),
    [
        # A page moves out from below another one after that one has moved.
        (
            [
                moved("child.md", to=None, out_of="home.md", number=8),
                moved("home.md", to=None, out_of="x.md"),
            ],
            ["home.md", "child.md"],
        ),
        # No page is ever moved below one of its own children, and two below each other never go at once.
        (
            [
                moved("a.md", to="b.md", out_of=None, number=1),
                moved("b.md", to=None, out_of="a.md", number=2),
            ],
            ["b.md", "a.md"],
        ),
        (
            [
                moved("a.md", to="b.md", out_of=None, number=1),
                moved("b.md", to="a.md", out_of=None, number=2),
            ],
            ["a.md", "b.md"],
        ),
        # Where a page moves below its own child, the other children still wait for it.
        (
            [
                moved("one.md", to=None, out_of="home.md", number=1),
                moved("two.md", to=None, out_of="home.md", number=2),
                moved("home.md", to="one.md", out_of=None, number=3),
            ],
            ["one.md", "home.md", "two.md"],
        ),
        # Of two that swap their slugs, one goes before the page that leaves it.
        (
            [
                moved("child.md", to=None, out_of="a.md", number=3),
                renamed("a.md", was="b", number=1),
                renamed("b.md", was="a", number=2),
            ],
            ["a.md", "child.md b.md"],
        ),
        # Updates that move nothing go together with those below them.
        (
            [
                update("home.md", "title"),
                update("child.md", old=entry("child.md", 8, parent_path="home.md"), parent_path="home.md"),
            ],
            ["home.md child.md"],
        ),
    ],
)
def test_a_page_waits_for_the_moves_around_it(moves: list[Change], order: list[str]) -> None:
    assert waves(*moves) == [wave.split() for wave in order]


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
def test_every_change_is_made_once_after_its_parent_and_never_two_at_one_place(changes: list[Change]) -> None:
    planned = schedule(changes, entries_of(changes))
    assert sorted(c.path for c in planned.changes()) == sorted(
        c.path for c in changes if isinstance(c, Create | Update | Delete)
    )
    numbers = wave_of(planned)
    makers = {
        c.path for c in changes if isinstance(c, Create) or (isinstance(c, Update) and not c.entry.commit)
    }
    deletes = {c.path for c in changes if isinstance(c, Delete)}
    for change in changes:
        if isinstance(change, Create) and change.desired.parent_path in makers:
            assert numbers[change.desired.parent_path] < numbers[change.path]
        if isinstance(change, Delete) and change.entry.parent_path in deletes:
            assert numbers[change.path] < numbers[change.entry.parent_path]
    for wave in planned.waves:
        moves = [c for c in wave if isinstance(c, Create | Update) and {"slug", "parent"} & {*c.fields}]
        places = [(c.kind, c.desired.fingerprints["parent"], c.desired.slug) for c in moves]
        assert len(places) == len(set(places))


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


@pytest.mark.parametrize(
    ("changes", "awaited"),
    [
        # A page waits for its own parent alone, and for those of earlier waves that it links to.
        (
            [create(DOCS), create("other.md"), child(GUIDE, DOCS), child(DEEP, GUIDE)],
            {GUIDE: [DOCS], DEEP: [GUIDE]},
        ),
        (
            [create(DOCS), create("about.md"), child(GUIDE, DOCS, links=("about.md", "kept.md", "z.md"))],
            {GUIDE: ["about.md", DOCS]},
        ),
        # An update waits only for the new pages that its text or its place needs.
        (
            [create("new.md"), update("a.md", number=1), update("b.md", number=2, links=("new.md",))],
            {"b.md": ["new.md"]},
        ),
        # A page waits for the delete that sets its place free.
        ([create("new/team.md"), delete("team.md", 3), create("a.md")], {"new/team.md": ["team.md"]}),
        # Two records whose parents are not known may both seem to be at the place: it waits for both.
        (
            [create("a.md"), delete("old.md", 3, slug="a"), delete("older.md", 4, slug="a")],
            {"a.md": ["old.md", "older.md"]},
        ),
        (
            [
                create("a.md"),
                renamed("b.md", was="a", number=3),
                renamed("c.md", was="a", number=4),
            ],
            {"a.md": ["b.md", "c.md"]},
        ),
        # Of two that wait for each other, the first of the order waits for nothing.
        (
            [renamed("a.md", was="b", number=1), renamed("b.md", was="a", number=2)],
            {"b.md": ["a.md"]},
        ),
    ],
)
def test_a_change_waits_for_what_it_needs(changes: list[Change], awaited: dict[str, list[str]]) -> None:
    assert needed(*changes) == awaited


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


def _takes_or_left(other: Create | Update | Delete, change: Create | Update) -> bool:
    place = wanted_place(change)
    if isinstance(other, Delete):
        return held_place(other.entry) == place
    if not relocates(other):
        return False
    left = isinstance(other, Update) and bool(other.entry.slug) and held_place(other.entry) == place
    return left or wanted_place(other) == place


ABOUT = "about.md"
ABOVE = PagesAbove([delete(ABOUT, 12), entry("blog.md", 13, kind=Kind.POST)])


def test_a_parent_is_named_by_its_path_or_by_its_id_which_may_be_one_of_two() -> None:
    below = prints(GUIDE, parent=12)
    assert ABOVE.parent(entry(GUIDE, parent_path="other.md")) == "other.md"
    assert ABOVE.parent(desired(GUIDE, fingerprints=below)) == ABOUT
    assert ABOVE.parent(entry(GUIDE, fingerprints=below)) == ABOUT
    # The last write got no response.
    either = {"parent": unsure(fingerprint(0), fingerprint(12))}
    assert ABOVE.parent(entry(GUIDE, fingerprints=either)) == ABOUT
    assert ABOVE.parent(entry(GUIDE, fingerprints={"parent": unsure(fingerprint(0))})) is None
    # The top, a post and an unknown id are not one of the pages.
    for number in (0, 13, 99):
        assert ABOVE.parent(entry(GUIDE, fingerprints=prints(GUIDE, parent=number))) is None


# Addresses that may move


PARENTS: dict[str, str | None] = {GUIDE: DOCS, DEEP: GUIDE, DOCS: None, "other.md": None}


@pytest.mark.parametrize(
    ("changes", "parents", "moving"),
    [
        *(([update(DOCS, field)], {}, {DOCS}) for field in ("slug", "parent", "status")),
        *(
            ([update(DOCS, field, kind=Kind.POST)], {}, {DOCS})
            for field in ("slug", "status", "date", "date_gmt")
        ),
        ([update(DOCS, "title", "content"), keep(GUIDE), delete(DEEP), blocked("x.md")], {}, set()),
        # An address that is not known yet may move.
        ([update(DOCS, "title", old=entry(DOCS, link=""))], {}, {DOCS}),
        # All pages below a moving page move with it, and a circle of parents ends.
        ([update(DOCS, "slug"), keep(GUIDE), keep(DEEP)], PARENTS, {DOCS, GUIDE, DEEP}),
        ([create(DOCS)], {DOCS: GUIDE, GUIDE: DOCS}, {DOCS, GUIDE}),
        # A page that becomes the front page moves alone.
        ([update(DOCS, FRONT_PAGE), keep(GUIDE)], PARENTS, {DOCS}),
        ([update(DOCS, FRONT_PAGE, "slug"), keep(GUIDE)], PARENTS, {DOCS, GUIDE, DEEP}),
    ],
)
def test_a_page_may_move_with_the_fields_that_make_its_address(
    changes: list[Change], parents: dict[str, str | None], moving: set[str]
) -> None:
    assert may_move(changes, parents) == moving


# Links


NEW, MOVED = create("b.md"), update("b.md", "slug")
LINKING, EDIT = create("a.md", links=("b.md",)), update("a.md", links=("b.md",))
MOVED_ABOVE = update("c.md", "slug")
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
        pytest.param(
            (NEW, EDIT, MOVED_ABOVE), "bc", {"b.md": 0}, True, id="a page above the new one moves later"
        ),
        pytest.param((NEW, EDIT, MOVED_ABOVE), "bc", {"b.md": 1, "c.md": 0}, False, id="it moves before"),
        pytest.param((EARLY, NEW), "ab", {"a.md": 0, "b.md": 1}, True, id="an update goes before creates"),
        pytest.param((MARKED,), "a", {"a.md": 0}, False, id="an earlier look has left its mark"),
    ],
)
def test_a_link_whose_address_is_not_known_in_time_is_completed_later(
    changes: tuple[Create | Update, ...], moving: str, waves: dict[str, int], later: bool
) -> None:
    settled = settle_links(
        changes, {f"{name}.md" for name in moving}, waves, {"b.md": "c.md", "c.md": "c.md"}
    )
    written_twice = [
        each.path for each in settled if isinstance(each, Create | Update) and each.completed_later
    ]
    assert written_twice == (["a.md"] if later else [])


def test_what_is_no_write_or_for_its_links_alone_is_not_announced_again() -> None:
    changes: list[Change] = [keep("x.md"), blocked("b.md"), delete("c.md"), LINKED]
    assert settle_links(changes, {"x.md", "b.md"}, {}, {}) == changes


def test_an_up_to_date_record_is_written_only_if_a_linked_page_really_moves() -> None:
    wanted, known = desired("a.md", links=("b.md", "c.md")), entry("a.md", 5)
    change = linked_update(wanted, known, {"c.md", "b.md"})
    assert (change.id, change.fields, change.only_if_moved) == (5, ("content",), True)
    assert change.reason == "links to b.md, c.md, whose address is new or may change"
    many = linked_update(desired("a.md"), entry("a.md"), {f"{n}.md" for n in range(5)})
    assert many.reason == "links to 0.md, 1.md, 2.md and 2 more, whose address is new or may change"
