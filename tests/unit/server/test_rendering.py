"""The texts, dates and links of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask

from pressync.model.interface import Kind
from pressync.server.database import SiteSettings
from pressync.server.queries import PublicRecords
from pressync.server.record import StoredRecord
from pressync.server.rendering import COOKIE, PageTexts, Sheet, digest, sheet

if TYPE_CHECKING:
    from pressync.server.store import Store


def record(**fields: str | int) -> StoredRecord:
    return StoredRecord(7, Kind.POST, "", 1709294400, 0, **fields)  # type: ignore[arg-type]  # the fields have types


def test_a_title_of_wordpress_becomes_plain_text(store: Store) -> None:
    with store.database.reading() as db:
        texts = PageTexts(PublicRecords(db, 0), SiteSettings())
        assert texts.title(record(title="Bread &amp; <b>butter</b>")) == "Bread & <b>butter</b>"
        assert texts.title(record()) == "Page 7"


def test_a_day_is_written_in_site_time_and_other_times_in_gmt(store: Store) -> None:
    with store.database.reading() as db:
        texts = PageTexts(PublicRecords(db, 0), SiteSettings(offset=12 * 60))
        assert texts.day(1709294400) == "2 March 2024"
        assert texts.utc(1709294400) == "2024-03-01T12:00:00Z"
        assert texts.mail_date(1709294400) == "Fri, 01 Mar 2024 12:00:00 +0000"


def test_a_protected_text_opens_with_its_password(store: Store) -> None:
    def cookie(text: str) -> dict[str, str]:
        return {"Cookie": f"{COOKIE}={text}"}

    with store.database.reading() as db:
        texts = PageTexts(PublicRecords(db, 0), SiteSettings())
        for headers, is_open in (({}, False), (cookie("x"), False), (cookie(digest("sesame")), True)):
            with Flask(__name__).test_request_context(headers=headers):
                assert texts.is_open(record(password="sesame")) is is_open
                assert texts.is_open(record())


def test_a_list_has_a_sheet_even_if_it_is_empty() -> None:
    assert Sheet(1, 0, 10).last == 1
    with Flask(__name__).test_request_context("/?page=3"):
        assert sheet(21, 10) == Sheet(3, 21, 10)
        assert sheet(21, 10, "2").skip == 10
