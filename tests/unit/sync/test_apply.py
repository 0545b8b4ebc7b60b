"""The loop that asks a service to change anything: against a strict service that misbehaves on request."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections import Counter
from dataclasses import replace
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support import embedded_wordpress
from tests.support.builders import create, desired
from tests.support.clones import bound
from tests.support.controls import run_control
from tests.support.memory_service import MemoryService
from tests.support.states import opened
from tests.support.strict_service import Fault
from tests.support.strict_service import answer as http_answer
from tests.support.syncing import Bound, Site

from pressync.model.changes import Result
from pressync.model.errors import (
    BadAnswer,
    Code,
    ContentError,
    Gone,
    Later,
    NoAnswer,
    NotSent,
    Problem,
    Refused,
    StorageError,
    WrongDialect,
)
from pressync.model.interface import Kind
from pressync.model.records import Document, Prepared
from pressync.plan.order import schedule
from pressync.stage.server.server import running
from pressync.state.atomic_files import AppendFile
from pressync.sync.apply import ApplyLoop, ReadyQueue, RunOptions, reason_to_halt
from pressync.sync.jobs import SentDocuments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService
    from tests.support.wire import End, Received, Reply

    from pressync.model.changes import Call, Create, Outcome, Update
    from pressync.model.errors import ServiceError
    from pressync.model.outcomes import RunResult
    from pressync.model.records import Entry, Record
    from pressync.sync.control import RunControl

# Nobody expects the address of a draft, so the link of a.md is not right.
UNEXPECTED = {
    "content/pages/a.md": "[b](docs/b.md)\n",
    "content/pages/docs/index.md": "# Docs\n",
    "content/pages/docs/b.md": "---\nstatus: draft\n---\n[a](../a.md)\n",
}


@pytest.fixture
def site(repository: SampleRepository, strict: StrictService) -> Site:
    """Twelve pages, four of them below another, bound to the strict service."""
    files = {f"content/pages/p{n}.md": f"# Page {n}\n\nText {n}.\n" for n in range(8)}
    files |= {f"content/pages/p0/c{n}.md": f"# Child {n}\n\n[up](../p0.md)\n" for n in range(4)}
    repository.commit(files)
    return Site(repository.root, strict.url)


def answer(status: int, body: object) -> bytes:
    """Spell an HTTP answer with a JSON body."""
    return http_answer(status, json.dumps(body).encode())


def _results(run: RunResult) -> Counter[Result]:
    return Counter(outcome.result for outcome in run.outcomes)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_each_page_is_made_once_parents_first(site: Site, strict: StrictService, concurrency: int) -> None:
    assert _results(site.sync(concurrency=concurrency)) == {Result.DONE: 12}
    assert len(strict.pages) == len(strict.received) == 12
    ids = {page["slug"]: page["id"] for page in strict.pages}
    assert all(page["parent"] == ids["p0"] for page in strict.pages if str(page["slug"]).startswith("c"))
    assert not strict.violations


@pytest.mark.parametrize(("status", "most"), [(401, 1), (403, 3), (404, 1), (405, 1)])
def test_the_first_write_goes_alone(site: Site, strict: StrictService, status: int, most: int) -> None:
    refused = answer(status, {"code": "no", "message": "No.", "data": None})
    strict.faults += [Fault(acts=False, sends=refused, end="keep")] * 12
    run = site.sync(concurrency=8)
    assert len(strict.received) == most
    assert _results(run) == {Result.FAILED: most, Result.SKIPPED: 12 - most}


def test_a_text_that_a_firewall_refuses_holds_up_no_other(site: Site, strict: StrictService) -> None:
    page = http_answer(403, b"<title>Blocked</title>", content_type="text/html")
    strict.faults.append(Fault(acts=False, sends=page, end="keep"))
    run = site.sync()
    refused = next(one for one in run.outcomes if one.result is Result.FAILED)
    assert "403 “Blocked”" in refused.message
    below = [one.change.path for one in run.outcomes if one.result is Result.SKIPPED]
    assert all(path.startswith(refused.change.path.removesuffix(".md")) for path in below)
    assert _results(run)[Result.DONE] == 11 - len(below)


def test_a_service_of_the_other_dialect_gets_one_write_only(site: Site, strict: StrictService) -> None:
    record = {
        "id": 7,
        "type": "page",
        "slug": "p0",
        "link": "http://x/p0/",
        "modified": "2026-01-01T00:00:00",
        "modified_gmt": "2026-01-01T00:00:00",
        "title": {"raw": '{"raw": "Page 0", "rendered": "Page 0"}', "rendered": ""},
    }
    strict.faults.append(Fault(acts=False, sends=answer(201, record), end="keep"))
    run = site.sync(concurrency=8)
    assert len(strict.received) == 1
    assert "wordpress" in next(o.message for o in run.outcomes if o.result is Result.FAILED)
    # The record that was made is remembered, so that the right dialect mends it instead of making another.
    assert [entry.id for entry in site.entries().values()] == [7]


def test_a_child_of_a_page_that_was_not_made_waits_for_the_next(site: Site, strict: StrictService) -> None:
    refused = answer(400, {"code": "no", "message": "No.", "data": {"status": 400}})
    strict.faults.append(Fault(acts=False, sends=refused, end="keep"))
    run = site.sync(concurrency=1)
    results = {outcome.change.path: outcome for outcome in run.outcomes}
    assert results["content/pages/p0.md"].result is Result.FAILED
    assert results["content/pages/p0/c0.md"].result is Result.SKIPPED
    assert "p0.md was not created" in results["content/pages/p0/c0.md"].message
    assert _results(site.sync()) == {Result.DONE: 5}
    assert len(strict.pages) == 12


def test_links_in_a_circle_are_written_at_once_with_the_addresses_that_the_service_then_gives(
    site: Site, strict: StrictService, repository: SampleRepository
) -> None:
    circle = {f"content/pages/ring{n}.md": f"[next](ring{(n + 1) % 40}.md)\n" for n in range(40)}
    repository.commit(circle)
    plan = site.plan()
    assert plan.second_writes == 40
    site.sync()
    assert len(strict.received) == len(plan.pending)
    links = {page["slug"]: page["link"] for page in strict.pages}
    contents = {page["slug"]: str(page["content"]) for page in strict.pages}
    assert all(str(links[f"ring{(n + 1) % 40}"]) in contents[f"ring{n}"] for n in range(40))
    assert not site.plan().pending


def linked(count: int) -> dict[str, str]:
    """Give pages two sections deep, each with a link to the next page and to one far before it."""
    paths = [f"s{n % 10}/t{n % 10}/leaf{n}.md" for n in range(count)]
    sections = {f"{'/'.join(path.split('/')[:n])}/index.md" for path in paths for n in (1, 2)}
    every = [*sorted(sections), *paths]
    return {
        f"content/pages/{path}": "".join(
            f"[there]({relpath(every[to % len(every)], Path(path).parent)})\n" for to in (n + 1, n - 7)
        )
        for n, path in enumerate(every)
    }


def flat(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Give each page in a response an address without the pages above it."""
    if isinstance(value, list):
        return [flat(each) for each in value]
    if not isinstance(value, dict):
        return value
    shown = {name: flat(each) for name, each in value.items()}
    if shown.get("type") == "page":
        shown["link"] = "/".join([*str(shown["link"]).split("/")[:3], str(shown["slug"]), ""])
    return shown


