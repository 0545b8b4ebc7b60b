"""Dates as people write them."""

from __future__ import annotations

import pytest

from pressync.content.front_matter.dates import read_date


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
