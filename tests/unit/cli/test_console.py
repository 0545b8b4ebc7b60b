"""The terminal as all commands share it: exit codes, signals, progress, lines and objects."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
from tests.support.builders import blocked, create, entry, keep, plan

from pressync.cli import console, log
from pressync.cli.main import INTERRUPTED
from pressync.cli.options import Globals
from pressync.cli.sync import RunDisplay
from pressync.model.changes import Block, NotCompared, Outcome, Refusal, Result
from pressync.model.errors import Code, Problem
from pressync.model.outcomes import RunResult
from pressync.plan import survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.repository import SampleRepository
    from tests.support.terminal import Terminal

    from pressync.model.changes import Change


GLOBALS = Globals(Path(), None, None, quiet=False, verbose=False)
QUIET = GLOBALS._replace(quiet=True)
PAGE = create("content/pages/new.md")
NOT_COMPARED = NotCompared("c.md", PAGE.kind, 9, entry("c.md", 9))


def _run(*results: Result) -> RunResult:
    return RunResult(plan(PAGE), tuple(Outcome(PAGE, result) for result in results))


@pytest.mark.parametrize(
    ("results", "code"),
    [
        ((), console.DONE),
        ((Result.DONE, Result.KEPT), console.DONE),
        ((Result.DONE, Result.FAILED), console.FAILED),
        ((Result.SKIPPED,), console.FAILED),
        ((Result.BLOCKED,), console.FAILED),
        ((Result.FAILED, Result.UNCONFIRMED), console.UNCONFIRMED),
    ],
)
def test_a_run_ends_with_the_code_of_its_worst_outcome(results: tuple[Result, ...], code: int) -> None:
    assert console.run_exit_code(_run(*results), stopped=False) == code
    assert console.run_exit_code(_run(*results), stopped=True) == INTERRUPTED
    conflict = structs.replace(entry(PAGE.path, 12), conflict={"title": "an edit"})
    edited = RunResult(plan(PAGE), (Outcome(PAGE, Result.DONE, entry=conflict),))
    assert console.run_exit_code(edited, stopped=False) == console.FAILED


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ((), console.DONE),
        ((blocked("a.md"),), console.FAILED),
        ((replace(blocked("a.md"), block=Block.UNCONFIRMED), blocked("b.md")), console.UNCONFIRMED),
        ((PAGE, blocked("a.md")), console.PENDING),
        ((NOT_COMPARED, keep("b.md")), console.FAILED),
        ((PAGE, NOT_COMPARED), console.PENDING),
    ],
)
def test_a_plan_ends_with_the_code_of_what_a_sync_would_meet(changes: tuple[Change, ...], code: int) -> None:
    assert console.plan_exit_code(plan(*changes)) == code
    refused = plan(*changes, refusals=(Refusal("rolled_back", "a run was rolled back"),))
    assert console.plan_exit_code(refused) == console.REFUSED


WARNINGS = tuple(
    Problem(f"{name}.md", 1, f"a warning {name}", warning=True, code=Code.VALUE) for name in "aabc"
)
ERROR = Problem("d.md", 2, "an error", "fix it", code=Code.VALUE)


def test_equal_problems_are_one_line_and_others_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    console.tell_problems(GLOBALS, (*WARNINGS, ERROR, ERROR._replace(path="e.md")), warnings=2)
    assert capsys.readouterr().err == (
        "warning: a.md:1: a warning a; also a.md:1\n"
        "warning: b.md:1: a warning b\n"
        "d.md:2: an error; fix it; also e.md:2\n"
        "… and 1 more warning; `pressync check` lists all of them.\n"
    )
    console.tell_problems(QUIET, WARNINGS)
    assert len(capsys.readouterr().err.splitlines()) == 3
    console.tell_problems(QUIET, (*WARNINGS, ERROR), warnings=20)
    assert capsys.readouterr().err == "d.md:2: an error; fix it\n"


def test_reading_ends_once_the_run_is_stopped() -> None:
    stop, counted = threading.Event(), list[tuple[int, int]]()
    progress = console.until_stopped(stop, lambda done, total: counted.append((done, total)))
    progress(1, 2)
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        progress(2, 2)
    assert counted == [(1, 2)]


def test_at_a_terminal_a_bar_shows_the_work_and_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.openpty()
    with open(writer, "w", encoding="utf-8") as terminal:  # noqa: PTH123 - a descriptor has no path
        monkeypatch.setattr("sys.stderr", terminal)
        with console.Meter(GLOBALS) as meter:
            count = meter.of("Reading")
            for done in range(1, 4):
                count(done, 3)
        terminal.write("next")
        terminal.flush()
        drawn = ""
        while not drawn.endswith("next"):
            drawn += os.read(reader, 4096).decode()
    os.close(reader)
    assert "Reading" in drawn
    assert "2/3" in drawn
    # The cursor is shown again; then up into the line of the bar, and clear it.
    assert drawn.endswith("\x1b[?25h\r\n\x1b[A\r\x1b[2Knext")


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.4, "10 s"), (29, "30 s"), (94, "90 s"), (96, "2 min"), (5640, "94 min"), (7300, "2 h")],
)
def test_a_time_that_is_left_is_never_none(seconds: float, told: str) -> None:
    assert console.time_left(seconds) == told


def test_a_log_counts_the_time_of_the_work_that_it_is_about(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first half took 20 seconds. The reading before it took a minute, and is not counted."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with console.Meter(GLOBALS) as meter:
        meter.of("Reading")(1, 2)
        now = 60.0
        sending = meter.of("Sending")
        # Four calls are under way at a time, so the first count is not always 1.
        sending(4, 104)
        now = 80.0
        sending(54, 104)
    assert capsys.readouterr().err == "Sending: 54 of 104, about 20 s left\n"


def test_changes_that_are_skipped_are_not_counted_as_sent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    changes = [create(f"content/pages/{name}.md") for name in "abcd"]
    with RunDisplay(GLOBALS, threading.Event()) as display:
        display.expect(plan(*changes))
        display.outcome(Outcome(changes[0], Result.DONE))
        for change in changes[2:]:
            now += 60.0
            display.outcome(Outcome(change, Result.SKIPPED, "the run was stopped before its turn"))
        now += 60.0
        display.outcome(Outcome(changes[1], Result.DONE))
    shown = capsys.readouterr().err
    assert "Syncing: 2 of 4" in shown
    assert "Syncing: 3 of 4" not in shown


TWO = '[sites.live]\nurl = "https://a.test/wp-json"\n[sites.staging]\nurl = "https://b.test/wp-json"\n'


@pytest.fixture
def here(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> Globals:
    """Stand in a repository with two sites."""
    monkeypatch.delenv("PRESSYNC_SITE", raising=False)
    repository.commit({"pressync.toml": TWO})
    return Globals(repository.root)


def names(globals_: Globals) -> list[str | None]:
    return [each.site for each in console.for_each_site(globals_)]


def test_a_chosen_site_and_an_only_site_are_alone(here: Globals, monkeypatch: pytest.MonkeyPatch) -> None:
    assert names(here._replace(site="staging")) == ["staging"]
    assert names(here) == ["live", "staging"]
    monkeypatch.setenv("PRESSYNC_SITE", "live")
    assert names(here) == [None]
    monkeypatch.delenv("PRESSYNC_SITE")
    (here.directory / "pressync.toml").write_text(TWO.partition("[sites.staging]")[0], encoding="utf-8")
    assert names(here) == [None]


@pytest.fixture(autouse=True)
def terminal_of_its_own() -> Iterator[None]:
    """Let a closed terminal send its signal, although `nohup` may have started the tests."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def test_a_signal_sets_the_event_and_the_former_handler_comes_back(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with console.stopping(GLOBALS) as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(10)
    assert signal.getsignal(signal.SIGTERM) is before
    assert capfd.readouterr().err.startswith("Stopping after the requests that are under way.")
    # At a terminal, the sentence has a line of its own.
    monkeypatch.setattr(console, "_CURSOR", b"\x1b[?25h")
    with console.stopping(GLOBALS):
        signal.raise_signal(signal.SIGINT)
    empty, sentence, end = capfd.readouterr().err.split("\n")
    assert (empty, end) == ("", "")
    assert sentence.startswith("Stopping")
    assert len(sentence) < 80