@pytest.mark.parametrize("shape", [flat, lambda shown: shown], ids=["flat", "nested"])
def test_a_page_costs_one_request_also_where_the_pages_below_others_have_flat_addresses(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch, shape: Callable[[Any], Any]
) -> None:
    repository.commit(linked(100))
    with embedded_wordpress.serving() as service:
        respond, calls = service.respond, list[str]()

        def flattened(received: Received) -> Reply:
            if received.method == "POST":
                items = json.loads(received.body).get("requests", [{"path": "/wp/v2/pages"}])
                calls.extend(item["path"] for item in items)
            reply = respond(received)
            return replace(reply, value=shape(reply.value))

        monkeypatch.setattr(service, "respond", flattened)
        site = bound(repository, service)
        assert _results(site.sync()) == {Result.DONE: 120}
        # The pages that show the pattern of a depth go first, and link to pages of which it is not known.
        assert len(calls) <= 120 + 5 * 3
        assert not site.plan().pending


def test_an_edit_shows_in_the_response_and_stops_that_record(
    tmp_path: Path, repository: SampleRepository
) -> None:
    repository.commit({"content/pages/a.md": "---\ntitle: A\n---\nOne.\n", "content/pages/b.md": "# B\n"})
    with running(tmp_path / "site.db") as service:
        site = Site(repository.root, service.url)
        site.sync()
        number = site.entries()["content/pages/a.md"].id
        service.store.update(Kind.PAGE, number, {"title": {"raw": "Theirs"}})
        repository.commit({"content/pages/a.md": "---\ntitle: A\n---\nTwo.\n"})
        first = site.sync()
        assert "title was changed on the site" in first.outcomes[0].message
        repository.commit({"content/pages/a.md": "---\ntitle: A\n---\nThree.\n"})
        assert _results(site.sync()) == {Result.BLOCKED: 1}
        assert service.store.read(Kind.PAGE, number)["title"]["raw"] == "Theirs"  # type: ignore[index]
        assert _results(site.sync(overwrite=True)) == {Result.DONE: 1}
        assert service.store.read(Kind.PAGE, number)["title"]["raw"] == "A"  # type: ignore[index]
        assert not site.plan().changes or not site.plan().pending


