"""Reads the records of a live site so that an interrupted import goes on after those that it has read.

Almost all the time of a reading goes into texts. So each row is kept in the Git directory. The next import
reads the rows without their texts first. It takes a kept row only if everything else in it is the same, with
the time of its last change.
"""

from __future__ import annotations

import hashlib
import json
from itertools import islice
from typing import TYPE_CHECKING

from pressync.client.wordpress.lists import ROWS
from pressync.client.wordpress.whole_site import TEXT_MEMBERS
from pressync.importers.kept_lines import KeptLines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pressync.client.wordpress.whole_site import Row, WholeSite
    from pressync.model.interface import Kind


def file_of(folder: Path | None, *reader: str) -> KeptLines:
    """Give the file of the kept rows of one site as one user sees them, which `reader` names."""
    name = hashlib.sha256("\n".join(reader).encode()).hexdigest()[:16]
    return KeptLines(None if folder is None else folder / f"rows-{name}")


def read(site: WholeSite, kind: Kind, kept: KeptLines) -> Iterator[Row]:
    """Read all records of a kind in the order of their ids, and keep each of them."""
    if not kept.has_any(f"{kind}/"):
        for rows in in_hundreds(site.records(kind)):
            _keep(kept, kind, rows)
            yield from rows
        return
    for outlines in in_hundreds(site.outlines(kind)):
        # A row without an id is a broken record, which the caller names.
        found = [(_id(row), _kept(kept, kind, row) if _id(row) else row) for row in outlines]
        missing = [number for number, row in found if row is None]
        fresh = {_id(row): row for row in site.records_of(kind, missing)} if missing else {}
        _keep(kept, kind, fresh.values())
        whole = (fresh.get(number) if row is None else row for number, row in found)
        # Somebody may have deleted a record between the two requests.
        yield from (row for row in whole if row is not None)


def in_hundreds(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Group rows as a site gives them."""
    while some := list(islice(rows, ROWS)):
        yield some


def _keep(kept: KeptLines, kind: Kind, rows: Iterable[Row]) -> None:
    # The password of a text is never written anywhere.
    open_rows = (row for row in rows if _id(row) and not row.get("password"))
    kept.keep({_key(kind, row): row for row in open_rows})


def _kept(kept: KeptLines, kind: Kind, outline: Row) -> Row | None:
    found = kept.get(_key(kind, outline))
    return found if isinstance(found, dict) else None


def _id(row: Row) -> int:
    """Give the id of a row; 0 for one that has none."""
    number = row.get("id")
    return number if isinstance(number, int) else 0


def _key(kind: Kind, row: Row) -> str:
    """Name a row by everything in it but its texts."""
    rest = {name: value for name, value in row.items() if name not in TEXT_MEMBERS}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    return f"{kind}/{_id(row)}/{digest}"
