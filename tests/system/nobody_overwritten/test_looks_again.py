"""An edit that comes between a run's look at a record and its write is a conflict, however long it takes."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support import embedded_wordpress
from tests.support.builders import HEAD, create, delete, desired, entry, plan, prints, update
from tests.support.clones import bound
from tests.support.library_repository import Shelf
from tests.support.memory_service import MemoryService
from tests.support.states import opened
from tests.support.syncing import IMPATIENT
from tests.support.undoing import rolled_back

from pressync.app.revision import Revision
from pressync.cli.console import run_exit_code
from pressync.model.changes import Block, Blocked, CreateCall, DeleteCall, Result, UpdateCall
from pressync.model.errors import BadAnswer, Later, NoAnswer, NotSent
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.records import Record
from pressync.plan.build import PlanOptions
from pressync.sync import control
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import RECENT, Approval, RateLimiter, RecentReads, RunControl
from pressync.sync.delivery import Delivery, RereadingService
from pressync.sync.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository
    from tests.support.syncing import Site

    from pressync.model.errors import ServiceError
    from pressync.model.outcomes import RunResult
    from pressync.state.state import State
    from pressync.sync.jobs import Delivered

A, B, C = "content/pages/a.md", "content/pages/b.md", "content/pages/c.md"
LONG = RECENT + 1
OLD = {"title": "A", "slug": "a", "content": "<p>a</p>"}


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


class Watched(MemoryService):
    """A service that notes which records are read."""

    read: list[list[int]]

    def records(self, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
        self.read.append(sorted(ids))
        return super().records(kind, ids)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service() -> Watched:
    """Hold two pages, as they were left."""
    made = Watched()
    made.read = []
    made.hold(7, **OLD)
    made.hold(8, title="B", slug="b", content="<p>b</p>")
    return made


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """Open a state that knows both pages."""
    with opened(tmp_path) as state:
        state.put(entry(A, 7), entry(B, 8))
        yield state


class Pausing(threading.Event):
    """A stop during whose pauses something happens."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self._meanwhile = meanwhile

    def wait(self, timeout: float | None = None) -> bool:
        if timeout:
            self._meanwhile()
        return self.is_set()


def deliver(
    service: MemoryService, state: State, clock: Clock, *jobs: Job, pause: Callable[[], object] = lambda: None
) -> list[Delivered]:
    """Deliver jobs whose records were looked at when the clock showed 1000."""
    stop = Pausing(pause)
    control = RunControl(
        lambda _sentence: None, stop, IMPATIENT, RateLimiter(None, stop), recent_reads=RecentReads(clock)
    )
    control.recent_reads.saw(plan(*(job.change for job in jobs)), 1000.0)
    return Delivery(service, state, HEAD, control, halt=threading.Event()).deliver(jobs)


def rewriting(path: str = A, number: int = 7) -> Job:
    """Make the job that rewrites a text."""
    wanted = desired(path, fingerprints=prints(path, content="<p>new</p>"))
    change = update(path, number=number)
    return Job(change, UpdateCall(Kind.PAGE, number, {"content": "<p>new</p>"}), wanted, entry(path, number))


DELETING, REWRITING = Job(delete(A), DeleteCall(Kind.PAGE, 7)), rewriting()


def creating() -> Job:
    """Make the job that creates a third page."""
    return Job(create(C), CreateCall(Kind.PAGE, {"title": "C", "slug": "c"}), desired(C))


def edit(service: MemoryService) -> None:
    """Edit the first page as somebody in the browser does."""
    service.hold(7, **{**OLD, "content": "<p>theirs</p>"})


def ends(parts: list[Delivered]) -> list[Result]:
    return [part.outcome.result for part in parts]


def test_a_record_that_was_just_looked_at_is_written_without_another_read(
    service: Watched, state: State, clock: Clock
) -> None:
    clock.time += RECENT
    assert ends(deliver(service, state, clock, rewriting(), rewriting(B, 8))) == [Result.DONE] * 2
    assert service.read == []


def test_an_old_look_is_repeated_with_one_read_for_the_batch(
    service: Watched, state: State, clock: Clock
) -> None:
    clock.time += LONG
    jobs = rewriting(), rewriting(B, 8), creating()
    assert ends(deliver(service, state, clock, *jobs)) == [Result.DONE] * 3
    assert service.read == [[7, 8]]


