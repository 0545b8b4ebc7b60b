"""A service that reads a record again right before it overwrites or deletes it.

WordPress has no write that it refuses if somebody has edited the record since a read. A call may wait for its
turn, for a pause of the server, or for another attempt. So the look is below the retries, next to the write.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.changes import Block, Blocked, CreateCall, Delete, Outcome, Result, UpdateCall
from pressync.model.errors import BadAnswer, Later, NoAnswer, NotSent, ServiceError
from pressync.model.fingerprint import UNSURE, fingerprint, unsure
from pressync.model.records import TRASH
from pressync.model.visibility import FRONT_PAGE
from pressync.plan import reasons
from pressync.plan.decide import conflicts
from pressync.sync import drift

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pressync.client.port import Reads, Service
    from pressync.model.changes import Call
    from pressync.model.interface import Kind
    from pressync.model.records import Record
    from pressync.state.state import State
    from pressync.sync.control import LastLook
    from pressync.sync.jobs import Job

    _RecordKey = tuple[Kind, int]


class EditedSince(ServiceError):  # noqa: N818 - named as the errors of the model are
    """Somebody has edited the record since the run looked at it, so the call was not sent."""

    def __init__(self, edits: Mapping[str, str], fields: tuple[str, ...]) -> None:
        super().__init__(f"{', '.join(fields)} changed on the site since the run looked at it")
        self.edits = edits
        self.fields = fields


class LooksAgain:
    """A service that reads records again before it overwrites them; each method makes one attempt."""

    def __init__(self, service: Service, known: LastLook) -> None:
        self._service = service
        self._readable = service.readable
        self._known = known
        self._jobs: dict[_RecordKey, Job] = {}
        self._maybe_done: set[_RecordKey] = set()
        self._lock = Lock()

    def expect(self, jobs: Iterable[Job]) -> None:
        """Learn what the calls of these jobs overwrite; a service without reads cannot be asked."""
        if self._readable:
            with self._lock:
                self._jobs |= {_key(job.call): job for job in jobs if _overwrites(job.call)}

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

    def _edited(self, calls: Sequence[Call]) -> dict[_RecordKey, EditedSince]:
        """Read the records of which the run knows nothing recent, and find those that somebody has edited."""
        if self._readable is None:
            return {}
        keys = [key for call in calls if (key := _key(call)) in self._jobs]
        jobs = {key: self._jobs[key] for key in keys if not self._known.is_recent(key)}
        edited = {}
        for kind in {kind for kind, _ in jobs}:
            begun = self._known.now()
            found = _read(self._readable, kind, [number for of, number in jobs if of is kind])
            for number, record in found.items():
                key = (kind, number)
                if error := _edits(jobs[key], record, maybe_done=key in self._maybe_done):
                    edited[key] = error
            self._known.knows(((kind, n) for n in found if (kind, n) not in edited), begun)
        return edited


def outcome(job: Job, error: ServiceError, state: State) -> Outcome:
    """Give the outcome of a call that was not carried out; an edit is kept as a conflict in the manifest."""
    change = job.change
    if not isinstance(error, EditedSince):
        return Outcome(change, Result.FAILED, str(error))
    number = job.call.id if not isinstance(job.call, CreateCall) else 0
    holder = state.holder(change.kind, number)
    if holder:
        state.put(replace(state.manifest.entries[holder], conflict=error.edits))
    if isinstance(change, Delete):
        why = reasons.conflict_of_removed(error.fields, change.path)
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


def _key(call: Call) -> _RecordKey:
    return call.kind, 0 if isinstance(call, CreateCall) else call.id


def _overwrites(call: Call) -> bool:
    """Whether a call overwrites something of a record; the front page is a setting of the site."""
    return not isinstance(call, CreateCall) and not (
        isinstance(call, UpdateCall) and FRONT_PAGE in call.fields
    )


def _edits(job: Job, record: Record, *, maybe_done: bool) -> EditedSince | None:
    """Find what somebody has edited since the call was decided, if the call must not go because of it.

    `maybe_done` tells that an earlier attempt got no response, so that the record may have what it sent.
    """
    before = job.previous if job.desired else job.change.entry if isinstance(job.change, Delete) else None
    if before is None:
        return None
    if maybe_done and isinstance(job.call, UpdateCall):
        known = before.fingerprints
        sent = {n: unsure(known.get(n, UNSURE), fingerprint(v)) for n, v in job.call.fields.items()}
        before = replace(before, fingerprints={**known, **sent})
    found = drift.edits(before, record)
    new = {name: text for name, text in found.items() if before.conflict.get(name) != text}
    if job.desired:
        fields = conflicts(job.desired, replace(before, conflict=new))
    else:
        # A record that somebody put into the trash is unwanted on both sides.
        fields = tuple(sorted(new)) if new.get("status") != TRASH else ()
    return EditedSince(found, fields) if fields else None
