"""The last lines: those of the whole plan if there is nothing to do, and what is not committed."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import keep, plan

from pressync.app.up_to_date import Stamp
from pressync.cli import closing_lines
from pressync.cli.report import documents, text

if TYPE_CHECKING:
    from tests.support.terminal import Terminal


PLAN = plan(keep("content/pages/a.md"), keep("content/pages/b.md", 8))
STAMP = Stamp(PLAN.site, PLAN.target, PLAN.commit, 2, readable=False)


def _watched(terminal: Terminal, *arguments: str) -> str:
    """Run a command whose standard error is a terminal, and give what is said there."""
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "pressync", *arguments],
        cwd=terminal.repository.root,
        env={**os.environ, **terminal.environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        check=True,
    )
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 65536):
            said += piece
    except OSError:
        # The other end is closed: Linux calls that an error.
        pass
    finally:
        os.close(ours)
    # The sentence is broken where the terminal ends.
    return " ".join(said.decode().split())


@pytest.mark.parametrize("command", [("plan",), ("sync", "--yes"), ("status",), ("check",)])
@pytest.mark.parametrize("remembered", [False, True])
@pytest.mark.sweep
def test_a_forgotten_commit_is_told(
    terminal: Terminal, command: tuple[str, ...], *, remembered: bool
) -> None:
    terminal.run("sync", "--yes")
    if remembered:
        terminal.run("plan")
    terminal.repository.write("content/pages/about.md", "Edited.\n")
    terminal.repository.write("content/pages/new.md", "New.\n")
    sentence = "1 uncommitted and 1 untracked files are not included: commit them, or add `--worktree`."
    assert sentence in _watched(terminal, *command)


def test_one_file_is_it(terminal: Terminal) -> None:
    terminal.repository.write("content/pages/new.md", "New.\n")
    assert "1 untracked file is not included: commit it, or add `--worktree`." in _watched(terminal, "plan")


@pytest.mark.sweep
def test_nobody_is_told_who_does_not_watch_or_has_included_it(terminal: Terminal) -> None:
    terminal.repository.write("content/pages/new.md", "New.\n")
    assert "included" not in terminal.run("plan").stderr
    assert "included" not in _watched(terminal, "-q", "plan")
    assert "included" not in _watched(terminal, "plan", "--worktree")
    assert "included" not in _watched(terminal, "check", "--staged")


def test_a_manifest_that_is_not_committed_is_told_by_a_run_with_nothing_to_do(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    terminal.run("plan")
    sentence = "next: commit .pressync/default.json, so that other clones know these records"
    assert sentence in _watched(terminal, "sync", "--yes")
    assert sentence in terminal.run("--log-format", "json", "sync", "--yes").stderr
    assert sentence not in _watched(terminal, "-q", "sync", "--yes")
    terminal.repository.commit()
    assert sentence not in _watched(terminal, "sync", "--yes")


def test_the_sentence_counts_the_records() -> None:
    assert closing_lines.plan_of_nothing(STAMP, "text") == (
        "Nothing to do: 2 records are up to date with production.\n"
    )
    assert closing_lines.nothing_to_do(STAMP._replace(kept=1)) == (
        "Nothing to do: 1 record is up to date with production."
    )


def test_the_numbers_are_those_of_the_whole_plan() -> None:
    assert text.plan_summary(PLAN).removesuffix(".") in closing_lines.nothing_to_do(STAMP)
    assert json.loads(closing_lines.plan_of_nothing(STAMP, "json")) == json.loads(documents.plan(PLAN))
