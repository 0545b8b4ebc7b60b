"""The first edit after an adopt or a pull replaces the markup of a page, and the plan says and shows it."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.clones import bound, drift
from tests.support.terminal import Terminal

from pressync.app import bind
from pressync.app.pull import PullOptions, pull
from pressync.app.revision import Revision
from pressync.cli.report import documents, markdown, text
from pressync.model.reason import ReasonCode
from pressync.plan.build import PlanOptions
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import Approval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository
    from tests.support.syncing import Bound

    from pressync.model.changes import Plan

POST, OURS = "content/posts/a.md", "content/posts/ours.md"
THEIRS = "One letter.\r\n\r\n[sourcecode]\r\nif (a < b) {}\r\n[/sourcecode]"
UNKNOWN = "The site's own text of 1 page is not known here"


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    with embedded_wordpress.serving() as service:
        yield service


def site_of(repository: SampleRepository, wordpress: EmbeddedWordPress) -> Bound:
    """Bind a post of the classic editor, and one of ours."""
    site = bound(repository, wordpress)
    repository.commit({OURS: "---\ntitle: Ours\n---\n\nOld.\n"})
    site.sync()
    number = wordpress.post("posts", title="A", slug="a", status="publish", content=THEIRS)
    repository.commit({POST: "---\ntitle: A\n---\n\nOld.\n"})
    with site.workspace() as workspace:
        bind.adopt(workspace, {POST: number}, Revision())
    return site


def edited(site: Bound, repository: SampleRepository) -> None:
    """Pull the post, and change one letter of it, and the post of ours as well."""
    with site.workspace() as workspace:
        pull(workspace, PullOptions((POST,)))
    pulled = (repository.root / POST).read_text()
    assert "One letter." in pulled
    repository.commit({POST: pulled.replace("One", "0ne"), OURS: "---\ntitle: Ours\n---\n\nNew.\n"})


def replacing(plan: Plan) -> list[str]:
    return [change.path for change in plan.pending if ReasonCode.REPLACES_MARKUP in change.why.codes]


@pytest.mark.parametrize("is_pulled", [True, False])
def test_a_plan_says_that_it_replaces_a_text_that_pressync_did_not_send(
    repository: SampleRepository, wordpress: EmbeddedWordPress, is_pulled: bool
) -> None:
    site = site_of(repository, wordpress)
    if is_pulled:
        edited(site, repository)
    plan = site.plan()

    assert replacing(plan) == [POST]
    assert "the markup of the page is replaced as a whole" in text.plan(plan)
    assert UNKNOWN in text.plan(plan)
    assert "[sourcecode]" not in text.plan(plan)


def test_a_look_shows_the_text_on_the_site_and_the_one_that_replaces_it(
    repository: SampleRepository, wordpress: EmbeddedWordPress
) -> None:
    site = site_of(repository, wordpress)
    edited(site, repository)
    seen: list[Plan] = []

    def refuse(plan: Plan) -> bool:
        seen.append(plan)
        return False

    looked = drift(site)
    with site.workspace() as workspace:
        workspace.sync(
            Revision(),
            PlanOptions(),
            RunOptions(),
            Approval(refuse),
            stop=threading.Event(),
            listener=RunListener(lambda _outcome: None, lambda _sentence: None),
        )

    for plan in (looked, *seen):
        assert replacing(plan) == [POST]
        reports = text.plan(plan), markdown.plan(plan), documents.plan(plan)
        assert all("-[sourcecode]" in report and "+<p>0ne letter" in report for report in reports)
        assert UNKNOWN not in reports[0]
        (row,) = (row for row in json.loads(reports[2])["changes"] if row["path"] == OURS)
        assert row["diff"] is None
    assert len(seen) == 1
    assert "[sourcecode]" in wordpress.shown[site.entries()[POST].id]["content"]["raw"]


def test_a_sync_that_asks_nobody_shows_it_before_it_sends(
    repository: SampleRepository, wordpress: EmbeddedWordPress
) -> None:
    site = site_of(repository, wordpress)
    edited(site, repository)

    terminal = Terminal(repository, {**embedded_wordpress.ENVIRON, "PRESSYNC_URL": wordpress.url})
    done = terminal.run("sync", "--yes")

    assert f"The markup of 1 page is replaced as a whole: {POST}." in done.stderr
    assert all(line in done.stderr for line in ("-[sourcecode]", "+<p>0ne letter."))
    assert "2 done" in done.stdout
