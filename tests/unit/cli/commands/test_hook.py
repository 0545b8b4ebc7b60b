"""`pressync hook` and `pressync action`: what they install, say, refuse, and the codes they end with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.support.repository import SampleRepository
from tests.support.terminal import Terminal

from pressync.app.hooks import installation
from pressync.cli.commands import action
from pressync.cli.commands.action import ActionInputs
from pressync.cli.main import pressync
from pressync.cli.options import Globals
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pressync.stage.server.server import RunningService


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program in the place of pressync, which says that the content is wrong."""
    program = tmp_path / "bin" / "pressync"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho content/pages/a.md:2: wrong >&2\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setattr(installation, "program", lambda: [str(program)])
    monkeypatch.setattr(installation, "python", lambda: [str(program)])
    return program


def test_the_hook_of_commits_is_the_default_and_says_what_it_will_do(terminal: Terminal) -> None:
    shown = terminal.run("hook", "install").stdout
    assert "Installed post-commit" in shown
    assert "Site default follows branch main. Git waits 60 s at most." in shown
    shown = terminal.run("hook", "status").stdout
    assert shown.startswith("post-commit   runs")
    assert "--branch main --time-limit 60" in shown
    assert "Removed .git/hooks/post-commit." in terminal.run("hook", "uninstall").stdout
    assert "No hook of pressync is installed" in terminal.run("hook", "status").stdout
    assert "No hook of pressync is installed" in terminal.run("hook", "uninstall").stdout


def test_several_types_are_installed_at_once_and_two_that_sync_are_told_of(terminal: Terminal) -> None:
    both = "post-commit and pre-push both sync the same commits. Keep one of them:"
    shown = terminal.run("hook", "install", "--type", "post-commit", "--type", "pre-commit").stdout
    assert both not in shown
    assert both in terminal.run("hook", "install", "--type", "pre-push").stdout
    assert both in terminal.run("hook", "status").stdout
    assert "Removed .git/hooks/pre-push." in terminal.run("hook", "uninstall", "--type", "pre-push").stdout
    shown = terminal.run("hook", "status").stdout
    assert both not in shown
    assert [line.split()[0] for line in shown.splitlines()] == ["post-commit", "pre-commit"]


def test_a_hook_that_was_there_is_told_of_and_one_that_git_does_not_reach(terminal: Terminal) -> None:
    hook = terminal.repository.write(".git/hooks/post-commit", "#!/bin/sh\n")
    hook.chmod(0o755)
    assert "first calls .git/hooks/post-commit.before-pressync" in terminal.run("hook", "install").stdout
    assert "first calls .git/hooks/post-commit.before-pressync" in terminal.run("hook", "status").stdout
    assert "; the former post-commit is back" in terminal.run("hook", "uninstall").stdout
    assert hook.read_text() == "#!/bin/sh\n"
    terminal.run("hook", "install")
    terminal.repository.move(".git/hooks/post-commit", ".git/hooks/post-commit.old")
    terminal.repository.write(".git/hooks/post-commit", "#!/bin/sh\n")
    shown = terminal.run("hook", "status", exits=1).stdout
    assert "does not run" in shown
    assert "belongs to another program" in shown


def test_a_folder_in_the_working_tree_is_said_not_to_be_committed(terminal: Terminal) -> None:
    terminal.repository.git("config", "core.hooksPath", ".githooks")
    assert "do not commit .githooks/post-commit" in terminal.run("hook", "install").stdout


def test_a_detached_head_names_no_branch_and_only_late_hooks_commit(terminal: Terminal) -> None:
    for hook_type in ("pre-push", "pre-commit"):
        told = terminal.run("hook", "install", "--type", hook_type, "--commit", exits=2).stderr
        assert f"a {hook_type} hook cannot commit" in told
    assert "which branch is the site's?" in terminal.run("hook", "run", "post-commit").stderr
    terminal.repository.git("checkout", "--quiet", "--detach")
    assert "--branch NAME" in terminal.run("hook", "install", exits=2).stderr
    terminal.run("hook", "install", "--branch", "main")
    terminal.environ["PRESSYNC_HOOK"] = "0"
    assert terminal.run("hook", "run", "post-commit", "--branch", "main").output == ""


def test_on_a_server_the_hook_is_post_receive_and_follows_head(terminal: Terminal, tmp_path: Path) -> None:
    terminal.repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "site.git"))
    server = Terminal(SampleRepository(tmp_path / "site.git"), terminal.environ)
    shown = server.run("hook", "install").stdout
    assert "Installed post-receive" in shown
    assert "Site default follows branch main." in shown
    assert "--branch" not in server.run("hook", "status").stdout, "HEAD may be another branch some day"


def test_a_program_that_is_gone_is_told_with_what_notes_another(terminal: Terminal, stand_in: Path) -> None:
    terminal.run("hook", "install")
    assert "is gone" not in terminal.run("hook", "status").stdout
    stand_in.unlink()
    assert f"{stand_in} is gone: `pressync hook install`" in terminal.run("hook", "status").stdout


@pytest.mark.usefixtures("stand_in")
def test_wrong_content_ends_with_two_and_any_bytes_may_be_a_branch(terminal: Terminal) -> None:
    told = terminal.run("hook", "run", "pre-commit", exits=2).stderr
    assert told == "pressync: content/pages/a.md:2: wrong\n"
    head = terminal.repository.head()
    pushed = f"{head} {head} refs/heads/x".encode() + b"\xff\n"
    assert terminal.run("hook", "run", "post-receive", "--branch", "main", said=pushed).output == ""


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
