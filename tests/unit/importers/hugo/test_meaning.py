"""Front matter of Hugo as the fields of a site."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from pressync.importers.hugo.meaning import author_of, date_of, fields_of, is_headless, iso, status_of
from pressync.importers.hugo.pages import HugoPage
from pressync.importers.item import Place, Remainder
from pressync.importers.source_files import FolderFiles
from pressync.importers.source_tree import Front


def page(**values: Any) -> HugoPage:  # noqa: ANN401 - front matter holds anything
    spelled = {key.lower(): key for key in values}
    low = {key.lower(): value for key, value in values.items()}
    front = Front(low, spelled, dict.fromkeys(low, 3))
    return HugoPage("content/a.md", "a", "en", "page", front, own=low, date=front.text("date"))


def test_an_expired_page_is_a_draft_and_the_date_is_named() -> None:
    today = dt.date(2026, 1, 1)
    named = Remainder("expiry date", Place("content/a.md", 3), "2025-12-31")
    assert status_of(page(expiryDate="2025-12-31"), today) == ("draft", [("expirydate", named)])
    assert status_of(page(expiryDate="2026-01-01"), today)[0] == ""
    assert status_of(page(draft=True), today) == ("draft", [])


def test_a_later_publish_date_keeps_a_page_from_being_public_early() -> None:
    assert date_of(page(date="2024-01-01", publishDate="2030-01-01"))[0] == "2030-01-01T00:00:00"
    assert date_of(page(date="2024-01-01", publishDate="2020-01-01")) == ("2024-01-01T00:00:00", [])


def test_a_date_that_is_not_one_is_named() -> None:
    date, lost = date_of(page(date="Spring 2024"))
    assert date == ""
    assert [each.text for _, each in lost] == ["Spring 2024"]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-01-31T10:00:00+02:00", "2024-01-31T08:00:00+00:00"),
        ("2024-01-31", "2024-01-31T00:00:00"),
        ("", ""),
    ],
)
def test_a_date_with_an_offset_is_a_moment(text: str, moment: str) -> None:
    assert iso(text) == moment


@pytest.mark.parametrize(
    ("values", "author"),
    [
        ({"author": " Anna  Berg "}, "Anna Berg"),
        ({"authors": ["Anna"]}, "Anna"),
        ({"authors": ["Anna", "Ben"]}, ""),
        ({"author": {"name": "Anna", "email": "a@example.org"}}, "Anna"),
        ({}, ""),
    ],
)
def test_one_author_is_the_author(values: dict[str, object], author: str) -> None:
    assert author_of(page(**values).front) == author


@pytest.mark.parametrize(
    ("values", "headless"),
    [
        ({"headless": True}, True),
        ({"build": {"render": "never"}}, True),
        ({"_build": {"list": "never"}}, False),
    ],
)
def test_a_page_that_is_not_rendered_is_headless(values: dict[str, object], *, headless: bool) -> None:
    assert is_headless(page(**values).front) is headless


def test_keys_that_nothing_takes_stay_as_parameters_with_their_spelling() -> None:
    given = page(title="A", linkTitle="B", layout="wide", params={"x": 1}, password="secret", tags=["t"])
    assert fields_of(given, "/a/", FolderFiles({}), {"tags"}) == {
        "params": {"linkTitle": "B", "layout": "wide", "x": 1}
    }


def test_a_picture_beside_the_page_is_its_featured_picture() -> None:
    files = FolderFiles({"/a/cover.jpg": Path("cover.jpg")})
    assert fields_of(page(images=["cover.jpg"]), "/a/", files, set())["featured_media"] == "/a/cover.jpg"
    assert "featured_media" not in fields_of(page(images=["none.jpg"]), "/a/", files, set())
