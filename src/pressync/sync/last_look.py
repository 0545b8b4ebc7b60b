"""Remembers when a run last knew each record: by a read, or by the response to its own write.

A person may answer a question after an hour, and a run may take an hour. Only the age of the last look limits
the time in which an edit of somebody else is overwritten unseen.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

from pressync.model.changes import Create

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pressync.model.changes import Plan
    from pressync.model.interface import Kind

    _RecordKey = tuple[Kind, int]

# A record that the run knows for at most this many seconds is not read again. The first look of a quick
# run and its writes are closer together than this, so one quick edit costs one read and one write.
RECENT = 5.0


def _now() -> float:
    # A laptop may sleep while a question waits for its answer. Python's monotonic clock stops then on Linux.
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class LastLook:
    """When a run last knew each record, by a read or by the response to its own write. Threads share it."""

    def __init__(self, now: Callable[[], float] = _now) -> None:
        self.now = now
        self._known: dict[_RecordKey, float] = {}
        # A long run forgets what is old: it knows thousands of records, and needs the last few.
        self._earlier: dict[_RecordKey, float] = {}
        self._since = 0.0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._known) + len(self._earlier)

    def saw(self, plan: Plan, at: float) -> None:
        """Note that the records which a plan changes were read and compared at this time."""
        changes = (change for change in plan.pending if not isinstance(change, Create))
        self.knows(((change.kind, change.id) for change in changes), at)

    def knows(self, records: Iterable[_RecordKey], at: float) -> None:
        """Note that the run knows these records as they were at this time."""
        with self._lock:
            if at - self._since > RECENT:
                self._earlier, self._known, self._since = self._known, {}, at
            self._known.update(dict.fromkeys(records, at))

    def is_recent(self, record: _RecordKey) -> bool:
        """Whether the run knows a record so well that it need not read it again."""
        with self._lock:
            at = self._known.get(record, self._earlier.get(record))
        return at is not None and self.now() - at <= RECENT
