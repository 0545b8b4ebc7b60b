"""The truth table of retries. Time is a list of the pauses that were asked for."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.library_service import LibraryService

from pressync.client import port
from pressync.client.connect import open_service
from pressync.client.credentials import basic
from pressync.client.dialects import Capabilities
from pressync.client.port import REPEATABLE, ROWS, Upload, WrongDialectShown
from pressync.client.retry import Patience, Retry, retrying
from pressync.client.terms import Term
from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import BadAnswer, Gone, Later, NoAnswer, NotSent, Refused
from pressync.model.interface import Kind
from pressync.model.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pressync.model.changes import Call
    from pressync.model.errors import ServiceError

CREATE = CreateCall(Kind.PAGE, {"title": "x"})
UPDATE = UpdateCall(Kind.PAGE, 7, {"title": "x"})
DELETE = DeleteCall(Kind.PAGE, 7)
ALL = (CREATE, UPDATE, DELETE)
RECORD = Record(Kind.PAGE, 7, "x", "https://example.org/x/", "", "", {})
EXACT = Patience(jitter=0)


@dataclass
class Scripted:
    """A service that ends its attempts as scripted, and then always as the last of them."""

    ends: Sequence[ServiceError | Record]
    attempts: int = 0
    pauses: list[float] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    name: str = "scripted"
    capabilities: Capabilities = field(default_factory=lambda: Capabilities(frozenset()))
    readable: None = None
    library: None = None

    def carry_out(self, call: Call) -> Record:  # noqa: ARG002 - the port's signature
        """End one attempt as scripted."""
        end = self.ends[min(self.attempts, len(self.ends) - 1)]
        self.attempts += 1
        if isinstance(end, Record):
            return end
        raise end

    def close(self) -> None:
        """Nothing to let go of."""

    def run(self, call: Call, patience: Patience = EXACT) -> Record:
        """Carry a call out, noting pauses and what is told."""
        return retrying(self, Retry(patience, self.pauses.append, self.told.append)).carry_out(call)


class Lossy(Scripted):
    """A service that loses its first answer, and then answers every question."""

    def __init__(self) -> None:
        super().__init__([NoAnswer("the line broke"), RECORD])

    def __getattr__(self, name: str) -> Callable[[str], str]:
        if name not in REPEATABLE:
            raise AttributeError(name)

        def answer(of: str) -> str:
            self.carry_out(UPDATE)
            return f"{name} of {of}"

        return answer


UNSENT, LOST, GONE = NotSent("refused"), NoAnswer("broke"), Gone("gone", status=404)
SHOWN = WrongDialectShown("text", record=RECORD, todo="set it")


def later(after: float, *, early: bool = False) -> Later:
    """Ask to come back after so many seconds; a guess may be too long."""
    return Later("later", after=after, early=early)


@pytest.mark.parametrize(
    ("calls", "ends", "pauses", "last"),
    [
        # A call that never left is repeated with longer and longer pauses, four times in all.
        (ALL, [UNSENT, UNSENT, UNSENT, RECORD], [0.5, 1.0, 2.0], RECORD),
        (ALL, [UNSENT], [0.5, 1.0, 2.0], UNSENT),
        # A service is asked again when it said, or before the time that it guesses, if that is in the budget.
        (ALL, [later(120), later(30), RECORD], [120, 30], RECORD),
        (ALL, [later(600, early=True)] * 4 + [later(10, early=True), RECORD], [30, 60, 60, 60, 10], RECORD),
        ([UPDATE], [later(3600)], [], Later),
        ([UPDATE], [later(3600, early=True)], [], Later),
        # A create that may have been carried out is never sent again; an update or a delete is, twice.
        ([CREATE], [LOST, RECORD], [], LOST),
        ([CREATE], [UNSENT, later(1), LOST, RECORD], [0.5, 1], LOST),
        ([UPDATE, DELETE], [LOST, LOST, RECORD], [0.5, 1.0], RECORD),
        ([UPDATE, DELETE], [LOST], [0.5, 1.0], NoAnswer),
        # Gone after a lost response settles a delete.
        ([DELETE], [LOST, GONE], [0.5], GONE),
        # A call that would get the same response is not repeated.
        *(
            (ALL, [end, RECORD], [], end)
            for end in (Refused("no", status=400), GONE, BadAnswer("html"), SHOWN)
        ),
    ],
)
def test_how_often_and_when_a_call_is_repeated(
    calls: Sequence[Call],
    ends: Sequence[ServiceError | Record],
    pauses: list[float],
    last: ServiceError | Record | type[ServiceError],
) -> None:
    for call in calls:
        service = Scripted(ends)
        if isinstance(last, Record):
            assert service.run(call) is last
        else:
            with pytest.raises(last if isinstance(last, type) else type(last)) as caught:
                service.run(call)
            assert isinstance(last, type) or caught.value is last
        assert (service.pauses, service.attempts) == (pauses, len(pauses) + 1)


def test_a_pause_is_told() -> None:
    service = Scripted([UNSENT, RECORD])
    service.run(CREATE)
    assert service.told == ["refused; trying again in 0.5 s"]


def test_a_closed_service_is_asked_until_the_time_is_over() -> None:
    service = Scripted([later(600, early=True)])
    with pytest.raises(Later):
        service.run(UPDATE)
    assert 600 <= sum(service.pauses) <= EXACT.budget


@pytest.mark.parametrize("after", [None, 0.0])
def test_later_without_a_useful_time_waits_longer_and_longer_for_the_budget(after: float | None) -> None:
    service = Scripted([Later("later", after=after)])
    with pytest.raises(Later):
        service.run(CREATE)
    assert service.pauses[:8] == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0]
    assert 900 - 60 < sum(service.pauses) <= 900


@pytest.mark.parametrize(
    "last", [NotSent("refused"), Refused("no", status=400), Later("later", after=9999.0)]
)
def test_doubt_about_an_earlier_attempt_outlives_a_later_certainty(last: ServiceError) -> None:
    service = Scripted([NoAnswer("502"), last])
    with pytest.raises(NoAnswer) as caught:
        service.run(UPDATE)
    assert "502" in str(caught.value)
    assert last.what in str(caught.value)


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def service() -> LibraryService:
    return LibraryService(people={"anna": 2}, has={"tags": [Term(3, "a", "a", 0)]})


@pytest.fixture
def patient(service: LibraryService, pauses: list[float]) -> LibraryService:
    return retrying(service, Retry(EXACT, pauses.append, lambda _sentence: None))


@pytest.mark.parametrize("name", sorted(REPEATABLE))
def test_a_harmless_call_is_repeated_after_a_lost_response(name: str, pauses: list[float]) -> None:
    told: list[str] = []
    service = Lossy()
    assert getattr(retrying(service, Retry(EXACT, pauses.append, told.append)), name)("x") == f"{name} of x"
    assert pauses == [0.5]
    assert told == ["the line broke; trying again in 0.5 s"]


def test_of_a_read_with_many_exchanges_only_those_that_were_refused_are_made_again(
    pauses: list[float],
) -> None:
    with embedded_wordpress.serving() as site:
        ids = [site.put(f"Page {number}", f"page-{number}") for number in range(3 * ROWS)]
        secret = basic(embedded_wordpress.USER, embedded_wordpress.PASSWORD)
        site.is_busy = True
        site.exchanges.clear()
        with closing(open_service(site.url, dialect="wordpress", authorization=secret)) as service:
            reads = retrying(port.require_readable(service), Retry(EXACT, pauses.append, lambda _said: None))
            assert reads.records(Kind.PAGE, ids).keys() == set(ids)
        assert len(site.exchanges) == len(site.refused) == 3
    assert pauses == [0.5] * 3


@pytest.mark.parametrize("name", ["a.png", "b"])
def test_a_term_or_file_that_may_have_been_made_is_not_made_again(
    patient: LibraryService, service: LibraryService, pauses: list[float], name: str
) -> None:
    service.refuses[name] = NoAnswer("the line broke")
    with pytest.raises(NoAnswer):
        patient.upload(Upload(name, "a", b"a")) if "." in name else patient.make_term("tags", name, 0)
    assert len(service.asked) == 1
    assert not pauses


ABILITIES = {"readable", "library", "notes", "accounts", "facts"}


def test_every_method_of_the_port_is_harmless_to_repeat_or_known_to_make_something() -> None:
    methods = {name for name in dir(port.LibraryService) if not name.startswith("_")}
    makes = {"carry_out", "carry_out_many", "make_term", "upload", "with_drafts"}
    assert methods == REPEATABLE | makes | {"name", "capabilities", "close"} | ABILITIES


def test_chance_makes_pauses_longer_within_its_share() -> None:
    service = Scripted([NotSent("refused")] * 3 + [RECORD])
    service.run(CREATE, Patience(jitter=0.5))
    assert all(
        least <= pause <= least * 1.5 for least, pause in zip([0.5, 1, 2], service.pauses, strict=True)
    )
