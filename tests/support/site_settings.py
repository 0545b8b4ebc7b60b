"""Changes the settings of an embedded site, as its administrator does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.stage.server import rows
from pressync.stage.server.database import read_settings, write_settings

if TYPE_CHECKING:
    from pressync.stage.server.store import Store


def change_offset(store: Store, minutes: int) -> None:
    """Set the minutes of site time ahead of GMT; stored times do not change."""
    with store.writing() as db:
        write_settings(db, replace(read_settings(db), offset=minutes))


def change_permalinks(store: Store, structure: str) -> None:
    """Set the structure of the addresses of posts."""
    with store.writing() as db:
        write_settings(db, replace(read_settings(db), permalinks=rows.permalink_structure(structure)))
