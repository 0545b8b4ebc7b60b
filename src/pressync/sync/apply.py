"""The one loop that asks a service to change anything: each change when it is ready, the first call alone.

One thread prepares the calls and takes in the results; a few threads deliver the calls. So decisions need no
lock, and the deciding thread always knows all addresses and parents that are settled so far. Documents come
prepared from a function of the caller.
"""

from __future__ import annotations

import heapq
import threading
from collections import defaultdict
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pressync.client.port import Limits, Service
from pressync.client.retry import Patience, Window
from pressync.model import errors
from pressync.model.changes import Delete, Outcome, Result
from pressync.model.errors import ContentError, ServiceError, StorageError
from pressync.plan.order import Schedule, Wave, needs
from pressync.sync import jobs
from pressync.sync.addresses import AddressTracker, ExpectedAddresses
from pressync.sync.control import RateLimiter, RunControl
from pressync.sync.delivery import Delivery
from pressync.sync.jobs import Batch, Delivered, Job, JobBuilder, Pending, SentDocuments, StickyPosts
from pressync.sync.prerequisites import Uploading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pressync.state.state import State

# Jobs that are prepared ahead for each connection: enough to keep it busy.
_AHEAD = 2
# A spare thread for so many connections, at most so many: its call is ready while others wait for the disk.
_CONNECTIONS, _MOST_SPARE = 4, 4
# The run stops after this many lost responses in a row: each of them can leave another create, or a whole
# batch of creates, unconfirmed.
_LOST_IN_A_ROW = 3
# After one of these responses to the first write, no later write can succeed: the credentials or the address
# are wrong. `Gone` (404 in the service's own words) is about one record only. A firewall refuses a text with
# 403, which may be the first of each run. So it takes three such responses.
_IN_VAIN = {401: 1, 403: 3, 404: 1, 405: 1}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run works: parallel calls, calls per second, what it may do, and how long it waits."""

    concurrency: int = 4
    rate: float | None = None
    permanent: bool = False
    overwrite: bool = False
    max_failures: int | None = None
    patience: Patience = field(default_factory=Patience)
    limits: Limits = field(default_factory=Limits)

    def control(self, say: Callable[[str], None], stop: threading.Event) -> RunControl:
        """Make the control of a run with these options."""
        window = Window(self.concurrency, stop.is_set)
        return RunControl(say, stop, self.patience, RateLimiter(self.rate, stop), window)


@dataclass(frozen=True, slots=True)
class RunListener:
    """Hears of a run: each outcome as soon as there is one, and sentences for people."""

    outcome: Callable[[Outcome], None]
    say: Callable[[str], None]


class ApplyLoop:
    """The loop of one run; it remembers the outcomes, the calls under way, and why it halted if it did."""

    pool: ThreadPoolExecutor
    uploading: Uploading

    def __init__(
        self,
        schedule: Schedule,
        documents: SentDocuments,
        *,
        service: Service,
        state: State,
        options: RunOptions,
        control: RunControl,
        on_outcome: Callable[[Outcome], None],
    ) -> None:
        """Make the loop of these changes; nothing is sent yet."""
        self.schedule, self.documents, self.options = schedule, documents, options
        self.state, self.stop, self.on_outcome = state, control.stop, on_outcome
        self.batch, self.halt = service.capabilities.batch, threading.Event()
        self.expected = ExpectedAddresses(state, schedule.changes())
        before = documents.uploads.before if documents.uploads else frozenset()
        self.delivery = Delivery(service, state, documents.commit, control, halt=self.halt, before=before)
        self.jobs = JobBuilder(
            state, documents, self.expected, permanent=options.permanent, overwrite=options.overwrite
        )
        self.addresses = AddressTracker(state)
        self.sticky = StickyPosts(control.retrying(service).readable, state)
        self.outcomes: dict[str, Outcome] = {}
        self.under_way: dict[Future[list[Delivered]], tuple[str, ...]] = {}
        self.halted = ""
        # Each may have the id of a record that the disk does not have.
        self.storage_errors: list[StorageError] = []
        self.queue = ReadyQueue((), {})
        self.first_write_ok = False
        self.lost = self.failed = self.refused = 0

    def run(self) -> list[Outcome]:
        """Make the scheduled changes; gives one outcome per change, in the order of the schedule.

        When the run is stopped, it ends after the calls that are under way, and the other changes are
        `skipped`. The caller saves the manifest.

        :raises StorageError: the journal cannot be written; all calls under way have ended.
        """
        most = self.options.concurrency
        spare = min(most // _CONNECTIONS, _MOST_SPARE)
        with ThreadPoolExecutor(most + spare, thread_name_prefix="deliver") as self.pool:
            self.uploading = Uploading(self.pool, self.documents.uploads, most)
            waves = self.schedule.waves
            self._waves(
                [[c for c in wave if not jobs.is_only_front(c)] for wave in waves], self.documents.files
            )
            self._slugs_again(waves)
            for change in jobs.front_pages(waves, self.outcomes):
                self._wave((change,), partial(self._second_job, front=True))
            late = [c for wave in waves for c in wave if not isinstance(c, Delete) and c.completed_later]
            done = [c for c in late if self.outcomes[c.path].result is Result.DONE]
            incomplete = [c for c in done if not self.jobs.has_true_links(c)]
            self._wave((*incomplete, *self.schedule.links), self._second_job)
            self._waves(self.schedule.last)
            changes = self.schedule.changes()
            while not self.halted and not self.stop.is_set():
                lost = self.sticky.lost(changes)
                if not lost:
                    break
                self._wave(lost, self.sticky.again)
            return [self._final(change) for change in changes]

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
        changes = self.expected.leading([change for wave in waves for change in wave])
        self._work(ReadyQueue(changes, needed, self.uploading.begin()), self.jobs.build)

    def _wave(self, wave: Iterable[Pending], make_job: Callable[[Pending], Job | Outcome]) -> None:
        """Send changes that do not need each other."""
        self._work(ReadyQueue(wave, {}), make_job)

    def _work(self, queue: ReadyQueue, make_job: Callable[[Pending], Job | Outcome]) -> None:
        self.queue = queue
        batches = {alone: Batch(alone) for alone in (False, True)}
        while queue.not_ended and not self.storage_errors:
            change = queue.next()
            if change is not None:
                job = self._ready(change, make_job)
                if isinstance(job, Outcome):
                    self._note(job)
                    continue
                self._add(job, batches)
            elif batches[False].jobs and len(self.under_way) < self.options.concurrency:
                # A connection has nothing to do, and no other change is ready.
                batches[False] = self._send(batches[False])
            elif batches[True].jobs and not self.under_way:
                batches[True] = self._send(batches[True])
            else:
                self._take_next()
        while self.storage_errors and (self.under_way or self.uploading.under_way):
            self._take_next()
        if self.storage_errors:
            raise StorageError.joined(self.storage_errors)

    def _add(self, job: Job, batches: dict[bool, Batch]) -> None:
        """Add a job to its batch, and send the batch if it is full."""
        alone, teaches = jobs.is_alone(job), self.expected.teaches(job.change)
        if job.change.kind.row.batched:
            batches[alone].add(job)
            # The first write of a run goes alone: its response shows whether the service understands us.
            if teaches or not self.first_write_ok or batches[alone].is_full(self.batch):
                batches[alone] = self._send(batches[alone])
        else:
            self._send(Batch(alone, [job]))
        if teaches:
            self._collect(below=1)

    def _ready(self, change: Pending, make_job: Callable[[Pending], Job | Outcome]) -> Job | Outcome:
        """Make the job of a change, or its outcome if nothing is to be sent."""
        if self.stop.is_set() or self.halted:
            if before := self.outcomes.get(change.path):
                # Its first write is done. The manifest knows what was sent, so the next plan completes the
                # rest.
                return replace(before, message=jobs.missing_write(change, before.entry))
            return Outcome(change, Result.SKIPPED, self.halted or "the run was stopped before its turn")
        try:
            return make_job(change)
        except ContentError as error:
            told = "; ".join(problem.beside(change.path) for problem in error.problems)
            public = "; ".join(problem.published.beside(change.path) for problem in error.problems)
            return Outcome(change, Result.FAILED, told, public=public)

    def _send(self, batch: Batch) -> Batch:
        """Hand a batch to the connections; give the next batch, which is empty."""
        if batch.alone:
            self._collect(below=1)
        future = self.pool.submit(self.delivery.deliver, batch.jobs)
        self.under_way[future] = tuple(job.change.path for job in batch.jobs)
        goes_on = self.first_write_ok and not batch.alone
        self._collect(below=self.options.concurrency * _AHEAD if goes_on else 1)
        return Batch(batch.alone)

    def _second_job(self, change: Pending, *, front: bool = False) -> Job | Outcome:
        if isinstance(change, Delete):
            raise TypeError("a delete has no second write")
        job = self.jobs.update(change, front=front)
        if isinstance(job, Outcome) and change.path in self.outcomes:
            return replace(self.outcomes[change.path], entry=job.entry)
        return job

    def _slugs_again(self, waves: Sequence[Wave]) -> None:
        """Send the slugs that got a number because another record of these waves had not left them yet."""
        numbered = jobs.numbered_slugs(waves, self.outcomes)
        for change in numbered:
            entry = self.state.manifest.entries[change.path]
            before = jobs.expecting_slug(change, self.outcomes[change.path], entry)
            self.outcomes[change.path] = before
            self.state.put(before.entry or entry)
        self._wave(numbered, lambda change: jobs.slug_again(change, self.state.manifest))

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
                self.storage_errors.append(error)
                self._halt_for(f"the run stopped: {error.what}")

    def _take(self, parts: Sequence[Delivered]) -> None:
        # A request counts as one lost response, whatever the number of its calls.
        if any(part.answered for part in parts):
            self.lost = 0
        elif any(errors.is_lost(part.error) for part in parts):
            self.lost += 1
        busy = frozenset(path for paths in self.under_way.values() for path in paths)
        for delivered in parts:
            first, job = not self.first_write_ok, delivered.job
            self.first_write_ok = self.first_write_ok or delivered.error is None
            self.refused += first and isinstance(delivered.error, errors.Refused)
            self._halt_for(reason_to_halt(delivered.error, first=first, lost=self.lost, refused=self.refused))
            self.sticky.take(delivered)
            self.addresses.follow(job.change.path, job.previous, busy)
            self._note(jobs.joined(self.outcomes.get(job.change.path), delivered))

    def _halt_for(self, reason: str) -> None:
        """Send nothing more, unless the reason is ""; the first reason is kept, and calls under way end."""
        if reason and not self.halted:
            self.halted = reason
            self.halt.set()

    def _note(self, outcome: Outcome) -> None:
        self.outcomes[outcome.change.path] = outcome
        self.failed += outcome.result is Result.FAILED
        if self.options.max_failures and self.failed >= self.options.max_failures:
            self._halt_for(f"{self.failed} failed, so nothing else was sent (--max-failures)")
        if outcome.result is not Result.UNCONFIRMED:
            self.expected.take(outcome.change.path)
        self.queue.end(outcome.change.path)
        self.on_outcome(outcome)


def reason_to_halt(error: ServiceError | None, *, first: bool, lost: int, refused: int = 1) -> str:
    """Say why a run ends after its `first` write, or after `lost` responses in a row; "" if it goes on.

    Each write is a first one until one is done, and `refused` of them were refused.
    """
    match error:
        case errors.WrongDialect():
            return "the first responses show another dialect, so nothing else was sent"
        case errors.NotSent() | errors.Later():
            return f"the service cannot be reached: {error.what}"
        case errors.Refused(status=status) if (
            first and refused >= _IN_VAIN.get(status, refused + 1) and not isinstance(error, errors.Gone)
        ):
            writes = "write" if refused == 1 else f"{refused} writes"
            return f"the service refused the first {writes}, so nothing else was sent"
        case errors.NoAnswer() | errors.BadAnswer() if first:
            return "the first write got no usable response, so nothing else was sent"
        case errors.NoAnswer() | errors.BadAnswer() if lost >= _LOST_IN_A_ROW:
            return f"{lost} responses in a row were lost, so nothing else was sent"
        case _:
            return ""


# A run that waited for whole waves left connections idle at the end of each of them. A run may have many
# thousands of changes, so each is one number here; the sorter of `graphlib` takes five times the memory.
class ReadyQueue:
    """The changes of one part of a run. Only the deciding thread may use it."""

    def __init__(
        self, changes: Iterable[Pending], needs: Mapping[str, Iterable[str]], others: Iterable[str] = ()
    ) -> None:
        """Take the changes in their order; `needs` names by path what must have ended before.

        `others` are needs that are not changes; they are in `not_ended`, too. The needs must not be a circle.
        """
        self._changes = list(changes)
        # By place: the number of its needs that have not ended. By need: the places that wait for it.
        self._waits_for = [0] * len(self._changes)
        self._waiting: defaultdict[str, list[int]] = defaultdict(list)
        for place, change in enumerate(self._changes):
            for need in frozenset(needs.get(change.path, ())):
                self._waiting[need].append(place)
                self._waits_for[place] += 1
        self.not_ended = {*others, *self._waiting, *(change.path for change in self._changes)}
        # An ascending list is a heap.
        self._ready = [place for place, number in enumerate(self._waits_for) if not number]

    def next(self) -> Pending | None:
        """Give the first change that is ready, once; None if no change is ready now."""
        return self._changes[heapq.heappop(self._ready)] if self._ready else None

    def end(self, path: str) -> None:
        """Note that a change, or something else that changes need, has ended, whatever became of it.

        :raises KeyError: it has ended before, or it is not in this queue.
        """
        self.not_ended.remove(path)
        for place in self._waiting.pop(path, ()):
            self._waits_for[place] -= 1
            if not self._waits_for[place]:
                heapq.heappush(self._ready, place)
