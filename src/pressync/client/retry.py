"""When a call or a read may go again: the truth table, and the loop that waits.

It must not know how errors arise, nor a clock: it counts the seconds that it asks to wait. What decided
its shape: a create that may have been carried out is never repeated, for the repetition would be a twin;
updates and deletes say the same twice, and may.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pressync.model.errors import Gone, Later, NoAnswer, NotSent, Refused, ServiceError
from pressync.model.records import CreateCall

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pressync.client.port import AtAddress, Library, Reads, Service, Term, Upload, Uploaded
    from pressync.model.interface import Kind
    from pressync.model.records import Call, Record

Answered = TypeVar("Answered")


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long: attempts in all per kind of failure, and seconds.

    `first` is the first pause; each further one of a kind is twice as long, up to `longest`. `jitter` is
    the share by which a pause may be longer by chance. `budget` is for all pauses of one call together.
    """

    unsent_attempts: int = 4
    unanswered_attempts: int = 3
    first: float = 0.5
    longest: float = 60.0
    jitter: float = 0.25
    budget: float = 900.0


def carry_out(
    service: Service,
    call: Call,
    *,
    patience: Patience,
    wait: Callable[[float], bool | None],
    on_wait: Callable[[str], None],
) -> Record:
    """Carry a call out, again where that is certain to do no harm; see `patiently`.

    A delete that finds nothing raises Gone like any other call: what that means is the caller's to say.
    """
    harmless = not isinstance(call, CreateCall)
    return patiently(
        lambda: service.carry_out(call), harmless=harmless, patience=patience, wait=wait, on_wait=on_wait
    )


def patiently(
    attempt: Callable[[], Answered],
    *,
    harmless: bool,
    patience: Patience,
    wait: Callable[[float], bool | None],
    on_wait: Callable[[str], None],
) -> Answered:
    """Make attempts until one is answered; raises the ServiceError that remains.

    `harmless` tells that what was done twice is as if it had been done once. `wait` gets seconds and
    returns when they are over; if it returns true (as `threading.Event.wait` does), the run is stopping
    and the error at hand is raised. `on_wait` gets a sentence before each pause.
    """
    failures: Counter[type[ServiceError]] = Counter()
    unanswered: NoAnswer | None = None
    budget = patience.budget
    while True:
        try:
            return attempt()
        except ServiceError as raised:
            error = raised
        failures[type(error)] += 1
        pause = pause_after(error, failures[type(error)], patience, harmless=harmless)
        if isinstance(error, NoAnswer):
            unanswered = error
        if pause is None or pause > budget:
            raise _whole(error, unanswered)
        budget -= pause
        on_wait(f"{error}; once more in {pause:.1f} s")
        if wait(pause):
            raise _whole(error, unanswered)


def pause_after(error: ServiceError, failures: int, patience: Patience, *, harmless: bool) -> float | None:
    """Say how many seconds to wait before the next attempt, None if there must be none.

    `failures` counts those of this error's kind, this one included.
    """
    chance = random.random()  # noqa: S311 - it spreads load and guards no secret
    pause: float = min(patience.first * 2 ** (failures - 1), patience.longest) * (
        1 + patience.jitter * chance
    )
    match error:
        case NotSent():
            # It never left this machine: any call may go again.
            return pause if failures < patience.unsent_attempts else None
        case Later():
            # The service did nothing, and says when to come back: any call may. Never sooner than our own
            # pause, or a Retry-After of 0 would be asked again at once for ever.
            return max(error.after or 0.0, pause)
        case NoAnswer() if not harmless:
            # Perhaps carried out. A second create would be a second record.
            return None
        case NoAnswer():
            # Perhaps carried out. An update or a delete done again ends in the same record, or in Gone.
            return pause if failures < patience.unanswered_attempts else None
        case _:
            # Refused, gone, an answer that is no record, the wrong dialect: the same call would be
            # answered the same again.
            return None


