"""The delivery of one change: every error class against every kind of call, alone and in a batch."""

from __future__ import annotations

import errno
import os
import threading
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import HEAD, create, delete, desired, entry, update
from tests.support.controls import run_control
from tests.support.memory_service import MemoryService
from tests.support.states import opened
from tests.support.syncing import IMPATIENT

from pressync.client.port import WrongDialectShown
from pressync.model.changes import CreateCall, DeleteCall, Result, UpdateCall
from pressync.model.errors import (
    BadAnswer,
    Gone,
    Later,
    NoAnswer,
    NotSent,
    Refused,
    StorageError,
    WrongDialect,
)
from pressync.model.fingerprint import UNSURE, fingerprints, is_unsure
from pressync.model.interface import Kind
from pressync.model.records import Record
from pressync.state.atomic_files import AppendFile
from pressync.sync.delivery import Delivery
from pressync.sync.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pressync.model.changes import Call
    from pressync.model.errors import ServiceError
    from pressync.state.state import State
    from pressync.sync.jobs import Delivered

PATH = "content/pages/a.md"
FIELDS = {"title": "A", "slug": "a", "content": "<p>a</p>", "status": "publish"}
MISREAD = Record(Kind.PAGE, 1, "a", "https://site.test/a/", "now", "now", {"title": '{"raw": "A"}'})

LATER = Later("busy", after=5)
LOST = NoAnswer("the line broke")
GARBAGE = BadAnswer("HTML came")
REFUSED = Refused("no", status=400)
TOO_LARGE = Refused("too large", status=413)
UNSENT = NotSent("nobody listens")
SHOWN = WrongDialectShown("literal JSON", record=MISREAD, todo="set `dialect`")
GONE = Gone("nothing there", status=404)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """Open an empty state."""
    with opened(tmp_path) as state:
        yield state


@pytest.fixture
def plain() -> MemoryService:
    """Make a service without reads, as the documented one is."""
    return MemoryService(reads=False)


def delivering(
    service: MemoryService, state: State, *, turns: int | None = None
) -> tuple[Delivery, threading.Event, threading.Event]:
    stop, halt = threading.Event(), threading.Event()
    return Delivery(service, state, HEAD, run_control(stop=stop, turns=turns), halt=halt), stop, halt


def creating(path: str = PATH, **fields: str | int) -> Job:
    """Make the job of a create."""
    return Job(create(path), CreateCall(Kind.PAGE, {**FIELDS, **fields}), desired(path))


def updating(state: State, path: str = PATH) -> Job:
    """Make the job of an update of a page that the manifest knows."""
    old = entry(path)
    state.put(old)
    return Job(update(path), UpdateCall(Kind.PAGE, 7, {"content": "<p>new</p>"}), desired(path), old)


def deleting(state: State, path: str) -> Job:
    """Make the job of a delete of a page that the manifest knows."""
    state.put(entry(path, 8))
    return Job(delete(path, 8), DeleteCall(Kind.PAGE, 8))


def doubts_after_a_crash(tmp_path: Path) -> int:
    """Count the creates that a run after a crash now would find unconfirmed."""
    with opened(tmp_path, writable=False) as after:
        return len(after.unconfirmed)


def one(delivery: Delivery, job: Job) -> Delivered:
    """Deliver a single job."""
    (ended,) = delivery.deliver([job])
    return ended


DIALECT = WrongDialect("literal JSON")
UNSENT_OR_REFUSED = (UNSENT, REFUSED, LATER)
PERHAPS = (LOST, GARBAGE, DIALECT)


def named(case: object) -> str:
    return type(case).__name__ if isinstance(case, Exception) else str(case)


@pytest.mark.parametrize(
    ("error", "result"),
    [
        *((error, Result.FAILED) for error in (*UNSENT_OR_REFUSED, GONE, SHOWN)),
        *((error, Result.UNCONFIRMED) for error in PERHAPS),
    ],
    ids=named,
)
def test_how_a_create_ends(
    state: State, plain: MemoryService, tmp_path: Path, error: ServiceError, result: Result
) -> None:
    plain.ends.extend([error] * 4)
    ended = one(delivering(plain, state)[0], creating())
    assert ended.outcome.result is result
    assert ended.error is error
    doubtful = result is Result.UNCONFIRMED
    assert bool(state.unconfirmed) is doubtful
    assert doubts_after_a_crash(tmp_path) == doubtful, "the journal says so too"
    assert (f"pressync resolve {PATH} --id N" in ended.outcome.message) is (error in {LOST, GARBAGE})
    if error is SHOWN:
        # A misread write leaves a record of which nothing is sure.
        known = state.manifest.entries[PATH]
        assert (known.id, {*known.fingerprints.values()}) == (MISREAD.id, {UNSURE})


