"""Values that are too long for the columns of WordPress's database; the words are those of 6.8."""

from __future__ import annotations

import pytest

from pressync.model.interface import Kind
from pressync.server.record import StoredRecord
from pressync.server.wordpress import sizes
from pressync.server.wordpress.refusals import RestRefusal


def record(*, title: str = "", excerpt: str = "", password: str = "") -> StoredRecord:
    return StoredRecord(1, Kind.PAGE, "", 0, 0, title=title, excerpt=excerpt, password=password)


@pytest.mark.parametrize(
    "longest", [record(title="é" * 32767 + "x"), record(excerpt="x" * 65535), record(password="é" * 255)]
)
def test_the_longest_values_are_stored(longest: StoredRecord) -> None:
    sizes.check(longest, new=True)


@pytest.mark.parametrize(
    ("too_long", "field"),
    [
        (record(title="é" * 32768), "post_title"),
        (record(excerpt="x" * 65536), "post_excerpt"),
        (record(password="x" * 256), "post_password"),
    ],
)
def test_a_longer_value_is_refused_with_its_column(too_long: StoredRecord, field: str) -> None:
    with pytest.raises(RestRefusal) as raised:
        sizes.check(too_long, new=True)

    assert raised.value.body == {
        "code": "db_insert_error",
        "message": "Could not insert post into the database.",
        "data": {"status": 500},
        "additional_data": [
            (
                "WordPress database error: Processing the value for the following field failed: "
                f"{field}. The supplied value may be too long or contains invalid data."
            )
        ],
    }


def test_an_update_names_all_columns() -> None:
    with pytest.raises(RestRefusal, match=r"Could not update post in the database\.") as raised:
        sizes.check(record(title="x" * 70000, excerpt="x" * 70000), new=False)

    assert raised.value.code == "db_update_error"
    assert raised.value.body["additional_data"] == [
        (
            "WordPress database error: Processing the values for the following fields failed: "
            "post_title, post_excerpt. The supplied values may be too long or contain invalid data."
        )
    ]
