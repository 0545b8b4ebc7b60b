"""Parameters are read as PHP reads them, and checked as WordPress checks them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress.parameters import Parameters, parse_date, parse_query, read, read_date
from pressync.stage.server.wordpress.session import Fields


def of_type(kind: str) -> Parameters:
    return {"x": {"check": read_date} if kind == "date" else {"type": kind, "items": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        ("integer", "3", 3),
        ("boolean", "TRUE", True),
        ("boolean", 0, False),
        ("array", "1, 2", [1, 2]),
        ("array", 5, [5]),
        ("integer", None, 0),
        ("date", None, None),
    ],
)
def test_a_type_is_guessed_where_it_can_be(kind: str, given: object, value: object) -> None:
    assert read(of_type(kind), {"x": given}) == {"x": value}


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("integer", True),
        ("integer", "1.5"),
        ("boolean", "yes"),
        ("boolean", ""),
        ("array", ["x"]),
        ("string", 5),
        ("date", "2024-03-01"),
    ],
)
def test_any_other_value_is_refused(kind: str, given: object) -> None:
    with pytest.raises(HttpRefusal) as refused:
        read(of_type(kind), {"x": given})
    assert refused.value.code == "rest_invalid_param"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-02-30T00:00:00", datetime(2024, 3, 1)),  # noqa: DTZ001 - site time has no zone
        ("2024-01-01 10:00:00", datetime(2024, 1, 1, 10)),  # noqa: DTZ001 - as above
        ("2024-01-01T10:00:00+05:30", datetime(2024, 1, 1, 4, 30, tzinfo=UTC)),
        ("2024-13-01T00:00:00", None),
        ("0000-01-01T00:00:00", None),
    ],
)
def test_a_date_is_read_as_php_reads_it(text: str, moment: datetime | None) -> None:
    assert parse_date(text) == moment


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("a=1&a=2&b=", {"a": "2", "b": ""}),
        ("slug[]=x&slug[]=y", {"slug": ["x", "y"]}),
        ("meta[footnotes]=z&meta[b]=", {"meta": {"footnotes": "z", "b": ""}}),
        ("=x&%FF=1", {"": "x", "\ufffd": "1"}),
        ("&".join(f"a{n}=1" for n in range(1001)), {f"a{n}": "1" for n in range(1000)}),
    ],
)
def test_a_query_becomes_parameters(text: str, given: dict[str, object]) -> None:
    assert parse_query(text) == given


VALUE = {"id": 1, "title": {"raw": "x", "rendered": "y"}}


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("", VALUE),
        ("id", {"id": 1}),
        ("id,title.raw", {"id": 1, "title": {"raw": "x"}}),
        ("title.raw title.rendered", {"title": {"raw": "x", "rendered": "y"}}),
        (["id"], {"id": 1}),
        ("title.nothing", {"title": []}),
    ],
)
def test_the_named_members_are_left(asked: object, left: object) -> None:
    assert Fields.of(asked).cut(VALUE) == left
    assert Fields.of(asked).cut([VALUE]) == [left]
