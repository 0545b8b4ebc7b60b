"""The terminal as all commands share it: exit codes, warnings, signals, progress and files."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.builders import blocked, create, entry, plan

from pressync.cli import console
from pressync.cli.main import INTERRUPTED, Globals
from pressync.model.changes import Block, Blocked, Outcome, Result
from pressync.model.errors import Code, Problem
from pressync.model.outcomes import RunResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

    from pressync.model.changes import Change


GLOBALS = Globals(Path(), None, None, quiet=False, verbose=False)
QUIET = GLOBALS._replace(quiet=True)
PAGE = create("content/pages/new.md")


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
    ],
)
def test_a_plan_ends_with_the_code_of_what_a_sync_would_meet(changes: tuple[Change, ...], code: int) -> None:
    assert all(isinstance(change, Blocked) or change is PAGE for change in changes)
    assert console.plan_exit_code(plan(*changes)) == code


WARNINGS = tuple(
    Problem(f"{name}.md", 1, f"a warning {name}", warning=True, code=Code.VALUE) for name in "aabc"
)
ERROR = Problem("d.md", 2, "an error", "fix it", code=Code.VALUE)


def test_equal_problems_are_one_line_and_others_are_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    console.tell_problems(GLOBALS, (*WARNINGS, ERROR, replace(ERROR, path="e.md")), warnings=2)
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


def test_at_a_terminal_a_bar_shows_the_work_and_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
