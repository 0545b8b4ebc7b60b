"""Puts the users, terms, files and records of another site into a store, with the ids that they have there.

The interface lets nobody choose an id. A rehearsal must begin with the ids that the site gave, so it puts the
rows themselves.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

from msgspec import structs

from pressync.server import datetimes, rows
from pressync.server.database import read_settings, write_settings
from pressync.server.record import StoredRecord
from pressync.server.wordpress.media import Attachment
from pressync.server.wordpress.roles import User
from pressync.server.wordpress.terms import TermRow

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from pressync.model.interface import Kind
    from pressync.server.database import SiteSettings
    from pressync.server.store import Store

_TABLES: Mapping[type, str] = {User: "users", TermRow: "terms", Attachment: "media"}
_COLUMNS = frozenset(StoredRecord.__struct_fields__) - {"id", "kind", "date", "modified"}


@dataclass(frozen=True, slots=True)
class GivenState:
    """One write transaction of a store, in which rows are put as they are."""

    _db: sqlite3.Connection

    def settings(self) -> SiteSettings:
        """Read the settings."""
        return read_settings(self._db)

    def set(self, settings: SiteSettings) -> None:
        """Replace the settings."""
        write_settings(self._db, settings)

    def put(self, given: Iterable[User | TermRow | Attachment]) -> None:
        """Put users, terms or files; each replaces what has its id, its login or its slug."""
        for each in given:
            names = ", ".join(field.name for field in fields(each))
            marks = ", ".join("?" * len(astuple(each)))
            self._db.execute(
                f"INSERT OR REPLACE INTO {_TABLES[type(each)]} ({names}) VALUES ({marks})", astuple(each)
            )

    def clear(self, kind: type[User | TermRow]) -> None:
        """Remove the users, or the terms, with which a store begins."""
        self._db.execute(f"DELETE FROM {_TABLES[kind]}")

    def save(self, given: StoredRecord) -> None:
        """Put a record; it replaces the one with its id."""
        rows.save(self._db, given)

    def reserve_ids(self, last: int) -> None:
        """Give no new record an id up to this one: the site has used them."""
        if last >= rows.next_id(self._db):
            self._db.execute("DELETE FROM sqlite_sequence WHERE name = 'records'")
            self._db.execute("INSERT INTO sqlite_sequence (seq, name) VALUES (?, 'records')", (last,))


@contextmanager
def writing(store: Store) -> Iterator[GivenState]:
    """Lend the one write transaction of a store."""
    with store.writing() as db:
        yield GivenState(db)


def record(
    kind: Kind, number: int, given: Mapping[str, object], *, modified: str, offset: int
) -> StoredRecord:
    """Make a record of the members that an interface takes or shows, as they are; an unknown one is left out.

    `modified` is in GMT, and `offset` the minutes of site time ahead of GMT.
    """
    changed = _seconds(modified, 0)
    date = next((_seconds(str(given[n]), o) for n, o in (("date", offset), ("date_gmt", 0)) if n in given), 0)
    blank = StoredRecord(number, kind, guid=f"?p={number}", date=date or changed, modified=changed)
    return structs.replace(blank, **_plain(given))


def _plain(given: Mapping[str, object]) -> dict[str, Any]:
    meta = given.get("meta")
    notes = {"footnotes": str(meta.get("footnotes", ""))} if isinstance(meta, Mapping) else {}
    plain = {name: value for name, value in given.items() if name in _COLUMNS}
    return notes | {name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()}


def _seconds(text: str, offset: int) -> int:
    try:
        return datetimes.seconds(datetimes.parse(text), offset=offset)
    except ValueError:
        # A draft of WordPress may have the date `0000-00-00`.
        return 0
