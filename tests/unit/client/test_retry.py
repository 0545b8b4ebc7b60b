"""When a call goes again. Time is a list of the pauses that were asked for."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from tests.support.library_service import LibraryService

from pressync.client.port import AtAddress, Term, Upload, WrongDialectShown
from pressync.client.retry import Patience, PatientLibrary, PatientReads, carry_out
from pressync.model.errors import BadAnswer, Gone, Later, NoAnswer, NotSent, Refused
from pressync.model.interface import Kind
from pressync.model.records import Capabilities, CreateCall, DeleteCall, Record, UpdateCall

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pressync.model.errors import ServiceError
    from pressync.model.records import Call

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
        return carry_out(self, call, patience=patience, wait=self.pauses.append, on_wait=self.told.append)


@pytest.mark.parametrize("call", ALL)
def test_what_never_left_is_sent_again_with_longer_and_longer_pauses(call: Call) -> None:
    service = Scripted([NotSent("refused")] * 3 + [RECORD])

    assert service.run(call) is RECORD
    assert service.pauses == [0.5, 1.0, 2.0]
    assert service.told[0] == "refused; once more in 0.5 s"


@pytest.mark.parametrize("call", ALL)
def test_what_never_leaves_is_given_up_after_four_attempts(call: Call) -> None:
    service = Scripted([NotSent("refused")])

    with pytest.raises(NotSent):
        service.run(call)

    assert service.attempts == 4


@pytest.mark.parametrize("call", ALL)
def test_later_waits_as_long_as_the_service_says(call: Call) -> None:
    service = Scripted([Later("later", after=120.0), Later("later", after=30.0), RECORD])

    assert service.run(call) is RECORD
    assert service.pauses == [120.0, 30.0]


@pytest.mark.parametrize("after", [None, 0.0])
def test_later_without_a_useful_time_waits_longer_and_longer_until_the_budget_is_spent(
    after: float | None,
) -> None:
    service = Scripted([Later("later", after=after)])

    with pytest.raises(Later):
        service.run(CREATE)

    assert service.pauses[:8] == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0]
    assert 900 - 60 < sum(service.pauses) <= 900


def test_a_time_beyond_the_budget_is_not_waited_for_at_all() -> None:
    service = Scripted([Later("later", after=3600.0)])

    with pytest.raises(Later):
        service.run(UPDATE)

    assert service.pauses == []


def test_a_create_that_may_have_been_carried_out_is_never_sent_again() -> None:
    service = Scripted([NoAnswer("broke"), RECORD])

    with pytest.raises(NoAnswer):
        service.run(CREATE)

    assert service.attempts == 1


def test_a_create_that_waited_and_then_got_no_answer_is_in_doubt() -> None:
    service = Scripted([NotSent("refused"), Later("later", after=1.0), NoAnswer("broke"), RECORD])

    with pytest.raises(NoAnswer):
        service.run(CREATE)

    assert service.attempts == 3


@pytest.mark.parametrize("call", [UPDATE, DELETE])
def test_an_update_or_delete_without_an_answer_is_sent_again_twice(call: Call) -> None:
    assert Scripted([NoAnswer("502"), NoAnswer("502"), RECORD]).run(call) is RECORD

    service = Scripted([NoAnswer("502")])
    with pytest.raises(NoAnswer):
        service.run(call)
    assert service.attempts == 3


@pytest.mark.parametrize("call", ALL)
@pytest.mark.parametrize(
    "error",
    [
        Refused("no", status=400),
        Gone("gone", status=404),
        BadAnswer("html"),
        WrongDialectShown("text", record=RECORD, todo="set it"),
    ],
)
def test_what_would_be_answered_the_same_again_is_not_asked_again(call: Call, error: ServiceError) -> None:
    service = Scripted([error, RECORD])

    with pytest.raises(type(error)):
        service.run(call)

    assert service.attempts == 1


@pytest.mark.parametrize(
    "last", [NotSent("refused"), Refused("no", status=400), Later("later", after=9999.0)]
)
def test_doubt_about_an_earlier_attempt_outlives_a_later_certainty(last: ServiceError) -> None:
    service = Scripted([NoAnswer("502"), last])

    with pytest.raises(NoAnswer) as caught:
        service.run(UPDATE)

    assert "502" in str(caught.value)
    assert last.what in str(caught.value)


def test_gone_after_no_answer_settles_a_delete() -> None:
    with pytest.raises(Gone):
        Scripted([NoAnswer("502"), Gone("gone", status=404)]).run(DELETE)


def test_a_run_that_stops_gives_up_with_the_error_at_hand() -> None:
    service = Scripted([NotSent("refused"), RECORD])
    stopping = threading.Event()
    stopping.set()

    with pytest.raises(NotSent):
        carry_out(service, CREATE, patience=EXACT, wait=stopping.wait, on_wait=service.told.append)

    assert service.attempts == 1


def test_a_read_that_gets_no_answer_is_asked_again() -> None:
    @dataclass
    class Forgetful:
        """Every second question is lost."""

        asked: int = 0

        def records(self, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
            return {number: RECORD for number in ids if kind is self._lost(kind)}

        def find(self, kind: Kind, *, slug: str, parent: int | None) -> list[Record]:
            return [RECORD] if (slug, parent) == ("x", None) and self._lost(kind) else []

        def made(self, kind: Kind, slugs: Sequence[str], *, requests: int) -> dict[str, list[Record]]:
            return {slug: [RECORD] for slug in slugs if requests == 2 and self._lost(kind)}

        def at_addresses(self, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
            return {slug: AtAddress((RECORD,)) for slug in slugs if self._lost(kind)}

        def user(self) -> int:
            return 3 if self._lost(Kind.PAGE) else 0

        def newest(self, kind: Kind, *, besides: Collection[int]) -> list[Record]:
            return [RECORD] if 8 in besides and self._lost(kind) else []

        def missing_rights(self, kind: Kind) -> tuple[str, ...]:
            return (f"edit_{self._lost(kind)}",)

        def _lost(self, kind: Kind) -> Kind:
            self.asked += 1
            if self.asked % 2:
                raise NoAnswer("the line broke")
            return kind

    pauses: list[float] = []
    told: list[str] = []
    reads = PatientReads(Forgetful(), EXACT, pauses.append, told.append)

    assert reads.records(Kind.PAGE, [7]) == {7: RECORD}
    assert reads.find(Kind.PAGE, slug="x", parent=None) == [RECORD]
    assert reads.made(Kind.PAGE, ["x"], requests=2) == {"x": [RECORD]}
    assert reads.newest(Kind.PAGE, besides=[8]) == [RECORD]
    assert reads.missing_rights(Kind.PAGE) == ("edit_page",)
    assert reads.at_addresses(Kind.PAGE, ["x"]) == {"x": AtAddress((RECORD,))}
    assert reads.user() == 3
    assert pauses == [0.5] * 7
    assert told == ["the line broke; once more in 0.5 s"] * 7


class TestPatientLibrary:
    """Terms, people and files: what is certainly not done is asked for again."""

    @pytest.fixture
    def pauses(self) -> list[float]:
        return []

    @pytest.fixture
    def service(self) -> LibraryService:
        return LibraryService(people={"anna": 2}, has={"tags": [Term(3, "a", "a", 0)]})

    @pytest.fixture
    def library(self, service: LibraryService, pauses: list[float]) -> PatientLibrary:
        return PatientLibrary(service, EXACT, pauses.append, lambda _sentence: None)

    def test_it_answers_as_the_service_does(
        self, library: PatientLibrary, service: LibraryService, pauses: list[float]
    ) -> None:
        made = library.upload(Upload("a.png", "a", b"a"))
        assert library.uploaded(["a"]) == {"a": made}
        library.delete_upload(made.id)
        assert (library.author("anna"), library.terms("tags")) == (2, service.has["tags"])
        assert library.make_term("tags", "b", 0) == service.has["tags"][-1].id
        assert not pauses

    def test_a_term_is_made_when_the_service_said_later(
        self, library: PatientLibrary, service: LibraryService
    ) -> None:
        service.refuses["b"] = Later("429", after=3)
        library = replace(library, wait=lambda _seconds: service.refuses.clear())
        assert library.make_term("tags", "b", 0) == service.has["tags"][-1].id
        assert [term.name for term in service.has["tags"]] == ["a", "b"]

    @pytest.mark.parametrize("name", ["a.png", "b"])
    def test_what_may_have_been_made_is_not_made_again(
        self, library: PatientLibrary, service: LibraryService, pauses: list[float], name: str
    ) -> None:
        service.refuses[name] = NoAnswer("the line broke")
        with pytest.raises(NoAnswer):
            library.upload(Upload(name, "a", b"a")) if "." in name else library.make_term("tags", name, 0)
        assert len(service.asked) == 1
        assert not pauses


def test_chance_makes_pauses_longer_within_its_share() -> None:
    service = Scripted([NotSent("refused")] * 3 + [RECORD])

    service.run(CREATE, Patience(jitter=0.5))

    assert all(
        least <= pause <= least * 1.5 for least, pause in zip([0.5, 1, 2], service.pauses, strict=True)
    )
