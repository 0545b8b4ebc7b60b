"""Counts the requests of this process and their bytes, for the report of a run.

A run and its look-ups share connections, and a process makes one run. So the process counts, and a run
subtracts what was counted before it began.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

_counting = threading.Lock()


@dataclass(frozen=True, slots=True)
class Traffic:
    """A number of requests, and the bytes of their bodies and of the bodies of their responses."""

    requests: int = 0
    sent: int = 0
    received: int = 0

    def since(self, before: Traffic) -> Traffic:
        """Give what came after an earlier count."""
        return Traffic(
            self.requests - before.requests, self.sent - before.sent, self.received - before.received
        )


_counted = [Traffic()]


def count(*, requests: int = 0, sent: int = 0, received: int = 0) -> None:
    """Count a request, or its response."""
    with _counting:
        before = _counted[0]
        _counted[0] = Traffic(before.requests + requests, before.sent + sent, before.received + received)


def now() -> Traffic:
    """Give the count so far."""
    return _counted[0]
