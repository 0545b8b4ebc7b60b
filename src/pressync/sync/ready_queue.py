"""Gives the changes that may be sent now, in the order of the schedule.

A run that waited for whole waves left connections idle at the end of each of them. So a change is ready as
soon as the changes that it needs have ended, and the first ready one of the order goes first. A run may have
many thousands of changes, so each is one number here; the sorter of `graphlib` takes five times the memory.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
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

        `others` are needs that are not changes. The queue is active until they have ended, too. The needs
        must not be a circle.
        """
        self._changes = list(changes)
        # By place: the number of its needs that have not ended. By need: the places that wait for it.
        self._waits_for = [0] * len(self._changes)
        self._waiting: defaultdict[str, list[int]] = defaultdict(list)
        for place, change in enumerate(self._changes):
            for need in frozenset(needs.get(change.path, ())):
                self._waiting[need].append(place)
                self._waits_for[place] += 1
        self._not_ended = {*others, *self._waiting, *(change.path for change in self._changes)}
        # An ascending list is a heap.
        self._ready = [place for place, number in enumerate(self._waits_for) if not number]

    @property
    def is_active(self) -> bool:
        """Whether there are changes that have not ended."""
        return bool(self._not_ended)

    def next(self) -> Pending | None:
        """Give the first change that is ready, once; None if no change is ready now."""
        return self._changes[heapq.heappop(self._ready)] if self._ready else None

    def end(self, path: str) -> None:
        """Note that a change, or something else that changes need, has ended, whatever became of it.

        :raises KeyError: it has ended before, or it is not in this queue.
        """
        self._not_ended.remove(path)
        for place in self._waiting.pop(path, ()):
            self._waits_for[place] -= 1
            if not self._waits_for[place]:
                heapq.heappush(self._ready, place)
