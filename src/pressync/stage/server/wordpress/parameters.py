"""Reads the parameters of a request as PHP does, and checks them by the rules of WordPress's schemas.

WordPress is lenient where a type can be guessed (`"3"` is an integer), and does not check null at all. It
names all wrong parameters at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from pressync.stage.server.wire import HttpRefusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class NoData(HttpRefusal):
    """A refusal for which WordPress gives no data, not even the status."""

    @property
    def body(self) -> dict[str, object]:
        """The JSON object of the response."""
        return {"code": self.code, "message": self.message, "data": None}


class WrongParameter(Exception):  # noqa: N818 - it names what it is
    """One wrong parameter: its code, its sentence and its data; some have no code, and so no details."""

    def __init__(self, message: str, code: str = "", data: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.data = data


def invalid_parameters(problems: Mapping[str, WrongParameter]) -> HttpRefusal:
    """Make the refusal of all wrong parameters of a request."""
    details = {
        name: {"code": problem.code, "message": problem.message, "data": problem.data}
        for name, problem in problems.items()
        if problem.code
    }
    return HttpRefusal(
        400,
        "rest_invalid_param",
        f"Invalid parameter(s): {', '.join(problems)}",
        params={name: problem.message for name, problem in problems.items()},
        # PHP encodes an empty map as a list.
        details=details or [],
    )


def no_route() -> HttpRefusal:
    """Make the refusal of a path or a method that the interface does not have."""
    return HttpRefusal(404, "rest_no_route", "No route was found matching the URL and request method.")


def integer(value: object) -> int:
    """Give a checked integer of a parameter; 0 without one."""
    return value if isinstance(value, int) else 0


def no_trash(what: str) -> HttpRefusal:
    """Make the refusal to move a term or a file to the trash."""
    return HttpRefusal(
        501, "rest_trash_not_supported", f"{what} do not support trashing. Set 'force=true' to delete."
    )


# PHP ignores the parameters after these.
_MOST = 1000


def parse_query(text: str) -> dict[str, object]:
    """Read a query; of two values with one name, the last counts."""
    given: dict[str, object] = {}
    for name, value in parse_qsl(text, keep_blank_values=True)[:_MOST]:
        outer, bracket, inner = name.partition("[")
        inner = inner.removesuffix("]")
        before = given.get(outer)
        if not bracket:
            given[name] = value
        elif inner:
            given[outer] = {**(before if isinstance(before, dict) else {}), inner: value}
        elif isinstance(before, list):
            before.append(value)
        else:
            given[outer] = [value]
    return given


_SEPARATORS = re.compile(r"[\s,]+")


# SQLite stores every number of so many digits.
_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,18}(?:\.0*)?\s*")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?"
    r"(Z|[+-][0-9]{2}(?::[0-9]{2})?)?"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its type, and the limits of its value. `check` replaces both for unusual ones.

    WordPress looks at the `late` parameters only if no other one is wrong.
    """

    type: str = "any"
    enum: tuple[str, ...] = ()
    items: str = "string"
    least: int | None = None
    most: int | None = None
    default: object = None
    required: bool = False
    late: bool = False
    check: Callable[[object], object] | None = None


def read(known: Mapping[str, Parameter], given: Mapping[str, object]) -> dict[str, object]:
    """Give the known parameters of a request with their types and defaults.

    :raises HttpRefusal: a parameter is missing, or some are wrong.
    """
    missing = [name for name, one in known.items() if one.required and given.get(name) is None]
    if missing:
        names = ", ".join(missing)
        raise HttpRefusal(
            400, "rest_missing_callback_param", f"Missing parameter(s): {names}", params=missing
        )
    values: dict[str, object] = {n: one.default for n, one in known.items() if one.default is not None}
    for late in (False, True):
        problems: dict[str, WrongParameter] = {}
        for name, one in known.items():
            if name in given and one.late == late:
                try:
                    values[name] = _value(name, one, given[name])
                except WrongParameter as problem:
                    problems[name] = problem
        if problems:
            raise invalid_parameters(problems)
    return values


def _value(name: str, one: Parameter, value: object) -> object:
    if value is None:
        return _NULLS.get(one.type)
    if one.check:
        return one.check(value)
    typed = _READERS[one.type](name, value)
    if one.type == "array":
        typed = _each(name, one, typed)
    elif one.enum:
        check_enum(name, one.enum, typed)
    if isinstance(typed, int) and not isinstance(typed, bool):
        _check_bounds(name, one, typed)
    return typed


