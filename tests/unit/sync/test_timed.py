"""The time that a request took, in the outcomes of its jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tests.support.builders import create, delete

from pressync.model.calls import DeleteCall
from pressync.model.changes import Outcome, Result
from pressync.model.interface import Kind
from pressync.sync import timed
from pressync.sync.delivery import Delivered
from pressync.sync.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from pressync.sync.delivery import Delivery

JOBS = [Job(delete(path), DeleteCall(Kind.PAGE, 7)) for path in ("a.md", "b.md")]


class Slow:
    """A delivery that takes its time."""

    def deliver(self, jobs: Sequence[Job]) -> list[Delivered]:
        return [Delivered(job, Outcome(job.change, Result.DONE, "it was gone already")) for job in jobs]


def test_each_outcome_of_a_request_has_its_time_and_is_else_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((10.0, 13.5))
    monkeypatch.setattr(timed, "monotonic", lambda: next(clock))
    first, second = timed.deliver(cast("Delivery", Slow()), JOBS)
    assert first.outcome == Outcome(JOBS[0].change, Result.DONE, "it was gone already")
    assert (first.outcome.seconds, second.outcome.seconds) == (3.5, 3.5)


def test_the_time_does_not_tell_two_outcomes_apart() -> None:
    change = create("a.md")
    assert Outcome(change, Result.DONE, seconds=1.0) == Outcome(change, Result.DONE, seconds=2.0)
