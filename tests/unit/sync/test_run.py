"""One sync: facts that it learns on the site before the first write are in the plan that runs."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.support.library_repository import Shelf
from tests.support.peers import settle_at_once
from tests.support.states import unconfirmed_in
from tests.support.syncing import IMPATIENT

from pressync.app.revision import Revision
from pressync.cli.console import run_exit_code
from pressync.model.calls import CreateCall, UpdateCall
from pressync.model.changes import Result
from pressync.model.errors import NoAnswer, Refused, StorageError
from pressync.plan.build import PlanOptions
from pressync.state.state import State
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.approval import Approval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.support.repository import SampleRepository

    from pressync.model.changes import Plan
    from pressync.model.outcomes import RunResult
    from pressync.model.records import UnconfirmedCreate

A = "content/pages/a.md"
SENT = {"title": "A", "slug": "a", "status": "publish"}


@pytest.fixture
def shelf(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """One page, whose create is unconfirmed."""
    settle_at_once(monkeypatch)
    repository.commit({A: "# A\n"})
    made = Shelf(repository.root, "https://site.test/wp-json")
    with made.workspace() as workspace, workspace.state(writable=True) as state:
        unconfirmed_in(state, A, SENT, commit=repository.head())
        state.save()
    return made


def test_a_create_that_turns_out_not_to_be_done_is_done_in_the_same_sync(shelf: Shelf) -> None:
    run = shelf.sync()
    assert [outcome.result for outcome in run.outcomes] == [Result.DONE]
    assert [type(call) for call in shelf.service.calls] == [CreateCall]
    assert shelf.entries()[A].id in shelf.service.held
    assert not shelf.plan().pending


def test_a_create_that_turns_out_to_be_done_is_brought_up_to_date_in_the_same_sync(shelf: Shelf) -> None:
    shelf.service.hold(41, **SENT)
    run = shelf.sync()
    assert [outcome.result for outcome in run.outcomes] == [Result.DONE]
    assert [type(call) for call in shelf.service.calls] == [UpdateCall], "and no page is made twice"
    assert shelf.entries()[A].id == 41
    assert not shelf.plan().pending


B, CHILD, LINKING = "content/pages/b.md", "content/pages/a/child.md", "content/pages/linking.md"


class Waiting(threading.Event):
    """A stop that waits for no clock, and does during a wait what the test says."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self.waits: list[float] = []
        self._meanwhile = meanwhile

    def wait(self, timeout: float | None = None) -> bool:
        if timeout and timeout > 1:
            self.waits.append(timeout)
            self._meanwhile()
        return self.is_set()


@pytest.fixture
def young(repository: SampleRepository) -> Shelf:
    """Commit a page whose create was just sent, one below it, one that links to it, and one of its own."""
    files = {A: "# A\n", B: "# B\n", CHILD: "# Child\n", LINKING: "# Linking\n\n[a](a.md)\n"}
    repository.commit(files)
    made = Shelf(repository.root, "https://site.test/wp-json")
    with made.workspace() as workspace, workspace.state(writable=True) as state:
        unconfirmed_in(state, A, SENT, commit=repository.head())
        state.save()
    return made


def ended(run: RunResult) -> dict[str, Result]:
    """Give how each path ended."""
    return {outcome.change.path: outcome.result for outcome in run.outcomes}


def titles(shelf: Shelf) -> list[str]:
    """List the titles of the pages that the service holds."""
    return sorted(str(record.fields["title"]) for record in shelf.service.held.values())


def test_what_is_not_unconfirmed_does_not_wait_for_what_is(young: Shelf) -> None:
    during: list[list[str]] = []
    stop = Waiting(lambda: during.append(titles(young)))
    run = young.sync(stop=stop)
    assert during == [["B"]], "and nothing that depends on the page unconfirmed"
    assert ended(run) == dict.fromkeys((A, B, CHILD, LINKING), Result.DONE)
    assert titles(young) == ["A", "B", "Child", "Linking"]
    assert not young.plan().pending
    assert run_exit_code(run, stopped=False) == 0