# WordPress turns null into the empty value of the type, and never checks it.
_NULLS: Mapping[str, object] = {"string": "", "integer": 0, "boolean": False, "array": ()}


def _each(name: str, one: Parameter, values: object) -> tuple[object, ...]:
    found = []
    for place, value in enumerate(values if isinstance(values, (list, tuple)) else ()):
        inner = f"{name}[{place}]"
        typed = _READERS[one.items](inner, value)
        if one.enum:
            check_enum(inner, one.enum, typed)
        found.append(typed)
    return tuple(found)


def check_enum(name: str, enum: Sequence[str], value: object) -> None:
    """Raise a WrongParameter if a value is not one of these."""
    if value not in enum:
        allowed = f"{', '.join(enum[:-1])}, and {enum[-1]}" if len(enum) > 2 else " and ".join(enum)  # noqa: PLR2004 - two need no comma
        raise WrongParameter(f"{name} is not one of {allowed}.", "rest_not_in_enum")


def _check_bounds(name: str, one: Parameter, value: int) -> None:
    if one.least is not None and one.most is not None and not one.least <= value <= one.most:
        bounds = f"{one.least} (inclusive) and {one.most} (inclusive)"
        raise WrongParameter(f"{name} must be between {bounds}", "rest_out_of_bounds")
    if one.least is not None and value < one.least:
        raise WrongParameter(f"{name} must be greater than or equal to {one.least}", "rest_out_of_bounds")


def wrong_type(name: str, wanted: str) -> WrongParameter:
    """Make the refusal of a value of another type."""
    return WrongParameter(f"{name} is not of type {wanted}.", "rest_invalid_type", {"param": name})


def _any(_name: str, value: object) -> object:
    return value


def _string(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise wrong_type(name, "string")
    return value


def read_integer(name: str, value: object) -> int:
    """Read a whole number, which may be a text. Raises WrongParameter."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise wrong_type(name, "integer")
    if not _INTEGER.fullmatch(text := str(value)):
        raise wrong_type(name, "integer")
    return int(text.partition(".")[0])


def read_boolean(name: str, value: object) -> bool:
    """Read a boolean, which may be a text or a number. Raises WrongParameter."""
    text = str(value).lower() if isinstance(value, (bool, int, str)) else ""
    if text not in _BOOLEANS:
        raise wrong_type(name, "boolean")
    return _BOOLEANS[text]


def as_list(name: str, value: object) -> Sequence[object]:
    """Read a list, which may be a text with commas or blanks. Raises WrongParameter."""
    if isinstance(value, list):
        return value
    if isinstance(value, (str, int, float)):
        return [part for part in _SEPARATORS.split(str(value)) if part]
    raise wrong_type(name, "array")


def _date(name: str, value: object) -> datetime:
    if not isinstance(value, str):
        raise wrong_type(name, "string,null")
    found = parse_date(value)
    if found is None:
        raise WrongParameter("Invalid date.", "rest_invalid_date")
    return found


def parse_date(text: str) -> datetime | None:
    """Read a date-time as PHP does: 30 February is 1 March. It is aware if it has a zone."""
    shape = _DATE.fullmatch(text)
    if shape is None:
        return None
    year, month, day, hours, minutes, seconds = map(int, shape.groups()[:6])
    if not (year and 1 <= month <= 12 and 1 <= day <= 31 and hours <= 24 and max(minutes, seconds) < 60):  # noqa: PLR2004 - a calendar
        return None
    try:
        moment = datetime(year, month, 1) + timedelta(  # noqa: DTZ001 - the zone is added below
            days=day - 1, hours=hours, minutes=minutes, seconds=seconds
        )
    except OverflowError:
        return None
    zone = shape[7]
    if zone is None:
        return moment
    return moment.replace(tzinfo=UTC) - (timedelta() if zone == "Z" else _offset(zone))


def _offset(zone: str) -> timedelta:
    hours, _, minutes = zone[1:].partition(":")
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    return -offset if zone[0] == "-" else offset


_READERS: Mapping[str, Callable[[str, object], object]] = {
    "any": _any,
    "string": _string,
    "integer": read_integer,
    "boolean": read_boolean,
    "array": as_list,
    "date": _date,
}
