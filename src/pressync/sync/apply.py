"""The one loop that asks a service to change anything: wave by wave, the first call alone.

It must not know Git, templates or dialects; documents come prepared through a function. What decided
its shape: one thread prepares and decides, a few threads deliver. So no decision needs a lock, and what
the deciding thread knows of addresses and parents is always settled.
"""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.client.port import Limits
from pressync.client.retry import Patience
from pressync.model.changes import Delete, Outcome, Result
from pressync.model.errors import (
    BadAnswer,
    ContentError,
    Gone,
    Later,
    NoAnswer,
    NotSent,
    Refused,
    StorageError,
    WrongDialect,
)
from pressync.sync.addresses import AddressTracker
from pressync.sync.delivery import Delivery
from pressync.sync.jobs import JobBuilder
from pressync.sync.rate_limit import RateLimiter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Future

    from pressync.client.port import Service
    from pressync.model.errors import ServiceError
    from pressync.plan.order import Schedule
    from pressync.state.state import State
    from pressync.sync.delivery import Delivered, Job
    from pressync.sync.jobs import Pending, Prepare

# Lost answers in a row after which the run stops: each one may put another create, or another batch of
# them, in doubt.
_LOST_IN_A_ROW = 3
# Jobs that are prepared ahead of a free connection, per connection: enough to never starve one.
_AHEAD = 2
# A batch is closed at this many characters: web servers refuse a request of more than 1 MB by default.
_BATCH_CHARACTERS = 400_000
# What a first write is told where no later one can fare better: the credentials or the address are wrong. A
# record that is gone (404 in the service's own words) is that record's own affair.
_IN_VAIN = frozenset({401, 403, 404, 405})


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run goes about it: calls at a time, calls a second, what it may do, how long it waits."""

    concurrency: int = 4
    rate: float | None = None
    permanent: bool = False
    overwrite: bool = False
    delete_unused_media: bool = False
    patience: Patience = field(default_factory=Patience)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class RunListener:
    """Where a run tells of itself: each outcome as it falls, and sentences while it waits."""

    outcome: Callable[[Outcome], None]
    say: Callable[[str], None]


def apply(
    schedule: Schedule,
    *,
    service: Service,
    state: State,
    prepare: Prepare,
    commit: str,
    pace: RunOptions,
    stop: threading.Event,
    watcher: RunListener,
) -> list[Outcome]:
    """Make the scheduled changes; one outcome per change, in the order of the schedule.

    Setting `stop` ends the run after the calls that are under way; what was not sent is `skipped`. The
    manifest is not saved here.

    :raises StorageError: the journal cannot be written; everything under way has been waited for.
    """
    halt = threading.Event()
    delivery = Delivery(
        service,
        state,
        commit,
        pacer=RateLimiter(pace.rate, stop),
        stop=stop,
        halt=halt,
        say=watcher.say,
        patience=pace.patience,
    )
    with ThreadPoolExecutor(pace.concurrency, thread_name_prefix="deliver") as pool:
        run = _ApplyLoop(
            delivery,
            state,
            JobBuilder(state, prepare, permanent=pace.permanent, overwrite=pace.overwrite),
            pool,
            at_a_time=pace.concurrency,
            batch=service.capabilities.batch,
            stop=stop,
            halt=halt,
            watcher=watcher,
        )
        return run.all(schedule)


class _ApplyLoop:
    """One run's memory: what ended how, what is under way, and why it halted if it did."""

    def __init__(
        self,
        delivery: Delivery,
        state: State,
        jobs: JobBuilder,
        pool: ThreadPoolExecutor,
        *,
        at_a_time: int,
        batch: int,
        stop: threading.Event,
        halt: threading.Event,
        watcher: RunListener,
    ) -> None:
        self._delivery = delivery
        self._state = state
        self._jobs = jobs
        self._pool = pool
        self._at_a_time = at_a_time
        self._batch = batch
        self._stop = stop
        self._halt = halt
        self._watcher = watcher
        self._outcomes: dict[str, Outcome] = {}
        self._under_way: dict[Future[list[Delivered]], tuple[str, ...]] = {}
        self._halted = ""
        self._broken: StorageError | None = None
        self._first_write_ok = False
        self._lost = 0
        self._addresses = AddressTracker(state)

    def all(self, schedule: Schedule) -> list[Outcome]:
        for wave in schedule.waves:
            self._wave(wave, self._jobs.build)
        late = [c for wave in schedule.waves for c in wave if not isinstance(c, Delete) and c.completed_later]
        done = [c for c in late if self._outcomes[c.path].result is Result.DONE]
        self._wave((*done, *schedule.links), self._link_job)
        for wave in schedule.last:
            self._wave(wave, self._jobs.build)
        return [self._ended(change) for change in schedule.changes()]

    def _ended(self, change: Pending) -> Outcome:
        """Give the outcome of a change with its entry as it is now: a page above may have moved since."""
        outcome = self._outcomes[change.path]
        if outcome.entry is None:
            return outcome
        return replace(outcome, entry=self._state.manifest.entries.get(change.path, outcome.entry))

    def _wave(self, wave: Iterable[Pending], make_job: Callable[[Pending], Job | Outcome]) -> None:
        batch: list[Job] = []
        for change in wave:
            if self._stop.is_set() or self._halted:
                self._skip(change, self._halted or "the run was stopped before its turn")
                continue
            job = self._made(change, make_job)
            if isinstance(job, Outcome):
                self._note(job)
                continue
            batch.append(job)
            if self._is_full(batch):
                self._send(batch)
                batch = []
        if batch:
            self._send(batch)
        self._collect(below=1)
        if self._broken:
            raise self._broken

    def _is_full(self, batch: Sequence[Job]) -> bool:
        # The first write of a run goes alone: its echo shows whether the service understands us.
        if not self._first_write_ok or len(batch) >= self._batch:
            return True
        return sum(job.weight for job in batch) > _BATCH_CHARACTERS

    def _send(self, batch: Sequence[Job]) -> None:
        future = self._pool.submit(self._delivery.deliver, batch)
        self._under_way[future] = tuple(job.change.path for job in batch)
        self._collect(below=self._at_a_time * _AHEAD if self._first_write_ok else 1)

    def _made(self, change: Pending, make_job: Callable[[Pending], Job | Outcome]) -> Job | Outcome:
        try:
            return make_job(change)
        except ContentError as error:
            what = "; ".join(map(str, error.problems))
            return Outcome(change, Result.FAILED, what)

    def _skip(self, change: Pending, why: str) -> None:
        before = self._outcomes.get(change.path)
        if before is None:
            self._note(Outcome(change, Result.SKIPPED, why))
        else:
            # Its first write is done; the manifest knows what was sent, so the next plan completes it.
            self._note(replace(before, message="its links are completed by the next sync"))

    def _link_job(self, change: Pending) -> Job | Outcome:
        if isinstance(change, Delete):
            raise TypeError("a delete has no links")
        job = self._jobs.update(change)
        if isinstance(job, Outcome) and change.path in self._outcomes:
            return replace(self._outcomes[change.path], entry=job.entry)
        return job

    def _collect(self, *, below: int) -> None:
        """Take in finished jobs until fewer than `below` are under way."""
        while len(self._under_way) >= below:
            finished, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                del self._under_way[future]
                self._take(future)

    def _take(self, future: Future[list[Delivered]]) -> None:
        try:
            parts = future.result()
        except StorageError as error:
            self._broken = self._broken or error
            self._end(f"the run stopped: {error.what}")
            return
        self._count_lost(parts)
        for delivered in parts:
            self._take_one(delivered)

    def _count_lost(self, parts: Sequence[Delivered]) -> None:
        """Count one lost answer for one lost request, however many calls it had."""
        if any(part.answered for part in parts):
            self._lost = 0
        elif any(isinstance(part.error, NoAnswer | BadAnswer) for part in parts):
            self._lost += 1

    def _take_one(self, delivered: Delivered) -> None:
        first = not self._first_write_ok
        self._first_write_ok = self._first_write_ok or delivered.error is None
        self._end(self._reason_to_halt(delivered.error, first=first))
        job = delivered.job
        busy = {path for paths in self._under_way.values() for path in paths}
        self._addresses.follow(job.change.path, job.previous, busy)
        self._note(self._joined(delivered))

    def _end(self, reason: str) -> None:
        """Send nothing more, for the first reason there is; what is under way comes to its end."""
        if reason and not self._halted:
            self._halted = reason
            self._halt.set()

    def _reason_to_halt(self, error: ServiceError | None, *, first: bool) -> str:
        match error:
            case WrongDialect():
                return "the first answers show another dialect, so nothing else was sent"
            case NotSent() | Later():
                return f"the service cannot be reached: {error.what}"
            case Refused(status=status) if first and status in _IN_VAIN and not isinstance(error, Gone):
                return "the service refused the first write, so nothing else was sent"
            case NoAnswer() | BadAnswer() if first:
                return "the first write got no usable answer, so nothing else was sent"
            case NoAnswer() | BadAnswer() if self._lost >= _LOST_IN_A_ROW:
                return f"{self._lost} answers in a row were lost, so nothing else was sent"
            case _:
                return ""

    def _joined(self, delivered: Delivered) -> Outcome:
        """Fold a second write into the outcome of its first: one change, one outcome."""
        outcome = delivered.outcome
        before = self._outcomes.get(outcome.change.path)
        if before is None:
            return outcome
        if outcome.result is Result.DONE:
            message = "; ".join(filter(None, (before.message, outcome.message)))
            return replace(outcome, message=message)
        return replace(outcome, message=f"made, but its links are not complete: {outcome.message}")

    def _note(self, outcome: Outcome) -> None:
        self._outcomes[outcome.change.path] = outcome
        self._watcher.outcome(outcome)
