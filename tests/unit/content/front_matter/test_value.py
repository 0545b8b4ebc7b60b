"""Values that keep their line and their text."""

from __future__ import annotations

import datetime as dt

import pytest

from pressync.content.front_matter.value import Given, RawFrontMatter, given, read_date


def test_a_value_of_toml_or_json_keeps_the_line_of_its_key() -> None:
    front_matter = given({"title": "x", "tags": ["a"]}, {"title": 2, "tags": 5})
    assert front_matter.value == {"title": Given("x", 2, "x"), "tags": Given((Given("a", 5, "a"),), 5)}


def test_scalars_have_the_text_that_a_person_would_write() -> None:
    assert [given(value).text for value in (True, 7, 1.5, "a ", dt.date(2024, 1, 31))] == [
        *("true", "7", "1.5", "a ", "2024-01-31")
    ]


def test_plain_gives_data_back_with_dates_as_iso_text() -> None:
    data = {"a": [1, {"b": None}], "c": dt.datetime(2024, 1, 31, 10, tzinfo=dt.UTC), "d": dt.time(9)}
    assert given(data).plain() == {"a": [1, {"b": None}], "c": "2024-01-31T10:00:00+00:00", "d": "09:00:00"}


def test_nesting_beyond_any_use_is_refused() -> None:
    deep: object = 1
    for _ in range(51):
        deep = [deep]
    with pytest.raises(RecursionError, match="nested deeper than 50 levels"):
        given(deep)


def test_a_block_knows_the_lines_of_its_file() -> None:
    assert RawFrontMatter("\na: 1\nb: 2\n", 1).line_at(6) == 3


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024-01-31", "2024-01-31T00:00:00"),
        ("2024-1-5", "2024-01-05T00:00:00"),
        ("2024-01-31T10:00", "2024-01-31T10:00:00"),
        ("2024-01-31 10:00:59", "2024-01-31T10:00:59"),
        ("2024-01-31t10:00:59.75", "2024-01-31T10:00:59"),
        ("0987-01-31", "0987-01-31T00:00:00"),
    ],
)
def test_a_date_without_an_offset_is_the_sites_own_time(written: str, read: str) -> None:
    assert read_date(written) == (read, False)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024-01-31T10:00:00Z", "2024-01-31T10:00:00"),
        ("2024-01-31 10:00:00 UTC", "2024-01-31T10:00:00"),
        ("2024-01-31T10:00:00+02:00", "2024-01-31T08:00:00"),
        ("2024-01-31 10:00:00 -0530", "2024-01-31T15:30:00"),
        ("2024-01-31 23:00:00-2", "2024-02-01T01:00:00"),
    ],
)
def test_a_date_with_an_offset_is_a_moment_in_utc(written: str, read: str) -> None:
    assert read_date(written) == (read, True)


@pytest.mark.parametrize(
    "written",
    [
        *("", "soon", "31.01.2024", "2024-01", "20240131", "2024-02-30", "2024-13-01", "0000-01-01"),
        *(
            "2024-01-31T24:30",
            "2024-01-31T10:00+25:00",
            "2024-01-31+02:00",
            "٢٠٢٤-01-31",
            "0001-01-01T00:00+01",
        ),
    ],
)
def test_what_no_calendar_has_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_date(written)