@dataclass(frozen=True, slots=True)
class PatientReads:
    """The reads of a service, each asked again as long as patience lasts: nothing is done by asking."""

    service: Reads
    patience: Patience
    wait: Callable[[float], bool | None]
    on_wait: Callable[[str], None]

    def records(self, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
        """Read those of the records that exist; see `Reads`."""
        return self._asked(lambda: self.service.records(kind, ids))

    def find(self, kind: Kind, *, slug: str, parent: int | None) -> list[Record]:
        """Read every record that a create with this slug may have made; see `Reads`."""
        return self._asked(lambda: self.service.find(kind, slug=slug, parent=parent))

    def made(self, kind: Kind, slugs: Sequence[str], *, requests: int) -> dict[str, list[Record]]:
        """Read what creates with these slugs may have made just now; see `Reads`."""
        return self._asked(lambda: self.service.made(kind, slugs, requests=requests))

    def at_addresses(self, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
        """Read what holds these slugs; see `Reads`."""
        return self._asked(lambda: self.service.at_addresses(kind, slugs))

    def user(self) -> int:
        """Give the id of the user that we are; see `Reads`."""
        return self._asked(self.service.user)

    def newest(self, kind: Kind, *, besides: Collection[int]) -> list[Record]:
        """Read the newest records but these; see `Reads`."""
        return self._asked(lambda: self.service.newest(kind, besides=besides))

    def missing_rights(self, kind: Kind) -> tuple[str, ...]:
        """Name the rights that a sync needs and this user lacks; see `Reads`."""
        return self._asked(lambda: self.service.missing_rights(kind))

    def _asked(self, attempt: Callable[[], Answered]) -> Answered:
        return patiently(attempt, harmless=True, patience=self.patience, wait=self.wait, on_wait=self.on_wait)


@dataclass(frozen=True, slots=True)
class PatientLibrary:
    """The terms, people and files of a service, each call made again as far as that does no harm.

    What may have been made is not made again here: whoever asked looks for it first.
    """

    service: Library
    patience: Patience
    wait: Callable[[float], bool | None]
    on_wait: Callable[[str], None]

    def terms(self, field: str) -> list[Term]:
        """Read every term of a field; see `Library`."""
        return self._asked(lambda: self.service.terms(field))

    def make_term(self, field: str, name: str, parent: int) -> int:
        """Make a term, or find it; see `Library`."""
        return self._asked(lambda: self.service.make_term(field, name, parent), harmless=False)

    def author(self, name: str) -> int | None:
        """Look up a person; see `Library`."""
        return self._asked(lambda: self.service.author(name))

    def uploaded(self, slugs: Collection[str]) -> dict[str, Uploaded]:
        """Look up files; see `Library`."""
        return self._asked(lambda: self.service.uploaded(slugs))

    def upload(self, upload: Upload) -> Uploaded:
        """Upload a file; see `Library`."""
        return self._asked(lambda: self.service.upload(upload), harmless=False)

    def delete_upload(self, number: int) -> None:
        """Delete an uploaded file for good; see `Library`."""
        self._asked(lambda: self.service.delete_upload(number))

    def _asked(self, attempt: Callable[[], Answered], *, harmless: bool = True) -> Answered:
        return patiently(
            attempt, harmless=harmless, patience=self.patience, wait=self.wait, on_wait=self.on_wait
        )


def _whole(error: ServiceError, unanswered: NoAnswer | None) -> ServiceError:
    """Give the error that is true of all attempts together, not only of the last one.

    If an earlier attempt got no answer, the call may have been carried out, whatever came afterwards.
    Only Gone settles it: there is nothing left that could be in doubt.
    """
    certain = isinstance(error, NotSent | Later | Refused) and not isinstance(error, Gone)
    if unanswered is None or not certain:
        return error
    return NoAnswer(f"{unanswered.what}; an attempt after it ended so: {error.what}", todo=error.todo)
