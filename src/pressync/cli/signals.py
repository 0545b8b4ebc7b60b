"""Turns Ctrl-C, SIGTERM and a closed terminal into an event, so that a run can end in good order.

A process that ends at once leaves the creates that are under way unconfirmed. So the first signal only asks
the run to stop.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.cli import log
from pressync.cli.main import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.cli.main import Globals

_STDOUT, _STDERR = 1, 2
_STOPPING = "Stopping after the requests that are under way. Ctrl-C again ends at once."
# A progress bar hides the cursor of a terminal. When the process ends at once, the bar cannot show it again.
_CURSOR = b"\x1b[?25h" if os.isatty(_STDERR) else b""


def is_main_thread() -> bool:
    """Whether this thread gets the signals."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def stopping(globals_: Globals, sentence: str = _STOPPING) -> Iterator[threading.Event]:
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

    if not is_main_thread():
        yield stop
        return
    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    # `nohup` has the signal ignored, so that the program goes on.
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, hang_up)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def asking() -> Iterator[None]:
    """Let Ctrl-C end the program at a question: no request is under way, so there is nothing to wait for."""
    if not is_main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    asked = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, signal.default_int_handler) for number in asked}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
