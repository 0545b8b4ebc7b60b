"""The SQLite file under the store."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pressync.server import database
from pressync.server.database import (
    Busy,
    Database,
    SiteSettings,
    UnusableDatabase,
    read_settings,
    write_settings,
)

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
