"""Date-times on the wire and in the store."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.server import datetimes

NOON = 1709294400  # 2024-03-01T12:00:00 in GMT


@pytest.mark.parametrize(
    ("written", "offset", "second"),
    [
        ("2024-03-01T12:00:00", 0, NOON),
        ("2024-03-01T12:00:00", 60, NOON - 3600),
        ("2024-03-01T12:00:00Z", 60, NOON),
        ("2024-03-01T13:00:00+01:00", 0, NOON),
        ("2024-03-01T06:30:00-0530", 0, NOON),
        ("2024-03-01T12:00:00.999", 0, NOON),
        ("1969-12-31T23:59:59Z", 0, -1),
    ],
)
def test_a_moment_is_read_in_its_own_zone_or_in_the_sites(written: str, offset: int, second: int) -> None:
    assert datetimes.seconds(datetimes.parse(written), offset=offset) == second


@pytest.mark.parametrize(
    "written",
    [
        "",
        "now",
        "2024-03-01",
        "2024-03-01 12:00:00",
        "2024-03-01T12:00",
        "2024-02-30T12:00:00",
        "2024-13-01T12:00:00",
        "2024-03-01T25:00:00",
        "2024-03-01T12:00:00+99:99",
        "2024-03-01T12:00:00z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "٢٠٢٤-03-01T12:00:00",
    ],
)
def test_whatever_is_no_such_moment_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"^(is|names) "):
        datetimes.parse(written)


def test_a_moment_is_written_without_a_zone() -> None:
    assert datetimes.text(NOON) == "2024-03-01T12:00:00"
    assert datetimes.text(NOON, offset=-90) == "2024-03-01T10:30:00"


@given(st.integers(-(10**10), 10**11), st.integers(-840, 840))
def test_what_is_written_is_read_back(second: int, offset: int) -> None:
    read = datetimes.parse(datetimes.text(second, offset=offset))
    assert datetimes.seconds(read, offset=offset) == second
