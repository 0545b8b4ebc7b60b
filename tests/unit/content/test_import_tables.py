"""What people fill in is read, whatever else they did to the table."""

from __future__ import annotations

import pytest

from pressync.content.import_tables import read


def test_the_last_column_is_what_people_chose() -> None:
    table = b'\xef\xbb\xbfauthor,items,user\r\n"Doe, Jane",3,jane\r\nbot,2,\r\n'
    assert read(table) == {"Doe, Jane": "jane"}


@pytest.mark.parametrize(
    "table", [b"", b"author\n", b'author,items,user\n"a,b\n', b"\0\xff\n\0", b"a,b\n" * 3_000_000]
)
def test_a_broken_table_chooses_nothing(table: bytes) -> None:
    assert read(table) == {}