def test_an_edit_since_the_look_is_a_conflict_and_the_others_of_the_batch_go(
    service: Watched, state: State, clock: Clock
) -> None:
    clock.time += LONG
    edit(service)
    theirs, other = deliver(service, state, clock, rewriting(), rewriting(B, 8))
    assert other.outcome.result is Result.DONE
    assert theirs.outcome.result is Result.BLOCKED
    assert isinstance(theirs.outcome.change, Blocked)
    assert theirs.outcome.change.block is Block.CONFLICT
    assert "pressync pull content/pages/a.md" in theirs.outcome.message
    assert service.held[7].fields["content"] == "<p>theirs</p>"
    assert state.manifest.entries[A].conflict == {"content": "<p>theirs</p>"}, "so the next plan shows it"
    assert theirs.outcome.entry == state.manifest.entries[A], "and the report has the record's address"
    assert theirs.error, "and the first write of the run is still to come"


def test_a_batch_that_is_sent_again_after_a_pause_has_another_look(
    service: Watched, state: State, clock: Clock
) -> None:
    def meanwhile() -> None:
        clock.time += LONG
        edit(service)

    busy = Later("busy")
    service.ends.extend([busy, busy])
    jobs = rewriting(), rewriting(B, 8)
    assert ends(deliver(service, state, clock, *jobs, pause=meanwhile)) == [Result.BLOCKED, Result.DONE]


@pytest.mark.parametrize("stored", ["<p>new</p>", "<p>filtered</p>"])
def test_a_write_of_its_own_whose_response_was_lost_is_not_an_edit(
    service: Watched, state: State, clock: Clock, stored: str
) -> None:
    def meanwhile() -> None:
        clock.time += LONG
        service.hold(7, **{**OLD, "content": stored})

    job = rewriting()
    assert job.previous
    before = structs.replace(job.previous, changed_by_service={"content": fingerprint("<p>filtered</p>")})
    state.put(before)
    service.ends.append(NoAnswer("the line broke"))
    parts = deliver(service, state, clock, replace(job, previous=before), pause=meanwhile)
    assert ends(parts) == [Result.DONE]
    assert service.read == [[7]]


@pytest.mark.parametrize("together", [False, True], ids=["alone", "in a batch"])
def test_the_response_to_its_own_write_is_the_newest_that_a_run_knows(
    service: Watched, clock: Clock, *, together: bool
) -> None:
    known = RecentReads(clock)
    guarded = RereadingService(service, known)
    clock.time += LONG
    guarded.expect([rewriting()])
    calls = UpdateCall(Kind.PAGE, 7, {"content": "<p>new</p>"}), creating().call
    made = guarded.carry_out_many(calls) if together else [guarded.carry_out(call) for call in calls]
    clock.time += RECENT
    assert known.is_recent((Kind.PAGE, 7))
    assert [known.is_recent((end.kind, end.id)) for end in made if isinstance(end, Record)] == [True] * 2
    clock.time += 1
    assert not known.is_recent((Kind.PAGE, 7))


@pytest.mark.parametrize(
    ("job", "since", "says"),
    [
        (DELETING, {"content": "<p>theirs</p>"}, "content changed on the site"),
        # Somebody else has put it into the trash.
        (DELETING, {"status": "trash"}, ""),
        (REWRITING, {"status": "trash"}, "into the trash"),
        # No file names the field.
        (REWRITING, {"status": "draft"}, ""),
    ],
)
def test_a_change_since_the_look_stops_only_what_it_concerns(
    service: Watched, state: State, clock: Clock, *, job: Job, since: dict[str, str], says: str
) -> None:
    clock.time += LONG
    service.hold(7, **{**OLD, **since})
    (part,) = deliver(service, state, clock, job)
    assert part.outcome.result is (Result.BLOCKED if says else Result.DONE)
    assert says in part.outcome.message
    assert not says or service.held[7].fields["content"] != "<p>new</p>"


