"""Limits how many calls a run starts per second.

A thread reserves its start time under a lock and waits for it outside the lock. So a run that is stopped
does not wait for the start times of other threads.
"""

from __future__ import annotations

import threading
import time


class RateLimiter:
    """Lets at most `rate` calls start per second; None means that there is not a limit."""

    def __init__(self, rate: float | None, stop: threading.Event) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._next = 0.0
        self._lock = threading.Lock()
        self._stop = stop

    def wait(self) -> None:
        """Wait until this call may start, or until the run is stopped."""
        if not self._gap:
            return
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + self._gap
        self._stop.wait(min(start - now, threading.TIMEOUT_MAX))
