"""`pressync action`: its inputs reach the step, and every end has a code, annotations, a summary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from pressync.cli.commands import action
from pressync.cli.commands.action import ActionInputs
from pressync.cli.main import Globals, pressync
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.terminal import Terminal

    from pressync.stage.server.server import RunningService


@pytest.fixture
def inputs(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ActionInputs]:
    """Give a function that types the command and returns the inputs with which the step runs."""

    def typed(*arguments: str) -> ActionInputs:
        ran: list[ActionInputs] = []
        monkeypatch.setattr(action, "run_step", lambda _globals, given: ran.append(given))
        result = CliRunner().invoke(pressync, ["action", *arguments])
        assert result.exit_code == 0, result.output
        return ran[0]

    return typed


def test_every_input_reaches_the_step_and_empty_text_is_none(inputs: Callable[..., ActionInputs]) -> None:
    assert inputs("--site", "", "--max-delete", "") == ActionInputs("auto", comment=True, args="", flags=())
    given = inputs(
        *("--mode", "plan", "--site", "staging", "--max-delete", "5", "--comment", "false"),
        *("--strict", "true", "--keep-going", "true", "--args", "--limit 5"),
    )
    flags = ("--max-delete=5", "--strict", "--keep-going")
    assert given == ActionInputs("plan", comment=False, args="--limit 5", flags=flags)


@pytest.fixture
def job(terminal: Terminal, tmp_path: Path) -> Path:
    """Give the terminal the variables and the files of a step that somebody started by hand."""
    payload = tmp_path / "event.json"
    payload.write_text('{"repository": {"default_branch": "main"}}')
    terminal.environ |= {
        "GITHUB_EVENT_NAME": "workflow_dispatch",
        "GITHUB_EVENT_PATH": str(payload),
        "GITHUB_REPOSITORY": "them/site",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "RUNNER_TEMP": str(tmp_path),
    }
    return tmp_path


def test_a_proposal_is_on_no_branch_of_the_site_and_is_planned(terminal: Terminal, job: Path) -> None:
    """A pull request is checked out as a detached HEAD, and the sync comes later, from the branch."""
    url = terminal.environ.pop("PRESSYNC_URL")
    terminal.repository.commit({"pressync.toml": f'[sites.live]\nurl = "{url}"\nbranch = "main"\n'})
    terminal.run("action", "--mode", "drift", exits=3)
    summary = (job / "summary.md").read_text()
    assert summary.startswith("### pressync: drift of live")
    assert "the plan compares the repository with the values that were last sent" in summary
    terminal.repository.git("checkout", "--quiet", "--detach")
    assert "Sync would refuse" in terminal.run("plan").stdout
    terminal.run("action", "--mode", "plan")
    assert "would refuse" not in (job / "summary.md").read_text()
    terminal.repository.commit({"pressync.toml": "contents = 1\n"})
    said = terminal.run("action", exits=2).stdout
    assert said.startswith("::error file=pressync.toml,line=1::")
    assert "The settings are wrong; nothing was sent." in (job / "summary.md").read_text()


def test_a_run_that_was_rolled_back_is_not_done_again(
    terminal: Terminal, service: RunningService, job: Path
) -> None:
    repository, origin = terminal.repository, job / "origin.git"
    terminal.run("sync", "--yes")
    terminal.run("rollback", "--yes")
    repository.commit(message="The manifest after the rollback")
    repository.git("init", "--quiet", "--bare", str(origin))
    repository.git("remote", "add", "origin", str(origin))
    repository.git("push", "--quiet", "origin", "main")
    before = service.store.records(Kind.PAGE)
    for mode in ("plan", "auto"):
        said = terminal.run("action", "--mode", mode, exits=4).stdout
        assert said.startswith("::error::")
        assert "change or revert the files, and commit, or `pressync sync --again` to send it again" in said
    assert service.store.records(Kind.PAGE) == before
    terminal.run("action", "--args", "--again")
    assert len(service.store.records(Kind.PAGE)) == len(before) + 3


def test_a_job_does_not_publish_to_a_service_that_ends_with_it(terminal: Terminal, job: Path) -> None:
    """Such a job would be green, and nobody could see the pages."""
    del terminal.environ["PRESSYNC_URL"]
    said = terminal.run("action", exits=2).stdout
    assert said.startswith("::error")
    assert "no site is set" in said
    assert "site: embedded" in (job / "summary.md").read_text()
    terminal.run("action", "--mode", "plan")
    assert "No site is set" in (job / "summary.md").read_text()
    assert "3 done" in terminal.run("--site", "embedded", "action").stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ("--yes", "the Action decides `--yes` by itself"),
        ("-C /", "the Action decides `-C` by itself"),
        ("--site x", "the Action decides `--site` by itself"),
        ("--format json", "the Action decides `--format` by itself"),
        ("--limit many", "'many' is not a valid integer"),
        ("--nonsense", "--nonsense"),
        ("'", "No closing quotation"),
        ("--help", "`--help` is for a terminal"),
    ],
)
def test_arguments_that_are_not_for_a_workflow_are_refused(args: str, told: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(told)):
        ActionInputs("auto", comment=True, args=args, flags=()).options(Globals())
