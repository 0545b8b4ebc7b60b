"""When a call or a read is repeated: the truth table, the loop that waits, and a service that does both.

A create that the service may have carried out is never repeated, because the repetition would make a second
record. Retry wraps the port and not HTTP, because only a dialect can tell what a response means: WordPress
answers 500 to a file that it refuses. A read that has many exchanges repeats each of them alone.

A service that is overloaded says so with 429 or 503, or does not answer in time. Then half as many calls may
be under way (`Window`), and one more after each round that went well. There is no clock in this module: it
adds up the seconds that it asks to wait, and it counts answers.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pressync.client.port import REPEATABLE, Carrier, LibraryService, ReadableService
from pressync.model.changes import Call, CreateCall
from pressync.model.errors import Gone, Later, NoAnswer, NotSent, Refused, ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pressync.model.records import Record

AnyCarrier = TypeVar("AnyCarrier", bound="Carrier")
Result = TypeVar("Result")


# A thread that waits for its turn checks once in this many seconds whether the run was stopped.
_LOOK = 0.2
# To come back to the number of calls that was too many takes this many times as many good answers.
_CAUTION = 10
# A service that is closed for a while is asked again after this many seconds, then after twice as many.
_LOOKED_AFTER = 30.0


class Stopped(NotSent):
    """The run was stopped while this call waited for its turn."""


class Window:
    """The number of calls that may be under way, at most `most`. Threads share it."""

    def __init__(self, most: int, stopped: Callable[[], bool] = lambda: False) -> None:
        self.limit = most
        self._most = most
        self._stopped = stopped
        self._under_way = 0
        self._pausing = 0
        self._good = 0
        self._too_many = most + 1
        # It counts how often the limit was lowered. One overload makes many calls fail, and must count once.
        self._round = 0
        self._changed = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait for a place, keep it for one call, and learn from the error of the call.

        :raises Stopped: the run was stopped while this thread waited.
        """
        with self._changed:
            while self._pausing or self._under_way >= self.limit:
                if self._stopped():
                    raise Stopped("the run was stopped before its turn")
                self._changed.wait(_LOOK)
            self._under_way += 1
            begun = self._round
        error: ServiceError | None = None
        try:
            yield
        except ServiceError as raised:
            error = raised
            raise
        finally:
            with self._changed:
                self._leave(begun, overloaded=isinstance(error, Later | NoAnswer), good=error is None)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Let no other call begin: the service named a time before which it wants none."""
        with self._changed:
            self._pausing += 1
        try:
            yield
        finally:
            with self._changed:
                self._pausing -= 1
                self._changed.notify_all()

    def _leave(self, begun: int, *, overloaded: bool, good: bool) -> None:
        if begun == self._round and overloaded:
            self._too_many = self.limit
            self.limit = max(1, self.limit // 2)
            self._round += 1
            self._good = 0
        elif begun == self._round and good:
            self._good += 1
            careful = self.limit + 1 == self._too_many
            if self.limit < self._most and self._good >= self.limit * (_CAUTION if careful else 1):
                self.limit += 1
                self._good = 0
        self._under_way -= 1
        self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class Patience:
    """How many attempts are made for each kind of failure, and how many seconds are waited between them.

    `first` is the first pause. Each further pause for the same kind is twice as long, up to `longest`.
    A pause may be longer by chance, by the share `jitter` at most. `budget` limits the sum of all pauses
    of one call.
    """

    unsent_attempts: int = 4
    unanswered_attempts: int = 3
    first: float = 0.5
    longest: float = 60.0
    jitter: float = 0.25
    budget: float = 900.0


@dataclass(frozen=True, slots=True)
class Retry:
    """How a run repeats its calls: the numbers, the way to wait, and the listener.

    `wait` gets seconds and returns when they are over. If it returns true, as `threading.Event.wait` does,
    the run is stopping, and the last error is raised. `say` gets a sentence before each pause. All calls that
    share a `window` wait there for their turn, and pause together when the service asks for a pause.
    """

    patience: Patience
    wait: Callable[[float], bool | None]
    say: Callable[[str], None]
    window: Window | None = None

    def run(self, attempt: Callable[[], Result], *, harmless: bool) -> Result:
        """Repeat an attempt until it succeeds, or raise the ServiceError that is true of all attempts.

        `harmless` says that two attempts leave the same state as one.
        """
        failures: Counter[type[ServiceError]] = Counter()
        unanswered: NoAnswer | None = None
        budget = self.patience.budget
        while True:
            try:
                with self.window.place() if self.window else nullcontext():
                    return attempt()
            except ServiceError as raised:
                error = raised
            failures[type(error)] += 1
            pause = pause_after(error, failures[type(error)], self.patience, harmless=harmless)
            if isinstance(error, NoAnswer):
                unanswered = error
            if pause is None or pause > budget:
                raise _of_all_attempts(error, unanswered)
            budget -= pause
            self.say(f"{error}; trying again in {pause:.1f} s")
            asked = isinstance(error, Later) and error.after
            with self.window.pause() if self.window and asked else nullcontext():
                stopped = self.wait(pause)
            if stopped:
                raise _of_all_attempts(error, unanswered)


# Two attempts to read leave the same state as one. So a site may be away for two minutes.
READS = Retry(Patience(unsent_attempts=9, unanswered_attempts=9), time.sleep, lambda _sentence: None)


def retrying(service: AnyCarrier, retry: Retry) -> AnyCarrier:
    """Give the same service with every method repeated as far as that is certain to do no harm."""
    return cast("AnyCarrier", _Retrying(service, retry))


@dataclass(frozen=True, slots=True)
class _Retrying:
    """A service whose calls all pass through one `Retry`, whatever the method is."""

    # A carrier of any type; `retrying` gives this object as one of the same type.
    service: Any
    retry: Retry

    @property
    def readable(self) -> ReadableService | None:
        reads: ReadableService | None = self.service.readable
        return retrying(reads, self.retry) if reads else None

    @property
    def library(self) -> LibraryService | None:
        library: LibraryService | None = self.service.library
        return retrying(library, self.retry) if library else None

    def carry_out(self, call: Call) -> Record:
        """Carry a call out; only a create is not repeated after a lost response."""
        harmless = not isinstance(call, CreateCall)
        record: Record = self.retry.run(lambda: self.service.carry_out(call), harmless=harmless)
        return record

    def carry_out_many(self, calls: Sequence[Call]) -> list[Record | ServiceError]:
        """Carry out a batch; it is repeated if the service carried out none of its calls."""

        def attempt() -> list[Record | ServiceError]:
            ends: list[Record | ServiceError] = self.service.carry_out_many(calls)
            if isinstance(ends[0], ServiceError) and all(end is ends[0] for end in ends):
                raise ends[0]
            return ends

        try:
            return self.retry.run(attempt, harmless=False)
        except ServiceError as error:
            return [error] * len(calls)

    def __getattr__(self, name: str) -> object:
        harmless = name in REPEATABLE
        each_exchange = getattr(self.service, "each_exchange", None) if harmless else None
        if each_exchange:
            # A read of a whole site has many exchanges. Those that went well are not made again.
            return getattr(each_exchange(partial(self.retry.run, harmless=True)), name)
        member: object = getattr(self.service, name)
        if not callable(member):
            return member
        method: Callable[..., object] = member

        def repeated(*args: object, **kwargs: object) -> object:
            return self.retry.run(lambda: method(*args, **kwargs), harmless=harmless)

        return repeated


def pause_after(error: ServiceError, failures: int, patience: Patience, *, harmless: bool) -> float | None:
    """Give the seconds to wait before the next attempt, or None if the call must not be repeated.

    `failures` is the number of errors of this kind so far, this one included.
    """
    chance = random.random()  # noqa: S311 - it spreads load and guards no secret
    pause: float = min(patience.first * 2 ** (failures - 1), patience.longest) * (
        1 + patience.jitter * chance
    )
    match error:
        case Stopped():
            return None
        case NotSent():
            # The call never left this machine, so any call may be repeated.
            return pause if failures < patience.unsent_attempts else None
        case Later():
            # The service did nothing and says when to come back, so any call may be repeated. We never wait
            # less than our own pause: a Retry-After of 0 would make us ask again at once for ever.
            return max(_until(error, failures, patience), pause)
        case NoAnswer() if not harmless:
            # The service may have carried the call out. A second create would make a second record.
            return None
        case NoAnswer():
            # The service may have carried the call out. A repeated update or delete ends in the same record,
            # or in Gone.
            return pause if failures < patience.unanswered_attempts else None
        case _:
            # Refused, gone, a response that is not a record, or the wrong dialect: the service would give
            # the same response again.
            return None


def _until(error: Later, failures: int, patience: Patience) -> float:
    """Give the seconds until a service that said later may be back.

    WordPress says 600 s while it updates itself, and is usually back within a minute.
    """
    after = error.after or 0.0
    look: float = _LOOKED_AFTER * 2 ** (failures - 1)
    return min(after, look, patience.longest) if error.early and after <= patience.budget else after


def _of_all_attempts(error: ServiceError, unanswered: NoAnswer | None) -> ServiceError:
    """Give the error that is true of all attempts together, not only of the last one.

    If an earlier attempt got no response, the service may have carried the call out, whatever happened
    afterwards. Only Gone settles that: there is no record left that could be unconfirmed.
    """
    certain = isinstance(error, NotSent | Later | Refused) and not isinstance(error, Gone)
    if unanswered is None or not certain:
        return error
    return NoAnswer(f"{unanswered.what}; a later attempt failed: {error.what}", todo=error.todo)
