"""The one loop that asks a service to change anything: each change when it is ready, the first call alone.

One thread prepares the calls and takes in the results; a few threads deliver the calls. So decisions need no
lock, and the deciding thread always knows all addresses and parents that are settled so far. Documents come
prepared from a function of the caller.
"""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pressync.client.port import Limits
from pressync.client.retry import Patience
from pressync.model.changes import Delete, Outcome, Result
from pressync.model.errors import BadAnswer, ContentError, NoAnswer, StorageError
from pressync.plan.prerequisites import needs
from pressync.sync import one_heap, second_writes, timed
from pressync.sync.addresses import AddressTracker
from pressync.sync.control import RunControl
from pressync.sync.delivery import Delivery
from pressync.sync.expected_addresses import ExpectedAddresses
from pressync.sync.halt_reason import reason_to_halt
from pressync.sync.jobs import Batch, JobBuilder
from pressync.sync.ready_queue import ReadyQueue
from pressync.sync.uploading import Uploading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Future

    from pressync.client.port import Service
    from pressync.plan.order import Schedule
    from pressync.state.state import State
    from pressync.sync.delivery import Delivered
    from pressync.sync.jobs import Job, Pending, SentDocuments

# Jobs that are prepared ahead for each connection: enough to keep it busy.
_AHEAD = 2
# A spare thread for so many connections, at most so many: its call is ready while others wait for the disk.
_CONNECTIONS, _MOST_SPARE = 4, 4
# A batch is closed at this many characters: web servers refuse a request of more than 1 MB by default.
_BATCH_CHARACTERS = 400_000


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run works: parallel calls, calls per second, what it may do, and how long it waits."""

    concurrency: int = 4
    rate: float | None = None
    permanent: bool = False
    overwrite: bool = False
    max_failures: int | None = None
    delete_unused_media: bool = False
    patience: Patience = field(default_factory=Patience)
    limits: Limits = field(default_factory=Limits)

    def control(self, say: Callable[[str], None], stop: threading.Event) -> RunControl:
        """Make the control of a run with these options."""
        return RunControl.of(say, stop, self.patience, self.rate, self.concurrency)


@dataclass(frozen=True, slots=True)
class RunListener:
    """Hears of a run: each outcome as soon as there is one, and sentences for people."""

    outcome: Callable[[Outcome], None]
    say: Callable[[str], None]


def apply(
    schedule: Schedule,
    documents: SentDocuments,
    *,
    service: Service,
    state: State,
    options: RunOptions,
    control: RunControl,
    on_outcome: Callable[[Outcome], None],
) -> list[Outcome]:
    """Make the scheduled changes; gives one outcome per change, in the order of the schedule.

    When the run is stopped, it ends after the calls that are under way, and the other changes are `skipped`.
    The caller saves the manifest.

    :raises StorageError: the journal cannot be written; all calls under way have ended.
    """
    halt = threading.Event()
    one_heap.share()
    expected = ExpectedAddresses(state, schedule.changes())
    spare = min(options.concurrency // _CONNECTIONS, _MOST_SPARE)
    with ThreadPoolExecutor(options.concurrency + spare, thread_name_prefix="deliver") as pool:
        loop = _ApplyLoop(
            delivery=Delivery(service, state, documents.commit, control, halt=halt),
            state=state,
            jobs=JobBuilder(
                state, documents, expected, permanent=options.permanent, overwrite=options.overwrite
            ),
            expected=expected,
            pool=pool,
            addresses=AddressTracker(state),
            concurrency=options.concurrency,
            max_failures=options.max_failures,
            batch=service.capabilities.batch,
            stop=control.stop,
            halt=halt,
            on_outcome=on_outcome,
            uploading=Uploading(pool, documents.uploads, options.concurrency),
        )
        return loop.run(schedule, documents.files)


@dataclass(slots=True, kw_only=True)
class _ApplyLoop:
    """The loop of one run; it remembers the outcomes, the calls under way, and why it halted if it did."""

    delivery: Delivery
    state: State
    jobs: JobBuilder
    expected: ExpectedAddresses
    pool: ThreadPoolExecutor
    addresses: AddressTracker
    concurrency: int
    max_failures: int | None
    batch: int
    stop: threading.Event
    halt: threading.Event
    on_outcome: Callable[[Outcome], None]
    uploading: Uploading
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    under_way: dict[Future[list[Delivered]], tuple[str, ...]] = field(default_factory=dict)
    halted: str = ""
    storage_error: StorageError | None = None
    queue: ReadyQueue = field(default_factory=lambda: ReadyQueue((), {}))
    first_write_ok: bool = False
    lost: int = 0
    failed: int = 0

    def run(self, schedule: Schedule, files: Mapping[str, frozenset[str]]) -> list[Outcome]:
        leading = [self.expected.leading(wave) for wave in schedule.waves]
        self._waves([[c for c in wave if not second_writes.is_only_front(c)] for wave in leading], files)
        for change in second_writes.front_pages(schedule.waves, self.outcomes):
            self._wave((change,), partial(self._second_job, front=True))
        late = [c for wave in schedule.waves for c in wave if not isinstance(c, Delete) and c.completed_later]
        done = [c for c in late if self.outcomes[c.path].result is Result.DONE]
        incomplete = [c for c in done if not self.jobs.has_true_links(c)]
        self._wave((*incomplete, *schedule.links), self._second_job)
        self._waves(schedule.last)
        return [self._final(change) for change in schedule.changes()]

    def _final(self, change: Pending) -> Outcome:
        """Give the outcome of a change with its entry as it is now: a page above may have moved since."""
        outcome = self.outcomes[change.path]
        entry = outcome.entry and self.state.manifest.entries.get(change.path, outcome.entry)
        return outcome if entry is outcome.entry else replace(outcome, entry=entry)

    def _waves(
        self, waves: Sequence[Sequence[Pending]], files: Mapping[str, frozenset[str]] = MappingProxyType({})
    ) -> None:
        """Send each change when what it needs is there; the waves only give the order."""
        needed = needs(waves, self.state.manifest.entries)
        needed |= {path: needed[path] | files[path] for path in needed.keys() & files.keys()}
        changes = [change for wave in waves for change in wave]
        self._work(ReadyQueue(changes, needed, self.uploading.begin()), self.jobs.build)

    def _wave(self, wave: Iterable[Pending], make_job: Callable[[Pending], Job | Outcome]) -> None:
        """Send changes that do not need each other."""
        self._work(ReadyQueue(wave, {}), make_job)

    def _work(self, queue: ReadyQueue, make_job: Callable[[Pending], Job | Outcome]) -> None:
        self.queue = queue
        batch = Batch()
        while queue.is_active and not self.storage_error:
            change = queue.next()
            if change is not None:
                job = self._ready(change, make_job)
                if isinstance(job, Outcome):
                    self._note(job)
                    continue
                batch.add(job)
                teaches = self.expected.teaches(change)
                if teaches or self._is_full(batch):
                    batch = self._send(batch)
                if teaches:
                    self._collect(below=1)
            elif batch.jobs and len(self.under_way) < self.concurrency:
                # A connection has nothing to do, and no other change is ready.
                batch = self._send(batch)
            else:
                self._take_next()
        while self.storage_error and (self.under_way or self.uploading.under_way):
            self._take_next()
        if self.storage_error:
            raise self.storage_error

    def _ready(self, change: Pending, make_job: Callable[[Pending], Job | Outcome]) -> Job | Outcome:
        """Make the job of a change, or its outcome if nothing is to be sent."""
        if self.stop.is_set() or self.halted:
            return self._skipped(change, self.halted or "the run was stopped before its turn")
        try:
            return make_job(change)
        except ContentError as error:
            return Outcome(change, Result.FAILED, "; ".join(p.beside(change.path) for p in error.problems))

    def _is_full(self, batch: Batch) -> bool:
        # The first write of a run goes alone: its response shows whether the service understands us.
        return (
            not self.first_write_ok or len(batch.jobs) >= self.batch or batch.characters > _BATCH_CHARACTERS
        )

    def _send(self, batch: Batch) -> Batch:
        """Hand a batch to the connections; give the next batch, which is empty."""
        future = self.pool.submit(timed.deliver, self.delivery, batch.jobs)
        self.under_way[future] = tuple(job.change.path for job in batch.jobs)
        self._collect(below=self.concurrency * _AHEAD if self.first_write_ok else 1)
        return Batch()

    def _skipped(self, change: Pending, why: str) -> Outcome:
        before = self.outcomes.get(change.path)
        if before is None:
            return Outcome(change, Result.SKIPPED, why)
        # Its first write is done. The manifest knows what was sent, so the next plan completes the rest.
        return replace(before, message=second_writes.missing(change))

    def _second_job(self, change: Pending, *, front: bool = False) -> Job | Outcome:
        if isinstance(change, Delete):
            raise TypeError("a delete has no second write")
        job = self.jobs.update(change, front=front)
        if isinstance(job, Outcome) and change.path in self.outcomes:
            return replace(self.outcomes[change.path], entry=job.entry)
        return job

    def _collect(self, *, below: int) -> None:
        """Take in finished jobs until fewer than `below` are under way."""
        while len(self.under_way) >= below:
            self._take_next()

    def _take_next(self) -> None:
        """Wait until a job or an upload ends, and take in all that have ended."""
        every: list[Future[Any]] = [*self.under_way, *self.uploading.under_way]
        finished, _ = wait(every, return_when=FIRST_COMPLETED)
        for future in finished:
            try:
                if self.under_way.pop(future, None):
                    self._take(future.result())
                else:
                    for blob in self.uploading.take(future, self.halted):
                        self.queue.end(blob)
            except StorageError as error:
                self.storage_error = self.storage_error or error
                self._halt_for(f"the run stopped: {error.what}")

    def _take(self, parts: Sequence[Delivered]) -> None:
        self._count_lost(parts)
        busy = frozenset(path for paths in self.under_way.values() for path in paths)
        for delivered in parts:
            self._take_one(delivered, busy)

    def _count_lost(self, parts: Sequence[Delivered]) -> None:
        """Count one lost response per request, whatever the number of its calls."""
        if any(part.answered for part in parts):
            self.lost = 0
        elif any(isinstance(part.error, NoAnswer | BadAnswer) for part in parts):
            self.lost += 1

    def _take_one(self, delivered: Delivered, busy: frozenset[str]) -> None:
        first = not self.first_write_ok
        self.first_write_ok = self.first_write_ok or delivered.error is None
        self._halt_for(reason_to_halt(delivered.error, first=first, lost=self.lost))
        job = delivered.job
        self.addresses.follow(job.change.path, job.previous, busy)
        self._note(second_writes.joined(self.outcomes.get(job.change.path), delivered))

    def _halt_for(self, reason: str) -> None:
        """Send nothing more, unless the reason is ""; the first reason is kept, and calls under way end."""
        if reason and not self.halted:
            self.halted = reason
            self.halt.set()

    def _note(self, outcome: Outcome) -> None:
        self.outcomes[outcome.change.path] = outcome
        self.failed += outcome.result is Result.FAILED
        if self.max_failures and self.failed >= self.max_failures:
            self._halt_for(f"{self.failed} failed, so nothing else was sent (--max-failures)")
        if outcome.result is not Result.UNCONFIRMED:
            self.expected.take(outcome.change.path)
        self.queue.end(outcome.change.path)
        self.on_outcome(outcome)
