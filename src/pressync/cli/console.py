"""The parts of the terminal that all commands share: the workspace, progress, signals and exit codes.

Data goes to standard output and everything for people goes to standard error, so that a pipe gets exactly the
document that was asked for. Ctrl-C, SIGTERM and a closed terminal become an event. A process that ends at
once leaves the creates that are under way unconfirmed. So the first signal only asks the run to stop.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from pressync.cli import log, options
from pressync.cli.main import INTERRUPTED
from pressync.cli.report import words
from pressync.model.changes import Block, Blocked, Outcome, Plan, Result
from pressync.model.errors import Problem, counted_places
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    # Click gives the class of its bar no public name.
    from click._termui_impl import ProgressBar

    from pressync.app.site import SyncedSite
    from pressync.app.workspace import Workspace
    from pressync.config.agreement import Consent
    from pressync.model.outcomes import RunResult
    from pressync.plan.survey import Progress

    Handler = Callable[[int, FrameType | None], object]

_NO_POLICY = (
    "pressync.toml: `[agents]` has no effect any more. An agent may send what its own account may do. "
    "Leave the table out, and give the agent an account that can only write drafts: a Contributor's."
)
DONE, FAILED, WRONG, PENDING, REFUSED, UNCONFIRMED = 0, 1, 2, 3, 4, 5
# A plan or a sync prints this many warnings and counts the others.
SHOWN_WARNINGS = 20
# A terminal of this width has place for a bar of that width and for its numbers; 0 fits the bar in.
_WIDE, _BAR = 80, 12
# From so many seconds on, a time is told in minutes or in hours.
_MINUTES, _HOURS = 95, 95 * 60
# A finished bar ends its line. This goes back up to it and clears it.
_ERASE = "\x1b[A\r\x1b[2K"
_STDOUT, _STDERR = 1, 2
_STOPPING = "Stopping after the requests that are under way. Ctrl-C again ends at once."
# A progress bar hides the cursor of a terminal. When the process ends at once, the bar cannot show it again.
_CURSOR = b"\x1b[?25h" if os.isatty(_STDERR) else b""


def open_workspace(
    globals_: options.Globals, *, wait: float | None = None, typed: bool = True, as_agent: bool = False
) -> Workspace:
    """Open the workspace that the flags name, and wait at most `wait` seconds for the lock of another run.

    One that is not `typed` ignores the committed schema of the site.
    """
    from pressync.app.workspace import DEFAULT_WAIT, Workspace  # noqa: PLC0415 - `--help` needs no workspace
    from pressync.stage.embedded import EMBEDDED_SERVICE  # noqa: PLC0415 - the same

    workspace = Workspace.open(
        globals_.directory,
        site=globals_.site,
        config_file=globals_.config_file,
        environ=globals_.environ,
        embedded=EMBEDDED_SERVICE,
        wait=DEFAULT_WAIT if wait is None else wait,
        say=lambda sentence: tell(globals_, sentence),
        agree=lambda question: _agree(globals_, question),
        typed=typed,
        way=way_of_agreeing(globals_),
        as_agent=as_agent,
    )
    if workspace.settings.has_agents:
        tell(globals_, _NO_POLICY)
    return workspace.opening(globals_.open_content) if globals_.open_content else workspace


def open_site(globals_: options.Globals, *, wait: float | None = None, as_agent: bool = False) -> SyncedSite:
    """Open the site that the flags name, as `open_workspace` does."""
    from pressync.app.site import SyncedSite  # noqa: PLC0415 - `--help` needs no site

    return SyncedSite(open_workspace(globals_, wait=wait, as_agent=as_agent))


def way_of_agreeing(globals_: options.Globals) -> Consent:
    """Tell how somebody agrees to something here."""
    from pressync.config import agreement  # noqa: PLC0415 - `--help` agrees to nothing
    from pressync.config.settings import PUSHED  # noqa: PLC0415 - as above

    return agreement.way_of(os.environ, pushed=os.environ.get(PUSHED) == "1", watched=is_watched(globals_))


def sites(globals_: options.Globals) -> tuple[tuple[str, ...], str]:
    """List the sites of the settings, which no site in particular can load, and name the settings.

    The table of a site may have problems, which end the run of this site alone.
    """
    from pressync.config.settings import find_text  # noqa: PLC0415 - few commands are about all sites
    from pressync.repo.repository import Repository  # noqa: PLC0415 - the same

    with Repository(globals_.directory) as repository:
        text = find_text(repository, globals_.config_file)
    return text.sites, text.where


def is_site_chosen(globals_: options.Globals) -> bool:
    """Whether somebody chose a site."""
    return bool(globals_.site or os.environ.get("PRESSYNC_SITE"))


def for_each_site(globals_: options.Globals) -> list[options.Globals]:
    """Give the options once for each site that a command is about; the settings may choose the only one."""
    if is_site_chosen(globals_):
        return [globals_]
    names, _ = sites(globals_)
    return [globals_._replace(site=name) for name in names] if len(names) > 1 else [globals_]


def tell(globals_: options.Globals, sentence: str) -> None:
    """Write a sentence for the person who watches; with `--quiet` write nothing."""
    if not globals_.quiet:
        log.write(globals_.log_format, sentence)


def tell_problems(
    globals_: options.Globals,
    problems: Sequence[Problem],
    *,
    warnings: int | None = None,
    similar: bool = False,
) -> None:
    """Print warnings, then errors, as `path:line: problem; next step`; equal ones are one line with a count.

    A migrated tree has hundreds of harmless warnings, and they must not hide the plan. So only the first
    `warnings` lines of them are printed, and none with `--quiet`. It is None for `check`, which prints all.
    With `similar`, problems that differ in an id or a value are equal.
    """
    problems = [problem.published for problem in problems] if log.is_of_a_job() else problems
    groups = words.grouped_problems((problem for problem in problems if problem.warning), similar=similar)
    shown, left = (groups, []) if warnings is None else (groups[:warnings], groups[warnings:])
    if globals_.quiet and warnings is not None:
        shown, left = [], []
    errors = words.grouped_problems((problem for problem in problems if not problem.warning), similar=similar)
    for alike in (*shown, *errors):
        log.write_problem(globals_.log_format, words.merged_problem(alike))
    if left:
        more = counted_places(len(left), sum(map(len, left)), "more warning")
        tell(globals_, f"… and {more}; `pressync check` lists all of them.")


def is_watched(globals_: options.Globals) -> bool:
    """Whether a person at a terminal reads standard error and can answer a question."""
    return globals_.log_format == log.TEXT and sys.stdin.isatty() and sys.stderr.isatty()


def _agree(globals_: options.Globals, question: str) -> bool:
    """Ask the person at the terminal; False if nobody is there, or if another thread has the question."""
    if not is_watched(globals_) or not is_main_thread():
        return False
    with asking():
        return click.confirm(one_line(question), err=True)


def colour_wanted(*, err: bool = False) -> bool:
    """Whether standard output or error gets colour: as somebody decided, else if it is a terminal."""
    ctx = click.get_current_context(silent=True)
    decided = ctx.color if ctx else options.colour(options.AUTO)
    return (sys.stderr if err else sys.stdout).isatty() if decided is None else decided


def columns(*, err: bool = False) -> int | None:
    """Give the width of the terminal that standard output or error writes to; None without a terminal."""
    return log.columns(sys.stderr if err else sys.stdout)


def until_stopped(stop: threading.Event, progress: Progress) -> Progress:
    """Make a progress function that ends a run which is stopped while it reads; no request is under way then.

    The reader calls it after each document. The exception releases the lock and the claim on its way out.
    """

    def counted(done: int, total: int) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        progress(done, total)

    return counted


def is_main_thread() -> bool:
    """Whether this thread gets the signals."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def stopping(globals_: options.Globals, sentence: str = _STOPPING) -> Iterator[threading.Event]:
    """Give an event that Ctrl-C, SIGTERM or a closed terminal sets; a second signal ends the process at once.

    The journal makes the second signal safe. The former handlers are restored at the end.
    """
    stop = threading.Event()
    # This call loads the modules that the handler needs, so that the handler imports nothing. With JSON there
    # is no progress bar, so the cursor is visible.
    log.line(globals_.log_format, "")
    cursor = _CURSOR if globals_.log_format == log.TEXT else b""

    def ask(_number: int, _frame: object) -> None:
        # `os.write`, because the interrupted thread may be in the middle of a write to `sys.stderr`.
        if stop.is_set():
            # `os._exit`, because an exception would wait for the requests that are under way.
            os.write(_STDERR, cursor + log.line(globals_.log_format, "Interrupted."))
            os._exit(INTERRUPTED)
        stop.set()
        if not globals_.quiet:
            # A terminal has written `^C` behind the progress bar.
            os.write(_STDERR, b"\n" * bool(cursor) + log.line(globals_.log_format, sentence))

    terminals = [number for number in (_STDOUT, _STDERR) if os.isatty(number)]

    def hang_up(number: int, frame: object) -> None:
        # Each write to a terminal that was closed would fail, and end the run before it has saved anything.
        with Path(os.devnull).open("wb") as nowhere:
            for terminal in terminals:
                os.dup2(nowhere.fileno(), terminal)
        # A shell repeats the signal for its jobs, so a second one is not a wish to end at once.
        if not stop.is_set():
            ask(number, frame)

    with _handling(ask, hang_up):
        yield stop


