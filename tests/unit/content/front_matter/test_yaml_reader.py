"""YAML as front matter uses it, with libyaml and without: values that keep their line and their text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

import pytest
import yaml

from pressync.content.front_matter import value as yaml_reader
from pressync.content.front_matter.value import (
    Given,
    UnreadableError,
    given,
    read_date,
    read_yaml,
)


@pytest.fixture(params=["libyaml", "pure Python"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every test of this module with both loaders of PyYAML."""
    if request.param == "pure Python":
        monkeypatch.setattr(yaml_reader, "_open", yaml.SafeLoader)
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML was built without libyaml")


def read(text: str) -> Mapping[str, Given]:
    value = read_yaml(f"\n{text}").value
    assert isinstance(value, Mapping)
    return value


def plain(text: str) -> object:
    return read_yaml(f"\n{text}").plain()


def refusals(text: str) -> list[tuple[int, str, str]]:
    with pytest.raises(UnreadableError) as caught:
        read_yaml(f"\n{text}")
    return list(caught.value.reasons)


def test_values_keep_their_text_and_their_line() -> None:
    values = read("title: No\nslug: 010\nversion: 1.10\nday: 2024-01-31\ntime: 1:30")
    assert [given.text for given in values.values()] == ["No", "010", "1.10", "2024-01-31", "1:30"]
    values = read("title: x\n\n# why\ndescription: >\n  long\n  text\nmeta:\n  footnotes: y\n")
    assert [given.line for given in values.values()] == [2, 5, 8]
    meta = values["meta"].value
    assert isinstance(meta, Mapping)
    assert meta["footnotes"].line == 9
    values = read("a: &n 007\nb: *n")
    assert values["b"] == Given(7, 3, "007")


def test_values_are_typed_as_yaml_1_1_types_them_with_dates_as_iso_text() -> None:
    typed = "toc: yes, n: 3, f: 1.5, none: ~, quoted: '3', text: !!str 3, list: [a, off]"
    dates = "a: 2024-01-31, b: 2024-01-31 10:00:00, c: 2024-13-45"
    assert plain(f"{{{typed}, {dates}}}") == {
        "toc": True, "n": 3, "f": 1.5, "none": None, "quoted": "3", "text": "3", "list": ["a", False],
        "a": "2024-01-31", "b": "2024-01-31T10:00:00", "c": "2024-13-45",
    }  # fmt: skip
    assert plain("# only a comment\n") is plain("") is None


def test_a_key_named_twice_is_refused_at_its_second_line_and_all_are_told() -> None:
    assert refusals("a: 1\na: 2\nb: 1\nb: 1") == [
        (3, "the key 'a' is named twice", "keep one of them"),
        (5, "the key 'b' is named twice", "keep one of them"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "todo"),
    [
        ("a: 1\ntitle: {{ page.title }}", 3, "put the value in quotes"),
        ("title: Why: a question", 2, "put the value in quotes"),
        ("title: 'It's here'", 2, "close the quote at the end of the value"),
        ("a:\n\tb: 1", 3, "indent with spaces, not with tabs"),
        ("a: !thing 1", 2, "remove it"),
        ("a: 1\n--- {b: 2}", 3, "keep one"),
    ],
)
def test_what_is_not_yaml_is_refused_with_its_line_and_advice(text: str, line: int, todo: str) -> None:
    [(found, _, advice)] = refusals(text)
    assert found == line
    assert advice.startswith(todo)


def test_merged_keys_do_not_hide_those_that_are_written() -> None:
    assert plain("base: &b {x: 1, y: 1}\nmore: &m {y: 2, z: 2}\nc:\n  <<: [*b, *m]\n  x: 3") == {
        "base": {"x": 1, "y": 1},
        "more": {"y": 2, "z": 2},
        "c": {"x": 3, "y": 1, "z": 2},
    }


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a: " + "[" * 60, "nested deeper"),
        ("a: " + "{b: " * 60, "nested deeper"),
        ("".join(" " * depth + "a:\n" for depth in range(60)), "nested deeper"),
        ("a: &a 1\nb: [" + "*a, " * 101 + "]", "too many aliases"),
        (
            "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
            + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)),
            "too many aliases",
        ),
        ("a: &a [*a]", "no complete value"),
    ],
)
def test_bombs_are_refused(text: str, what: str) -> None:
    [(_, found, _)] = refusals(text)
    assert what in found


def test_numbers_and_nesting_beyond_any_use_are_text_or_refused() -> None:
    assert plain("n: " + "9" * 5000) == {"n": "9" * 5000}
    assert plain("n: 1" + ":59" * 5000) == {"n": "1" + ":59" * 5000}
    data = {"a": [1, {"b": None}], "c": dt.datetime(2024, 1, 31, 10, tzinfo=dt.UTC), "d": dt.time(9)}
    assert given(data).plain() == {"a": [1, {"b": None}], "c": "2024-01-31T10:00:00+00:00", "d": "09:00:00"}
    deep: object = 1
    for _ in range(51):
        deep = [deep]
    with pytest.raises(RecursionError, match="nested deeper than 50 levels"):
        given(deep)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024-1-5", "2024-01-05T00:00:00"),
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
