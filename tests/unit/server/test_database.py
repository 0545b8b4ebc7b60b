"""The SQLite file under the store."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pressync.model.interface import Kind
from pressync.server import database
from pressync.server.database import (
    Busy,
    Database,
    SiteSettings,
    UnusableDatabase,
    read_settings,
    stored_address,
    write_settings,
)
from pressync.server.store import Store

if TYPE_CHECKING:
    from pathlib import Path


def test_a_new_database_makes_its_folder_and_has_settings(tmp_path: Path) -> None:
    made = Database(tmp_path / "new" / "site.db")
    with made.reading() as db:
        assert read_settings(db) == SiteSettings()
        assert db.execute("PRAGMA user_version").fetchone() == (6,)


def test_each_commit_is_synced_to_the_disk(tmp_path: Path) -> None:
    with Database(tmp_path / "site.db").writing() as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert db.execute("PRAGMA fullfsync").fetchone() == (1,)


def test_settings_are_kept(tmp_path: Path) -> None:
    settings = replace(SiteSettings(), title="Field Notes", offset=90)
    with Database(tmp_path / "site.db").writing() as db:
        write_settings(db, settings)
    with Database(tmp_path / "site.db").reading() as db:
        assert read_settings(db) == settings


def test_a_block_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    made = Database(tmp_path / "site.db")

    def write_and_fail() -> None:
        with made.writing() as db:
            write_settings(db, SiteSettings(title="never"))
            raise LookupError

    with pytest.raises(LookupError):
        write_and_fail()
    with made.reading() as db:
        assert read_settings(db) == SiteSettings()


def test_a_reader_sees_one_state_throughout(tmp_path: Path) -> None:
    made = Database(tmp_path / "site.db")
    with made.reading() as reader:
        before = read_settings(reader)
        with made.writing() as db:
            write_settings(db, SiteSettings(title="changed"))
        assert read_settings(reader) == before


def test_many_may_make_the_same_database_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: Database(tmp_path / "site.db"), range(8)))
    for each in made:
        with each.reading() as db:
            assert read_settings(db) == SiteSettings()
        each.close()


def test_a_writer_that_waits_in_vain_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_PATIENCE", 0.01)
    made = Database(tmp_path / "site.db")
    other = sqlite3.connect(tmp_path / "site.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Busy), made.writing():
        pass
    other.close()
    with made.writing() as db:
        write_settings(db, SiteSettings(title="later"))


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "site.db").write_text("My shopping list, which is rather dear to me.\n" * 20)
    with pytest.raises(UnusableDatabase, match="cannot be used"):
        Database(tmp_path / "site.db")
    assert (tmp_path / "site.db").read_text().startswith("My shopping list")


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "site.db")
    other.execute("CREATE TABLE birds (name TEXT)")
    other.close()
    with pytest.raises(UnusableDatabase, match="another program"):
        Database(tmp_path / "site.db")


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    with Database(tmp_path / "site.db").writing() as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(UnusableDatabase, match="newer pressync"):
        Database(tmp_path / "site.db")


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
