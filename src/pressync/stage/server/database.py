"""The SQLite file of a site: its tables, connections, transactions and settings.

An acknowledged write survives both `kill -9` and power loss, so SQLite syncs its log at each commit, before
the service sends the response. A commit waits for the disk, and a service has several writers at a time. So
writers that wait for each other share one commit.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import astuple, dataclass, field, fields
from queue import Empty, LifoQueue
from threading import Event, Lock
from typing import TYPE_CHECKING, ClassVar, Self

from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

# AUTOINCREMENT: an id is never used twice, even after its record is removed.
# Navigation reads only `ordered`, also with thousands of siblings. `dated` is for the list of posts.
_FIRST = """
CREATE TABLE settings (
    title TEXT NOT NULL, address TEXT NOT NULL, offset INTEGER NOT NULL
);
CREATE TABLE records (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, guid TEXT NOT NULL,
    date INTEGER NOT NULL, modified INTEGER NOT NULL,
    slug TEXT NOT NULL, status TEXT NOT NULL, password TEXT NOT NULL, parent INTEGER NOT NULL,
    title TEXT NOT NULL, content TEXT NOT NULL, author INTEGER NOT NULL, excerpt TEXT NOT NULL,
    featured_media INTEGER NOT NULL, comment_status TEXT NOT NULL, ping_status TEXT NOT NULL,
    menu_order INTEGER NOT NULL, footnotes TEXT NOT NULL, template TEXT NOT NULL, format TEXT NOT NULL,
    sticky INTEGER NOT NULL, categories TEXT NOT NULL, tags TEXT NOT NULL
);
CREATE UNIQUE INDEX addressed ON records (kind, parent, slug);
CREATE INDEX ordered ON records (kind, parent, menu_order, title COLLATE NOCASE, id,
    status, date, slug, modified);
CREATE INDEX dated ON records (kind, date DESC, id DESC, status);
"""

# Drafts of WordPress may share a slug, so the index that resolves addresses is not unique; each write checks
# the slugs in its own transaction. `floating`: the date follows the saves of a draft. `desired`: the slug
# that a record had before it went to the trash. Media take their ids from the sequence of the records.
_SECOND = """
DROP INDEX addressed;
CREATE INDEX addressed ON records (kind, parent, slug);
CREATE INDEX named ON records (slug);
ALTER TABLE records ADD COLUMN floating INTEGER NOT NULL DEFAULT 0;
ALTER TABLE records ADD COLUMN desired TEXT NOT NULL DEFAULT '';
CREATE TABLE terms (
    id INTEGER PRIMARY KEY AUTOINCREMENT, taxonomy TEXT NOT NULL, name TEXT NOT NULL, slug TEXT NOT NULL,
    parent INTEGER NOT NULL, description TEXT NOT NULL
);
CREATE UNIQUE INDEX term_slugs ON terms (taxonomy, slug);
INSERT INTO terms VALUES (1, 'category', 'Uncategorized', 'uncategorized', 0, '');
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, login TEXT NOT NULL UNIQUE COLLATE NOCASE,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE, name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL
);
INSERT INTO users VALUES (1, 'admin', 'admin@localhost', 'admin', 'admin', 'administrator');
CREATE TABLE media (
    id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, title TEXT NOT NULL, alt_text TEXT NOT NULL,
    file TEXT NOT NULL UNIQUE, mime_type TEXT NOT NULL, date INTEGER NOT NULL, modified INTEGER NOT NULL,
    author INTEGER NOT NULL
);
"""

# Each step makes the tables of one version of pressync those of the next.
STEPS = (
    _FIRST,
    _SECOND,
    # The structure of the addresses of posts, as WordPress writes it.
    "ALTER TABLE settings ADD COLUMN permalinks TEXT NOT NULL DEFAULT '/blog/%postname%/';",
    # The stored texts contain links that begin with the addresses that the site had.
    "CREATE TABLE former_addresses (address TEXT PRIMARY KEY);",
    "ALTER TABLE settings ADD COLUMN front INTEGER NOT NULL DEFAULT -1;",
    # A rehearsal has the users whom the site shows, without all their records.
    "ALTER TABLE users ADD COLUMN visible INTEGER NOT NULL DEFAULT 0;",
    # A request that may change the list of sticky posts reads it first, also among many thousands of records.
    "CREATE INDEX sticky ON records (id) WHERE sticky;",
    # The terms of a site's own taxonomies and its registered fields, by the names that `model.interface` has.
    "ALTER TABLE records ADD COLUMN own TEXT NOT NULL DEFAULT '{}';",
    # Where the addresses of a site's own types begin, as JSON, unless they begin with the name of the type.
    "ALTER TABLE settings ADD COLUMN bases TEXT NOT NULL DEFAULT '{}';",
)


# A writer checks once in this many seconds whether the one that was to commit for it has left.
_SECONDS = 1.0


@dataclass(slots=True)
class _Group:
    """The writers of one transaction; `error` says why none of their writes is there."""

    db: Connection
    ended: Event = field(default_factory=Event)
    error: sqlite3.Error | None = None


class GroupCommit:
    """Lends the only write transaction of a database to one writer after the other.

    `begin` gives a connection inside a new transaction, and `end` takes it back outside of any.
    """

    def __init__(self, begin: Callable[[], Connection], end: Callable[[Connection], None]) -> None:
        self._begin = begin
        self._end = end
        self._group: _Group | None = None
        # The lock queues our own threads. SQLite alone would let them poll, and some would starve.
        self._turn = Lock()
        self._counting = Lock()
        self._queued = 0

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Lend the connection; what the block wrote is durable when this context ends.

        An exception in the block undoes the writes of the block alone.
        Raises what `begin` raises, and sqlite3.Error if the commit fails: then no writer's write is there.
        """
        with self._own_turn():
            group = self._group = self._group or _Group(self._begin())
            try:
                with self._savepoint(group):
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
        group.error, self._group = error, None
        if group.db.in_transaction:
            group.db.execute("ROLLBACK")
        self._end(group.db)
        group.ended.set()


