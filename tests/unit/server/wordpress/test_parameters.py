"""Parameters get their types as leniently as WordPress does it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pressync.server.wordpress.parameters import Parameter, parse_date, read
from pressync.server.wordpress.refusals import RestRefusal


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        ("integer", "3", 3),
        ("integer", 1.0, 1),
        ("boolean", "TRUE", True),
        ("boolean", 0, False),
        ("array", "1, 2", (1, 2)),
        ("array", 5, (5,)),
        ("integer", None, 0),
        ("string", None, ""),
        ("date", None, None),
    ],
)
def test_a_type_is_guessed_where_it_can_be(kind: str, given: object, value: object) -> None:
    assert read({"x": Parameter(kind, items="integer")}, {"x": given}) == {"x": value}


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("integer", True),
        ("integer", "1.5"),
        ("integer", [1]),
        ("boolean", "yes"),
        ("boolean", ""),
        ("boolean", []),
        ("array", {}),
        ("array", ["x"]),
        ("string", 5),
        ("date", "2024-03-01"),
        ("date", 5),
    ],
)
def test_any_other_value_is_refused(kind: str, given: object) -> None:
    with pytest.raises(RestRefusal) as refused:
        read({"x": Parameter(kind, items="integer")}, {"x": given})

    assert refused.value.code == "rest_invalid_param"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-02-30T00:00:00", datetime(2024, 3, 1)),  # noqa: DTZ001 - site time has no zone
        ("2024-01-01 10:00:00", datetime(2024, 1, 1, 10)),  # noqa: DTZ001 - as above
        ("2024-01-01T10:00:00+05:30", datetime(2024, 1, 1, 4, 30, tzinfo=UTC)),
        ("2024-01-01T10:00:00.5Z", datetime(2024, 1, 1, 10, tzinfo=UTC)),
        ("2024-13-01T00:00:00", None),
        ("0000-01-01T00:00:00", None),
        ("9999-12-31T24:00:00", None),
    ],
)
def test_a_date_is_read_as_php_reads_it(text: str, moment: datetime | None) -> None:
    assert parse_date(text) == moment
