"""Gives the changes that may be sent now, in the order of the schedule.

A run that waited for whole waves left connections idle at the end of each of them. So a change is ready as
soon as the changes that it needs have ended, and the first ready one of the order goes first.
"""

from __future__ import annotations

import heapq
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.sync.jobs import Pending


class ReadyQueue:
    """The changes of one part of a run. Only the deciding thread may use it."""

    def __init__(
        self, changes: Iterable[Pending], needs: Mapping[str, Iterable[str]], others: Iterable[str] = ()
    ) -> None:
        """Take the changes in their order; `needs` names by path what must have ended before.

        `others` are needs that are not changes. The queue is active until they have ended, too.
        """
        self._changes = list(changes)
        self._places = {change.path: place for place, change in enumerate(self._changes)}
        self._sorter = TopologicalSorter({path: needs.get(path, ()) for path in (*others, *self._places)})
        self._sorter.prepare()
        self._ready: list[int] = []
        self._gather()

    @property
    def is_active(self) -> bool:
        """Whether there are changes that have not ended."""
        return self._sorter.is_active()

    def next(self) -> Pending | None:
        """Give the first change that is ready, once; None if no change is ready now."""
        return self._changes[heapq.heappop(self._ready)] if self._ready else None

    def end(self, path: str) -> None:
        """Note that a change, or something else that changes need, has ended, whatever became of it."""
        self._sorter.done(path)
        self._gather()

    def _gather(self) -> None:
        for path in self._sorter.get_ready():
            # A need that is not a change is ready at once, and ends when its own work does.
            if path in self._places:
                heapq.heappush(self._ready, self._places[path])
