"""Values as the text of each format."""

from __future__ import annotations

import datetime as dt

import pytest

from pressync.content.front_matter.serialize import Bare, json_value, toml_key, toml_value, yaml_value


@pytest.mark.parametrize(
    ("value", "yaml", "toml", "json"),
    [
        ("plain", "plain", '"plain"', '"plain"'),
        ("No", "'No'", '"No"', '"No"'),
        ("010", "'010'", '"010"', '"010"'),
        ("it's: so", "'it''s: so'", '"it\'s: so"', '"it\'s: so"'),
        (True, "true", "true", "true"),
        (1e16, "1.0e+16", "1e+16", "1e+16"),
        (float("inf"), ".inf", "inf", "Infinity"),
        (dt.date(2024, 1, 31), "2024-01-31", "2024-01-31", '"2024-01-31"'),
        (Bare("2024-01-31T10:00Z"), "2024-01-31T10:00Z", "2024-01-31T10:00Z", '"2024-01-31T10:00Z"'),
        (("a", 1), "[a, 1]", '["a", 1]', '["a", 1]'),
        ({"a b": [None]}, "{a b: [null]}", None, '{"a b": [null]}'),
        ({"a b": [1]}, "{a b: [1]}", '{"a b" = [1]}', '{"a b": [1]}'),
    ],
)  # fmt: skip
def test_a_value_is_written_as_its_format_reads_it(
    value: object, yaml: str, toml: str | None, json: str
) -> None:
    assert yaml_value(value) == yaml
    assert json_value(value) == json
    if toml is not None:
        assert toml_value(value) == toml


def test_quotes_stay_as_they_were() -> None:
    assert yaml_value("new", "'old'") == "'new'"
    assert yaml_value("new", '"old"') == '"new"'
    assert toml_value("new", "'old'") == "'new'"


def test_toml_has_no_null() -> None:
    with pytest.raises(ValueError, match="no null"):
        toml_value(None)


@pytest.mark.parametrize(("key", "written"), [("a-b_1", "a-b_1"), ("a b", '"a b"'), ("", '""')])
def test_a_toml_key_is_quoted_where_it_must_be(key: str, written: str) -> None:
    assert toml_key(key) == written
