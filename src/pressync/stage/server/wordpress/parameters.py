"""Reads the parameters of a request as PHP does, and checks values by the schemas of WordPress and of a site.

WordPress is lenient where a type can be guessed (`"3"` is an integer), and does not check null at all. It
names all wrong parameters at once. It checks a value and then converts it. Here one pass does both: a value
that passes is the converted one. The messages name a member of an object in brackets, as its refusals do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl

from pressync.stage.server.wire import HttpRefusal

# The schema of each parameter, by name.
Parameters = Mapping[str, Mapping[str, Any]]


class NoData(HttpRefusal):
    """A refusal for which WordPress gives no data, not even the status."""

    @property
    def body(self) -> dict[str, object]:
        """The JSON object of the response."""
        return {"code": self.code, "message": self.message, "data": None}


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


def read(known: Parameters, given: Mapping[str, object]) -> dict[str, object]:
    """Give the known parameters of a request with their types and defaults.

    A schema may say that its parameter is `required`, and may have a `check` in place of the type, which gets
    the name and the value. WordPress looks at the `late` parameters only if no other one is wrong. It turns
    null into the empty value of the type, and never checks it.

    :raises HttpRefusal: a parameter is missing, or some are wrong.
    """
    missing = [name for name, one in known.items() if one.get("required") and given.get(name) is None]
    if missing:
        names = ", ".join(missing)
        raise HttpRefusal(
            400, "rest_missing_callback_param", f"Missing parameter(s): {names}", params=missing
        )
    values: dict[str, object] = {name: one["default"] for name, one in known.items() if "default" in one}
    for late in (False, True):
        problems: dict[str, WrongParameter] = {}
        for name, one in known.items():
            if name not in given or one.get("late", False) != late:
                continue
            value = given[name]
            try:
                if value is None:
                    values[name] = EMPTY.get(str(one.get("type")))
                else:
                    values[name] = one["check"](name, value) if "check" in one else value_of(one, value, name)
            except WrongParameter as problem:
                problems[name] = problem
        if problems:
            raise invalid_parameters(problems)
    return values


_SEPARATORS = re.compile(r"[\s,]+")
# SQLite stores every number of so many digits.
_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,18}(?:\.0*)?\s*")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?"
    r"(Z|[+-][0-9]{2}(?::[0-9]{2})?)?"
)
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_HEX_COLOR = re.compile(r"#(?:[A-Fa-f0-9]{3}){1,2}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+")
_NOT_IN_URLS = re.compile(r"[^a-z0-9\-~+_.?#=!&;,/:%@$|*'()\[\]\u0080-\U0010ffff]", re.IGNORECASE)
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_SCHEMES = frozenset(
    """
    http https ftp ftps mailto news irc irc6 ircs gopher nntp feed telnet mms rtsp sms svn tel fax xmpp webcal
    urn
    """.split()  # noqa: SIM905 - twenty quoted words would be harder to read
)
EMPTY: Mapping[str, Any] = {
    "string": "",
    "boolean": False,
    "integer": 0,
    "number": 0,
    "array": [],
    "object": [],
}


class WrongParameter(Exception):  # noqa: N818 - it names what it is
    """One wrong parameter: its code, its sentence and its data; some have no code, and so no details."""

    def __init__(self, message: str, code: str = "", data: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.data = data


def wrong_type(name: str, wanted: str) -> WrongParameter:
    """Make the refusal of a value of another type."""
    return WrongParameter(f"{name} is not of type {wanted}.", "rest_invalid_type", {"param": name})


def value_of(schema: Mapping[str, Any], value: object, name: str) -> Any:  # noqa: ANN401 - any JSON
    """Give a value with the type of the schema; `name` is its place in messages (`meta.size[width]`).

    :raises WrongParameter: the schema does not take the value.
    """
    types = schema.get("type", "string")
    if isinstance(types, list):
        return _of_types(schema, types, value, name)
    reader = _READERS.get(types)
    typed = reader(schema, value, name) if reader else value
    if isinstance(schema.get("enum"), list):
        check_enum(name, schema["enum"], typed)
    return typed


def empty(schema: Mapping[str, Any]) -> object:
    """Give the value that a field shows before anybody wrote one."""
    return schema.get("default", EMPTY.get(str(schema.get("type"))))


def check_enum(name: str, enum: Sequence[object], value: object) -> None:
    """Raise a WrongParameter if a value is not one of these."""
    if value not in enum:
        *others, last = map(str, enum)
        # Two need no comma.
        before = f"one of {', '.join(others)}{',' * (len(others) > 1)} and " if others else ""
        raise WrongParameter(f"{name} is not {before}{last}.", "rest_not_in_enum")


def _of_types(schema: Mapping[str, Any], types: list[str], value: object, name: str) -> object:
    """Take the first type that fits; an empty text is a text before it is an empty list."""
    if value == "" and "string" in types:
        types = ["string", *types]
    for each in types:
        try:
            return value_of({**schema, "type": each}, value, name)
        except WrongParameter as problem:
            if problem.code != "rest_invalid_type" or problem.data != {"param": name}:
                raise
    # A schema of a site is sorted, and plug-ins write null last.
    raise wrong_type(name, ",".join(sorted(types, key="null".__eq__)))


def _string(schema: Mapping[str, Any], value: object, name: str) -> str:
    if not isinstance(value, str):
        raise wrong_type(name, "string")
    codes = ("rest_too_short", "rest_too_long")
    _check_size(
        schema,
        len(value),
        name,
        limits=("minLength", "maxLength"),
        codes=codes,
        words="be {} {} character{} long",
    )
    check = _FORMATS.get(str(schema.get("format", "")))
    return check(value) if check else value


def _check_size(
    schema: Mapping[str, Any],
    size: int,
    name: str,
    *,
    limits: tuple[str, str],
    codes: tuple[str, str],
    words: str,
) -> None:
    """Refuse a text or a list that is too short or too long; `words` are what it must do."""
    least, most = (schema.get(limit) for limit in limits)
    is_short = least is not None and size < least
    if is_short or (most is not None and size > most):
        limit = least if is_short else most
        must = words.format("at least" if is_short else "at most", limit, "" if limit == 1 else "s")
        raise WrongParameter(f"{name} must {must}.", codes[not is_short])


def _number(schema: Mapping[str, Any], value: object, name: str, *, whole: bool = False) -> float:
    typed: float
    if whole:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise wrong_type(name, "integer")
        if not _INTEGER.fullmatch(text := str(value)):
            raise wrong_type(name, "integer")
        typed = int(text.partition(".")[0])
    else:
        is_number = isinstance(value, (int, float, str)) and not isinstance(value, bool)
        if not (is_number and _NUMBER.fullmatch(str(value)) and isfinite(typed := float(str(value)))):
            raise wrong_type(name, "number")
        typed = int(typed) if typed.is_integer() else typed
    _check_bounds(schema, typed, name)
    return typed


def _check_bounds(schema: Mapping[str, Any], value: float, name: str) -> None:
    least, most = schema.get("minimum"), schema.get("maximum")
    over = bool(schema.get("exclusiveMinimum")), bool(schema.get("exclusiveMaximum"))
    low = least is not None and (value <= least if over[0] else value < least)
    high = most is not None and (value >= most if over[1] else value > most)
    if not (low or high):
        if schema.get("multipleOf") and (value / schema["multipleOf"]) % 1:
            what = f"{name} must be a multiple of {schema['multipleOf']}."
            raise WrongParameter(what, "rest_invalid_multiple")
        return
    if least is not None and most is not None:
        ways = [
            f"{end} ({'exclusive' if is_out else 'inclusive'})"
            for end, is_out in zip((least, most), over, strict=True)
        ]
        what = f"{name} must be between {' and '.join(ways)}"
    else:
        word, end, is_out = ("greater", least, over[0]) if low else ("less", most, over[1])
        what = f"{name} must be {word} than {'' if is_out else 'or equal to '}{end}"
    raise WrongParameter(what, "rest_out_of_bounds")


def _boolean(_schema: Mapping[str, Any], value: object, name: str) -> bool:
    text = str(value).lower() if isinstance(value, (bool, int, str)) else ""
    if text not in _BOOLEANS:
        raise wrong_type(name, "boolean")
    return _BOOLEANS[text]


def _null(_schema: Mapping[str, Any], value: object, name: str) -> None:
    if value is not None:
        raise wrong_type(name, "null")


def as_list(name: str, value: object) -> Sequence[object]:
    """Read a list, which may be a text with commas or blanks. Raises WrongParameter."""
    if isinstance(value, list):
        return value
    if isinstance(value, (str, int, float)):
        return [part for part in _SEPARATORS.split(str(value)) if part]
    raise wrong_type(name, "array")


def _array(schema: Mapping[str, Any], value: object, name: str) -> list[object]:
    if isinstance(value, bool):
        value = "1" if value else ""
    items = schema.get("items")
    found = list(as_list(name, value))
    if isinstance(items, Mapping):
        found = [value_of(items, each, f"{name}[{place}]") for place, each in enumerate(found)]
    codes = ("rest_too_few_items", "rest_too_many_items")
    _check_size(
        schema, len(found), name, limits=("minItems", "maxItems"), codes=codes, words="contain {} {} item{}"
    )
    if schema.get("uniqueItems") and len({repr(each) for each in found}) < len(found):
        raise WrongParameter(f"{name} has duplicate items.", "rest_duplicate_items")
    return found


def _object(schema: Mapping[str, Any], value: object, name: str) -> dict[str, object]:
    if value == "":
        value = {}
    elif isinstance(value, list):
        # PHP has one sort of array: a list is a map whose keys are numbers.
        value = {str(place): each for place, each in enumerate(value)}
    if not isinstance(value, Mapping):
        raise wrong_type(name, "object")
    known = schema.get("properties") or {}
    required = schema.get("required")
    needed = list(required) if isinstance(required, list) else []
    needed += [
        key for key, each in known.items() if isinstance(each, Mapping) and each.get("required") is True
    ]
    for key in needed:
        if key not in value:
            raise WrongParameter(f"{key} is a required property of {name}.", "rest_property_required")
    typed: dict[str, object] = {}
    for key, one in value.items():
        inner = known.get(key) or schema.get("additionalProperties", True)
        if inner is False:
            what = f"{key} is not a valid property of Object."
            raise WrongParameter(what, "rest_additional_properties_forbidden")
        typed[key] = value_of(inner, one, f"{name}[{key}]") if isinstance(inner, Mapping) else one
    return typed


def read_date(name: str, value: object) -> datetime:
    """Read a date-time, which may have a zone. Raises WrongParameter."""
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
    year, month, day, hour, minute, second = map(int, shape.groups()[:6])
    if not (year and 1 <= month <= 12 and 1 <= day <= 31 and hour <= 24 and max(minute, second) < 60):  # noqa: PLR2004 - a calendar
        return None
    try:
        moment = datetime(year, month, 1) + timedelta(  # noqa: DTZ001 - the zone is added below
            days=day - 1, hours=hour, minutes=minute, seconds=second
        )
    except OverflowError:
        return None
    zone = shape[7]
    if zone is None:
        return moment
    hours, _, minutes = zone[1:].partition(":")
    ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    return moment.replace(tzinfo=UTC) - (-ahead if zone[0] == "-" else ahead)


def _date(value: str) -> str:
    read_date("", value)
    return value


def _matching(pattern: re.Pattern[str], what: str, code: str, value: str) -> str:
    if not pattern.fullmatch(value):
        raise WrongParameter(f"Invalid {what}.", code)
    return value


def _ip(value: str) -> str:
    try:
        ip_address(value)
    except ValueError:
        raise WrongParameter("Invalid IP address.", "rest_invalid_ip") from None
    return value


def _url(value: str) -> str:
    """Give an address as WordPress stores it; empty for a scheme that it does not trust."""
    kept = _NOT_IN_URLS.sub("", value.lstrip().replace(" ", "%20")).replace(";//", "://")
    if not kept:
        return ""
    scheme = _SCHEME.match(kept)
    if scheme is None and kept[0] not in "/#?":
        return f"http://{kept}"
    return "" if scheme and scheme[1].lower() not in _SCHEMES else kept


_FORMATS: Mapping[str, Callable[[str], str]] = {
    "date-time": _date,
    "uri": _url,
    "ip": _ip,
    "email": partial(_matching, _EMAIL, "email address", "rest_invalid_email"),
    "uuid": partial(_matching, _UUID, "UUID", "rest_invalid_uuid"),
    "hex-color": partial(_matching, _HEX_COLOR, "hex color", "rest_invalid_hex_color"),
}
_READERS: Mapping[str, Callable[[Mapping[str, Any], object, str], object]] = {
    "string": _string,
    "number": _number,
    "integer": partial(_number, whole=True),
    "boolean": _boolean,
    "array": _array,
    "object": _object,
    "null": _null,
}
