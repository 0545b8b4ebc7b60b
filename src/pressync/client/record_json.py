"""Reads the JSON of a record as a `Record`, and writes that of its fields, for both dialects.

The members that identify a record must be there and valid: id, type, slug, link and both modified times.
Every other member may be absent or malformed, because themes and plugins remove members, and because
WordPress 6.1 has no footnotes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeGuard

from pressync.client.responses import clean, inside
from pressync.model.errors import BadAnswer
from pressync.model.fingerprint import with_line_feeds
from pressync.model.interface import Field, Kind, Type, types_of
from pressync.model.records import TEXTS, Record, Value

# The largest id that any database gives; a larger number is not an id.
_LARGEST_ID = 2**63 - 1


def is_id(number: object) -> TypeGuard[int]:
    """Tell whether this can be the id of a record."""
    return isinstance(number, int) and not isinstance(number, bool) and 0 < number <= _LARGEST_ID


def valid_id(number: int) -> int:
    """Give a number that is the id of a record; ValueError for any other."""
    if not is_id(number):
        raise ValueError(f"{number!r} is not the id of a record")
    return number


def read(kind: Kind, members: Mapping[str, object], *, expected: int | None = None) -> Record:
    """Read a record, with the id `expected` if there is one; BadAnswer if this is not such a record.

    `Record.fields` leaves out a field that is absent or does not have the interface's type. The texts in it
    have LF as line ending, and `Record.raw` has those that came with another one.
    """
    number = _identity(kind, members, expected)
    stored: dict[str, Value] = {}
    for field in kind.row.body:
        # A registered field is a member of an object.
        member = inside(members, field.inside, field.key) if field.inside else members.get(field.key)
        if (value := _decoded(field, member)) is not None:
            stored[field.name] = value
    fields = {name: with_line_feeds(value) for name, value in stored.items()}
    return Record(
        kind=kind,
        id=number,
        slug=_required(members, "slug", number),
        link=_required(members, "link", number),
        # Kept verbatim: after a create with a date, WordPress gives that date here, even a future one.
        modified=_required(members, "modified", number),
        modified_gmt=_required(members, "modified_gmt", number),
        fields=fields,
        raw={name: value for name, value in stored.items() if value != fields[name]},
    )


def to_json(value: object) -> str:
    r"""Write a value compactly, with characters and not `\uXXXX`: `é` has 2 bytes instead of 6."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def encoded(field: Field, value: Value, write: Callable[[str], object]) -> object:  # noqa: PLR0911 - as `_decoded`
    """Give the JSON value of a field; `write` makes that of a text. ValueError for another type."""
    match field.type, value:
        case ((Type.STRING | Type.DATETIME), str()):
            return value
        case Type.BOOLEAN, bool():
            return value
        case Type.INTEGER, int() if not isinstance(value, bool):
            return value
        case Type.INTEGERS, tuple() if all(type(number) is int for number in value):
            return list(value)
        case Type.OBJECT, str() if field.name in TEXTS:
            return write(value)
        case Type.OBJECT, Mapping() if field.name not in TEXTS:
            names = {member.name for member in field.members}
            if not value.keys() <= names or not all(isinstance(text, str) for text in value.values()):
                raise ValueError(f"{field.name} has text members {', '.join(sorted(names))} and no others")
            return dict(value)
        case Type.JSON, _:
            # A null takes the value back: WordPress deletes it, and gives the default.
            return None if field.takes_null and value == field.empty else value
        case _:
            raise ValueError(f"{field.name} is {field.type.value}, not {type(value).__name__}")


def _identity(kind: Kind, members: Mapping[str, object], expected: int | None) -> int:
    number, type_ = members.get("id"), members.get("type")
    if not is_id(number):
        raise BadAnswer(
            "the response is JSON but not a record: it has no id", todo="check `url` and `dialect`"
        )
    if expected is not None and number != expected:
        raise BadAnswer(
            f"the response is record {number}, but {kind} {expected} was requested",
            todo="look at both records on the site before the next run",
        )
    if type_ is not None and type_ != kind:
        raise BadAnswer(
            f"the response is record {number} of type “{clean(str(type_), 40)}”, but a {kind} was requested",
            todo="check the record on the site, and `type` in the front matter",
        )
    return number


def _required(members: Mapping[str, object], name: str, number: int) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise BadAnswer(
            f"the response has record {number} but no text `{name}`", todo="look at it on the site"
        )
    return _text(value)


def _decoded(field: Field, value: object) -> Value | None:  # noqa: PLR0911 - one return per row of a table
    """Read one field as a `Value`; None if it is absent or does not have the interface's type."""
    match field.type, value:
        case ((Type.STRING | Type.DATETIME), str()):
            return _text(value)
        case Type.BOOLEAN, bool():
            return value
        case Type.INTEGER, int() if not isinstance(value, bool):
            return value
        case Type.INTEGERS, list() if all(type(number) is int for number in value):
            # Terms have no order: WordPress returns them sorted by name.
            return tuple(sorted(value))
        case Type.OBJECT, {"raw": str(raw)} if field.name in TEXTS:
            return _text(raw)
        case Type.OBJECT, dict() if field.name not in TEXTS:
            names = (member.name for member in field.members)
            return {name: _text(value[name]) for name in names if isinstance(value.get(name), str)}
        case Type.JSON, _:
            return _registered(field, value)
        case _:
            return None


def _registered(field: Field, value: object) -> Value | None:
    """Read the value of a registered field; PHP encodes an empty map as a list, and ACF no value as null."""
    match value:
        case []:
            return {} if types_of(field.schema) == {"object"} else ()
        case list():
            return tuple(value)
        case float() if value.is_integer():
            return int(value)
        case str():
            return _text(value)
        case None:
            return "" if field.inside == "acf" else None
        case _:
            return value  # type: ignore[return-value]


def _text(value: str) -> str:
    r"""Replace lone surrogates: JSON can spell them (`"\ud800"`), but no file can hold them."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()
