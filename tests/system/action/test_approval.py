"""With `approve`, the sync of a push sends exactly the plan that the merged pull request showed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.strict_service import Fault, answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.github_lookalike import GitHub
    from tests.support.repository import SampleRepository
    from tests.system.action.runner import Job, Runner

    from pressync.stage.server.server import RunningService

PULL = {"pull_request": {"number": 7, "head": {"repo": {"full_name": "garden/site"}}}}
PUSH = {"repository": {"default_branch": "main"}}
DIGEST = re.compile(r"<!-- pressync:approval ([0-9a-f]{32}) -->")


@pytest.fixture
def digest(
    clone: SampleRepository, runner: Runner, github: GitHub, service: RunningService, origin: SampleRepository
) -> str:
    """Set `approve`, plan a pull request, and merge it; give the digest in its comment."""
    settings = f'[sites.live]\nurl = "{service.url}"\napprove = true\n'
    for each in (origin, clone):
        each.commit({"pressync.toml": settings})
    assert runner.run("pull_request", PULL).code == 0
    (comment,) = github.comments
    found = DIGEST.search(comment["body"])
    assert found
    assert found[1] in comment["body"].partition("\n\n")[2]
    merge(clone, github)
    return found[1]


def merge(clone: SampleRepository, github: GitHub) -> None:
    """Let GitHub say that HEAD is the merge of the pull request."""
    github.pulls.clear()
    merged = {"state": "closed", "merged_at": "2026-01-02T03:04:05Z", "merge_commit_sha": clone.head()}
    # The person who opened it has left GitHub, and the fork is gone.
    pull = github.add_pull("words", "main", number=7, **merged)
    pull["head"]["repo"] = None


def test_the_plan_of_the_merged_pull_request_is_sent(digest: str, runner: Runner) -> None:
    assert digest
    job = runner.run("push", PUSH)

    assert (job.code, job.counts["done"]) == (0, 2), job.log


def test_another_plan_is_refused_with_both_digests_until_somebody_approves_it(
    digest: str, runner: Runner, clone: SampleRepository, origin: SampleRepository, github: GitHub
) -> None:
    for each in (origin, clone):
        each.commit({"content/pages/about.md": "Something else.\n"})
    merge(clone, github)

    job = runner.run("push", PUSH)
    assert job.code == 4
    new = re.search(r"--approved ([0-9a-f]{32})", job.summary)
    assert new
    assert new[1] != digest
    assert digest in job.summary

    assert runner.run("workflow_dispatch", PUSH, args=f"--approved {digest}").code == 4
    assert runner.run("workflow_dispatch", PUSH, args=f"--approved {new[1]}").code == 0


@pytest.fixture
def wordpress() -> Iterator[EmbeddedWordPress]:
    with embedded_wordpress.serving() as site:
        yield site


@pytest.fixture
def edited(wordpress: EmbeddedWordPress, runner: Runner, clone: SampleRepository) -> None:
    """Sync, and plan an update of a page in a pull request of a site that can be read."""
    settings = (
        f'[sites.live]\nurl = "{wordpress.url}"\ndialect = "wordpress"\nuser = "admin"\napprove = true\n'
    )
    clone.commit({"pressync.toml": settings})
    clone.git("push", "--quiet", "origin", "main")
    runner.environ = {"PRESSYNC_PASSWORD": embedded_wordpress.PASSWORD}
    refused = runner.run("workflow_dispatch", PUSH)
    first = approved_by(refused)
    assert runner.run("workflow_dispatch", PUSH, args=f"--approved {first}").code == 0
    clone.commit({"content/pages/about.md": "---\ntitle: About us\n---\nWe are many.\n"})
    clone.git("push", "--quiet", "origin", "main")


def approved_by(job: Job) -> str:
    """Give the digest that a refusal offers."""
    found = re.search(r"--approved ([0-9a-f]{32})", job.summary)
    assert found, job.log
    return found[1]


@pytest.mark.usefixtures("edited")
def test_the_comment_has_the_notes_of_editors_and_a_job_without_the_password_asks_the_site_nothing(
    runner: Runner, github: GitHub, wordpress: EmbeddedWordPress
) -> None:
    note = {"type": "note", "status": "hold", "author_name": "Eva", "date_gmt": "2026-01-02T03:04:05"}
    notes = [
        {**note, "id": 90 + number, "post": number, "content": {"raw": f"Is {row['slug']} true?"}}
        for number, row in wordpress.shown.items()
    ]
    one_page = (("X-WP-TotalPages", "1"),)
    wordpress.faults.append(Fault(sends=answer(200, json.dumps(notes).encode(), headers=one_page)))
    assert runner.run("pull_request", PULL).code == 0
    assert "Is about true?" in github.comments[0]["body"]
    assert "Is index true?" not in github.comments[0]["body"], "that page is not in the plan"

    wordpress.faults.append(Fault(sends=answer(502, b"<title>Down</title>", content_type="text/html")))
    assert runner.run("pull_request", PULL).code == 0
    assert "The notes of editors were not read: " in github.comments[0]["body"]

    runner.environ = {}
    wordpress.received.clear()

    job = runner.run("pull_request", PULL)

    assert (job.code, wordpress.received) == (0, [])
    (comment,) = github.comments
    assert DIGEST.search(comment["body"])
    assert "content/pages/about.md" in comment["body"]
    assert "notes" not in comment["body"]
    assert (job.annotations, "password" in job.log) == ([], False)


@pytest.mark.usefixtures("edited")
def test_an_edit_of_the_site_after_the_plan_is_refused_with_both_digests_and_a_way_on(
    runner: Runner, github: GitHub, wordpress: EmbeddedWordPress, clone: SampleRepository
) -> None:
    assert runner.run("pull_request", PULL).code == 0
    shown = DIGEST.search(github.comments[0]["body"])
    assert shown
    page = next(number for number, row in wordpress.shown.items() if row["slug"] == "about")
    wordpress.post(f"pages/{page}", content="An edit in the browser.")
    merge(clone, github)

    job = runner.run("push", PUSH)

    assert job.code == 4
    assert shown[1] in job.summary
    new = approved_by(job)
    assert new != shown[1]
    assert "content/pages/about.md" in job.summary
    # The approved plan leaves the page to a person.
    last = runner.run("workflow_dispatch", PUSH, args=f"--approved {new}")
    assert (last.code, "pressync pull" in last.summary) == (1, True)
    assert "An edit in the browser." in str(wordpress.shown[page]["content"])


def test_a_push_without_a_pull_request_and_a_comment_of_somebody_else_are_no_approval(
    digest: str, runner: Runner, github: GitHub, clone: SampleRepository
) -> None:
    github.comments[0]["user"]["login"] = "somebody"
    assert runner.run("push", PUSH).code == 4
    github.comments[0]["user"]["login"] = "github-actions[bot]"
    github.pulls[0]["merge_commit_sha"] = "0" * 40
    assert runner.run("push", PUSH).code == 4
    merge(clone, github)
    assert runner.run("push", PUSH).code == 0, digest
