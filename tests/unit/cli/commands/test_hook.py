"""`pressync hook`: what it installs, says, refuses, and the codes it ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.terminal import Terminal

from pressync.app.hooks import installation

if TYPE_CHECKING:
    from pathlib import Path


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


def test_several_types_are_installed_at_once_and_removed_one_by_one(terminal: Terminal) -> None:
    terminal.run("hook", "install", "--type", "post-commit", "--type", "pre-commit", "--type", "pre-push")
    assert "Removed .git/hooks/pre-push." in terminal.run("hook", "uninstall", "--type", "pre-push").stdout
    shown = terminal.run("hook", "status").stdout
    assert [line.split()[0] for line in shown.splitlines()] == ["post-commit", "pre-commit"]


def test_two_hooks_that_sync_the_same_commits_are_told_of(terminal: Terminal) -> None:
    both = "post-commit and pre-push both sync the same commits. Keep one of them:"
    assert both not in terminal.run("hook", "install", "--type", "post-commit", "--type", "post-merge").stdout
    assert both in terminal.run("hook", "install", "--type", "pre-push").stdout
    assert both in terminal.run("hook", "status").stdout
    terminal.run("hook", "uninstall", "--type", "pre-push")
    assert both not in terminal.run("hook", "status").stdout


def test_a_hook_that_was_there_is_told_of(terminal: Terminal) -> None:
    hook = terminal.repository.write(".git/hooks/post-commit", "#!/bin/sh\n")
    hook.chmod(0o755)
    assert "first calls .git/hooks/post-commit.before-pressync" in terminal.run("hook", "install").stdout
    assert "first calls .git/hooks/post-commit.before-pressync" in terminal.run("hook", "status").stdout
    assert "; the former post-commit is back" in terminal.run("hook", "uninstall").stdout
    assert hook.read_text() == "#!/bin/sh\n"


def test_a_hook_that_git_does_not_reach_is_an_ill_state(terminal: Terminal) -> None:
    terminal.run("hook", "install")
    terminal.repository.move(".git/hooks/post-commit", ".git/hooks/post-commit.old")
    terminal.repository.write(".git/hooks/post-commit", "#!/bin/sh\n")
    shown = terminal.run("hook", "status", exits=1).stdout
    assert "does not run" in shown
    assert "belongs to another program" in shown


def test_a_folder_in_the_working_tree_is_said_not_to_be_committed(terminal: Terminal) -> None:
    terminal.repository.git("config", "core.hooksPath", ".githooks")
    assert "do not commit .githooks/post-commit" in terminal.run("hook", "install").stdout


@pytest.mark.parametrize("hook_type", ["pre-push", "pre-commit"])
def test_only_hooks_that_come_afterwards_commit_the_manifest(terminal: Terminal, hook_type: str) -> None:
    told = terminal.run("hook", "install", "--type", hook_type, "--commit", exits=2).stderr
    assert f"a {hook_type} hook cannot commit" in told


def test_a_detached_head_names_no_branch(terminal: Terminal) -> None:
    terminal.repository.git("checkout", "--quiet", "--detach")
    assert "--branch NAME" in terminal.run("hook", "install", exits=2).stderr
    terminal.run("hook", "install", "--branch", "main")


@pytest.mark.sweep
def test_a_hook_of_ones_own_can_call_it(terminal: Terminal) -> None:
    told = terminal.run("hook", "run", "post-commit", "--branch", "main").stderr
    assert "3 done" in told
    assert terminal.run("hook", "run", "post-commit", "--branch", "main").output == ""
    assert "which branch is the site's?" in terminal.run("hook", "run", "post-commit").stderr
    assert terminal.run("hook", "run", "post-commit", "--branch", "other").output == ""


def test_it_can_be_turned_off(terminal: Terminal) -> None:
    terminal.environ["PRESSYNC_HOOK"] = "0"
    assert terminal.run("hook", "run", "post-commit", "--branch", "main").output == ""


def test_on_a_server_the_hook_is_that_of_what_is_received_and_follows_its_head(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "site.git"))
    server = Terminal(SampleRepository(tmp_path / "site.git"), terminal.environ)
    shown = server.run("hook", "install").stdout
    assert "Installed post-receive" in shown
    assert "Site default follows branch main." in shown
    assert "--branch" not in server.run("hook", "status").stdout, "HEAD may be another branch some day"


def test_a_hook_that_only_checks_names_no_site(terminal: Terminal) -> None:
    assert "Site " not in terminal.run("hook", "install", "--type", "pre-commit").stdout


def test_a_program_that_is_gone_is_told_with_what_notes_another(terminal: Terminal, stand_in: Path) -> None:
    terminal.run("hook", "install")
    assert "is gone" not in terminal.run("hook", "status").stdout
    stand_in.unlink()
    assert f"{stand_in} is gone: `pressync hook install`" in terminal.run("hook", "status").stdout


@pytest.mark.usefixtures("stand_in")
def test_wrong_content_ends_with_two_so_that_git_does_not_commit(terminal: Terminal) -> None:
    told = terminal.run("hook", "run", "pre-commit", exits=2).stderr
    assert told == "pressync: content/pages/a.md:2: wrong\n"


@pytest.mark.usefixtures("stand_in")
def test_a_branch_whose_name_is_no_text_is_a_branch(terminal: Terminal) -> None:
    head = terminal.repository.head()
    pushed = f"{head} {head} refs/heads/x".encode() + b"\xff\n"
    assert terminal.run("hook", "run", "post-receive", "--branch", "main", said=pushed).output == ""
