"""Calls a second, at most so many: each call asks for its turn here.

It must not know what is called. What decided its shape: turns are given out under a lock and waited for
outside of it, so that a run which is stopped waits for nobody's turn.
"""

from __future__ import annotations

import threading
import time


class RateLimiter:
    """Lets at most `rate` calls a second start; None is no limit."""

    def __init__(self, rate: float | None, stop: threading.Event) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._next = 0.0
        self._lock = threading.Lock()
        self._stop = stop

    def wait(self) -> None:
        """Wait for this call's turn, or until the run is stopped."""
        if not self._gap:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._gap
        self._stop.wait(min(turn - now, threading.TIMEOUT_MAX))
