"""Values that keep their line and their text."""

from __future__ import annotations

import datetime as dt

import pytest

from pressync.content.front_matter.value import Given, RawFrontMatter, given


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