def test_lost_responses_in_a_row_stop_the_run_before_more_are_lost(site: Site, strict: StrictService) -> None:
    strict.faults += [None, *([Fault(acts=True, end="close")] * 11)]
    run = site.sync(concurrency=1)
    assert _results(run)[Result.DONE] == 1
    assert _results(run)[Result.UNCONFIRMED] <= 5, "three, and those under way when the third was lost"
    assert _results(run)[Result.SKIPPED] >= 6
    assert any("responses in a row were lost" in outcome.message for outcome in run.outcomes)


@pytest.mark.parametrize("acts", [False, True], ids=["never carried out", "carried out"])
def test_one_lost_batch_is_one_lost_response_and_the_run_goes_on(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch, *, acts: bool
) -> None:
    repository.commit({f"content/pages/p{n}.md": f"# Page {n}\n\nText {n}.\n" for n in range(101)})
    with embedded_wordpress.serving() as wordpress:
        site = Bound(repository.root, wordpress.url, environ=embedded_wordpress.ENVIRON)

        batches: list[Received] = []
        take = wordpress.take

        def cutting_the_second_batch(received: Received) -> tuple[bytes, End]:
            if received.path.endswith("/batch/v1"):
                batches.append(received)
                if len(batches) == 2:
                    wordpress.faults.append(Fault(acts=acts))
            return take(received)

        monkeypatch.setattr(wordpress, "take", cutting_the_second_batch)
        run = site.sync(concurrency=1)
        # The addresses of the new pages were looked up before.
        since = wordpress.received[wordpress.received.index(batches[1]) :]
        looks = [one for one in since if "slug%5B%5D" in one.path]
    assert _results(run) == ({Result.DONE: 101} if acts else {Result.DONE: 76, Result.UNCONFIRMED: 25})
    assert len(looks) == 1


def test_stopped_before_the_second_write_of_a_page_the_next_sync_completes_its_links(
    site: Site, strict: StrictService, repository: SampleRepository
) -> None:
    site.sync()
    repository.commit(UNEXPECTED)
    stop, before = threading.Event(), len(strict.received)

    def stop_after_all(_outcome: Outcome) -> None:
        if len(strict.received) == before + 3:
            stop.set()

    run = site.sync(concurrency=1, stop=stop, on_outcome=stop_after_all)
    assert _results(run) == {Result.DONE: 3}
    assert any("completed by the next sync" in outcome.message for outcome in run.outcomes)
    site.sync()
    assert not site.plan().pending
    links = {str(page["slug"]): str(page["link"]) for page in strict.pages}
    contents = {str(page["slug"]): str(page["content"]) for page in strict.pages}
    assert links["b"] in contents["a"]
    assert links["a"] in contents["b"]


@pytest.mark.parametrize(("pages", "size", "batches"), [(60, 10, [25, 25, 9]), (7, 150_000, [3, 3])])
def test_after_the_first_write_calls_go_in_batches_of_bounded_number_and_size(
    tmp_path: Path, pages: int, size: int, batches: list[int]
) -> None:
    service, changes = MemoryService(), [create(f"content/pages/p{n}.md") for n in range(pages)]
    outcomes = _applied(tmp_path, service, changes, body="x" * size)
    assert Counter(outcome.result for outcome in outcomes) == {Result.DONE: pages}
    assert service.batches == batches, "the first one went alone"
    assert len(service.held) == pages


