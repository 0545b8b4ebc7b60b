"""Group commit: writers that wait for each other share one durable commit.

A commit waits for the disk, and a service has several writers at a time. Each of them writes alone, inside
a savepoint of one transaction. Then they wait until nobody else wants to write, and one commits for all.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(slots=True)
class _Group:
    """The writers of one transaction; `error` says why none of their writes is there."""

    db: sqlite3.Connection
    ended: bool = False
    error: sqlite3.Error | None = None


class GroupCommit:
    """Lends the only write transaction of a database to one writer after the other.

    `begin` gives a connection inside a new transaction, and `end` takes it back outside of any.
    """

    def __init__(
        self, begin: Callable[[], sqlite3.Connection], end: Callable[[sqlite3.Connection], None]
    ) -> None:
        self._begin = begin
        self._end = end
        self._group: _Group | None = None
        # This queues our own threads. SQLite alone would let them poll, and some would starve.
        self._changed = Condition()
        self._busy = False
        self._queued = 0

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection; what the block wrote is durable when this context ends.

        An exception in the block undoes the writes of the block alone. Raises what `begin` raises, and
        sqlite3.Error if the commit fails: then nothing of any writer is there.
        """
        self._take_turn()
        group = self._group
        try:
            group = self._group = group or _Group(self._begin())
            with self._savepoint(group):
                yield group.db
        finally:
            self._end_turn()
            if group and self._takes_turn_to_commit(group):
                self._commit(group)
                self._end_turn()
        if group.error:
            raise group.error

    def _take_turn(self) -> None:
        with self._changed:
            self._queued += 1
            try:
                self._changed.wait_for(lambda: not self._busy)
            finally:
                self._queued -= 1
            self._busy = True

    def _takes_turn_to_commit(self, group: _Group) -> bool:
        """Wait until the group has ended, or nobody writes or waits to write: then take the turn."""
        with self._changed:
            self._changed.wait_for(lambda: group.ended or not (self._busy or self._queued))
            if group.ended:
                return False
            self._busy = True
            return True

    def _end_turn(self) -> None:
        with self._changed:
            self._busy = False
            self._changed.notify_all()

    @contextmanager
    def _savepoint(self, group: _Group) -> Iterator[None]:
        group.db.execute("SAVEPOINT writer")
        try:
            yield
        except BaseException as error:
            if group.db.in_transaction:
                group.db.execute("ROLLBACK TO writer")
                group.db.execute("RELEASE writer")
            else:
                # SQLite itself rolls everything back if, for instance, the disk is full.
                self._close(group, sqlite3.OperationalError(f"the transaction was rolled back: {error}"))
            raise
        group.db.execute("RELEASE writer")

    def _commit(self, group: _Group) -> None:
        failure = None
        try:
            group.db.execute("COMMIT")
        except sqlite3.Error as error:
            failure = error
        self._close(group, failure)

    def _close(self, group: _Group, error: sqlite3.Error | None) -> None:
        group.ended, group.error, self._group = True, error, None
        if group.db.in_transaction:
            group.db.execute("ROLLBACK")
        self._end(group.db)
