"""The control of a run, as a test needs it: silent, without waiting, and stopped when the test says so."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tests.support.syncing import IMPATIENT

from pressync.sync.control import RateLimiter, RunControl

if TYPE_CHECKING:
    from collections.abc import Callable


class _Turns(RateLimiter):
    """Stops the run after so many calls."""

    def __init__(self, turns: int, stop: threading.Event) -> None:
        super().__init__(None, stop)
        self._left = turns

    def wait(self) -> None:
        self._left -= 1
        if self._left < 0:
            self._stop.set()


def run_control(
    say: Callable[[str], None] = lambda _sentence: None,
    stop: threading.Event | None = None,
    *,
    turns: int | None = None,
) -> RunControl:
    """Make a control; the run is stopped after `turns` calls, if that is given."""
    stop = stop or threading.Event()
    limiter = RateLimiter(None, stop) if turns is None else _Turns(turns, stop)
    return RunControl(say, stop, IMPATIENT, limiter)
