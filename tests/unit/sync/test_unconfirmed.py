"""Unconfirmed creates are settled only if a look-up leaves one explanation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from msgspec import structs
from tests.support.builders import entry
from tests.support.memory_service import MemoryService
from tests.support.states import opened, unconfirmed_in

from pressync.model.errors import NoAnswer
from pressync.model.fingerprint import UNSURE, fingerprint, fingerprints
from pressync.model.interface import Kind
from pressync.plan.match import made_by
from pressync.sync.unconfirmed import (
    SETTLING_SECONDS,
    look_up_lost,
    settle_unconfirmed,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from pressync.model.records import Record
    from pressync.state.state import State

PATH = "content/pages/a.md"
SENT = {"title": "A", "slug": "a", "content": "<p>a</p>", "status": "publish"}


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """Open an empty state."""
    with opened(tmp_path) as state:
        yield state


class Clock:
    """A wait that takes no time, and notes for how long it was asked; `stopped` is what it returns."""

    def __init__(self, *, stopped: bool = False) -> None:
        self.waits: list[float] = []
        self._stopped = stopped

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        return self._stopped


def test_exactly_one_record_with_what_was_sent_is_the_one(state: State) -> None:
    unconfirmed_in(state, PATH, SENT)
    service = MemoryService()
    service.hold(41, **SENT)
    heard: list[str] = []
    settle_unconfirmed(service, state, settling=0, say=heard.append)
    assert not state.unconfirmed
    assert state.manifest.entries[PATH].id == 41
    assert state.manifest.entries[PATH].blob == "", "its file is read once more"
    assert heard == [f"{PATH} was unconfirmed: it was created, as page 41."]


def test_creates_of_one_slug_below_different_pages_do_not_hold_each_other_up(state: State) -> None:
    for parent in (7, 8, 9):
        unconfirmed_in(state, f"content/pages/{parent}/a.md", {**SENT, "parent": parent})
    service = MemoryService()
    service.hold(41, **SENT, parent=8)
    service.hold(42, **SENT, parent=7)
    settle_unconfirmed(service, state, settling=0)
    assert not state.unconfirmed, "two were created and the other, now that they are seen, was not"
    assert {path: found.id for path, found in state.manifest.entries.items()} == {
        "content/pages/7/a.md": 42,
        "content/pages/8/a.md": 41,
    }


def test_many_creates_of_a_killed_run_are_told_in_one_line_for_each_answer(state: State) -> None:
    heard, service = list[str](), MemoryService()
    for number in range(1, 9):
        sent = {"title": f"T{number}", "slug": f"s{number}", "content": f"<p>{number}</p>"}
        unconfirmed_in(state, f"content/pages/p{number}.md", sent)
        if number <= 3:
            service.hold(40 + number, **sent)
    settle_unconfirmed(service, state, settling=0, say=heard.append)
    assert heard == [
        (
            "content/pages/p1.md (page 41), content/pages/p2.md (page 42), content/pages/p3.md (page 43) "
            "were unconfirmed: they were created."
        ),
        (
            "content/pages/p4.md, content/pages/p5.md, content/pages/p6.md and 2 more were unconfirmed: they "
            "were not created."
        ),
    ]


def test_no_record_is_none_once_the_service_has_had_time_to_finish(state: State) -> None:
    unconfirmed_in(state, PATH, SENT)
    clock, heard = Clock(), list[str]()
    settle_unconfirmed(MemoryService(), state, wait=clock.wait, say=heard.append)
    assert heard[1:] == [f"{PATH} was unconfirmed: it was not created."]
    assert re.fullmatch(
        r"Waiting (29|30) s for the server to finish, then checking whether 1 unconfirmed create succeeded\.",
        heard[0],
    )
    assert len(clock.waits) == 1
    assert SETTLING_SECONDS - 5 < clock.waits[0] <= SETTLING_SECONDS
    assert not state.unconfirmed
    assert PATH not in state.manifest.entries


def test_a_record_that_appears_while_waiting_is_found(state: State) -> None:
    unconfirmed_in(state, PATH, SENT)
    service = MemoryService()
    settle_unconfirmed(service, state, wait=lambda _seconds: bool(service.hold(41, **SENT)) and False)
    assert state.manifest.entries[PATH].id == 41


def test_stopped_while_waiting_or_without_an_answer_nothing_is_settled(state: State) -> None:
    unconfirmed_in(state, PATH, SENT)
    settle_unconfirmed(MemoryService(), state, wait=Clock(stopped=True).wait)
    assert PATH in state.unconfirmed, "an empty look-up would have proved nothing yet"
    with pytest.raises(NoAnswer):
        settle_unconfirmed(MemoryService(deaf=NoAnswer("the line broke")), state, settling=0)
    assert PATH in state.unconfirmed


def test_a_record_whose_slug_somebody_changed_is_found_by_its_text(state: State) -> None:
    unconfirmed_in(state, PATH, SENT)
    service = MemoryService()
    service.hold(40, title="Theirs", slug="theirs", content="<p>theirs</p>")
    service.hold(41, **{**SENT, "slug": "renamed"})
    heard: list[str] = []
    settle_unconfirmed(service, state, settling=0, say=heard.append)
    assert (state.manifest.entries[PATH].id, state.manifest.entries[PATH].slug) == (41, "renamed")
    assert heard == [f"{PATH} was unconfirmed: it was created, and is page 41 at https://site.test/renamed/."]


OTHER = "content/pages/other.md"


@pytest.mark.parametrize(
    ("known", "there", "left"),
    [
        # Half of the text is not enough, and a second record for a path that has one is a person's to say.
        ({}, {"slug": "renamed", "title": "B"}, True),
        ({}, {"slug": "renamed", "content": "<p>b</p>"}, True),
        ({}, {"content": "<p>somebody's</p>"}, True),
        ({PATH: 40}, {}, True),
        # The record of another document is no trace of this one.
        ({OTHER: 41}, {"slug": "other"}, False),
        ({OTHER: 41}, {}, False),
    ],
)
def test_a_record_that_is_not_certainly_the_one_is_not_bound(
    state: State, known: dict[str, int], there: dict[str, str], *, left: bool
) -> None:
    unconfirmed_in(state, PATH, SENT)
    state.put(*(entry(path, number) for path, number in known.items()))
    service = MemoryService()
    service.hold(41, **{**SENT, **there})
    heard: list[str] = []
    settle_unconfirmed(service, state, settling=0, say=heard.append)
    assert (PATH in state.unconfirmed) is left
    named = f"{PATH} stays unconfirmed: page 41 (https://"
    assert [said.startswith(named) and f"pressync resolve {PATH} --id N" in said for said in heard] == [left]
    assert {path: each.id for path, each in state.manifest.entries.items()} == known


def test_the_newest_are_read_once_however_many_unconfirmed_creates_there_are(state: State) -> None:
    @dataclass
    class Counting(MemoryService):
        """Counts how often its newest records were asked for."""

        asked: int = 0

        def newest(self, kind: Kind, *, besides: Collection[int]) -> list[Record]:
            self.asked += 1
            return super().newest(kind, besides=besides)

    service = Counting()
    for number in range(3):
        text = {"title": f"T{number}", "slug": f"s{number}", "content": f"<p>{number}</p>"}
        unconfirmed_in(state, f"content/pages/{number}.md", {**SENT, **text})
        service.hold(41 + number, **{**SENT, **text, "slug": f"renamed-{number}"})
    settle_unconfirmed(service, state, settling=0)
    assert sorted(entry.id for entry in state.manifest.entries.values()) == [41, 42, 43]
    assert service.asked == 1


@pytest.mark.parametrize(("status", "settled"), [("trash", True), ("publish", False)])
def test_a_record_that_this_clone_trashed_is_not_it(state: State, status: str, *, settled: bool) -> None:
    state.put(entry(PATH, 41))
    state.drop(PATH)
    unconfirmed_in(state, PATH, SENT)
    service = MemoryService()
    service.hold(41, **{**SENT, "status": status})
    service.hold(42, **SENT)
    settle_unconfirmed(service, state, settling=0)
    assert (PATH not in state.unconfirmed) == settled
    assert [each.id for each in state.manifest.entries.values()] == [42] * settled


def test_what_was_not_known_when_it_was_claimed_is_not_compared() -> None:
    service = MemoryService()
    top, below = service.hold(40, **SENT), service.hold(41, **SENT, parent=7)
    sent = fingerprints({"title": "A", "slug": "a"})
    assert made_by({**sent, "content": UNSURE}, [top, below]) == top
    assert made_by({**sent, "parent": UNSURE, "content": UNSURE}, [top, below]) == below
    # Of these nothing certain is known.
    for nothing in ({"title": UNSURE, "content": UNSURE}, {"slug": fingerprint("a")}):
        assert made_by(nothing, [top]) is None


@pytest.mark.parametrize("leaves_recent", [True, False])
@pytest.mark.parametrize(
    "time",
    [
        "2100-01-01T00:00:00+00:00",
        "9999-12-31T23:59:59-23:59",
        "0001-01-01T00:00:00+23:59",
        "soon",
        "",
    ],
)
def test_a_create_that_was_sent_at_an_unknown_time_is_waited_for_once(
    state: State, time: str, *, leaves_recent: bool
) -> None:
    unconfirmed_in(state, PATH, SENT)
    left = {path: structs.replace(create, time=time) for path, create in state.unconfirmed.items()}
    told = cast(
        "State",
        SimpleNamespace(
            unconfirmed=left, manifest=state.manifest, resolve=lambda path, _entry: left.pop(path)
        ),
    )
    clock = Clock(stopped=True)
    settle_unconfirmed(MemoryService(), told, wait=clock.wait, leaves_recent=leaves_recent)
    assert PATH in left, "an empty look-up would have proved nothing yet"
    clock = Clock()
    assert not settle_unconfirmed(MemoryService(), told, wait=clock.wait, leaves_recent=leaves_recent)
    assert clock.waits == [SETTLING_SECONDS]
    assert not left, "no later run would know more"


def test_a_create_of_the_last_moment_is_left_to_the_next_run(state: State) -> None:
    unconfirmed_in(state, PATH, SENT)
    clock = Clock()
    assert settle_unconfirmed(MemoryService(), state, wait=clock.wait, leaves_recent=True) == {PATH}
    assert clock.waits == []


def test_the_creates_of_one_kind_are_looked_up_together_and_nothing_is_found_where_nobody_answers() -> None:
    service = MemoryService()
    page = service.hold(7, slug="a")
    found = look_up_lost(service, [(Kind.PAGE, "a"), (Kind.PAGE, "b"), (Kind.PAGE, "a"), (Kind.POST, "a")])
    assert found == {(Kind.PAGE, "a"): [page], (Kind.PAGE, "b"): [], (Kind.POST, "a"): []}
    assert service.looks == 2
    assert look_up_lost(MemoryService(deaf=NoAnswer("deaf")), [(Kind.PAGE, "a"), (Kind.POST, "b")]) == {}
