"""A service reports success and keeps what it had: what hides, protects, moves or removes is not done."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from tests.support.peers import PEERS
from tests.support.repository import SampleRepository
from tests.support.share import part
from tests.support.syncing import Bound
from tests.support.undoing import rolled_back
from tests.support.wire import Reply

from pressync.model.changes import Delete, Result, Update

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from tests.support.strict_service import StrictService
    from tests.support.wire import Received

    from pressync.model.outcomes import RunResult

PAGE, TEAM = "content/pages/about.md", "content/pages/team.md"
ABOUT = "---\ntitle: About\nslug: about\nstatus: publish\n---\nText.\n"
_ONE = re.compile(r"/wp/v2/pages/(\d+)")


@dataclass
class Ignored:
    """A synced site whose service answers each later write of one record with the record of before."""

    repository: SampleRepository
    site: Bound
    service: StrictService
    writes: list[str]

    def edit(self, text: str | None) -> RunResult:
        """Commit another text of the page, or none, and sync."""
        if text is None:
            self.repository.remove(PAGE)
            self.repository.commit()
        else:
            self.repository.commit({PAGE: text})
        return self.site.sync()

    def ignore(self, but: Collection[str] = ()) -> None:
        """Take none of the fields from now on, but these."""
        respond = self.service.respond

        def ignoring(received: Received) -> Reply:
            match = _ONE.search(received.path)
            if match is None or received.method == "GET":
                return respond(received)
            self.writes.append(received.method)
            number = int(match[1])
            before = copy.deepcopy(self.service.shown[number])
            if received.method != "DELETE":
                respond(received)
                kept = {name: value for name, value in before.items() if name not in but}
                self.service.bend(number, lambda record: record.update(kept))
            shown = self.service.shown[number]
            asked = re.search(r"_fields=([^&]+)", received.path)
            names = (
                {name.partition(".")[0] for name in unquote(asked[1]).split(",")} if asked else shown.keys()
            )
            members = {name: value for name, value in shown.items() if name in names}
            return Reply(200, members, content_type="application/json")

        self.service.respond = ignoring  # type: ignore[method-assign]


@pytest.fixture(params=PEERS)
def ignored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ignored]:
    """Sync two published pages to each peer."""
    serving, environ = PEERS[request.param]
    with serving() as service:
        repository = SampleRepository.create(tmp_path / "repository")
        repository.commit({PAGE: ABOUT, TEAM: "# Team\n"})
        site = Bound(repository.root, service.url, environ=environ)
        assert {outcome.result for outcome in site.sync().outcomes} == {Result.DONE}
        yield Ignored(repository, site, service, [])


def with_lines(*lines: str) -> str:
    return ABOUT.replace("status: publish", "\n".join(lines))


HIDDEN, LOCKED = with_lines("status: draft"), with_lines("status: publish", "password: secret")
MOVED = with_lines("status: publish", f"parent: {TEAM}")


@pytest.mark.parametrize("text", part([HIDDEN, LOCKED, MOVED, ABOUT.replace("Text", "Another text")], 3))
def test_an_update_that_the_service_ignores_fails_once_a_run(ignored: Ignored, text: str) -> None:
    ignored.ignore()
    for number in (1, 2):
        (outcome,) = (ignored.edit(text) if number == 1 else ignored.site.sync()).outcomes
        assert outcome.result is Result.FAILED
        assert "has nothing of what was sent" in outcome.message
        assert "secret" not in outcome.message
        assert len(ignored.writes) == number


@pytest.mark.parametrize(("text", "name"), [(HIDDEN, "status"), (LOCKED, "password"), (MOVED, "parent")])
def test_a_page_that_stays_public_or_in_its_place_fails_although_its_text_was_taken(
    ignored: Ignored, text: str, name: str
) -> None:
    ignored.ignore(but=["content", "title"])
    (outcome,) = ignored.edit(text.replace("Text", "Another text")).outcomes
    assert (outcome.result, f"still has its former {name}" in outcome.message) == (Result.FAILED, True)
    (change,) = ignored.site.plan().pending
    assert isinstance(change, Update)
    assert change.fields == (name,), "the text was taken, and is not sent again"
    (outcome,) = ignored.site.sync().outcomes
    assert (outcome.result, len(ignored.writes)) == (Result.FAILED, 2)


def test_a_field_that_the_service_keeps_beside_others_is_told_once(ignored: Ignored) -> None:
    ignored.ignore(but=["content"])
    (outcome,) = ignored.edit(ABOUT.replace("Text", "Another text").replace("About", "About us")).outcomes
    assert outcome.result is Result.DONE
    assert outcome.message == "title: changed by the service from 'About us' to 'About'"
    assert not ignored.site.plan().pending


def test_a_delete_that_left_its_record_fails_once_a_run(ignored: Ignored) -> None:
    ignored.ignore()
    for number in (1, 2):
        (outcome,) = (ignored.edit(None) if number == 1 else ignored.site.sync()).outcomes
        assert isinstance(outcome.change, Delete)
        assert (outcome.result, "not in the trash" in outcome.message) == (Result.FAILED, True)
        assert ignored.writes == ["DELETE"] * number


def test_a_service_that_takes_it_after_all_ends_it(ignored: Ignored) -> None:
    respond = ignored.service.respond
    ignored.ignore()
    ignored.edit(HIDDEN)
    ignored.service.respond = respond  # type: ignore[method-assign]
    assert [outcome.result for outcome in ignored.site.sync().outcomes] == [Result.DONE]
    assert not ignored.site.plan().pending
    assert {record["slug"]: record["status"] for record in ignored.service.pages}["about"] == "draft"


@pytest.mark.parametrize("ignored", ["wordpress"], indirect=True)
def test_a_page_that_stays_in_the_trash_is_not_rolled_back_and_not_remembered(ignored: Ignored) -> None:
    ignored.edit(None)
    ignored.ignore()
    (outcome,) = rolled_back(ignored.site).outcomes
    assert (outcome.result, outcome.message) == (Result.FAILED, "the service left it in the trash")
    assert PAGE not in ignored.site.entries()


def test_a_page_that_waits_for_its_date_is_done_as_the_plan_said(ignored: Ignored) -> None:
    for date, status in (
        ("2135-01-01T10:00:00", "draft"),
        ("2135-01-01T10:00:00", "publish"),
        ("2001-01-01T10:00:00", "publish"),
    ):
        (outcome,) = ignored.edit(with_lines(f"date: {date}", f"status: {status}")).outcomes
        assert (outcome.result, outcome.message) == (Result.DONE, "")
        assert not ignored.site.plan().pending


@pytest.mark.parametrize("ignored", ["wordpress"], indirect=True)
def test_a_private_page_that_becomes_public_has_its_password(ignored: Ignored) -> None:
    locked = "password: secret"
    (outcome,) = ignored.edit(with_lines("status: private", locked)).outcomes
    assert (outcome.result, "password: changed by the service" in outcome.message) == (Result.DONE, True)
    assert not ignored.site.plan().pending
    (outcome,) = ignored.edit(with_lines("status: publish", locked)).outcomes
    assert (outcome.result, outcome.message) == (Result.DONE, "")
    assert [record["password"] for record in ignored.service.pages if record["slug"] == "about"] == ["secret"]
