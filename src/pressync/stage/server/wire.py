"""Decodes what a client sends, and writes what it gets: forms, date-times, strict JSON, and refusals in JSON.

Decoding is pure: it returns fields or raises a HttpRefusal, and never another exception. It is strict because
clients are tested against it, and a lenient server would hide a client's mistakes (section 4). The interface
does not show error bodies (section 7). Their format is that of WordPress, so that a client reads the errors
of both services in one way. Only the time in GMT is stored, and site time is computed from it with the site's
offset. So `date` and `date_gmt` cannot contradict each other.
"""

from __future__ import annotations

import hmac
import json
import re
from binascii import a2b_qp
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, NoReturn

import msgspec

from pressync.model.interface import Field, Type

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from werkzeug.datastructures import Authorization

    Pairs = Callable[[list[tuple[str, object]]], object]


_SHAPE = re.compile(
    r"(?P<clock>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]+)?"
    r"(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# With these years, any offset gives a date-time that Python can represent.
_YEARS = range(1000, 9999)


def read_moment(text: str) -> datetime:
    """Read an ISO 8601 date-time. It is aware if it has a zone; fractions of a second are dropped.

    Raises ValueError with a sentence for anything else.
    """
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise ValueError("is not an ISO 8601 date-time such as 2024-03-01T09:30:00")
    try:
        moment = datetime.fromisoformat(shape["clock"] + (shape["zone"] or ""))
    except ValueError:
        raise ValueError("names a day or a time that does not exist") from None
    if moment.year not in _YEARS:
        raise ValueError(f"is outside the years {_YEARS.start} to {_YEARS.stop - 1}")
    return moment


def seconds(moment: datetime, *, offset: int) -> int:
    """Turn a date-time into seconds since 1970; without a zone it is `offset` minutes ahead of GMT."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC) - timedelta(minutes=offset)
    return (moment - _EPOCH) // timedelta(seconds=1)


def chosen_second(fields: Mapping[str, object], offset: int) -> int | None:
    """Give the date that fields choose; if both are given, site time wins, as in WordPress."""
    for name, minutes in (("date", offset), ("date_gmt", 0)):
        moment = fields.get(name)
        if isinstance(moment, datetime):
            return seconds(moment, offset=minutes)
    return None


def moment_at(second: int, *, offset: int = 0) -> datetime:
    """Give the date-time, without a zone, that a clock `offset` minutes ahead of GMT shows."""
    return (_EPOCH + timedelta(seconds=second, minutes=offset)).replace(tzinfo=None)


# The records that a service writes in one second have the same times.
@lru_cache(maxsize=256)
def moment_text(second: int, *, offset: int = 0) -> str:
    """Write a time as the interface does: ISO 8601 without a zone."""
    return moment_at(second, offset=offset).isoformat()


class HttpRefusal(Exception):  # noqa: N818 - an ordinary response, not a fault of the service
    """The request was certainly not carried out; `data` stands beside the status, like a wrong `field`."""

    def __init__(self, status: int, code: str, message: str, **data: object) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.data = {name: value for name, value in data.items() if value != ""}

    @property
    def body(self) -> dict[str, object]:
        """The JSON object of the response."""
        return {"code": self.code, "message": self.message, "data": {"status": self.status, **self.data}}


def invalid(field: str, message: str) -> HttpRefusal:
    """Make the refusal of the value of one body field."""
    return HttpRefusal(400, "invalid_field", message, field=field)


def read_json(text: str, *, pairs: Pairs | None = None) -> object:
    """Read a JSON text; `pairs` makes an object of its members.

    :raises ValueError: it is not JSON, or it has half of a character.
    :raises RecursionError: it is nested too deeply.
    """
    value: object = _decoder(pairs).decode(text)
    if "\\u" in text:
        json.dumps(value, ensure_ascii=False).encode()
    return value


@cache
def _decoder(pairs: Pairs | None) -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=pairs, parse_constant=_refuse)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# The limit of a request body in bytes. Form-encoding doubles the content, so this is 16 MiB of content.
BODY_LIMIT = 32 * 1024 * 1024
JSON = "application/json"

TOO_LARGE = f"The body is longer than {BODY_LIMIT} bytes."
FAILED = "The service failed; its log says why."


def refuse_web_pages(environ: WSGIEnvironment) -> None:
    """Refuse (403) a write that a web page sends.

    Any web page in the world can make a browser send a form to this address. The browser then sends an Origin
    header, as with every POST and DELETE; other programs do not send one.
    """
    if "HTTP_ORIGIN" in environ:
        raise HttpRefusal(403, "from_browser", "The service takes no writes from web pages.")


def presents(given: Authorization | None, token: str) -> bool:
    """Tell whether credentials have the token: as Bearer, or as the password of Basic."""
    presented = (given.token or given.password or "") if given else ""
    return hmac.compare_digest(presented.encode(), token.encode())


# A browser neither guesses another type nor keeps a response.
_ALWAYS = (("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"))


def send_json(
    environ: WSGIEnvironment,
    start_response: StartResponse,
    value: object,
    *,
    status: int = HTTPStatus.OK,
    content_type: str = JSON,
    headers: Iterable[tuple[str, str]] = (),
) -> list[bytes]:
    """Begin the response, and give its body; HEAD gets the headers alone."""
    body = msgspec.json.encode(value)
    given = [("Content-Type", content_type), ("Content-Length", str(len(body))), *headers, *_ALWAYS]
    start_response(f"{status} {HTTPStatus(status).phrase}", given)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]


Scalar = str | int | bool
Value = Scalar | datetime | tuple[int, ...] | Mapping[str, Scalar]
FormFields = Mapping[str, Value]

# Quoted-printable differs from form-encoding in these bytes. Its decoder is 16 times as fast as urllib's.
_TO_QUOTED_PRINTABLE = bytes.maketrans(b"+%", b" =")
_INTEGER = re.compile(r"-?[0-9]{1,19}")

# The integers that SQLite can store. JSON itself has no limit.
_INTEGERS = range(-(2**63), 2**63)


def read_form(body: bytes, allowed: tuple[Field, ...]) -> dict[str, Value]:
    """Read a body whose fields may be `allowed`, each at most once.

    Objects become mappings of the given members, arrays become tuples, and date-times become datetimes (aware
    if they have a zone). Raises HttpRefusal (400), which names the field.
    """
    known = {field.name: field for field in allowed}
    fields: dict[str, Value] = {}
    for pair in body.split(b"&") if body else ():
        name, equals, text = pair.partition(b"=")
        key = _decoded(name)
        if not equals or not key:
            raise HttpRefusal(400, "bad_form", "The body is not form-encoded: each field must be name=value.")
        if key not in known:
            raise HttpRefusal(
                400, "unknown_field", f"{_shown(key)} is not a field of this operation.", field=key
            )
        if key in fields:
            raise HttpRefusal(400, "repeated_field", f"{key} is given more than once.", field=key)
        fields[key] = _READERS[known[key].type](known[key], _decoded(text, key))
    return fields


def _decoded(data: bytes, field: str = "") -> str:
    # In quoted-printable, these have a meaning of their own.
    escaped = data.replace(b"=", b"%3D").replace(b"\n", b"%0A").replace(b"\r", b"%0D")
    plain = a2b_qp(escaped.translate(_TO_QUOTED_PRINTABLE))
    # A percent sign with its two digits becomes one byte. Any other one keeps its length, or loses one byte.
    if len(plain) != len(escaped) - 2 * escaped.count(b"%"):
        raise HttpRefusal(
            400, "bad_form", "The body holds a % that two hex digits do not follow.", field=field
        )
    try:
        return plain.decode()
    except UnicodeDecodeError:
        raise HttpRefusal(400, "bad_form", "The body is not UTF-8.", field=field) from None


def _shown(name: str) -> str:
    """Quote a name from outside, and shorten it."""
    return json.dumps(name if len(name) <= 40 else f"{name[:40]}…", ensure_ascii=False)  # noqa: PLR2004 - a line's worth


def _string(_field: Field, text: str) -> str:
    return text


def _datetime(field: Field, text: str) -> datetime:
    try:
        return read_moment(text)
    except ValueError as problem:
        raise invalid(field.name, f"{field.name} {problem}.") from None


def _integer(field: Field, text: str) -> int:
    if not _INTEGER.fullmatch(text) or int(text) not in _INTEGERS:
        raise invalid(field.name, f"{field.name} must be a whole number in decimal digits, within 64 bits.")
    return int(text)


def _boolean(field: Field, text: str) -> bool:
    if text not in {"true", "false"}:
        raise invalid(field.name, f"{field.name} must be true or false.")
    return text == "true"


def _object(field: Field, text: str) -> dict[str, Scalar]:
    value = _json(field, text)
    known = {member.name: member for member in field.members}
    if not isinstance(value, dict) or not value:
        raise invalid(field.name, f"{field.name} must be JSON text of an object with {_members(field)}.")
    for name, member in value.items():
        if name not in known:
            raise invalid(field.name, f"{field.name} has no member {_shown(name)}, only {_members(field)}.")
        if not _is(known[name].type, member):
            raise invalid(field.name, f"{field.name}.{name} must be of type {known[name].type.value}.")
    return value


def _integers(field: Field, text: str) -> tuple[int, ...]:
    value = _json(field, text)
    if not isinstance(value, list) or not all(_is(Type.INTEGER, item) for item in value):
        raise invalid(field.name, f"{field.name} must be JSON text of an array of integers, such as [3, 5].")
    return tuple(value)


def _json(field: Field, text: str) -> object:
    """Parse strict JSON: only the constants of the standard, each member once, no lone surrogates."""
    try:
        return read_json(text, pairs=_once)
    except (ValueError, RecursionError):
        raise invalid(field.name, f"{field.name} must be valid JSON text.") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is given more than once")
    return members


def _is(kind: Type, value: object) -> bool:
    if kind is Type.INTEGER:
        # In Python, True is an int; in JSON it is not a number.
        return isinstance(value, int) and not isinstance(value, bool) and value in _INTEGERS
    return isinstance(value, bool if kind is Type.BOOLEAN else str)


def _members(field: Field) -> str:
    return ", ".join(member.name for member in field.members)


_READERS: Mapping[Type, Callable[[Field, str], Value]] = {
    Type.STRING: _string,
    Type.DATETIME: _datetime,
    Type.INTEGER: _integer,
    Type.BOOLEAN: _boolean,
    Type.OBJECT: _object,
    Type.INTEGERS: _integers,
}
