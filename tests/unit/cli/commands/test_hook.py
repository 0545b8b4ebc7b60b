"""`pressync hook`: what it installs, says, refuses, and the codes it ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


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


def test_wrong_settings_are_told_at_once(terminal: Terminal) -> None:
    terminal.repository.write("pressync.toml", "nonsense = 1\n")
    assert "nonsense" in terminal.run("hook", "install", exits=2).stderr


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
