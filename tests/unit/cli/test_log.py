"""Standard error: every line is an object for a scheduler, and the last lines say what is left to do."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from pressync.cli import log
from pressync.model.errors import Code, Problem
from pressync.plan import survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.terminal import Terminal


WRONG = {"content/pages/bad.md": "---\ntitle: x\nmenu_order: first\n---\n[x](nowhere.md)\n"}


def _said(terminal: Terminal, *arguments: str, exits: int) -> list[dict[str, Any]]:
    told = terminal.run("--log-format", "json", *arguments, exits=exits).stderr
    said = [json.loads(line) for line in told.splitlines()]
    assert all(datetime.fromisoformat(each["time"]).utcoffset() == timedelta(0) for each in said)
    assert {each["level"] for each in said} <= {log.INFO, log.WARNING, log.ERROR}
    return said


def test_a_problem_and_a_warning_have_their_path_and_their_line(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/bad.md": "# Bad\n\n[x](nowhere.md)\n"})
    (warning,) = _said(terminal, "plan", exits=0)
    assert (warning["level"], warning["line"]) == ("warning", 3)
    assert _said(terminal, "-q", "plan", exits=0) == []
    # `check` exists to print them.
    assert len(_said(terminal, "-q", "check", exits=0)) == 1
    terminal.repository.commit(WRONG)
    problem, *_, last = _said(terminal, "sync", "--yes", exits=2)
    assert (problem["level"], problem["path"], problem["line"]) == ("error", "content/pages/bad.md", 3)
    assert "menu_order" in problem["message"]
    assert "nothing was sent" in last["message"]
    assert "path" not in last


def test_errors_of_ours_of_usage_and_of_git_are_all_objects(terminal: Terminal) -> None:
    assert "--yes" in _said(terminal, "sync", exits=2)[0]["message"]
    assert "--no-such" in _said(terminal, "sync", "--no-such", exits=2)[0]["message"]
    assert "nope" in _said(terminal, "plan", "--ref", "nope", exits=2)[0]["message"]
    assert "such command" in _said(terminal, "sing", exits=2)[0]["message"].lower()


def test_a_bug_is_an_object_with_its_traceback(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("a bug\x1b[2J")

    monkeypatch.setattr(survey.Surveyor, "survey", fails)
    (said,) = _said(terminal, "plan", exits=1)
    assert "RuntimeError" in said["message"]
    assert "test_log.py" in said["traceback"]


def test_what_went_well_is_told_with_verbose_and_a_hook_says_its_lines_as_objects(terminal: Terminal) -> None:
    said = [each["message"] for each in _said(terminal, "-v", "sync", "--yes", exits=0)]
    assert len({message for message in said if message.startswith("done: content/pages/")}) == 3
    assert _said(terminal, "-q", "sync", "--yes", exits=0) == []
    hook = ("hook", "run", "post-commit", "--branch", "main")
    terminal.repository.commit({"content/pages/new.md": "# New\n"})
    (told, *_) = _said(terminal, *hook, exits=0)
    assert "1 done" in told["message"]
    assert not told["message"].startswith("pressync:")
    terminal.repository.commit({"content/pages/newer.md": "# Newer\n"})
    assert _said(terminal, "-q", *hook, exits=0) == []


@contextmanager
def narrow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Make standard error a terminal of 60 columns; the function reads what it shows."""
    reader, writer = os.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.set_blocking(reader, False)
    monkeypatch.delenv("COLUMNS", raising=False)
    with open(writer, "w", encoding="utf-8", buffering=1) as screen, monkeypatch.context() as patch:  # noqa: PTH123 - a descriptor has no path
        patch.setattr("sys.stderr", screen)
        yield lambda: os.read(reader, 65536).decode().replace("\r\n", "\n")
    os.close(reader)


LONG = Problem(
    "content/a.md",
    3,
    "the link leads to a page that does not exist",
    "mend it, or run `git log -- a.md`",
    warning=True,
    code=Code.MANIFEST,
)


def test_a_terminal_gets_lines_of_its_width_with_an_indent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with narrow(monkeypatch) as shown:
        log.write_problem(log.TEXT, LONG)
        assert shown() == (
            "\x1b[33mwarning:\x1b[0m content/a.md:3: the link leads to a page that does\n"
            "    not exist; mend it, or run `git log -- a.md`\n"
        )
        log.write(log.TEXT, "Short.\nAnd what Git says.", log.ERROR)
        assert shown() == "\x1b[31mError:\x1b[0m Short.\nAnd what Git says.\n"
        monkeypatch.setenv("COLUMNS", "200")
        log.write_problem(log.TEXT, LONG)
        assert shown().count("\n") == 1
        monkeypatch.setenv("COLUMNS", "many")
        assert log.columns(sys.stderr) == 80


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


def test_one_file_is_it(terminal: Terminal) -> None:
    terminal.repository.write("content/pages/new.md", "New.\n")
    assert "1 untracked file is not included: commit it, or add `--worktree`." in _watched(terminal, "plan")
    assert "included" not in terminal.run("plan").stderr


@pytest.mark.sweep
def test_a_forgotten_commit_is_told_to_those_who_watch_and_have_not_included_it(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.write("content/pages/new.md", "New.\n")
    terminal.repository.write("content/pages/about.md", "Edited.\n")
    sentence = "1 uncommitted and 1 untracked files are not included: commit them, or add `--worktree`."
    for command in (("plan",), ("sync", "--yes"), ("status",), ("check",)):
        assert sentence in _watched(terminal, *command)
    for command in (("-q", "plan"), ("plan", "--worktree"), ("check", "--staged")):
        assert "included" not in _watched(terminal, *command)


def test_a_manifest_that_is_not_committed_is_told_by_a_run_with_nothing_to_do(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    terminal.run("plan")
    sentence = "next: commit .pressync/default.json, so that other clones know these records"
    assert sentence in _watched(terminal, "sync", "--yes")
    assert sentence in terminal.run("--log-format", "json", "sync", "--yes").stderr
    assert sentence not in _watched(terminal, "-q", "sync", "--yes")
    terminal.repository.commit()
    assert sentence not in _watched(terminal, "sync", "--yes")
