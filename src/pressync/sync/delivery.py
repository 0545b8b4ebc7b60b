"""Delivers one change: writes the intent, sends the call, and settles its response or its error.

After `intend`, a call ends with `settle` or `withdraw`, unless the service may have carried it out without
our knowledge. So after any failure, a kill included, an intent is open exactly then. Every error class is
handled here. Right before a call overwrites or deletes a record, its record is read again.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import replace
from shlex import quote
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.client.port import Reads, Service, WrongDialectShown
from pressync.client.retry import Stopped
from pressync.model.changes import Block, Blocked, CreateCall, Delete, DeleteCall, Outcome, Result, UpdateCall
from pressync.model.errors import (
    BadAnswer,
    Gone,
    Later,
    NoAnswer,
    NotSent,
    Refused,
    ServiceError,
    StorageError,
    WrongDialect,
    is_lost,
)
from pressync.model.fingerprint import UNSURE, fingerprint, fingerprints, unsure
from pressync.model.reason import ReasonCode
from pressync.model.records import TRASH, Record, RecordKey
from pressync.model.visibility import FRONT_PAGE, with_unwritten
from pressync.plan import match, reasons
from pressync.plan.decide import conflicts
from pressync.sync import drift, echo, unconfirmed
from pressync.sync.jobs import Delivered, Job
from pressync.sync.prerequisites import DroppedIds

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pressync.model.changes import Call
    from pressync.model.interface import Kind
    from pressync.state.journal_lines import Action
    from pressync.state.state import State
    from pressync.sync.control import RecentReads, RunControl

_STOPPED = "the run was stopped before its turn"
_ACTIONS: Mapping[type[Call], Action] = {CreateCall: "create", UpdateCall: "update", DeleteCall: "delete"}


class Delivery:
    """Carries out jobs, one at a time per thread; any number of threads may share it.

    `control.stop` is set by the user, `halt` by the run itself. After either, jobs that wait are skipped. The
    site had the terms and files of `before`, each a field and an id, before the run made others.
    """

    def __init__(
        self,
        service: Service,
        state: State,
        commit: str,
        control: RunControl,
        *,
        halt: threading.Event,
        before: frozenset[tuple[str, int]] = frozenset(),
    ) -> None:
        # A retry repeats the look, too: while a call waits for its turn, somebody may edit the record.
        self._guarded = RereadingService(service, control.recent_reads)
        self._service = control.retrying(self._guarded)
        self._reads = control.retrying(service.readable) if service.readable else None
        self._dropped = DroppedIds(control.library(service), before)
        self._state = state
        self._commit = commit
        self._control = control
        self._halt = halt

    def deliver(self, jobs: Sequence[Job]) -> list[Delivered]:
        """Intend, send and settle jobs, in one request if the service takes batches; each has its own end.

        :raises StorageError: the journal cannot be written; nothing was sent, or the message has the ids.
        """
        self._control.limiter.wait()
        if self._is_over:
            return [_skipped(job) for job in jobs]
        self._guarded.expect(jobs)
        numbers = self._intend_all(jobs)
        ends = self._first_ends(jobs)
        by_slug = self._look_up([job for job, end in zip(jobs, ends, strict=True) if is_lost(end)])
        delivered: list[Delivered] = []
        broken: list[StorageError] = []
        try:
            # A job that is sent alone must not wait for the others until its outcome is durable.
            with nullcontext() if None in ends else self._state.one_sync():
                for number, job, end in zip(numbers, jobs, ends, strict=True):
                    if end is None and len(jobs) > 1:
                        # It is a request of its own, beside that of its batch.
                        self._control.limiter.wait()
                    try:
                        delivered.append(self._ended(number, job, end, by_slug))
                    except StorageError as error:
                        # Settle the others too: they have responses, and the manifest may be writable.
                        self._halt.set()
                        broken.append(error)
        except StorageError as error:
            self._halt.set()
            broken.append(error)
        if broken:
            raise StorageError.joined(broken)
        return delivered

    @property
    def _is_over(self) -> bool:
        return self._control.stopped or self._halt.is_set()

    def _intend_all(self, jobs: Sequence[Job]) -> list[int]:
        numbers: list[int] = []
        try:
            with self._state.one_sync():
                for job in jobs:
                    numbers.append(self._intend(job))  # noqa: PERF401 - needed if one fails
        except StorageError:
            # None of them is sent. If the manifest can still be saved, none of them stays unconfirmed.
            for number in numbers:
                with suppress(StorageError):
                    self._state.withdraw(
                        number, "another call of its batch could not be written to the journal"
                    )
            raise
        return numbers

    def _first_ends(self, jobs: Sequence[Job]) -> list[Record | ServiceError | None]:
        """Try all jobs in one request; None for each job that is still to be carried out alone."""
        if self._reads is None or len(jobs) == 1:
            return [None] * len(jobs)
        ends = self._service.carry_out_many([job.call for job in jobs])
        # If the service refused the whole batch (it is switched off, or too large), no call was judged.
        as_one = all(end is ends[0] for end in ends)
        all_refused = as_one and isinstance(ends[0], Refused)
        alone = [None if isinstance(end, NotSent | Later) else end for end in ends]
        if all_refused:
            return [None] * len(jobs)
        # A batch that came to nothing was repeated with all patience. Its first call tells the error.
        return alone if not as_one or self._is_over else [ends[0], *alone[1:]]

    def _ended(
        self, number: int, job: Job, end: Record | ServiceError | None, by_slug: unconfirmed.Found
    ) -> Delivered:
        if end is None and self._is_over:
            # The batch did not carry it out, and the run ended before it could be sent alone.
            self._state.withdraw(number, _STOPPED)
            return _skipped(job)
        try:
            record = self._record(job, end)
        except WrongDialect as error:
            return self._misunderstood(number, job, error)
        except Gone as error:
            return self._gone(number, job, error)
        except (NoAnswer, BadAnswer) as error:
            # A call that was sent alone after its batch, or that got another record, was not looked up yet.
            by_slug = by_slug if is_lost(end) else self._look_up([job])
            return self._unconfirmed(number, job, error, by_slug)
        except ServiceError as error:
            # The call was refused, delayed, or never left this machine: it was certainly not carried out.
            self._state.withdraw(number, str(error))
            if isinstance(error, NotSent | Later):
                # Each call after it would fail in the same way, after the same wait.
                self._halt.set()
            outcome = not_carried_out(job, error, self._state)
            return _skipped(job) if isinstance(error, Stopped) else Delivered(job, outcome, error)
        return self._settle(number, job, record)

    def _record(self, job: Job, end: Record | ServiceError | None) -> Record:
        if isinstance(end, ServiceError):
            raise end
        record = end or self._service.carry_out(job.call)
        if isinstance(job.call, CreateCall):
            self._expect_new(job.call, record)
        return record

    def _expect_new(self, call: CreateCall, record: Record) -> None:
        """Raise BadAnswer for a record that this create cannot have made.

        If the document were bound to that record, its own record would be lost.
        """
        holder = self._state.holder(record.kind, record.id)
        if holder or match.is_another(call.fields, record):
            whose = f"the record of {holder}" if holder else "not what was sent"
            raise BadAnswer(f"the response to a create is {record.kind} {record.id}, which is {whose}")

    def _look_up(self, lost: Sequence[Job]) -> unconfirmed.Found:
        """Look up lost creates at once, if the service can be read: it may have carried them out."""
        creates = [
            (job.call.kind, job.desired.slug)
            for job in lost
            if isinstance(job.call, CreateCall) and job.desired
        ]
        reads = self._reads if creates else None
        return unconfirmed.look_up_lost(reads, creates) if reads else {}

    def _unconfirmed(
        self, number: int, job: Job, error: ServiceError, by_slug: unconfirmed.Found
    ) -> Delivered:
        """Settle a lost call by the record that a look-up found, or leave it unconfirmed."""
        if isinstance(job.call, CreateCall) and job.desired:
            records = by_slug.get((job.call.kind, job.desired.slug), ())
            free = unconfirmed.without_document(self._state, records)
            if record := match.made_by(fingerprints(job.call.fields), free):
                return replace(self._settle(number, job, record), answered=False)
        # The intent stays open: the next run looks the create up, asks a person, or sends the call again.
        advice = unconfirmed.advice(job.call, job.change.path, error, readable=self._reads is not None)
        outcome = Outcome(job.change, Result.UNCONFIRMED, advice)
        return Delivered(job, outcome, error, answered=False)

    def _intend(self, job: Job) -> int:
        change, desired = job.change, job.desired
        slug, blob = (desired.slug, desired.blob) if desired else ("", "")
        return self._state.intend(
            action=_ACTIONS[type(job.call)],
            path=change.path,
            kind=change.kind,
            id=None if isinstance(job.call, CreateCall) else job.call.id,
            slug=slug,
            fingerprints=fingerprints(job.fields),
            commit=self._commit,
            blob=blob,
        )

    def _settle(self, number: int, job: Job, record: Record) -> Delivered:
        if job.desired is None:
            return self._settle_delete(number, job, record)
        sent = job.fields
        read = self._guarded.last_read(job.call)
        settled = echo.settle(job.desired, sent, record, job.previous, self._commit, read)
        entry = settled.entry
        if settled.dropped and (lost := self._dropped.lost(settled.dropped)):
            # The site lost a term or file. The next sync creates it again.
            entry = echo.unsure(entry, lost)
        if FRONT_PAGE not in sent:
            entry = with_unwritten(entry, job.desired.fingerprints, job.previous)
        self._state.settle(number, job.change.path, entry)
        message = "; ".join(filter(None, (settled.message, *_other_forms(job.call, record))))
        result = Result.FAILED if settled.failure else Result.DONE
        return Delivered(job, Outcome(job.change, result, message, entry))

    def _settle_delete(self, number: int, job: Job, record: Record) -> Delivered:
        is_permanent = isinstance(job.call, DeleteCall) and job.call.permanent
        if why := "" if is_permanent else echo.still_there(record):
            self._state.withdraw(number, why)
            return Delivered(job, Outcome(job.change, Result.FAILED, why))
        self._state.settle(number, job.change.path, None)
        said = ""
        if is_permanent and isinstance(job.change, Delete):
            said = f"deleted for good; nothing brings back {job.change.address}"
        return Delivered(job, Outcome(job.change, Result.DONE, said))

    def _gone(self, number: int, job: Job, error: Gone) -> Delivered:
        if isinstance(job.call, DeleteCall):
            # The delete is done, by somebody else or by an earlier attempt of ours.
            self._state.settle(number, job.change.path, None)
            return Delivered(job, Outcome(job.change, Result.DONE, "it was gone already"))
        self._state.withdraw(number, str(error))
        again = f"`pressync forget {quote(job.change.path)}` and sync again makes a new one"
        message = f"{error}; somebody removed the record: {again}"
        return Delivered(job, Outcome(job.change, Result.FAILED, message), error)

    def _misunderstood(self, number: int, job: Job, error: WrongDialect) -> Delivered:
        # The record exists and holds our encoding as text. Remember its id; the next sync sends every field.
        if isinstance(error, WrongDialectShown) and job.desired is not None:
            settled = echo.settle(job.desired, job.fields, error.record, job.previous, self._commit)
            entry = echo.unsure(settled.entry)
            self._state.settle(number, job.change.path, entry)
            return Delivered(job, Outcome(job.change, Result.FAILED, str(error), entry), error)
        return Delivered(job, Outcome(job.change, Result.UNCONFIRMED, str(error)), error)


def _other_forms(call: Call, record: Record) -> Iterator[str]:
    """Name the values that came back with the same meaning, but not in the form that was sent."""
    if isinstance(call, UpdateCall):
        for name, value in call.stored.items():
            if record.fields.get(name) == call.fields[name] and record.raw.get(name) != value:
                yield f"{name}: written by the service in another form than it had there before"


def _skipped(job: Job) -> Delivered:
    return Delivered(job, Outcome(job.change, Result.SKIPPED, _STOPPED), answered=False)


class EditedSince(ServiceError):  # noqa: N818 - named as the errors of the model are
    """Somebody has edited the record since the run looked at it, so the call was not sent."""

    def __init__(self, edits: Mapping[str, str], fields: tuple[str, ...]) -> None:
        super().__init__(f"{', '.join(fields)} changed on the site since the run looked at it")
        self.edits = edits
        self.fields = fields


# WordPress has no write that it refuses if somebody has edited the record since a read. A call may wait for
# its turn, for a pause of the server, or for another attempt. So the look is below the retries, next to the
# write.
class RereadingService:
    """A service that reads records again before it overwrites them; each method makes one attempt."""

    def __init__(self, service: Service, known: RecentReads) -> None:
        self._service = service
        self._readable = service.readable
        self._known = known
        self._jobs: dict[RecordKey, Job] = {}
        self._maybe_done: set[RecordKey] = set()
        self._edited_fields: dict[RecordKey, frozenset[str]] = {}
        self._lock = Lock()

    def expect(self, jobs: Iterable[Job]) -> None:
        """Learn what the calls of these jobs overwrite; a service without reads cannot be asked."""
        if self._readable:
            with self._lock:
                self._jobs |= {_key(job.call): job for job in jobs if _overwrites(job.call)}

    def last_read(self, call: Call) -> frozenset[str] | None:
        """Give the fields that somebody had edited when a call's record was read; None without a read."""
        with self._lock:
            return self._edited_fields.pop(_key(call), None)

    def carry_out(self, call: Call) -> Record:
        """Carry out a call.

        :raises EditedSince: somebody has edited the record.
        """
        for error in self._edited([call]).values():
            raise error
        begun = self._known.now()
        try:
            record = self._service.carry_out(call)
        except ServiceError as error:
            self._note(call, error, begun)
            raise
        self._note(call, record, begun)
        return record

    def carry_out_many(self, calls: Sequence[Call]) -> list[Record | ServiceError]:
        """Carry out calls in one request; an edited record has its EditedSince, and the others go."""
        if self._readable is None:
            raise AssertionError("a service without reads takes one call at a time")
        edited = self._edited(calls)
        rest = [call for call in calls if _key(call) not in edited]
        begun = self._known.now()
        ends = self._readable.carry_out_many(rest) if rest else []
        for call, end in zip(rest, ends, strict=True):
            self._note(call, end, begun)
        if rest and isinstance(ends[0], NotSent | Later) and all(end is ends[0] for end in ends):
            # None of them was carried out. The whole batch is repeated, and looked at again.
            return [ends[0]] * len(calls)
        others = iter(ends)
        return [edited.get(_key(call)) or next(others) for call in calls]

    def _note(self, call: Call, end: Record | ServiceError, begun: float) -> None:
        key = _key(call)
        if isinstance(end, NoAnswer | BadAnswer):
            self._maybe_done.add(key)
        elif not isinstance(end, ServiceError):
            self._known.knows([(end.kind, end.id)], begun)
            with self._lock:
                self._jobs.pop(key, None)

    def _edited(self, calls: Sequence[Call]) -> dict[RecordKey, EditedSince]:
        """Read the records of which the run knows nothing recent, and find those that somebody has edited."""
        if self._readable is None:
            return {}
        keys = [key for call in calls if (key := _key(call)) in self._jobs]
        jobs = {key: self._jobs[key] for key in keys if not self._known.is_recent(key)}
        # The entry of a recent record has the edits that the run saw.
        shown = {key: self._edited_fields.get(key, frozenset()) for key in keys if key not in jobs}
        edited = {}
        for kind in {kind for kind, _ in jobs}:
            begun = self._known.now()
            records = _read(self._readable, kind, [number for of, number in jobs if of == kind])
            for number, record in records.items():
                key = (kind, number)
                shown[key], error = _edits(jobs[key], record, maybe_done=key in self._maybe_done)
                if error:
                    edited[key] = error
            self._known.knows(((kind, n) for n in records if (kind, n) not in edited), begun)
        with self._lock:
            self._edited_fields |= shown
        return edited


