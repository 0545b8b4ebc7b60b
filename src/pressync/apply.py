"""The one loop that asks a service to change anything: wave by wave, the first call alone.

It must not know Git, templates or dialects; documents come prepared through a function. What decided
its shape: one thread prepares and decides, a few threads deliver. So no decision needs a lock, and what
the deciding thread knows of addresses and parents is always settled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from pressync import echo
from pressync.delivery import Delivered, Delivery, Job, Pacer
from pressync.errors import (
    BadAnswer,
    ContentError,
    Later,
    NoAnswer,
    NotSent,
    Refused,
    ServiceError,
    StorageError,
    WrongDialect,
)
from pressync.model import (
    CREATED_WITH,
    Create,
    CreateCall,
    Delete,
    DeleteCall,
    Entry,
    Outcome,
    Prepared,
    Result,
    Update,
    UpdateCall,
)
from pressync.order import Schedule, Wave
from pressync.plan import EMPTY, difference, refreshed
from pressync.service.port import Service
from pressync.service.retry import Patience
from pressync.state import State

Pending = Create | Update | Delete
Prepare = Callable[[str, Mapping[str, Entry]], Prepared]

# Lost answers in a row after which the run stops: each one may put another create in doubt.
_LOST_IN_A_ROW = 3
# Jobs that are prepared ahead of a free connection, per connection: enough to never starve one.
_AHEAD = 2
# A batch is closed at this many characters: web servers refuse a request of more than 1 MB by default.
_BATCH_CHARACTERS = 400_000
_NOT_ALLOWED = frozenset({401, 403})


@dataclass(frozen=True, slots=True)
class Pace:
    """How a run goes about it: calls at a time, calls a second, and what it was allowed to do."""

    concurrency: int = 4
    rate: float | None = None
    permanent: bool = False
    overwrite: bool = False
    patience: Patience = Patience()


@dataclass(frozen=True, slots=True)
class Watcher:
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
    pace: Pace,
    stop: threading.Event,
    watcher: Watcher,
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
        pacer=Pacer(pace.rate, stop),
        stop=stop,
        halt=halt,
        say=watcher.say,
        patience=pace.patience,
    )
    with ThreadPoolExecutor(pace.concurrency, thread_name_prefix="deliver") as pool:
        run = _Run(delivery, state, prepare, pace, stop, halt, watcher, pool, service.capabilities.batch)
        return run.all(schedule)


class _Run:
    """One run's memory: what ended how, which addresses moved, and why it halted if it did."""

    def __init__(
        self,
        delivery: Delivery,
        state: State,
        prepare: Prepare,
        pace: Pace,
        stop: threading.Event,
        halt: threading.Event,
        watcher: Watcher,
        pool: ThreadPoolExecutor,
        batch: int,
    ) -> None:
        self._delivery = delivery
        self._state = state
        self._prepare = prepare
        self._pace = pace
        self._stop = stop
        self._halt = halt
        self._watcher = watcher
        self._pool = pool
        self._batch = batch
        self._outcomes: dict[str, Outcome] = {}
        self._under_way: dict[Future[list[Delivered]], tuple[str, ...]] = {}
        self._halted = ""
        self._broken: StorageError | None = None
        self._canary_sings = False
        self._lost = 0
        self._former: dict[str, set[str]] = {}

    def all(self, schedule: Schedule) -> list[Outcome]:
        for wave in schedule.waves:
            self._wave(wave, self._job)
        late = [c for wave in schedule.waves for c in wave if not isinstance(c, Delete) and c.completed_later]
        done = [c for c in late if self._outcomes[c.path].result is Result.DONE]
        self._wave((*done, *schedule.links), self._link_job)
        for wave in schedule.last:
            self._wave(wave, self._job)
        if self._broken:
            raise self._broken
        return [self._ended(change) for change in schedule.changes()]

    def _ended(self, change: Pending) -> Outcome:
        """The outcome of a change with its entry as it is now: a page above may have moved since."""
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

    def _is_full(self, batch: Sequence[Job]) -> bool:
        # The first write of a run goes alone: its echo shows whether the service understands us.
        if not self._canary_sings or len(batch) >= self._batch:
            return True
        return sum(job.weight for job in batch) > _BATCH_CHARACTERS

    def _send(self, batch: Sequence[Job]) -> None:
        if self._halted:
            for job in batch:
                self._skip(job.change, self._halted)
            return
        future = self._pool.submit(self._delivery.deliver_many, batch)
        self._under_way[future] = tuple(job.change.path for job in batch)
        self._collect(below=self._pace.concurrency * _AHEAD if self._canary_sings else 1)

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

    def _job(self, change: Pending) -> Job | Outcome:
        match change:
            case Create() | Update() if parent := self._unmade_parent(change):
                # Without its parent's id a page would come to stand at the top of the site.
                return Outcome(change, Result.SKIPPED, f"its parent {parent} was not created")
            case Create():
                return self._create_job(change)
            case Update():
                return self._update_job(change)
            case Delete():
                return Job(change, DeleteCall(change.kind, change.id, self._pace.permanent))

    def _unmade_parent(self, change: Create | Update) -> str | None:
        parent = change.desired.parent_path
        return parent if parent is not None and parent not in self._state.manifest.entries else None

    def _create_job(self, change: Create) -> Job | Outcome:
        prepared = self._prepare(change.path, self._state.manifest.entries)
        fields = {**CREATED_WITH, **prepared.fields}
        return Job(change, CreateCall(change.kind, fields), prepared.desired)

    def _update_job(self, change: Create | Update) -> Job | Outcome:
        entries = self._state.manifest.entries
        entry = entries.get(change.path) or (change.entry if isinstance(change, Update) else None)
        if entry is None:
            raise ValueError(f"{change.path} has no record to update")
        prepared = self._prepare(change.path, entries)
        found = difference(prepared.desired, entry, overwrite=self._pace.overwrite)
        if not found.fields and not found.resets:
            kept = refreshed(entry, prepared.desired)
            self._state.put(kept)
            return Outcome(change, Result.KEPT, "nothing to send after all", kept)
        available = {**CREATED_WITH, **prepared.fields}
        sent = {name: available[name] for name in found.fields} | {name: EMPTY[name] for name in found.resets}
        call = UpdateCall(change.kind, entry.id, sent)
        return Job(change, call, prepared.desired, entry)

    def _link_job(self, change: Pending) -> Job | Outcome:
        if isinstance(change, Delete):
            raise TypeError("a delete has no links")
        job = self._update_job(change)
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
        for delivered in parts:
            self._take_one(delivered)

    def _take_one(self, delivered: Delivered) -> None:
        first = not self._canary_sings
        self._canary_sings = self._canary_sings or delivered.error is None
        self._lost = self._lost + 1 if isinstance(delivered.error, NoAnswer | BadAnswer) else 0
        self._end(self._reason_to_halt(delivered.error, first=first))
        self._readdress(delivered)
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
            case Refused(status=status) if first and status in _NOT_ALLOWED:
                return "the service refused the first write, so nothing else was sent"
            case NoAnswer() | BadAnswer() if first:
                return "the first write got no usable answer, so nothing else was sent"
            case NoAnswer() | BadAnswer() if self._lost >= _LOST_IN_A_ROW:
                return f"{self._lost} answers in a row were lost, so nothing else was sent"
            case _:
                return ""

    def _readdress(self, delivered: Delivered) -> None:
        """Give a page, and those below it, the addresses that they have now that a page above them moved.

        The service moves them without a word, and the documented interface has no read. A child's address
        is known to begin with its parent's, and only where it did before is it taken to do so still. A
        page whose own call is under way is left out: its turn comes with its answer.
        """
        entry = self._state.manifest.entries.get(delivered.outcome.change.path)
        if entry is None:
            return
        parent = self._state.manifest.entries.get(entry.parent_path or "")
        if parent and (link := self._below(parent, entry.link)):
            # Echoed before, and taken in after, the page above it moved.
            entry = self._moved(entry, link)
        if delivered.job.previous:
            self._left(entry.path, delivered.job.previous.link, entry.link)
        if not self._former.get(entry.path):
            return
        busy = {path for paths in self._under_way.values() for path in paths}
        children: dict[str, list[Entry]] = {}
        for other in self._state.manifest.entries.values():
            if other.parent_path is not None and other.path not in busy:
                children.setdefault(other.parent_path, []).append(other)
        # The list grows while it is walked.
        pages = [entry]
        for page in pages:
            for child in children.get(page.path, ()):
                if link := self._below(page, child.link):
                    pages.append(self._moved(child, link))

    def _moved(self, entry: Entry, link: str) -> Entry:
        self._left(entry.path, entry.link, link)
        moved = echo.moved(entry, link)
        self._state.put(moved)
        return moved

    def _left(self, path: str, before: str, after: str) -> None:
        """Note that a page no longer stands at an address; one that it came back to counts no more."""
        former = self._former.setdefault(path, set())
        if before and before != after:
            former.add(before)
        former.discard(after)

    def _below(self, page: Entry, link: str) -> str | None:
        """The address that a page below `page` has now, if `link` is from before that one moved."""
        if link.startswith(page.link):
            return None
        for before in self._former.get(page.path, ()):
            if before.endswith("/") and link.startswith(before):
                return page.link + link.removeprefix(before)
        return None

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
