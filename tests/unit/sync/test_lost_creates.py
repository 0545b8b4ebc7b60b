"""Lost creates are looked up together, in at most two requests, and a look-up that fails says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry
from tests.support.memory_service import MemoryService
from tests.support.states import opened

from pressync.model.calls import CreateCall, UpdateCall
from pressync.model.errors import BadAnswer, Later, NoAnswer, Refused
from pressync.model.interface import Kind
from pressync.sync.lost_creates import advice, created_by, is_lost, look_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pressync.model.errors import ServiceError
    from pressync.model.records import Record
    from pressync.state.state import State

FIELDS = {"title": "A", "slug": "a", "content": "<p>a</p>"}
CALL = CreateCall(Kind.PAGE, FIELDS)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """Open an empty state."""
    with opened(tmp_path) as state:
        yield state


class Noting(MemoryService):
    """A service that keeps what it was asked to look up, and in how many requests."""

    asked: list[tuple[Kind, Sequence[str], int]]

    def find_recent(self, kind: Kind, slugs: Sequence[str], *, requests: int) -> dict[str, list[Record]]:
        self.asked.append((kind, slugs, requests))
        return super().find_recent(kind, slugs, requests=requests)


def test_the_creates_of_one_kind_share_two_requests(state: State) -> None:
    service = Noting()
    service.asked = []
    look_up(service, state, [(Kind.PAGE, "a"), (Kind.PAGE, "b"), (Kind.PAGE, "a")])
    assert service.asked == [(Kind.PAGE, ("a", "b"), 2)]


def test_pages_and_posts_have_one_request_each(state: State) -> None:
    service = Noting()
    service.asked = []
    look_up(service, state, [(Kind.PAGE, "a"), (Kind.POST, "b")])
    assert service.asked == [(Kind.PAGE, ("a",), 1), (Kind.POST, ("b",), 1)]


def test_a_look_up_that_fails_has_found_nothing(state: State) -> None:
    service = MemoryService(deaf=NoAnswer("deaf"))
    assert look_up(service, state, [(Kind.PAGE, "a")]) == {}
    assert look_up(service, state, [(Kind.PAGE, "a"), (Kind.PAGE, "b")]) == {}


def test_the_record_of_another_document_is_not_the_one_that_was_made(state: State) -> None:
    service = MemoryService()
    ours = service.hold(7, **FIELDS)
    assert created_by(CALL, [ours], state) == ours
    state.put(entry("content/pages/other.md", 7))
    assert created_by(CALL, [ours], state) is None


@pytest.mark.parametrize(
    ("end", "lost"),
    [(NoAnswer("n"), True), (BadAnswer("b"), True), (Refused("r", status=400), False), (Later("l"), False)],
)
def test_a_call_is_lost_if_it_may_have_been_carried_out(end: ServiceError, *, lost: bool) -> None:
    assert is_lost(end) is lost
    assert not is_lost(None)


def test_the_advice_for_an_unconfirmed_call_depends_on_what_can_be_asked() -> None:
    error, path = NoAnswer("the line broke"), "content/pages/a.md"
    update = UpdateCall(Kind.PAGE, 7, FIELDS)
    assert "the next sync sends it again" in advice(update, path, error, readable=False)
    assert "the next sync checks" in advice(CALL, path, error, readable=True)
    assert f"pressync resolve {path} --not-created" in advice(CALL, path, error, readable=False)