def test_where_the_journal_breaks_the_message_has_each_record_that_was_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way, one_by_one = threading.Barrier(2), threading.Lock()

    def refusing(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Breaking(MemoryService):
        def carry_out(self, call: Call) -> Record:
            if self.held:
                under_way.wait(60)
                monkeypatch.setattr(AppendFile, "append", refusing)
            with one_by_one:
                return super().carry_out(call)

    service = Breaking(reads=False)
    with pytest.raises(StorageError) as caught:
        _applied(tmp_path, service, [create(path) for path in "abc"], body="", concurrency=2)
    assert len(service.held) == 3
    for number in (2, 3):
        assert f"{service.held[number].slug} is page {number}" in str(caught.value)
    unsent = StorageError("so this was not sent: d", todo="free some space")
    assert str(StorageError.joined([unsent, caught.value, caught.value])).endswith(
        "free some space; keep this message: this may be written nowhere else"
    )


def test_a_document_that_can_no_longer_be_read_fails_alone(tmp_path: Path) -> None:
    changes = [create("content/pages/a.md"), create("content/pages/broken.md")]
    outcomes = _applied(tmp_path, MemoryService(), changes, body="")
    assert {outcome.change.path: outcome.result for outcome in outcomes} == {
        "content/pages/a.md": Result.DONE,
        "content/pages/broken.md": Result.FAILED,
    }


def _applied(
    folder: Path,
    service: MemoryService,
    changes: list[Create],
    *,
    body: str,
    concurrency: int = 1,
    control: RunControl | None = None,
) -> list[Outcome]:
    """Apply creates of documents with this body, all but the one that is broken."""

    def prepare(change: Create | Update, _entries: Mapping[str, Entry]) -> Prepared:
        path = change.path
        if path.endswith("broken.md"):
            raise ContentError((Problem(path, 1, "it broke", code=Code.VALUE),))
        fields = {"title": path, "slug": path, "content": body}
        document = Document(path, "b" * 40, Kind.PAGE, fields, "", 1)
        return Prepared(document, desired(path), fields)

    with opened(folder) as state:
        return ApplyLoop(
            schedule(changes, {}),
            SentDocuments(commit="c" * 40, prepare=prepare, basis=lambda entry, _entries: entry.basis),
            service=service,
            state=state,
            options=RunOptions(concurrency=concurrency),
            control=control or run_control(),
            on_outcome=lambda _outcome: None,
        ).run()


@pytest.mark.parametrize(
    ("error", "first", "lost", "words"),
    [
        (None, True, 0, ""),
        (WrongDialect("w"), False, 0, "another dialect"),
        (NotSent("no route"), False, 0, "cannot be reached: no route"),
        (Later("busy"), False, 0, "cannot be reached: busy"),
        (Refused("r", status=401), True, 0, "refused the first write,"),
        (Refused("r", status=403), True, 0, ""),
        (Refused("r", status=403), False, 0, ""),
        (Refused("r", status=400), True, 0, ""),
        (Gone("g", status=404), True, 0, ""),
        (NoAnswer("n"), True, 1, "no usable response"),
        (BadAnswer("b"), False, 2, ""),
        (BadAnswer("b"), False, 3, "3 responses in a row were lost"),
    ],
)
def test_a_run_ends_where_every_other_call_would_fail_or_be_lost(
    error: ServiceError | None, *, first: bool, lost: int, words: str
) -> None:
    reason = reason_to_halt(error, first=first, lost=lost)
    assert words in reason
    assert bool(reason) == bool(words)


def ready(queue: ReadyQueue) -> str:
    """Take all that is ready now."""
    found = ""
    while (change := queue.next()) is not None:
        found += change.path
    return found


def test_a_change_is_ready_once_all_that_it_needs_have_ended() -> None:
    queue = ReadyQueue([create(path) for path in "cabde"], {"d": "ab", "e": ["picture.png"]})
    assert ready(queue) == "cab"
    queue.end("a")
    with pytest.raises(KeyError):
        queue.end("a")
    assert ready(queue) == ""
    queue.end("b")
    queue.end("picture.png")
    assert ready(queue) == "de"
