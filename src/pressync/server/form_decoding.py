"""Decodes a form-encoded body into typed fields by the tables of the interface, and refuses any deviation.

Pure: it returns fields or raises a HttpRefusal, and never another exception. It is strict because clients are
tested against it, and a lenient server would hide a client's mistakes (section 4).
"""

from __future__ import annotations

import json
import re
from binascii import a2b_qp
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from pressync.model.interface import Type
from pressync.server import datetimes, strict_json
from pressync.server.refusal import HttpRefusal, invalid

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.model.interface import Field

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
        return datetimes.parse(text)
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
        return strict_json.read(text, pairs=_once)
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
