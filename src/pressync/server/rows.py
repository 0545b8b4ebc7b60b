"""Rows of the table `records` <-> StoredRecord records, and the look-ups by id and by place that all share.

The columns are the fields of StoredRecord, by name, so that the list of names exists only once.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.model.interface import Kind
from pressync.server.record import StoredRecord

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

_NAMES = StoredRecord.__struct_fields__
COLUMNS = ", ".join(_NAMES)
_MARKS = ", ".join("?" * len(_NAMES))
_UPDATES = ", ".join(f"{name} = excluded.{name}" for name in _NAMES[1:])
_SAVE = f"INSERT INTO records ({COLUMNS}) VALUES ({_MARKS}) ON CONFLICT (id) DO UPDATE SET {_UPDATES}"

# A record and the pages above it, up to the root of the site.
_UPWARDS = """
WITH RECURSIVE upwards (id, parent, slug, depth) AS (
    SELECT id, parent, slug, 0 FROM records WHERE id = ?
    UNION ALL
    SELECT r.id, r.parent, r.slug, depth + 1 FROM records r JOIN upwards u ON r.id = u.parent
)
SELECT id, slug FROM upwards ORDER BY depth
"""


def to_stored(row: tuple[object, ...]) -> StoredRecord:
    """Make a record from a row that was selected with COLUMNS."""
    values = dict(zip(_NAMES, row, strict=True))
    values["kind"] = Kind(str(values["kind"]))
    values |= {"sticky": bool(values["sticky"]), "floating": bool(values["floating"])}
    for terms in ("categories", "tags"):
        values[terms] = tuple(json.loads(str(values[terms])))
    return StoredRecord(**values)  # type: ignore[arg-type]  # the schema gives each column its type


def find(db: sqlite3.Connection, kind: Kind, record_id: int) -> StoredRecord | None:
    """Read one record, or None."""
    query = f"SELECT {COLUMNS} FROM records WHERE id = ? AND kind = ?"
    row = db.execute(query, (record_id, kind)).fetchone()
    return to_stored(row) if row else None


def every(db: sqlite3.Connection, kind: Kind) -> list[StoredRecord]:
    """Read all records of a kind, by id."""
    query = f"SELECT {COLUMNS} FROM records WHERE kind = ? ORDER BY id"
    return [to_stored(row) for row in db.execute(query, (kind,))]


def without_texts(db: sqlite3.Connection) -> Iterator[StoredRecord]:
    """Give every record by id, one at a time, with an empty content and excerpt."""
    columns = ", ".join("''" if name in {"content", "excerpt"} else name for name in _NAMES)
    yield from (to_stored(row) for row in db.execute(f"SELECT {columns} FROM records ORDER BY id"))


def children(db: sqlite3.Connection, parent: int) -> list[StoredRecord]:
    """Read all pages directly below a page, by id."""
    query = f"SELECT {COLUMNS} FROM records WHERE kind = ? AND parent = ? ORDER BY id"
    return [to_stored(row) for row in db.execute(query, (Kind.PAGE, parent))]


def id_at(db: sqlite3.Connection, kind: Kind, parent: int, slug: str) -> int | None:
    """Give the id of the record that has a slug, or None if the slug is free."""
    # Drafts may share the slug of a public record. By itself, SQLite would choose the index `ordered`, which
    # has all columns that are needed, and would read every sibling in it.
    query = (
        "SELECT id FROM records INDEXED BY addressed WHERE kind = ? AND parent = ? AND slug = ? "
        "ORDER BY status IN ('draft', 'pending'), id LIMIT 1"
    )
    row = db.execute(query, (kind, parent, slug)).fetchone()
    return int(row[0]) if row else None


def upwards(db: sqlite3.Connection, record_id: int) -> list[tuple[int, str]]:
    """Give the id and slug of a page and of each page above it, from the page up; empty for id 0."""
    return [(int(found), str(slug)) for found, slug in db.execute(_UPWARDS, (record_id,))]


def save(db: sqlite3.Connection, record: StoredRecord) -> None:
    """Write a record, new or changed."""
    terms = {name: json.dumps(getattr(record, name)) for name in ("categories", "tags")}
    db.execute(_SAVE, structs.astuple(structs.replace(record, **terms)))


def remove(db: sqlite3.Connection, record_id: int) -> None:
    """Remove a record for ever."""
    db.execute("DELETE FROM records WHERE id = ?", (record_id,))


def next_id(db: sqlite3.Connection) -> int:
    """Give the id of the next new record. Ids grow, both kinds share them, and none is used twice."""
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'records'").fetchone()
    return (int(row[0]) if row else 0) + 1


def take_id(db: sqlite3.Connection) -> int:
    """Give the next id to an object that is not a record."""
    number = next_id(db)
    statement = "UPDATE sqlite_sequence SET seq = ? WHERE name = 'records'"
    if number == 1:
        # SQLite makes the row with the first record.
        statement = "INSERT INTO sqlite_sequence (seq, name) VALUES (?, 'records')"
    db.execute(statement, (number,))
    return number
