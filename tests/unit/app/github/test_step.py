"""One step of a workflow and the workflow that init writes: the event decides, the runner gets the result."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from pressync.app.github import workflow_file
from pressync.app.github.step import Event, Step, Task, task
from pressync.app.github.step import read_event as read
from pressync.model.errors import ConfigError, StorageError

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


@pytest.mark.parametrize(
    ("head", "variables", "trusted"),
    [
        (OURS, {}, True),
        ("mallory/site", {}, False),
        (None, {}, False),
        (OURS, {"GITHUB_ACTOR": "dependabot[bot]"}, False),
    ],
)
def test_only_a_pull_request_of_this_repository_is_trusted(
    tmp_path: Path, head: str | None, variables: dict[str, str], *, trusted: bool
) -> None:
    found = event(tmp_path, "pull_request", proposal(head), **variables)
    assert found == Event("pull_request", OURS, "main", pull_request=7, trusted=trusted)


@pytest.mark.parametrize("payload", [{}, [], None, {"repository": None, "pull_request": None}])
def test_a_payload_that_says_little_is_no_error(tmp_path: Path, payload: object) -> None:
    assert event(tmp_path, "schedule", payload) == Event("schedule", OURS, None)
    (tmp_path / "event.json").write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match="GITHUB_EVENT_PATH"):
        read({"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")})
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
    # Where nobody knows the branch of the site, the one that is checked out is it.
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


def test_an_output_may_hold_lines_that_look_like_another(tmp_path: Path) -> None:
    file = tmp_path / "output"
    Step({"GITHUB_OUTPUT": str(file)}).output(exit_code="0", counts='{"a": 1}\nexit-code=9\nEOF')
    blocks = re.findall(
        r"^([a-z-]+)<<(pressync-[0-9a-f]{32})\n(.*?)\n\2$", file.read_text(), re.MULTILINE | re.DOTALL
    )
    assert [(name, value) for name, _, value in blocks] == [
        ("exit-code", "0"),
        ("counts", '{"a": 1}\nexit-code=9\nEOF'),
    ]


def test_a_summary_is_added_and_two_reports_of_one_name_are_two_files(
    tmp_path: Path,
) -> None:
    file = tmp_path / "summary"
    file.write_text("before\n", encoding="utf-8")
    step = Step({"GITHUB_STEP_SUMMARY": str(file), "RUNNER_TEMP": str(tmp_path)})
    step.summarise("### Ä")
    assert step.summarises
    assert file.read_text(encoding="utf-8") == "before\n### Ä\n"
    first, second = step.keep("plan.json", "1"), step.keep("plan.json", "2")
    assert first.name == second.name == "plan.json"
    assert (first.read_text(), second.read_text()) == ("1", "2")
    with pytest.raises(StorageError, match="GITHUB_OUTPUT"):
        Step({"GITHUB_OUTPUT": str(tmp_path / "gone/output")}).output(a="1")
    with pytest.raises(StorageError, match="report"):
        Step({"RUNNER_TEMP": str(tmp_path / "gone")}).keep("plan.json", "")
    outside, before = Step({"RUNNER_TEMP": str(tmp_path)}), list(tmp_path.iterdir())
    outside.output(a="1")
    outside.summarise("x")
    assert (outside.summarises, list(tmp_path.iterdir())) == (False, before)


def workflow(action: str = "garden/pressync@" + "a" * 40, branch: str = "main", site: str = "live") -> Any:  # noqa: ANN401 - any YAML
    """Write a workflow and workflow it."""
    return yaml.safe_load(workflow_file.text(action, sites={site: branch}))


@pytest.mark.parametrize(
    "name", ["main", "release/1.x", "on", "1.0", "a b: #c", 'a"b', "Übersicht", "-x", "~"]
)
def test_any_name_of_a_branch_or_site_is_read_back_as_text(name: str) -> None:
    found = workflow(branch=name, site=name)
    # YAML 1.1 reads the key `on` as true.
    assert found[True]["push"]["branches"] == [name]
    assert found["jobs"]["sync"]["environment"] == name


@pytest.mark.parametrize("action", ["./", "./here", "garden/tools/pressync@v1", workflow_file.UNKNOWN])
def test_an_action_may_be_anywhere(action: str) -> None:
    assert workflow(action)["jobs"]["plan"]["steps"][-1]["uses"] == action
    for wrong in ("", "pressync", "garden/pressync", "a/b@c\nrun: evil", "a/b@c # x", "../up"):
        with pytest.raises(ConfigError, match="OWNER/NAME@COMMIT"):
            workflow(wrong)


def test_several_sites_are_a_matrix_with_a_branch_an_environment_and_a_queue_each() -> None:
    found = yaml.safe_load(workflow_file.text("./", sites={"staging": "next", "on": "main", "shop": "main"}))
    assert found[True]["push"]["branches"] == ["next", "main"]
    for name, job in found["jobs"].items():
        assert job["strategy"] == {"fail-fast": False, "matrix": {"site": ["staging", "on", "shop"]}}
        assert job["concurrency"]["group"].endswith("-${{ matrix.site }}")
        assert job["steps"][-1]["with"]["site"] == "${{ matrix.site }}"
        assert job.get("environment") == (None if name == "plan" else "${{ matrix.site }}")
    assert found["jobs"]["drift"]["steps"][-1]["with"]["mode"] == "drift"
    assert list(found["jobs"]["sync"]["steps"][-1]["env"]) == ["PRESSYNC_PASSWORD"]


def test_more_sites_than_jobs_of_a_matrix_are_refused_with_the_ways_out() -> None:
    sites = {f"s{number}": "main" for number in range(workflow_file.MOST_JOBS + 1)}
    with pytest.raises(ConfigError, match=r"257 sites.*256 jobs"):
        workflow_file.text("./", sites=sites)
