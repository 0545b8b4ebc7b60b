"""Writers that share one commit."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, Event
from typing import TYPE_CHECKING, Any

import pytest

from pressync.server.database import Database
from pressync.server.group_commit import GroupCommit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class _Counted(sqlite3.Connection):
    """Counts its commits, and can refuse them."""

    commits = 0
    refuses = False

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:  # noqa: ANN401 - as in the class above it
        if statement == "COMMIT":
            if self.refuses:
                raise sqlite3.OperationalError("disk I/O error")
            self.commits += 1
        return super().execute(statement, *values)


@pytest.fixture
def db(tmp_path: Path) -> _Counted:
    made = sqlite3.connect(tmp_path / "x.db", isolation_level=None, check_same_thread=False, factory=_Counted)
    made.execute("CREATE TABLE words (word TEXT UNIQUE)")
    return made


@pytest.fixture
def group(db: _Counted) -> GroupCommit:
    def begin() -> sqlite3.Connection:
        db.execute("BEGIN IMMEDIATE")
        return db

    return GroupCommit(begin, lambda _: None)


def _words(db: sqlite3.Connection) -> list[str]:
    return [word for (word,) in db.execute("SELECT word FROM words ORDER BY word")]


def _write(group: GroupCommit, word: str) -> None:
    with group.writing() as db:
        db.execute("INSERT INTO words VALUES (?)", (word,))


def _behind(group: GroupCommit, waiting: list[Callable[[], None]]) -> list[BaseException | None]:
    """Write the word "first" while others wait for their turn; give what each of the others raised."""
    began, queued = Event(), Barrier(len(waiting) + 1)

    def run(other: Callable[[], None]) -> None:
        began.wait()
        queued.wait()
        other()

    with ThreadPoolExecutor(len(waiting)) as pool:
        futures = [pool.submit(run, other) for other in waiting]
        with group.writing() as db:
            began.set()
            queued.wait()
            db.execute("INSERT INTO words VALUES ('first')")
        return [future.exception() for future in futures]


def test_a_lone_writer_commits_at_the_end_of_its_block(group: GroupCommit, db: _Counted) -> None:
    _write(group, "one")
    assert (_words(db), db.commits, db.in_transaction) == (["one"], 1, False)


def test_nobody_returns_before_its_write_is_committed(group: GroupCommit, db: _Counted) -> None:
    def write(word: str) -> None:
        _write(group, word)
        assert db.commits

    assert _behind(group, [lambda: write("a"), lambda: write("b"), lambda: write("c")]) == [None] * 3
    assert _words(db) == ["a", "b", "c", "first"]
    assert 1 <= db.commits <= 4
    assert not db.in_transaction


def test_a_writer_that_fails_undoes_its_own_write_alone(group: GroupCommit, db: _Counted) -> None:
    def fail() -> None:
        with group.writing() as same:
            same.execute("INSERT INTO words VALUES ('never')")
            raise LookupError

    raised = _behind(group, [fail, lambda: _write(group, "a")])
    assert [type(error) for error in raised] == [LookupError, type(None)]
    assert _words(db) == ["a", "first"]
    assert not db.in_transaction


def _write_once(group: GroupCommit, word: str, error: Exception | None = None) -> None:
    with group.writing(once=True) as db:
        if word:
            db.execute("INSERT INTO words VALUES (?)", (word,))
        if error:
            raise error


def test_a_writer_of_one_statement_that_refuses_disturbs_nobody(group: GroupCommit, db: _Counted) -> None:
    raised = _behind(
        group,
        [
            lambda: _write_once(group, "", LookupError()),
            lambda: _write_once(group, "first"),
            lambda: _write_once(group, "a"),
        ],
    )
    assert [type(error) for error in raised] == [LookupError, sqlite3.IntegrityError, type(None)]
    assert _words(db) == ["a", "first"]
    assert not db.in_transaction


def test_a_writer_that_fails_after_its_one_statement_leaves_no_write(
    group: GroupCommit, db: _Counted
) -> None:
    with pytest.raises(LookupError):
        _write_once(group, "one", LookupError())
    assert (_words(db), db.in_transaction) == ([], False)


def test_nobody_believes_in_a_write_that_another_writer_has_undone(group: GroupCommit, db: _Counted) -> None:
    believed: list[str] = []

    def write(word: str) -> None:
        _write_once(group, word)
        believed.append(word)

    # The first writer of these leaves the commit to the next one, if that one is in the queue already.
    with suppress(sqlite3.OperationalError):
        _behind(
            group, [lambda: write("a"), lambda: _write_once(group, "b", LookupError()), lambda: write("c")]
        )
        believed.append("first")
    assert _words(db) == sorted(believed)
    assert not db.in_transaction


def test_every_writer_of_a_commit_that_fails_hears_of_it(group: GroupCommit, db: _Counted) -> None:
    db.refuses = True
    with pytest.raises(sqlite3.OperationalError, match="disk I/O"):
        _write(group, "one")
    db.refuses = False
    _write(group, "two")
    assert _words(db) == ["two"]


def test_a_transaction_that_sqlite_rolls_back_is_lost_for_all_its_writers(
    group: GroupCommit, db: _Counted
) -> None:
    def full() -> None:
        with group.writing() as same:
            # A conflict that rolls back ends the whole transaction, as a full disk does.
            same.execute("INSERT OR ROLLBACK INTO words VALUES ('twice'), ('twice')")

    with pytest.raises(sqlite3.IntegrityError):
        full()
    assert not db.in_transaction
    _write(group, "after")
    assert _words(db) == ["after"]


def test_a_hundred_writers_of_one_database_leave_a_hundred_rows(tmp_path: Path) -> None:
    database = Database(tmp_path / "site.db")

    def write(number: int) -> None:
        with database.writing() as db:
            db.execute("INSERT INTO former_addresses VALUES (?)", (str(number),))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(100)))
    with database.reading() as db:
        assert db.execute("SELECT count(*) FROM former_addresses").fetchone() == (100,)
