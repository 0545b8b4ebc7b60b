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


def test_several_types_are_installed_at_once_and_two_that_sync_are_told_of(
    terminal: Terminal,
) -> None:
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


def test_a_detached_head_names_no_branch_and_only_late_hooks_commit(
    terminal: Terminal,
) -> None:
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
def test_wrong_content_ends_with_two_and_any_bytes_may_be_a_branch(
    terminal: Terminal,
) -> None:
    told = terminal.run("hook", "run", "pre-commit", exits=2).stderr
    assert told == "pressync: content/pages/a.md:2: wrong\n"
    head = terminal.repository.head()
    pushed = f"{head} {head} refs/heads/x".encode() + b"\xff\n"
    assert terminal.run("hook", "run", "post-receive", "--branch", "main", said=pushed).output == ""