def not_carried_out(job: Job, error: ServiceError, state: State) -> Outcome:
    """Give the outcome of a call that was not carried out; an edit is kept as a conflict in the manifest."""
    change = job.change
    if not isinstance(error, EditedSince):
        return Outcome(change, Result.FAILED, str(error))
    number = job.call.id if not isinstance(job.call, CreateCall) else 0
    holder = state.holder(change.kind, number)
    if holder:
        state.put(structs.replace(state.manifest.entries[holder], conflict=error.edits))
    if isinstance(change, Delete):
        why = reasons.because(ReasonCode.EDITED_AND_REMOVED, change.path, fields=error.fields)
    else:
        trashed = error.edits.get("status") == TRASH
        why = reasons.conflict(error.fields, change.path, read=True, trashed=trashed)
    blocked = Blocked(change.path, change.kind, number, why, Block.CONFLICT, error.fields)
    return Outcome.because(blocked, Result.BLOCKED, why, state.manifest.entries.get(holder or ""))


def _read(reads: Reads, kind: Kind, ids: Sequence[int]) -> Mapping[int, Record]:
    try:
        return reads.records(kind, ids)
    except (NoAnswer, BadAnswer) as error:
        # Nothing is known of this read, but the write after it has certainly not left.
        raise NotSent(f"the record cannot be read before it is overwritten: {error.what}") from error