def asking() -> AbstractContextManager[None]:
    """Let Ctrl-C end the program at a question: no request is under way, so there is nothing to wait for."""
    return _handling(signal.default_int_handler, signal.default_int_handler)


@contextmanager
def _handling(ask: Handler, hang_up: Handler) -> Iterator[None]:
    """Give Ctrl-C and SIGTERM one handler for a block, and a closed terminal another one."""
    handlers = {signal.SIGINT: ask, signal.SIGTERM: ask, signal.SIGHUP: hang_up}
    # `nohup` has the last signal ignored, so that the program goes on.
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        del handlers[signal.SIGHUP]
    before = {
        number: signal.signal(number, handler)
        for number, handler in (handlers.items() if is_main_thread() else ())
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Meter:
    """Shows the progress of long work: on a terminal a bar with the time left, elsewhere a log line.

    Use it as a context manager. A bar appears with its first count and disappears when its work is done, so
    that the program can ask a question between two bars.
    """

    def __init__(self, globals_: options.Globals) -> None:
        from pressync.config.agreement import Consent  # noqa: PLC0415 - `--help` shows no progress

        self._globals = globals_
        # A tool gets the messages of a command after its end.
        self._is_silent = globals_.quiet or way_of_agreeing(globals_) is Consent.AGENT
        self._bar: ProgressBar[int] | None = None
        # The work that the log is about: its title, its first count, and when that came.
        self._logged, self._first = "", 0
        self._begun = self._said = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def of(self, title: str) -> Progress:
        """Make the function that shows the work of this title; it takes the number done and the total."""
        return lambda done, total: self._count(title, done, total)

    def _count(self, title: str, done: int, total: int) -> None:
        if self._is_silent:
            return
        if sys.stderr.isatty() and self._globals.log_format == log.TEXT:
            self._draw(title, done, total)
        else:
            self._log(title, done, total)

    def _draw(self, title: str, done: int, total: int) -> None:
        if self._bar is None or self._bar.label != title:
            self._close()
            # A bar is drawn again for each half percent: drawing takes longer than most steps of the work.
            bar: ProgressBar[int] = click.progressbar(
                length=total,
                label=title,
                file=sys.stderr,
                show_pos=True,
                width=_BAR if (log.columns(sys.stderr) or _WIDE) >= _WIDE else 0,
                update_min_steps=max(total // 200, 1),
            )
            self._bar = bar.__enter__()
        self._bar.length = total
        self._bar.update(done - self._bar.pos)
        if done >= total:
            self._close()

    def _log(self, title: str, done: int, total: int) -> None:
        now = time.monotonic()
        if title != self._logged or done <= self._first:
            self._logged, self._first = title, done
            self._begun = self._said = now
        # A run of hours must not fill the log.
        elif now - self._said >= min(max((now - self._begun) / 10, 5), 60) and done < total:
            left = (total - done) * (now - self._begun) / (done - self._first)
            tell(self._globals, f"{title}: {done} of {total}, about {time_left(left)} left")
            self._said = now

    def _close(self) -> None:
        if self._bar:
            self._bar.__exit__(None, None, None)
            sys.stderr.write(_ERASE)
            self._bar = None


def time_left(seconds: float) -> str:
    """Write a time that is only known roughly, in a unit in which it is not 0."""
    if seconds < _MINUTES:
        return f"{max(round(seconds, -1), 10):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < _HOURS else f"{seconds / 3600:.0f} h"


def tell_outcome(globals_: options.Globals, outcome: Outcome) -> None:
    """With `--verbose`, print each outcome at once."""
    if globals_.verbose:
        word = words.RESULT_WORDS[outcome.result]
        message = (outcome.published if log.is_of_a_job() else outcome).message
        tell(globals_, f"{word}: {outcome.change.path} {message}".rstrip())


def for_readers(run: RunResult) -> RunResult:
    """Give the result of a run as the readers of its report may see it: that of a job names no users."""
    return run.published if log.is_of_a_job() else run


def run_exit_code(run: RunResult, *, stopped: bool) -> int:
    """Give 130 if interrupted, 5 if a create is unconfirmed, 1 if a change failed or met an edit, else 0."""
    results = {outcome.result for outcome in run.outcomes}
    if stopped:
        return INTERRUPTED
    if Result.UNCONFIRMED in results:
        return UNCONFIRMED
    incomplete = any(not problem.warning for problem in run.plan.problems)
    incomplete |= any(outcome.entry and outcome.entry.conflict for outcome in run.outcomes)
    return FAILED if incomplete or results & {Result.FAILED, Result.BLOCKED, Result.SKIPPED} else DONE


def plan_exit_code(plan: Plan) -> int:
    """For `plan --exit-code`: 4 if a sync would refuse, 3 if changes are pending, 5 if unconfirmed.

    Otherwise it is 1 if a record is blocked, or was not compared with the site, and 0 without such a record.
    """
    if plan.refusals:
        return REFUSED
    if plan.pending:
        return PENDING
    blocks = {change.block for change in plan.changes if isinstance(change, Blocked)}
    if Block.UNCONFIRMED in blocks:
        return UNCONFIRMED
    return FAILED if blocks or plan.not_compared else DONE