DEFAULT_ADDRESS = "http://127.0.0.1:8127"

# A write waits this many seconds for another process that writes to the same file.
_PATIENCE = 30.0


class UnusableDatabase(Exception):  # noqa: N818 - it names what it is
    """The file is not a database of pressync, or a newer pressync made it. The message is a sentence."""


class Busy(Exception):  # noqa: N818 - it names what it is
    """Another process held the database for the whole waiting time; nothing was written."""


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """The site's title, the address that its links begin with, and its minutes ahead of GMT.

    `permalinks` is the structure of the addresses of posts, or "" for plain permalinks. `front` is the id of
    the front page, 0 if the list of posts is the front, and below 0 if the slugs of pages decide it. `bases`
    is a JSON object of the paths before the slugs of the site's own types (`{"book": "/library"}`).
    """

    title: str = "My site"
    address: str = DEFAULT_ADDRESS
    offset: int = 0
    permalinks: str = "/blog/%postname%/"
    front: int = -1
    bases: str = "{}"


_SETTINGS = ", ".join(field.name for field in fields(SiteSettings))


class Connection(sqlite3.Connection):
    """A connection to the database of a site with these types."""

    types: SiteTypes = DOCUMENTED_TYPES


class Database:
    """One SQLite file, used by any number of threads and processes at the same time."""

    def __init__(self, path: Path, types: SiteTypes = DOCUMENTED_TYPES) -> None:
        """Open the file, and make it and its folder if needed. Raises UnusableDatabase or OSError."""
        self._path, self.types = path, types
        # The uploaded files are beside the database, below the paths of their addresses.
        self.uploads = path.absolute().with_name("uploads")
        self._idle: LifoQueue[Connection] = LifoQueue()
        self._group_commit = GroupCommit(self._begun, self._idle.put)
        path.parent.mkdir(parents=True, exist_ok=True)
        _restrict_access(path)
        try:
            with self.writing() as db:
                self._prepare(db)
        except (sqlite3.DatabaseError, Busy) as error:
            self.close()
            raise UnusableDatabase(f"{path} cannot be used as the site's database: {error}") from None

    def _prepare(self, db: Connection) -> None:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > len(STEPS):
            raise UnusableDatabase(f"a newer pressync made {self._path}; use that version, or another file")
        if version == 0 and db.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
            raise UnusableDatabase(f"{self._path} is the database of another program; name another file")
        for statement in "".join(STEPS[version:]).split(";"):
            db.execute(statement)
        if version < len(STEPS):
            db.execute(f"PRAGMA user_version = {len(STEPS)}")
        if version == 0:
            write_settings(db, SiteSettings())

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Lend a connection that sees one unchanging state of the file."""
        db = self._taken()
        try:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("ROLLBACK")
        finally:
            self._idle.put(db)

    def writing(self) -> AbstractContextManager[Connection]:
        """Lend a connection inside the only write transaction; it is durable when the block ends.

        Raises Busy if another process keeps the file locked. An exception in the block undoes all of it.
        """
        return self._group_commit.writing()

    def _begun(self) -> Connection:
        db = self._taken()
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            self._idle.put(db)
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise Busy("another process holds it") from None
            raise
        return db

    def _taken(self) -> Connection:
        """Take a connection that is idle, or make one."""
        with suppress(Empty):
            return self._idle.get_nowait()
        db = sqlite3.connect(
            self._path,
            timeout=_PATIENCE,
            isolation_level=None,
            check_same_thread=False,
            factory=Connection,
        )
        db.types = self.types
        _keep_a_log(db)
        # fullfsync: on macOS, fsync alone leaves the data in the cache of the drive.
        for pragma in ("synchronous = FULL", "fullfsync = 1"):
            db.execute(f"PRAGMA {pragma}").fetchall()
        return db

    def close(self) -> None:
        """Close the connections that are not in use."""
        with suppress(Empty):
            while True:
                self._idle.get_nowait().close()


def _keep_a_log(db: Connection) -> None:
    """Let the file have a write-ahead log.

    Two connections that open a new file may each wait for the other here. SQLite refuses one of them at once,
    whatever its timeout is: <https://www.sqlite.org/c3ref/busy_handler.html>.
    """
    last_attempt = time.monotonic() + _PATIENCE
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last_attempt:
                raise
            time.sleep(0.01)
        else:
            return


def _restrict_access(path: Path) -> None:
    """Let only the owner read the file, whatever the umask is; SQLite's log and index get the same mode."""
    with suppress(FileExistsError):
        # An existing file is not opened: closing it would end the locks of this process on it.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    for each in (path, *(path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-shm"))):
        with suppress(OSError):
            mode = stat.S_IMODE(each.stat().st_mode)
            if mode & 0o077:
                each.chmod(mode & 0o700)


