"""Events as GitHub writes them, and the task for each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pressync.app.github.event import Event, Task, read, task
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

OURS = "garden/site"


def event(tmp_path: Path, name: str, payload: object, **variables: str) -> Event:
    """Read an event of our repository."""
    file = tmp_path / "event.json"
    file.write_text(json.dumps(payload), encoding="utf-8")
    given = {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(file), "GITHUB_REPOSITORY": OURS}
    return read({**given, **variables})


def proposal(full_name: str | None) -> dict[str, Any]:
    """Make the payload of a pull request from a repository, which may be deleted by now."""
    return {
        "pull_request": {"number": 7, "head": {"repo": full_name and {"full_name": full_name}}},
        "repository": {"default_branch": "main"},
    }


def test_a_pull_request_of_this_repository_is_trusted(tmp_path: Path) -> None:
    found = event(tmp_path, "pull_request", proposal(OURS))
    assert found == Event("pull_request", OURS, "main", pull_request=7, trusted=True)


@pytest.mark.parametrize("head", ["mallory/site", None])
def test_one_from_a_fork_is_not_even_if_the_fork_is_gone(tmp_path: Path, head: str | None) -> None:
    assert not event(tmp_path, "pull_request", proposal(head)).trusted


def test_one_of_dependabot_is_not(tmp_path: Path) -> None:
    assert not event(tmp_path, "pull_request", proposal(OURS), GITHUB_ACTOR="dependabot[bot]").trusted


@pytest.mark.parametrize("payload", [{}, [], None, {"repository": None, "pull_request": None}])
def test_a_payload_that_says_little_is_no_error(tmp_path: Path, payload: object) -> None:
    assert event(tmp_path, "schedule", payload) == Event("schedule", OURS, None)


def test_a_payload_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text("{", encoding="utf-8")
    variables = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    with pytest.raises(ConfigError, match="GITHUB_EVENT_PATH"):
        read(variables)


def test_outside_of_a_workflow_it_says_what_there_is_instead() -> None:
    with pytest.raises(ConfigError, match="pressync plan"):
        read({})


@pytest.mark.parametrize(
    ("name", "mode", "branch", "expected"),
    [
        ("pull_request", "auto", None, Task.PLAN),
        ("pull_request", "plan", None, Task.PLAN),
        ("merge_group", "auto", None, Task.PLAN),
        ("push", "auto", "main", Task.SYNC),
        ("push", "auto", "draft", Task.PLAN),
        ("push", "auto", None, Task.PLAN),  # a tag
        ("schedule", "auto", "main", Task.SYNC),
        ("schedule", "drift", "main", Task.DRIFT),
        ("workflow_dispatch", "auto", "main", Task.SYNC),
        ("workflow_dispatch", "plan", "main", Task.PLAN),
        ("release", "sync", "main", Task.SYNC),
    ],
)
def test_each_event_has_its_task(name: str, mode: str, branch: str | None, expected: Task) -> None:
    assert task(Event(name, OURS, "main"), mode, branch=branch, wanted="main") is expected


def test_where_nobody_knows_the_sites_branch_the_one_that_is_checked_out_is() -> None:
    assert task(Event("push", OURS, None), "auto", branch="trunk", wanted=None) is Task.SYNC


@pytest.mark.parametrize(
    ("name", "mode", "words"),
    [
        ("pull_request", "sync", "only ever planned"),
        ("pull_request", "drift", "only ever planned"),
        ("pull_request_target", "auto", "^on: .*secrets"),
        ("pull_request_target", "plan", "secrets"),
        ("issue_comment", "sync", "secrets"),
        ("workflow_run", "plan", "secrets"),
        ("issues", "auto", "choose one of plan, sync, drift"),
    ],
)
def test_what_is_no_occasion_is_refused(name: str, mode: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        task(Event(name, OURS, "main", pull_request=7), mode, branch="main", wanted="main")
