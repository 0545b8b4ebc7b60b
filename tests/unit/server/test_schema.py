"""A database of an earlier version."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pressync.model.interface import Kind
from pressync.server.database import Database, stored_address
from pressync.server.schema import STEPS
from pressync.server.store import Store

if TYPE_CHECKING:
    from pathlib import Path

# A database as pressync wrote it before it had terms, users and files.
_BEFORE = """
CREATE TABLE records (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, guid TEXT NOT NULL,
    date INTEGER NOT NULL, modified INTEGER NOT NULL,
    slug TEXT NOT NULL, status TEXT NOT NULL, password TEXT NOT NULL, parent INTEGER NOT NULL,
    title TEXT NOT NULL, content TEXT NOT NULL, author INTEGER NOT NULL, excerpt TEXT NOT NULL,
    featured_media INTEGER NOT NULL, comment_status TEXT NOT NULL, ping_status TEXT NOT NULL,
    menu_order INTEGER NOT NULL, footnotes TEXT NOT NULL, template TEXT NOT NULL, format TEXT NOT NULL,
    sticky INTEGER NOT NULL, categories TEXT NOT NULL, tags TEXT NOT NULL
);
INSERT INTO records VALUES (1, 'post', 'http://127.0.0.1:8127/?p=1', 1709294400, 1709294401,
    'hello', 'publish', '', 0, 'Hello', '<p>Hi.</p>', 1, '', 0, 'open', 'open', 0, '', '', 'standard', 0,
    '[3]', '[4]');
INSERT INTO records VALUES (4, 'page', 'http://127.0.0.1:8127/?p=4', 1709294400, 1709294401,
    'old__trashed', 'trash', '', 0, 'Old', '', 1, '', 0, 'open', 'open', 0, '', '', 'standard', 0,
    '[]', '[]');
CREATE TABLE settings (title TEXT NOT NULL, address TEXT NOT NULL, offset INTEGER NOT NULL);
INSERT INTO settings VALUES ('Field Notes', 'http://127.0.0.1:8127', 90);
CREATE UNIQUE INDEX addressed ON records (kind, parent, slug);
CREATE INDEX ordered ON records (kind, parent, menu_order, title COLLATE NOCASE, id,
    status, date, slug, modified);
CREATE INDEX dated ON records (kind, date DESC, id DESC, status);
PRAGMA user_version = 1;
"""


def test_a_database_of_the_version_before_goes_on(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "site.db")) as before:
        before.executescript(_BEFORE)
    assert stored_address(tmp_path / "site.db") == "http://127.0.0.1:8127"

    store = Store(tmp_path / "site.db")

    assert (store.settings.title, store.settings.offset) == ("Field Notes", 90)
    hello = store.read(Kind.POST, 1)
    assert hello is not None
    assert str(hello["link"]).endswith("/blog/hello/")
    assert (hello["slug"], hello["categories"], hello["tags"]) == ("hello", [3], [4])
    assert store.update(Kind.PAGE, 4, {"status": "publish"})["slug"] == "old"
    assert store.create_page({"title": {"raw": "New"}})["id"] == 5
    with store.database.reading() as db:
        assert db.execute("SELECT login, role FROM users").fetchall() == [("admin", "administrator")]
        assert db.execute("SELECT name FROM terms").fetchall() == [("Uncategorized",)]
    store.close()


@pytest.mark.parametrize("version", range(1, len(STEPS)))
def test_a_database_of_each_version_gets_the_tables_of_a_new_one(tmp_path: Path, version: int) -> None:
    with closing(sqlite3.connect(tmp_path / "old.db")) as before:
        before.executescript("".join(STEPS[:version]))
        before.execute("INSERT INTO settings (title, address, offset) VALUES ('Field Notes', '', 0)")
        before.commit()
    tables = []
    for name in ("old.db", "new.db"):
        with Database(tmp_path / name).reading() as db:
            tables.append(db.execute("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2").fetchall())
    assert tables[0] == tables[1]