def test_a_record_that_comes_during_the_wait_is_not_made_twice(young: Shelf) -> None:
    run = young.sync(stop=Waiting(lambda: young.service.hold(41, **SENT)))
    assert ended(run) == dict.fromkeys((A, B, CHILD, LINKING), Result.DONE)
    assert young.entries()[A].id == 41
    assert titles(young) == ["A", "B", "Child", "Linking"]


def test_a_record_that_is_there_at_once_makes_nobody_wait(young: Shelf) -> None:
    young.service.hold(41, **SENT)
    stop = Waiting()
    assert set(ended(young.sync(stop=stop)).values()) == {Result.DONE}
    assert stop.waits == []
    assert titles(young) == ["A", "B", "Child", "Linking"]


def test_interrupted_during_the_last_wait_the_unconfirmed_creates_stay_and_the_run_ends_unconfirmed(
    young: Shelf,
) -> None:
    stop = Waiting(
        lambda: stop.set()  # noqa: PLW0108 - it is not there yet
    )
    run = young.sync(stop=stop)
    assert ended(run) == {
        A: Result.UNCONFIRMED,
        B: Result.DONE,
        CHILD: Result.BLOCKED,
        LINKING: Result.SKIPPED,
    }
    assert run_exit_code(run, stopped=True) == 5
    assert titles(young) == ["B"]
    assert set(ended(young.sync(stop=Waiting()))) == {A, CHILD, LINKING}


def test_a_look_that_fails_at_last_loses_nothing_of_what_was_done(young: Shelf) -> None:
    def deafen() -> None:
        young.service.deaf = NoAnswer("the line broke")

    run = young.sync(stop=Waiting(deafen))
    assert ended(run)[B] is Result.DONE
    assert ended(run)[A] is Result.UNCONFIRMED
    assert titles(young) == ["B"]
    assert any("left to the next sync" in sentence for sentence in young.heard)


@pytest.mark.parametrize("nth", [1, 2])
def test_a_claim_that_fails_after_something_was_sent_does_not_say_that_nothing_was(
    young: Shelf, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    claim, claims = State.claim, itertools.count(1)

    def full(state: State, creates: Iterable[UnconfirmedCreate], about: str) -> None:
        if next(claims) == nth:
            raise StorageError("the disk is full")
        claim(state, creates, about)

    def fill() -> None:
        # What is found at an address makes another plan, with a claim of its own.
        young.service.hold(77, slug="linking", title="Linking", status="publish")
        monkeypatch.setattr(State, "claim", full)

    run = young.sync(stop=Waiting(fill))
    assert ended(run)[B] is Result.DONE
    (said,) = [sentence for sentence in young.heard if "left to the next sync" in sentence]
    assert said.endswith("left to the next sync: the manifest cannot be saved: the disk is full")


def test_a_page_that_failed_before_the_wait_is_not_tried_again_after_it(
    young: Shelf, repository: SampleRepository
) -> None:
    repository.commit({"content/pages/c.md": "# C\n"})
    young.service.ends.extend([None, Refused("no", status=400)])
    run = young.sync(stop=Waiting(), concurrency=1)
    assert Counter(ended(run).values()) == {Result.DONE: 4, Result.FAILED: 1}
    assert len(young.service.calls) == 5


def test_nothing_is_sent_and_nobody_is_asked_twice_for_what_was_agreed(young: Shelf) -> None:
    asked: list[list[str]] = []

    def agree(plan: Plan) -> bool:
        asked.append(sorted(change.path for change in plan.pending))
        return len(asked) == 1

    with young.workspace() as workspace:
        pace = RunOptions(patience=IMPATIENT)
        watcher = RunListener(lambda _outcome: None, young.heard.append)
        run = workspace.sync(
            Revision(), PlanOptions(), pace, Approval(agree), stop=Waiting(), listener=watcher
        )
    assert asked == [[B, LINKING], [A, CHILD, LINKING]]
    assert run is not None
    assert titles(young) == ["B"]
    assert ended(run)[LINKING] is Result.SKIPPED
