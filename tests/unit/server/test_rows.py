"""Rows and records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from pressync.model.interface import Kind
from pressync.server import rows
from pressync.server.record import StoredRecord

if TYPE_CHECKING:
    import sqlite3

    from pressync.server.store import Store

PAGE = StoredRecord(
    id=7,
    kind=Kind.PAGE,
    guid="g",
    date=-5,
    modified=9,
    slug="a",
    content="\x00 \U0001f980",
    sticky=True,
    categories=(3, 5),
)


def test_a_saved_record_is_found_as_it_was(store: Store) -> None:
    with store.database.writing() as db:
        rows.save(db, PAGE)
        assert rows.find(db, Kind.PAGE, 7) == PAGE
        assert rows.find(db, Kind.POST, 7) is None
        assert rows.id_at(db, Kind.PAGE, 0, "a") == 7


def test_ids_grow_over_both_kinds_and_never_come_back(store: Store) -> None:
    with store.database.writing() as db:
        rows.save(db, PAGE)
        rows.remove(db, 7)
        assert rows.next_id(db) == 8


def test_the_way_upwards_begins_with_the_page_itself(store: Store) -> None:
    top = store.create_page({"title": {"raw": "Top"}})["id"]
    assert isinstance(top, int)
    below = store.create_page({"title": {"raw": "Below"}, "parent": top})["id"]
    assert isinstance(below, int)
    with store.database.reading() as db:
        assert rows.upwards(db, below) == [(below, "below"), (top, "top")]
        assert rows.upwards(db, 0) == []


def test_a_slug_is_looked_up_without_reading_its_siblings(store: Store) -> None:
    with store.database.writing() as db:
        few = _steps(db)
        for number in range(10, 500):
            rows.save(db, structs.replace(PAGE, id=number, slug=f"s-{number}"))
        assert _steps(db) <= few


def _steps(db: sqlite3.Connection) -> int:
    """Count the steps that SQLite takes for one look-up."""
    taken: list[None] = []
    db.set_progress_handler(lambda: taken.append(None), 1)
    assert rows.id_at(db, Kind.PAGE, 0, "free") is None
    db.set_progress_handler(None, 1)
    return len(taken)