@pytest.mark.parametrize("deaf", [NoAnswer("the line broke"), BadAnswer("HTML came")])
def test_a_batch_whose_records_cannot_be_read_has_certainly_not_left(
    service: Watched, state: State, clock: Clock, deaf: ServiceError
) -> None:
    clock.time += LONG
    service.deaf = deaf
    parts = deliver(service, state, clock, rewriting(), creating())
    assert Result.UNCONFIRMED not in ends(parts)
    assert isinstance(parts[0].error, NotSent)
    assert service.calls == []
    assert not state.unconfirmed


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    """Serve the dialect `wordpress`."""
    with embedded_wordpress.serving() as serving:
        yield serving


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every look be an old one, as after a person who took her time."""
    monkeypatch.setattr(control, "RECENT", -1.0)


def synced(site: Site, *, meanwhile: Callable[[], object], overwrite: bool = False) -> RunResult:
    """Sync, and let somebody work while the question waits."""

    def agree(_plan: object) -> bool:
        meanwhile()
        return True

    with site.workspace() as workspace:
        result = workspace.sync(
            Revision(),
            PlanOptions(overwrite=overwrite),
            RunOptions(patience=IMPATIENT, overwrite=overwrite),
            Approval(agree),
            stop=threading.Event(),
            listener=RunListener(lambda _outcome: None, site.heard.append),
        )
    assert result is not None
    return result


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("overwrite", [False, True])
def test_an_edit_while_the_question_waits_is_not_overwritten(
    repository: SampleRepository, wordpress: EmbeddedWordPress, *, overwrite: bool
) -> None:
    repository.commit({A: "# A\n", B: "# B\n"})
    site = bound(repository, wordpress)
    site.sync()
    number = site.entries()[A].id
    repository.commit({A: "# A\n\nours\n", B: "# B\n\nours\n"})

    def meanwhile() -> None:
        wordpress.bend(number, lambda record: record["content"].update(raw="<p>theirs</p>"))

    run = synced(site, meanwhile=meanwhile, overwrite=overwrite)
    assert {o.change.path: o.result for o in run.outcomes} == {A: Result.BLOCKED, B: Result.DONE}
    assert run_exit_code(run, stopped=False) == 1
    assert wordpress.shown[number]["content"]["raw"] == "<p>theirs</p>"
    assert isinstance(site.plan().changes[0], Blocked), "a plan without a look knows of it, too"
    assert synced(site, meanwhile=lambda: None, overwrite=True).counts["done"] == 1


def test_one_quick_edit_is_one_read_and_one_write(
    repository: SampleRepository, wordpress: EmbeddedWordPress
) -> None:
    repository.commit({A: "# A\n"})
    site = bound(repository, wordpress)
    site.sync()
    repository.commit({A: "# A\n\nours\n"})
    wordpress.exchanges.clear()
    site.sync()
    assert [received.method for received, _, _ in wordpress.exchanges] == ["GET", "POST"]
    wordpress.exchanges.clear()
    rolled_back(site)
    assert [received.method for received, _, _ in wordpress.exchanges] == ["GET", "POST"]


@pytest.mark.usefixtures("slow")
def test_new_pages_are_not_read_before_they_are_made(
    repository: SampleRepository, wordpress: EmbeddedWordPress
) -> None:
    repository.commit({f"content/pages/p{n}.md": f"# P{n}\n" for n in range(9)})
    bound(repository, wordpress).sync()
    asked = [(received.method, "include=" in received.path) for received, _, _ in wordpress.exchanges]
    assert ("GET", True) not in asked
    assert ("POST", False) in asked


@pytest.mark.usefixtures("slow")
def test_a_rollback_leaves_what_somebody_edits_while_its_question_waits(repository: SampleRepository) -> None:
    repository.commit({A: "# A\n", B: "# B\n", C: "# C\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.sync()
    known = shelf.entries()
    repository.commit({A: "# A\n\nours\n", B: "# B\n\nours\n"})
    shelf.sync()

    def agree(_plan: object) -> bool:
        held = shelf.service.held[known[A].id]
        shelf.service.hold(held.id, **{**held.fields, "content": "<p>theirs</p>"})  # type: ignore[arg-type]
        return True

    result = rolled_back(shelf, agree=agree)
    found = {o.change.path: (o.result, o.message) for o in result.outcomes}
    assert found[B][0] is Result.DONE
    assert found[A] == (
        Result.BLOCKED,
        "left as it is: somebody has edited it on the site since: content",
    )
    assert shelf.service.held[known[A].id].fields["content"] == "<p>theirs</p>"
    again = {o.change.path: o.result for o in rolled_back(shelf).outcomes}
    assert again[A] is Result.BLOCKED, "also now that the manifest has it as a conflict"