@pytest.mark.parametrize(
    ("error", "result"),
    [
        *((error, Result.FAILED) for error in UNSENT_OR_REFUSED),
        *((error, Result.UNCONFIRMED) for error in PERHAPS),
        (GONE, None),
    ],
    ids=named,
)
def test_how_an_update_and_a_delete_end(
    state: State, plain: MemoryService, tmp_path: Path, error: ServiceError, result: Result | None
) -> None:
    plain.ends.extend([error] * 4)
    updated = one(delivering(plain, state)[0], updating(state)).outcome
    assert updated.result is (result or Result.FAILED)
    assert ("the next sync sends it again" in updated.message) is (error in {LOST, GARBAGE})
    assert (f"pressync forget {PATH}" in updated.message) is (error is GONE)
    plain.ends.clear()
    plain.ends.extend([error] * 4)
    deleted = one(delivering(plain, state)[0], deleting(state, "content/pages/b.md")).outcome
    # What is gone is deleted.
    assert deleted.result is (result or Result.DONE)
    assert ("content/pages/b.md" in state.manifest.entries) is bool(result)
    state.close()
    with opened(tmp_path) as after:
        unsure = is_unsure(after.manifest.entries[PATH].fingerprints["content"])
    assert unsure is (result is Result.UNCONFIRMED), "what may have been overwritten is sent again"


@pytest.mark.parametrize(("acted", "deaf"), [(True, False), (False, False), (True, True)])
def test_where_records_can_be_read_a_lost_create_is_found(state: State, acted: bool, deaf: bool) -> None:
    service = MemoryService(acted=[LOST] if acted else [], deaf=NoAnswer("deaf") if deaf else None)
    service.ends.append(LOST)
    ended = one(delivering(service, state)[0], creating())
    found = acted and not deaf
    assert ended.outcome.result is (Result.DONE if found else Result.UNCONFIRMED)
    assert ("the next sync checks" in ended.outcome.message) is not found
    assert bool(state.unconfirmed) is not found
    assert len(service.calls) == 1, "it is never sent a second time"


def batch(names: Sequence[str]) -> list[Job]:
    """Make creates of some names."""
    return [creating(f"content/pages/{name}.md", slug=name, title=name) for name in names]


@pytest.mark.parametrize("held", [True, False], ids=["of another document", "of nobody here"])
def test_a_create_that_is_answered_with_another_record_is_unconfirmed_and_takes_nothing_over(
    state: State, plain: MemoryService, monkeypatch: pytest.MonkeyPatch, *, held: bool
) -> None:
    other = plain.hold(9, title="Another", content="<p>Another</p>", slug="another")
    if held:
        state.put(entry("content/pages/other.md", 9))
    monkeypatch.setattr(plain, "carry_out", lambda _call: other)
    before = dict(state.manifest.entries)
    ended = one(delivering(plain, state)[0], creating())
    assert ended.outcome.result is Result.UNCONFIRMED
    assert "page 9" in ended.outcome.message
    assert dict(state.manifest.entries) == before
    assert set(state.unconfirmed) == {PATH}


