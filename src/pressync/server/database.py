"""The SQLite file of a site: connections, transactions and the settings.

An acknowledged write survives both `kill -9` and power loss, so SQLite syncs its log at each commit, before
the service sends the response.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, dataclass, fields
from queue import Empty, LifoQueue
from typing import TYPE_CHECKING

from pressync.server.group_commit import GroupCommit
from pressync.server.schema import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

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
    the front page, 0 if the list of posts is the front, and below 0 if the slugs of pages decide it.
    """

    title: str = "My site"
    address: str = DEFAULT_ADDRESS
    offset: int = 0
    permalinks: str = "/blog/%postname%/"
    front: int = -1


_SETTINGS = ", ".join(field.name for field in fields(SiteSettings))


class Database:
    """One SQLite file, used by any number of threads and processes at the same time."""

    def __init__(self, path: Path) -> None:
        """Open the file, and make it and its folder if needed. Raises UnusableDatabase or OSError."""
        self._path = path
        # The uploaded files are beside the database, below the paths of their addresses.
        self.uploads = path.absolute().with_name("uploads")
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._group_commit = GroupCommit(self._begun, self._idle.put)
        path.parent.mkdir(parents=True, exist_ok=True)
        _restrict_access(path)
        try:
            with self.writing() as db:
                self._prepare(db)
        except (sqlite3.DatabaseError, Busy) as error:
            self.close()
            raise UnusableDatabase(f"{path} cannot be used as the site's database: {error}") from None

    def _prepare(self, db: sqlite3.Connection) -> None:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > len(STEPS):
            raise UnusableDatabase(f"a newer pressync made {self._path}; use that version, or another file")
        if version == 0 and db.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
            raise UnusableDatabase(f"{self._path} is the database of another program; name another file")
        for statement in ";".join(STEPS[version:]).split(";"):
            db.execute(statement)
        if version == 0:
            write_settings(db, SiteSettings())

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection that sees one unchanging state of the file."""
        with self._borrowed() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("ROLLBACK")

    def writing(self, *, once: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        """Lend a connection inside the only write transaction; it is durable when the block ends.

        Raises Busy if another process keeps the file locked. An exception in the block undoes all of it.
        `once` is as in GroupCommit.writing.
        """
        return self._group_commit.writing(once=once)

    def _begun(self) -> sqlite3.Connection:
        db = self._taken()
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            self._idle.put(db)
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise Busy("another process holds it") from None
            raise
        return db

    def _taken(self) -> sqlite3.Connection:
        try:
            return self._idle.get_nowait()
        except Empty:
            return self._connected()

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        db = self._taken()
        try:
            yield db
        finally:
            self._idle.put(db)

    def _connected(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        # fullfsync: on macOS, fsync alone leaves the data in the cache of the drive.
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "fullfsync = 1"):
            db.execute(f"PRAGMA {pragma}").fetchall()
        return db

    def close(self) -> None:
        """Close the connections that are not in use."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
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


def read_settings(db: sqlite3.Connection) -> SiteSettings:
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


def write_settings(db: sqlite3.Connection, settings: SiteSettings) -> None:
    """Replace the settings, and remember the address that the records had until now."""
    values = astuple(settings)
    marks = ", ".join("?" * len(values))
    db.execute(
        "INSERT OR IGNORE INTO former_addresses "
        "SELECT address FROM settings WHERE EXISTS (SELECT 1 FROM records)"
    )
    db.execute("DELETE FROM settings")
    db.execute(f"INSERT INTO settings ({_SETTINGS}) VALUES ({marks})", values)  # noqa: S608 - own names


def own_addresses(db: sqlite3.Connection) -> frozenset[str]:
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