def test_at_a_question_the_first_signal_ends_the_program() -> None:
    with console.stopping(GLOBALS) as stop:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with pytest.raises(KeyboardInterrupt), console.asking():
                signal.raise_signal(number)
        assert not stop.is_set()
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()


@pytest.mark.parametrize(("handler", "stops"), [(signal.SIG_DFL, True), (signal.SIG_IGN, False)])
def test_a_closed_terminal_stops_a_run_but_for_nohup(handler: signal.Handlers, *, stops: bool) -> None:
    signal.signal(signal.SIGHUP, handler)
    with console.stopping(GLOBALS) as stop:
        for _ in range(3):
            signal.raise_signal(signal.SIGHUP)
        assert stop.is_set() is stops


def test_a_thread_that_gets_no_signals_is_given_an_event_all_the_same() -> None:
    given = []

    def work() -> None:
        with console.stopping(GLOBALS) as stop:
            given.append(stop.is_set())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert given == [False]


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
    assert "test_console.py" in said["traceback"]


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


def test_a_terminal_gets_lines_of_its_width_with_an_indent(monkeypatch: pytest.MonkeyPatch) -> None:
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


def _watched(program: Path, terminal: Terminal, *arguments: str, exits: int = 0) -> str:
    """Run a command whose standard error is a terminal, and give what is said there."""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [program, *arguments],
        cwd=terminal.repository.root,
        env={**os.environ, **terminal.environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        check=False,
    )
    assert done.returncode == exits
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


