"""Group commit: writers that wait for each other share one durable commit.

A commit waits for the disk, and a service has several writers at a time. Each of them writes alone, inside
one transaction. Then they wait until nobody else wants to write, and one commits for all. A savepoint lets a
writer undo its own writes, but doubles the time of a short one, so a writer of one statement has none.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# A writer checks once in this many seconds whether the one that was to commit for it has left.
_SECONDS = 1.0


@dataclass(slots=True)
class _Group:
    """The writers of one transaction; `error` says why none of their writes is there."""

    db: sqlite3.Connection
    ended: Event = field(default_factory=Event)
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
        # The lock queues our own threads. SQLite alone would let them poll, and some would starve.
        self._turn = Lock()
        self._counting = Lock()
        self._queued = 0

    @contextmanager
    def writing(self, *, once: bool = False) -> Iterator[sqlite3.Connection]:
        """Lend the connection; what the block wrote is durable when this context ends.

        An exception in the block undoes the writes of the block alone. `once` promises that the block writes
        with one statement and that nothing fails after it. A failure there undoes the writes of all writers.
        Raises what `begin` raises, and sqlite3.Error if the commit fails: then no writer's write is there.
        """
        with self._own_turn():
            group = self._group = self._group or _Group(self._begin())
            try:
                with self._undone_alone(group) if once else self._savepoint(group):
                    yield group.db
            finally:
                # The next writer in the queue commits for this one too, or the one behind it.
                if not self._queued and not group.ended.is_set():
                    self._commit(group)
        while not group.ended.wait(_SECONDS):
            # A writer can leave the queue without a turn: its program is interrupted.
            with self._own_turn():
                if not group.ended.is_set():
                    self._commit(group)
        if group.error:
            raise group.error

    @contextmanager
    def _own_turn(self) -> Iterator[None]:
        with self._counting:
            self._queued += 1
        try:
            self._turn.acquire()
        finally:
            with self._counting:
                self._queued -= 1
        try:
            yield
        finally:
            self._turn.release()

    @contextmanager
    def _undone_alone(self, group: _Group) -> Iterator[None]:
        written = group.db.total_changes
        try:
            yield
        except BaseException as error:
            # SQLite itself undoes a statement that fails.
            if group.db.total_changes != written or not group.db.in_transaction:
                self._give_up(group, error)
            raise

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
                self._give_up(group, error)
            raise
        group.db.execute("RELEASE writer")

    def _give_up(self, group: _Group, error: BaseException) -> None:
        self._close(group, sqlite3.OperationalError(f"the transaction was rolled back: {error}"))

    def _commit(self, group: _Group) -> None:
        failure = None
        try:
            group.db.execute("COMMIT")
        except sqlite3.Error as error:
            failure = error
        self._close(group, failure)

    def _close(self, group: _Group, error: sqlite3.Error | None) -> None:
        group.error, self._group = error, None
        if group.db.in_transaction:
            group.db.execute("ROLLBACK")
        self._end(group.db)
        group.ended.set()