class Row:
    """A row of a table, for dataclasses with one field for each column; the first one is the id."""

    __slots__ = ()
    TABLE: ClassVar[str]

    @classmethod
    def _columns(cls) -> list[str]:
        return [each.name for each in fields(cls) if not each.kw_only]  # type: ignore[arg-type]  # a dataclass

    @classmethod
    def read(
        cls, db: Connection, rest: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> Iterator[Self]:
        """Read rows, one at a time; `rest` is the SQL behind the name of the table."""
        names = ", ".join(cls._columns())
        for row in db.execute(f"SELECT {names} FROM {cls.TABLE} {rest}", values):  # noqa: S608 - own names
            yield cls(*row)

    def put(self, db: Connection) -> int:
        """Write the row, new or changed, and give its id; the database chooses one in the place of 0."""
        names = ", ".join(self._columns())
        number, *values = (getattr(self, name) for name in self._columns())
        statement = f"INSERT OR REPLACE INTO {self.TABLE} ({names}) VALUES (?{', ?' * len(values)})"  # noqa: S608 - own names
        return db.execute(statement, (number or None, *values)).lastrowid or 0


def read_settings(db: Connection) -> SiteSettings:
    """Read the one row of settings."""
    return SiteSettings(*db.execute(f"SELECT {_SETTINGS} FROM settings").fetchone())  # noqa: S608 - own names


def stored_address(path: Path) -> str:
    """Read the address of a site from its database, without changing anything; "" if it has none."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            # A database of an earlier version lacks the other columns.
            return str(db.execute("SELECT address FROM settings").fetchone()[0])
    except (sqlite3.Error, TypeError):
        return ""


def write_settings(db: Connection, settings: SiteSettings) -> None:
    """Replace the settings, and remember the address that the records had until now."""
    values = astuple(settings)
    marks = ", ".join("?" * len(values))
    db.execute(
        "INSERT OR IGNORE INTO former_addresses "
        "SELECT address FROM settings WHERE EXISTS (SELECT 1 FROM records)"
    )
    db.execute("DELETE FROM settings")
    db.execute(f"INSERT INTO settings ({_SETTINGS}) VALUES ({marks})", values)  # noqa: S608 - own names


def own_addresses(db: Connection) -> frozenset[str]:
    """Give every address that the site has or had."""
    found = db.execute("SELECT address FROM settings UNION SELECT address FROM former_addresses")
    return frozenset(address for (address,) in found)


def copy(source: Path, target: Path) -> None:
    """Copy a site's database as it is now; the source is only read, also while a server writes to it.

    :raises UnusableDatabase: it is not a database.
    """
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as read,
            closing(sqlite3.connect(target)) as written,
        ):
            read.backup(written)
    except sqlite3.Error as error:
        raise UnusableDatabase(f"{source} cannot be copied: {error}") from None