def _key(call: Call) -> RecordKey:
    return call.kind, 0 if isinstance(call, CreateCall) else call.id


def _overwrites(call: Call) -> bool:
    """Whether a call overwrites something of a record; the front page is a setting of the site."""
    return not isinstance(call, CreateCall) and not (
        isinstance(call, UpdateCall) and FRONT_PAGE in call.fields
    )


def _edits(job: Job, record: Record, *, maybe_done: bool) -> tuple[frozenset[str], EditedSince | None]:
    """Find the fields that somebody has edited since the call was decided, and why it must not go.

    `maybe_done` tells that an earlier attempt got no response, so that the record may have what it sent.
    """
    deleted = job.change.entry if isinstance(job.change, Delete) else None
    before = job.previous if job.desired else deleted
    if before is None:
        return frozenset(), None
    if maybe_done and isinstance(job.call, UpdateCall):
        old = before.fingerprints
        sent = {n: unsure(old.get(n, UNSURE), fingerprint(v)) for n, v in job.call.fields.items()}
        before = structs.replace(before, fingerprints={**old, **sent})
    edits = drift.edits(before, record)
    new = {name: text for name, text in edits.items() if before.conflict.get(name) != text}
    if job.desired:
        fields = conflicts(job.desired, structs.replace(before, conflict=new))
    else:
        # A record that somebody put into the trash is unwanted on both sides.
        fields = tuple(sorted(new)) if new.get("status") != TRASH else ()
    return frozenset(edits), EditedSince(edits, fields) if fields else None