def test_a_create_that_made_an_empty_record_is_failed_and_all_of_it_is_sent_again(
    state: State, plain: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = plain.hold(9, title="", content="", slug="")
    monkeypatch.setattr(plain, "carry_out", lambda _call: empty)
    ended = one(delivering(plain, state)[0], creating())
    assert ended.outcome.result is Result.FAILED
    assert "has nothing of what was sent" in ended.outcome.message
    assert state.manifest.entries[PATH].id == 9
    assert set(state.manifest.entries[PATH].fingerprints.values()) == {UNSURE}
    assert not state.unconfirmed


def test_an_update_that_changed_nothing_is_failed_and_sent_again(
    state: State, plain: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = plain.hold(7, title="Old", content="<p>old</p>", slug="a")
    old = replace(entry(PATH), fingerprints=fingerprints({"title": "Old", "content": "<p>old</p>"}))
    state.put(old)
    monkeypatch.setattr(plain, "carry_out", lambda _call: before)
    call = UpdateCall(Kind.PAGE, 7, {"title": "New", "content": "<p>new</p>"})
    ended = one(delivering(plain, state)[0], Job(update(PATH), call, desired(PATH), old))
    assert ended.outcome.result is Result.FAILED
    assert state.manifest.entries[PATH].fingerprints == old.fingerprints
    assert not state.unconfirmed


@pytest.mark.parametrize("refusal", [TOO_LARGE, Refused("there is no such route", status=404)])
def test_a_batch_that_is_refused_as_a_whole_goes_singly(state: State, refusal: Refused) -> None:
    service = MemoryService()
    service.ends.extend([refusal] * 3)
    ended = delivering(service, state)[0].deliver(batch("abc"))
    assert [part.outcome.result for part in ended] == [Result.DONE] * 3
    assert len(service.held) == 3
    assert service.batches == [3]


def test_a_call_that_is_sent_again_takes_another_turn(state: State, plain: MemoryService) -> None:
    plain.ends.extend([UNSENT] * 3)
    assert one(delivering(plain, state, turns=2)[0], creating()).outcome.result is Result.FAILED
    assert len(plain.calls) == 2


@pytest.mark.parametrize(("refused", "done"), [(False, "abcde"), (True, "a")])
def test_each_request_has_its_turn_also_where_a_refused_batch_goes_singly(
    state: State, *, refused: bool, done: str
) -> None:
    service = MemoryService()
    service.ends.extend([TOO_LARGE] * 3 if refused else [])
    delivery, _, _ = delivering(service, state, turns=2)
    ended = [part.outcome for names in ("abc", "de", "fg") for part in delivery.deliver(batch(names))]
    assert {part.result for part in ended} == {Result.DONE, Result.SKIPPED}
    assert sorted(state.manifest.entries) == [f"content/pages/{name}.md" for name in done]
    assert not state.unconfirmed


def lost_batch(service: MemoryService, count: int, *, acted: bool) -> None:
    """Have the service lose the answer to a batch of so many calls."""
    lost = NoAnswer("lost")
    service.ends.extend([lost] * count)
    service.acted.extend([lost] if acted else [])


def test_a_lost_batch_is_looked_up_as_one(state: State) -> None:
    service = MemoryService()
    lost_batch(service, 25, acted=True)
    ended = delivering(service, state)[0].deliver(batch("abcdefghijklmnopqrstuvwxy"))
    assert [part.outcome.result for part in ended] == [Result.DONE] * 25
    assert not any(part.answered for part in ended)
    assert service.looks == 1


def test_a_create_that_another_record_answers_is_looked_up(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = MemoryService()
    other = service.hold(9, title="Another", content="<p>Another</p>", slug="another")
    carry_out_many = service.carry_out_many
    monkeypatch.setattr(service, "carry_out_many", lambda calls: [*carry_out_many(calls)[:-1], other])
    ended = delivering(service, state)[0].deliver(batch("ab"))
    assert [part.outcome.result for part in ended] == [Result.DONE] * 2
    assert state.manifest.entries["content/pages/b.md"].id != 9


def test_one_call_that_cannot_be_sent_ends_the_patience_of_its_whole_batch(state: State) -> None:
    service = MemoryService()
    service.ends.extend([UNSENT] * 100)
    delivery, _, halt = delivering(service, state)
    ended = delivery.deliver(batch("abcdefgh"))
    assert [part.outcome.result for part in ended] == [Result.FAILED] + [Result.SKIPPED] * 7
    assert service.batches == [8] * IMPATIENT.unsent_attempts
    assert len(service.calls) == sum(service.batches), "none was then sent alone"
    assert halt.is_set()
    assert not state.unconfirmed


@pytest.mark.parametrize("which", ["stop", "halt"])
def test_after_the_end_nothing_is_sent(
    state: State, plain: MemoryService, tmp_path: Path, which: str
) -> None:
    delivery, stop, halt = delivering(plain, state)
    (stop if which == "stop" else halt).set()
    assert one(delivery, creating()).outcome.result is Result.SKIPPED
    assert not plain.calls
    assert not (tmp_path / "pressync/site.journal").exists()


def test_a_batch_that_is_not_written_down_is_not_sent(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    service = MemoryService()
    intend = state.intend
    written: list[object] = []

    def failing(**members: object) -> int:
        if len(written) == 2:
            raise StorageError("the disk is full")
        written.append(members)
        return intend(**members)  # type: ignore[arg-type]

    monkeypatch.setattr(state, "intend", failing)
    with pytest.raises(StorageError):
        delivering(service, state)[0].deliver(batch("abc"))
    assert not service.calls
    assert not state.unconfirmed


@pytest.mark.parametrize("step", ["append", "sync"])
def test_where_the_journal_breaks_no_answer_is_lost(
    state: State, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    class Breaking(MemoryService):
        def carry_out_many(self, calls: Sequence[Call]) -> list[Record | ServiceError]:
            monkeypatch.setattr(AppendFile, step, refusing)
            return super().carry_out_many(calls)

    def refusing(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    service = Breaking()
    delivery, _, halt = delivering(service, state)
    with pytest.raises(StorageError) as caught:
        delivery.deliver(batch("abc"))
    assert halt.is_set()
    made = {path: entry.id for path, entry in state.manifest.entries.items()}
    assert set(made.values()) == set(service.held)
    assert all(f"{path} is page {number}" in str(caught.value) for path, number in made.items())
    state.save()
    assert not state.unconfirmed


def test_a_batch_costs_one_sync_before_and_one_after(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    service = MemoryService()
    seen: list[int] = []
    sync = AppendFile.sync

    def noted(file: AppendFile) -> None:
        seen.append(len(service.calls))
        sync(file)

    monkeypatch.setattr(AppendFile, "sync", noted)
    delivering(service, state)[0].deliver(batch("abcdefgh"))
    assert seen == [0, 8]


@pytest.mark.parametrize("reads", [True, False], ids=["in a batch", "alone"])
def test_what_cannot_be_made_durable_is_not_sent_and_leaves_no_doubt(
    state: State, monkeypatch: pytest.MonkeyPatch, *, reads: bool
) -> None:
    def refusing(_file: AppendFile) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(AppendFile, "sync", refusing)
    service = MemoryService(reads=reads)
    with pytest.raises(StorageError, match="so this was not sent"):
        delivering(service, state)[0].deliver(batch("abc" if reads else "a"))
    assert not service.calls
    assert not state.unconfirmed
