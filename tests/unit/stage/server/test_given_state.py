"""Rows of another site in a store, with their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.interface import Kind
from pressync.stage.rehearse import given_site
from pressync.stage.server.store import Store
from pressync.stage.server.wordpress.session import User
from pressync.stage.server.wordpress.terms import TermRow

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_are_put_with_their_ids_and_new_records_get_later_ones(tmp_path: Path) -> None:
    store = Store(tmp_path / "site.db", with_post=False)
    given = {"title": "A", "slug": "a", "categories": [3], "date": "2024-01-01T02:00:00", "unknown": 1}
    record = given_site.stored_record(Kind.POST, 40, given, modified="2024-02-01T00:00:00", offset=120)
    site = given_site.GivenSite(
        settings=store.settings,
        users=(User(7, "ed", "ed@example.org", "Ed", "ed", "editor"),),
        all_users=True,
        terms=(TermRow(3, "category", "N", "n"),),
        records=[record],
        last=50,
    )
    given_site.fill(store, site)
    with store.database.reading() as db:
        assert db.execute("SELECT id FROM users").fetchall() == [(7,)]
        assert db.execute("SELECT id FROM terms ORDER BY id").fetchall() == [(3,)]
    found = store.read(Kind.POST, 40)
    assert found is not None
    assert (found["date_gmt"], found["modified_gmt"]) == ("2024-01-01T00:00:00", "2024-02-01T00:00:00")
    assert store.create_page({"title": "new"})["id"] == 51


def test_a_date_that_is_not_one_is_that_of_the_change() -> None:
    given = {"date": "0000-00-00T00:00:00"}
    record = given_site.stored_record(Kind.PAGE, 1, given, modified="2024-02-01T00:00:00", offset=0)
    assert record.date == record.modified
