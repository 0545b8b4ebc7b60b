"""Finds uploaded pictures by their ids: the web site shows them in galleries and above texts.

A record has the id of its picture and not its address, and a gallery has a list of ids. So one query looks up
all pictures of a gallery, and keeps their order.
"""
# ruff: noqa: S608 - the statement has marks and no values

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.server.wordpress.media import FOLDER

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class UploadedPicture:
    """An uploaded picture: its path on the site and its alternative text."""

    path: str
    alt_text: str


def pictures(db: sqlite3.Connection, ids: Sequence[int]) -> list[UploadedPicture]:
    """Read pictures in the order of these ids; other files and unknown ids are left out."""
    query = (
        f"SELECT id, file, alt_text FROM media WHERE id IN ({', '.join('?' * len(ids))}) "
        "AND mime_type LIKE 'image/%'"
    )
    found = {
        number: UploadedPicture(f"/{FOLDER}/{file}", alt) for number, file, alt in db.execute(query, [*ids])
    }
    return [found[number] for number in ids if number in found]
