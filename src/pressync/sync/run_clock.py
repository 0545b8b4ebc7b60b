"""Measures a run for its report: how long it took, what was slow, and how much went over the line.

Several threads send requests at once, so the times of requests do not add up to the time of the run. The
account has the whole time and the slowest requests, and never a sum. A run can send many thousands of
requests, so only the slowest are kept.
"""

from __future__ import annotations

import heapq
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from pressync.client import traffic
from pressync.model.outcomes import RunAccount, Slow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_Asked = TypeVar("_Asked")
_Answer = TypeVar("_Answer")
# At most this many of the slowest requests are reported.
_SLOWEST = 10


class RunClock:
    """The clock of one run; threads share it."""

    def __init__(self) -> None:
        self._began = datetime.now(UTC)
        self._start = time.monotonic()
        self._before = traffic.now()
        self._slowest: list[tuple[float, int, str, int]] = []
        self._number = 0
        self._noting = threading.Lock()

    def timed(self, paths: Sequence[str], send: Callable[[_Asked], _Answer], asked: _Asked) -> _Answer:
        """Send one request, which carries out the changes of these paths, and time it."""
        start = time.monotonic()
        try:
            return send(asked)
        finally:
            self._note(time.monotonic() - start, paths)

    def _note(self, seconds: float, paths: Sequence[str]) -> None:
        with self._noting:
            self._number += 1
            heapq.heappush(self._slowest, (seconds, self._number, paths[0], len(paths)))
            if len(self._slowest) > _SLOWEST:
                heapq.heappop(self._slowest)

    def account(self) -> RunAccount:
        """Give what was measured so far."""
        seen = traffic.now().since(self._before)
        with self._noting:
            slowest = sorted(self._slowest, reverse=True)
        return RunAccount(
            began=self._began.isoformat(timespec="seconds"),
            seconds=time.monotonic() - self._start,
            requests=seen.requests,
            sent=seen.sent,
            received=seen.received,
            slowest=tuple(Slow(path, changes, seconds) for seconds, _, path, changes in slowest),
        )
