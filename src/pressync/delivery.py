"""One change's way over the wire: intended, sent, answered, settled; every error class has its row here.

It must not know which change comes next. The decision that shaped it: between `intend` and `settle` or
`withdraw` nothing can return, so whatever happens in between, a kill included, leaves an open intent
exactly when the service may have acted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from pressync import echo
from pressync.errors import BadAnswer, Gone, NoAnswer, ServiceError, WrongDialect
from pressync.fingerprint import fingerprints
from pressync.model import (
    Call,
    Create,
    CreateCall,
    Delete,
    DeleteCall,
    Desired,
    Entry,
    Fields,
    Outcome,
    Record,
    Result,
    Update,
    UpdateCall,
)
from pressync.service.port import Service
from pressync.service.retry import Patience, carry_out
from pressync.state import State

_ACTIONS = {CreateCall: "create", UpdateCall: "update", DeleteCall: "delete"}


@dataclass(frozen=True, slots=True)
class Job:
    """A change with its call; `desired` is None for a delete, `previous` for a create.

    The second write of a create is a job whose change is still the create and whose call is an update.
    """

    change: Create | Update | Delete
    call: Call
    desired: Desired | None = None
    previous: Entry | None = None


@dataclass(frozen=True, slots=True)
class Delivered:
    """How a job ended; `error` is the service's, for the run to decide whether to go on."""

    job: Job
    outcome: Outcome
    error: ServiceError | None = None


class Pacer:
    """Lets at most `rate` calls a second start; None is no limit."""

    def __init__(self, rate: float | None, stop: threading.Event) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._next = 0.0
        self._lock = threading.Lock()
        self._stop = stop

    def wait(self) -> None:
        """Wait for this call's turn, or until the run is stopped."""
        if not self._gap:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._gap
        self._stop.wait(turn - now)


class Delivery:
    """Carries jobs out, one at a time per thread; any number of threads may share it.

    `stop` is the user's word, `halt` the run's own: after either, jobs that wait for a thread are skipped.
    """

    def __init__(
        self,
        service: Service,
        state: State,
        commit: str,
        *,
        pacer: Pacer,
        stop: threading.Event,
        halt: threading.Event,
        say: Callable[[str], None],
        patience: Patience,
    ) -> None:
        self._service = service
        self._state = state
        self._commit = commit
        self._pacer = pacer
        self._stop = stop
        self._halt = halt
        self._say = say
        self._patience = patience

    def deliver(self, job: Job) -> Delivered:
        """Intend, send, settle.

        :raises StorageError: the journal cannot be written; nothing was sent, or the message has the id.
        """
        self._pacer.wait()
        if self._stop.is_set() or self._halt.is_set():
            return Delivered(job, Outcome(job.change, Result.SKIPPED, "the run was stopped before its turn"))
        number = self._intend(job)
        try:
            record = carry_out(
                self._service, job.call, patience=self._patience, wait=self._wait, on_wait=self._say
            )
        except WrongDialect as error:
            return self._misunderstood(number, job, error)
        except Gone as error:
            return self._gone(number, job, error)
        except (NoAnswer, BadAnswer) as error:
            # The intent stays open: the call may have been carried out.
            return Delivered(job, Outcome(job.change, Result.IN_DOUBT, _doubtful(job, error)), error)
        except ServiceError as error:
            # Refused, told to come later, or never left this machine: certainly not carried out.
            self._state.withdraw(number, str(error))
            return Delivered(job, Outcome(job.change, Result.FAILED, str(error)), error)
        return self._settle(number, job, record)

    def _intend(self, job: Job) -> int:
        change = job.change
        return self._state.intend(
            action=_ACTIONS[type(job.call)],
            path=change.path,
            kind=change.kind,
            id=_id(job),
            slug=job.desired.slug if job.desired else "",
            fingerprints=fingerprints(_fields(job)),
            commit=self._commit,
            blob=job.desired.blob if job.desired else "",
        )

    def _settle(self, number: int, job: Job, record: Record) -> Delivered:
        if job.desired is None:
            self._state.settle(number, job.change.path, None)
            return Delivered(job, Outcome(job.change, Result.DONE))
        settled = echo.settle(job.desired, _fields(job), record, job.previous, self._commit)
        self._state.settle(number, job.change.path, settled.entry)
        return Delivered(job, Outcome(job.change, Result.DONE, "; ".join(settled.notices), settled.entry))

    def _gone(self, number: int, job: Job, error: Gone) -> Delivered:
        if isinstance(job.call, DeleteCall):
            # Gone is what a delete wants, whoever did it, perhaps an earlier try of ours.
            self._state.settle(number, job.change.path, None)
            return Delivered(job, Outcome(job.change, Result.DONE, "it was gone already"))
        self._state.withdraw(number, str(error))
        message = (
            f"{error}; somebody removed the record: `pressync forget {job.change.path}` and sync again makes a new one"
        )
        return Delivered(job, Outcome(job.change, Result.FAILED, message), error)

    def _misunderstood(self, number: int, job: Job, error: WrongDialect) -> Delivered:
        # The record exists and holds our encoding as text: remember it, with every field still to be sent.
        record: Record | None = getattr(error, "record", None)
        if record is not None and job.desired is not None:
            settled = echo.settle(job.desired, _fields(job), record, job.previous, self._commit)
            entry = echo.unsure(settled.entry)
            self._state.settle(number, job.change.path, entry)
            return Delivered(job, Outcome(job.change, Result.FAILED, str(error), entry), error)
        return Delivered(job, Outcome(job.change, Result.IN_DOUBT, str(error)), error)

    def _wait(self, seconds: float) -> bool:
        return self._stop.wait(seconds)


def _fields(job: Job) -> Fields:
    match job.call:
        case CreateCall(fields=fields) | UpdateCall(fields=fields):
            return fields
        case DeleteCall():
            return {}


def _id(job: Job) -> int | None:
    match job.call:
        case UpdateCall(id=number) | DeleteCall(id=number):
            return number
        case CreateCall():
            return None


def _doubtful(job: Job, error: ServiceError) -> str:
    if isinstance(job.call, CreateCall):
        path = job.change.path
        return (
            f"{error}; it may exist: look for it on the site, then `pressync resolve {path} --id N` or "
            f"`pressync resolve {path} --not-created`"
        )
    return f"{error}; the next sync sends it again"
