"""Writes to something that the site keeps in one place for many records: none of them is lost."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support import embedded_wordpress
from tests.support.builders import create, delete, desired, entry, prints
from tests.support.clones import bound
from tests.support.syncing import Bound
from tests.support.wire import Reply

from pressync.model.changes import CreateCall, DeleteCall, Result, UpdateCall
from pressync.model.fingerprint import UNSURE, fingerprint
from pressync.model.interface import Kind
from pressync.stage.server import rows
from pressync.stage.server.server import running
from pressync.sync.jobs import ATTEMPTS, Job, is_alone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository
    from tests.support.wire import Received

    from pressync.model.changes import Call
    from pressync.model.outcomes import RunResult
    from pressync.model.records import Value
    from pressync.stage.server.server import RunningService
    from pressync.sync.jobs import Pending

YEAR = 2999
STICKY, SCHEDULED = "sticky: true", f"date: {YEAR}-01-31T10:00:00"


@dataclass
class Crowd:
    """Stands before a service, and counts the writes beside one that names `alone`, or `beside` if given."""

    alone: bytes
    beside: bytes = b""
    under_way: list[bool] = field(default_factory=list)
    most: int = 0
    seen: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def around(self, service: WSGIApplication) -> WSGIApplication:
        """Let the requests of a service pass one by one or at once, as they come."""

        def watched(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            environ["wsgi.input"] = BytesIO(body)
            if environ["REQUEST_METHOD"] == "GET" or self.beside not in body:
                return service(environ, start)
            with self.one(marked=self.alone in body):
                return service(environ, start)

        return watched

    @contextlib.contextmanager
    def one(self, *, marked: bool) -> Iterator[None]:
        """Count a write for as long as it is under way."""
        with self.lock:
            self.seen += marked
            self.under_way.append(marked)
            if any(self.under_way):
                self.most = max(self.most, len(self.under_way))
        try:
            yield
        finally:
            with self.lock:
                self.under_way.remove(marked)


@contextlib.contextmanager
def crowded(crowd: Crowd, repository: SampleRepository) -> Iterator[tuple[Bound, RunningService]]:
    """Serve an empty site behind a crowd, and bind the repository to it."""
    database = repository.root.with_name("site.db")
    with running(database, dialect="wordpress", around=crowd.around) as service:
        yield Bound(repository.root, service.url, environ={"PRESSYNC_DIALECT": "wordpress"}), service


def posts(count: int, front: str, *, plain: int = 0) -> dict[str, str]:
    """Give posts with this line of front matter, and some without any."""
    special = {
        f"content/posts/p{n}.md": f"---\n{front}\n---\n# Post {n}\n\nText {n}.\n" for n in range(count)
    }
    return special | {f"content/posts/q{n}.md": f"# Plain {n}\n\nText {n}.\n" for n in range(plain)}


def results(run: RunResult) -> Counter[Result]:
    """Count the outcomes by their result."""
    return Counter(outcome.result for outcome in run.outcomes)


def test_eighty_sticky_posts_stay_sticky_whatever_the_concurrency(repository: SampleRepository) -> None:
    repository.commit(posts(80, STICKY))
    crowd = Crowd(b'"sticky"', b'"sticky"')
    with crowded(crowd, repository) as (site, service):
        run = site.sync(concurrency=8)
        kept = [record["sticky"] for record in service.store.records(Kind.POST)]
    assert results(run) == {Result.DONE: 80}
    assert kept == [True] * 80
    # The first write goes alone, and four batches follow it.
    assert (crowd.seen, crowd.most) == (5, 1)


def test_a_scheduled_post_is_written_while_no_other_write_is_under_way(repository: SampleRepository) -> None:
    repository.commit(posts(40, SCHEDULED, plain=80))
    crowd = Crowd(f"{YEAR}-".encode())
    with crowded(crowd, repository) as (site, _):
        run = site.sync(concurrency=8)
    assert results(run) == {Result.DONE: 120}
    assert crowd.seen > 1
    assert crowd.most == 1


@pytest.fixture
def forgetful() -> Iterator[Forgetful]:
    """Serve an empty site whose list of sticky posts loses some."""
    with embedded_wordpress.serving() as service:
        yield Forgetful(service)


class Forgetful:
    """Somebody else writes the list of sticky posts, so many times after a request that names `sticky`."""

    def __init__(self, service: EmbeddedWordPress) -> None:
        self.service = service
        self.loses = 0
        self.refuses = False
        self._respond = service.respond
        service.respond = self.respond  # type: ignore[method-assign]  # the line calls what stands there

    def respond(self, received: Received) -> Reply:
        """Carry out a request, and take the posts off the list; or refuse to show the list."""
        if self.refuses and "_fields=id,sticky" in received.path:
            return Reply(403, {"code": "no", "message": "No.", "data": {"status": 403}})
        reply = self._respond(received)
        if received.method != "GET" and b'"sticky"' in received.body and self.loses:
            self.loses -= 1
            with self.service.store.writing() as db:
                rows.make_sticky(db, ())
        return reply

    @property
    def sticky(self) -> int:
        """The number of posts that the site shows as sticky."""
        return sum(bool(row.get("sticky")) for row in self.service.shown.values())

    @property
    def reads(self) -> int:
        """The number of requests that read the list back."""
        return sum("_fields=id,sticky" in received.path for received in self.service.received)


def test_a_lost_sticky_post_is_sent_again(forgetful: Forgetful, repository: SampleRepository) -> None:
    repository.commit(posts(5, STICKY, plain=3))
    site, forgetful.loses = bound(repository, forgetful.service), 2
    run = site.sync()
    assert results(run) == {Result.DONE: 8}
    assert forgetful.sticky == 5
    # The second of them saw all five.
    assert forgetful.reads == 2
    assert site.sync().outcomes == ()
    assert forgetful.reads == 2


def test_a_post_that_never_stays_sticky_has_failed_and_the_next_sync_sends_it_again(
    forgetful: Forgetful, repository: SampleRepository
) -> None:
    repository.commit(posts(1, STICKY, plain=3))
    site, forgetful.loses = bound(repository, forgetful.service), 99
    run = site.sync()
    failed = [outcome for outcome in run.outcomes if outcome.result is Result.FAILED]
    assert [outcome.change.path for outcome in failed] == ["content/posts/p0.md"]
    assert "it is not sticky on the site" in failed[0].message
    assert forgetful.loses == 99 - 1 - ATTEMPTS
    forgetful.loses = 0
    assert results(site.sync()) == {Result.DONE: 1}
    assert forgetful.sticky == 1


def test_a_run_that_cannot_read_the_list_back_does_not_call_its_sticky_posts_done(
    forgetful: Forgetful, repository: SampleRepository
) -> None:
    repository.commit(posts(2, STICKY, plain=3))
    site, forgetful.refuses = bound(repository, forgetful.service), True
    run = site.sync()
    assert results(run) == {Result.DONE: 3, Result.FAILED: 2}
    messages = {outcome.message for outcome in run.outcomes if outcome.result is Result.FAILED}
    assert all("nobody could read back whether it is sticky" in message for message in messages)
    forgetful.refuses = False
    assert results(site.sync()) == {Result.DONE: 2}


def test_a_post_that_is_to_be_sticky_no_longer_is_read_back_and_one_that_never_was_is_not(
    forgetful: Forgetful, repository: SampleRepository
) -> None:
    site = bound(repository, forgetful.service)
    repository.commit(posts(2, "sticky: false", plain=3))
    site.sync()
    assert forgetful.reads == 0
    repository.commit(posts(3, STICKY))
    site.sync()
    before = forgetful.reads
    repository.commit(posts(1, "title: Zero"))
    assert results(site.sync()) == {Result.DONE: 1}
    assert forgetful.sticky == 2
    assert forgetful.reads == before + 1


PATH = "content/posts/p.md"


def job(call: Call, *, change: Pending | None = None, date: str = "", **settled: Value) -> Job:
    """Make a job; `settled` is what the manifest says of its record."""
    before = entry(PATH, kind=Kind.POST, fingerprints=prints(PATH, **settled)) if settled else None
    return Job(
        change or create(PATH, kind=Kind.POST), call, structs.replace(desired(PATH), date=date), before
    )


def deleted(**settled: str) -> Job:
    """Make the job of the delete of a post of which the manifest says this."""
    return Job(delete(PATH, kind=Kind.POST, fingerprints=settled), DeleteCall(Kind.POST, 7, permanent=False))


@pytest.mark.parametrize(
    ("written", "alone"),
    [
        (job(CreateCall(Kind.POST, {"sticky": True})), True),
        (job(CreateCall(Kind.POST, {"sticky": False})), False),
        (job(UpdateCall(Kind.POST, 7, {"sticky": False})), True),
        (job(UpdateCall(Kind.POST, 7, {"title": "x"}), sticky=True), False),
        (job(CreateCall(Kind.PAGE, {"title": "x"}), date=f"{YEAR}-01-31T10:00:00"), True),
        (job(CreateCall(Kind.PAGE, {"title": "x"}), date="2020-01-31T10:00:00"), False),
        (job(UpdateCall(Kind.PAGE, 7, {"title": "x"}), status="future"), True),
        (job(UpdateCall(Kind.PAGE, 7, {"title": "x"}), status="publish"), False),
        (deleted(sticky=fingerprint(value=True)), True),
        (deleted(sticky=UNSURE), True),
        (deleted(sticky=fingerprint(value=False)), False),
        (deleted(status=fingerprint("future")), True),
        (deleted(status=fingerprint("publish")), False),
    ],
)
def test_a_write_to_what_many_records_share_goes_alone(written: Job, *, alone: bool) -> None:
    assert is_alone(written) is alone