@pytest.mark.sweep
def test_a_forgotten_commit_is_told_to_those_who_watch_and_have_not_included_it(
    program: Path, terminal: Terminal
) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.write("content/pages/new.md", "New.\n")
    terminal.repository.write("content/pages/about.md", "Edited.\n")
    names = "(content/pages/about.md, content/pages/new.md)"
    sentence = (
        f"1 uncommitted and 1 untracked files are not included {names}: commit them, or add `--worktree`."
    )
    about = ("explain", "content/pages/about.md")
    for command in (("plan",), ("sync", "--yes"), ("status",), about):
        assert sentence in _watched(program, terminal, *command)
    for command in (("-q", "plan"), ("plan", "--worktree"), ("check",), ("check", "--staged")):
        assert "included" not in _watched(program, terminal, *command)


@pytest.mark.parametrize("command", ["sync", "rehearse"])
def test_a_run_that_wrong_content_ends_tells_of_a_correction_that_is_not_committed(
    program: Path, terminal: Terminal, command: str
) -> None:
    page = "content/pages/about.md"
    terminal.repository.commit({page: "---\nstatus: publsh\n---\n"})
    terminal.repository.write(page, "---\nstatus: publish\n---\n")
    assert "1 uncommitted file is not included" in _watched(program, terminal, command, exits=2)


def test_a_manifest_that_is_not_committed_is_told_by_a_run_with_nothing_to_do(
    program: Path, terminal: Terminal
) -> None:
    terminal.run("sync", "--yes")
    terminal.run("plan")
    sentence = "next: commit .pressync/default.json, so that other clones know these records"
    assert sentence in _watched(program, terminal, "sync", "--yes")
    assert sentence in terminal.run("--log-format", "json", "sync", "--yes").stderr
    assert sentence not in _watched(program, terminal, "-q", "sync", "--yes")
    terminal.repository.commit()
    assert sentence not in _watched(program, terminal, "sync", "--yes")
