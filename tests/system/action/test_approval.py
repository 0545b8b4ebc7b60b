"""With `approve`, the sync of a push sends exactly the plan that the merged pull request showed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.github_lookalike import GitHub
    from tests.support.repository import SampleRepository
    from tests.system.action.runner import Runner

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
    merged = {"number": 7, "merged_at": "2026-01-02T03:04:05Z", "base": {"ref": "main"}}
    github.pulls = [{**merged, "state": "closed", "merge_commit_sha": clone.head()}]


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
