"""Values of an export are text that needs a second look."""

from __future__ import annotations

import pytest

from pressync.importers.wxr_file import XmlElement
from pressync.importers.wxr_values import address_of, former_address, moment, name_of, number_of


def dated(local: str, gmt: str, status: str = "publish") -> XmlElement:
    """Make a record with these dates."""
    values = {"post_date": local, "post_date_gmt": gmt, "status": status}
    children = [XmlElement(name, "", 1, {}, parts=[text]) for name, text in values.items()]
    return XmlElement("item", "", 1, {}, children)


@pytest.mark.parametrize(
    ("local", "gmt", "date"),
    [
        ("2024-03-01 11:00:00", "2024-03-01 10:00:00", "2024-03-01T11:00:00+01:00"),
        ("2024-03-01 10:00:00", "2024-03-01 10:00:00", "2024-03-01T10:00:00Z"),
        ("2024-03-01 04:30:00", "2024-03-01 10:00:00", "2024-03-01T04:30:00-05:30"),
        ("2024-03-05 11:00:00", "2024-03-01 10:00:00", "2024-03-01T10:00:00Z"),
        ("2024-03-01 11:00:00", "0000-00-00 00:00:00", "2024-03-01T11:00:00"),
        ("0000-00-00 00:00:00", "2024-03-01 10:00:00", "2024-03-01T10:00:00Z"),
        ("0000-00-00 00:00:00", "0000-00-00 00:00:00", ""),
        ("", "", ""),
    ],
)
def test_a_date_keeps_its_moment_where_the_export_has_it(local: str, gmt: str, date: str) -> None:
    assert moment(dated(local, gmt)) == date


def test_the_date_of_a_draft_moves_until_somebody_publishes_it() -> None:
    assert moment(dated("2024-03-01 11:00:00", "0000-00-00 00:00:00", "draft")) == ""


def test_addresses_begin_at_the_root_and_are_readable() -> None:
    assert address_of("https://blog.test/2024/%d0%bc%d0%b8%d1%80/") == "/2024/мир/"
    assert [address_of(text) for text in ("https://blog.test/?p=12", "", "http://[")] == ["", "", ""]
    assert former_address("/2024/new/", "old") == "/2024/old/"


def test_names_are_html_and_numbers_are_bounded() -> None:
    assert name_of(" A &amp; B ") == "A & B"
    assert [number_of(text) for text in ("12", "-1", "9" * 5000, "")] == [12, 0, 0, 0]
