"""The file of a site: its steps, its access, and writers that share a commit."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from threading import Barrier, Event
from typing import TYPE_CHECKING, Any

import pytest

from pressync.model.interface import Kind
from pressync.stage.server.database import (
    STEPS,
    Connection,
    Database,
    GroupCommit,
    SiteSettings,
    UnusableDatabase,
    read_settings,
    stored_address,
)
from pressync.stage.server.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_each_commit_is_synced_to_the_disk(tmp_path: Path) -> None:
    with Database(tmp_path / "site.db").writing() as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert db.execute("PRAGMA fullfsync").fetchone() == (1,)


def test_many_may_make_the_same_database_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: Database(tmp_path / "site.db"), range(8)))
    for each in made:
        with each.reading() as db:
            assert read_settings(db) == SiteSettings()
        each.close()


def test_a_database_of_another_program_or_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "birds.db")) as other:
        other.execute("CREATE TABLE birds (name TEXT)")
    with pytest.raises(UnusableDatabase, match="another program"):
        Database(tmp_path / "birds.db")
    with Database(tmp_path / "site.db").writing() as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(UnusableDatabase, match="newer pressync"):
        Database(tmp_path / "site.db")


# What pressync had in a database before it had terms, users and files.
_BEFORE = """
INSERT INTO records VALUES (1, 'post', 'http://127.0.0.1:8127/?p=1', 1709294400, 1709294401,
    'hello', 'publish', '', 0, 'Hello', '<p>Hi.</p>', 1, '', 0, 'open', 'open', 0, '', '', 'standard', 0,
    '[3]', '[4]');
INSERT INTO records VALUES (4, 'page', 'http://127.0.0.1:8127/?p=4', 1709294400, 1709294401,
    'old__trashed', 'trash', '', 0, 'Old', '', 1, '', 0, 'open', 'open', 0, '', '', 'standard', 0,
    '[]', '[]');
INSERT INTO settings VALUES ('Field Notes', 'http://127.0.0.1:8127', 90);
"""


def test_a_database_of_the_version_before_goes_on(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "site.db")) as before:
        before.executescript(STEPS[0] + _BEFORE + "PRAGMA user_version = 1")
    assert stored_address(tmp_path / "site.db") == "http://127.0.0.1:8127"
    store = Store(tmp_path / "site.db")
    assert (store.settings.title, store.settings.offset) == ("Field Notes", 90)
    hello = store.read(Kind.POST, 1)
    assert hello is not None
    assert str(hello["link"]).endswith("/blog/hello/")
    assert (hello["slug"], hello["categories"], hello["tags"]) == ("hello", [3], [4])
    assert store.update(Kind.PAGE, 4, {"status": "publish"})["slug"] == "old"
    assert store.create(Kind.PAGE, {"title": {"raw": "New"}})["id"] == 5
    with store.database.reading() as db:
        assert db.execute("SELECT login, role FROM users").fetchall() == [("admin", "administrator")]
        assert db.execute("SELECT name FROM terms").fetchall() == [("Uncategorized",)]
    store.close()


@pytest.mark.parametrize("version", range(1, len(STEPS)))
def test_a_database_of_each_version_gets_the_tables_of_a_new_one(tmp_path: Path, version: int) -> None:
    with closing(sqlite3.connect(tmp_path / "old.db")) as before:
        before.executescript("".join((*STEPS[:version], f"PRAGMA user_version = {version}")))
        before.execute("INSERT INTO settings (title, address, offset) VALUES ('Field Notes', '', 0)")
        before.commit()
    tables = []
    for name in ("old.db", "new.db"):
        with Database(tmp_path / name).reading() as db:
            tables.append(db.execute("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2").fetchall())
    assert tables[0] == tables[1]


class _Counted(Connection):
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
    def begin() -> Connection:
        db.execute("BEGIN IMMEDIATE")
        return db

    return GroupCommit(begin, lambda _: None)


def _words(db: Connection) -> list[str]:
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


def _end_all(group: GroupCommit) -> None:
    with group.writing() as db:
        # A conflict that rolls back ends the whole transaction, as a full disk does.
        db.execute("INSERT OR ROLLBACK INTO words VALUES ('twice'), ('twice')")


def test_nobody_believes_in_a_write_that_another_writer_has_undone(group: GroupCommit, db: _Counted) -> None:
    believed: list[str] = []

    def write(word: str) -> None:
        _write(group, word)
        believed.append(word)

    # The first writer of these leaves the commit to the next one, if that one is in the queue already.
    with suppress(sqlite3.OperationalError):
        _behind(group, [lambda: write("a"), lambda: _end_all(group), lambda: write("c")])
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


def test_what_sqlite_rolls_back_is_lost_for_all_its_writers(group: GroupCommit, db: _Counted) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        _end_all(group)
    assert not db.in_transaction
    _write(group, "after")
    assert _words(db) == ["after"]
