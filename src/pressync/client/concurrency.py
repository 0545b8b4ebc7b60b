"""Limits how many calls are under way at a time, by how the service answers.

A service that is overloaded says so with 429 or 503, or does not answer in time. Then half as many calls may
be under way, and one more after each round that went well. There is no clock in this module: it counts
answers.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pressync.model.errors import Later, NoAnswer, NotSent, ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# A thread that waits for its turn checks once in this many seconds whether the run was stopped.
_LOOK = 0.2
# To come back to the number of calls that was too many takes this many times as many good answers.
_CAUTION = 10


class Stopped(NotSent):
    """The run was stopped while this call waited for its turn."""


class Window:
    """The number of calls that may be under way, at most `most`. Threads share it."""

    def __init__(self, most: int, stopped: Callable[[], bool] = lambda: False) -> None:
        self.limit = most
        self._most = most
        self._stopped = stopped
        self._under_way = 0
        self._pausing = 0
        self._good = 0
        self._too_many = most + 1
        # It counts how often the limit was lowered. One overload makes many calls fail, and must count once.
        self._round = 0
        self._changed = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait for a place, keep it for one call, and learn from the error of the call.

        :raises Stopped: the run was stopped while this thread waited.
        """
        with self._changed:
            while (begun := self._entered()) is None:
                if self._stopped():
                    raise Stopped("the run was stopped before its turn")
                self._changed.wait(_LOOK)
        error: ServiceError | None = None
        try:
            yield
        except ServiceError as raised:
            error = raised
            raise
        finally:
            with self._changed:
                self._leave(begun, overloaded=isinstance(error, Later | NoAnswer), good=error is None)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Let no other call begin: the service named a time before which it wants none."""
        with self._changed:
            self._pausing += 1
        try:
            yield
        finally:
            with self._changed:
                self._pausing -= 1
                self._changed.notify_all()

    def _entered(self) -> int | None:
        """Take a place if there is one; gives the round in which the call begins."""
        if self._pausing or self._under_way >= self.limit:
            return None
        self._under_way += 1
        return self._round

    def _leave(self, begun: int, *, overloaded: bool, good: bool) -> None:
        if begun == self._round and overloaded:
            self._too_many = self.limit
            self.limit = max(1, self.limit // 2)
            self._round += 1
            self._good = 0
        elif begun == self._round and good:
            self._good += 1
            careful = self.limit + 1 == self._too_many
            if self.limit < self._most and self._good >= self.limit * (_CAUTION if careful else 1):
                self.limit += 1
                self._good = 0
        self._under_way -= 1
        self._changed.notify_all()
