"""`hook` at work: kinds of repositories, programs that are gone, and the codes that stop Git."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.terminal import Terminal

from pressync.app.hooks import script

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program in the place of pressync, which says that the content is wrong."""
    program = tmp_path / "bin" / "pressync"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho content/pages/a.md:2: wrong >&2\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setattr(script, "program", lambda: [str(program)])
    monkeypatch.setattr(script, "python", lambda: [str(program)])
    return program


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
