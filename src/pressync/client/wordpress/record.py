"""The JSON of a record of WordPress: reads it as a `Record`, and makes the object of a call from fields.

A complete record has 3 KB and more beside its text. So each request lists the wanted members in `_fields`,
and `read` reads exactly these. Title, content and excerpt are sent as plain strings. WordPress ignores the
title `{"raw": ""}` or `{"raw": "0"}`, but it always takes a string.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.client import record_json
from pressync.client.record_json import is_id, text_members
from pressync.client.wordpress.encoding import escape_title, is_classic, unescape_title, unwrap, wrap
from pressync.model.interface import BODIES, Type
from pressync.model.records import TEXTS

if TYPE_CHECKING:
    from pressync.model.changes import CustomFields
    from pressync.model.interface import Field, Kind
    from pressync.model.records import Fields, Record, Value


# The text that is wrapped in a block when it is sent, and unwrapped when it is read.
WRAPPED = "content"

# The field that is plain text for people, and HTML for WordPress.
TITLE = "title"

# The members that identify a record, beside the fields of a body.
_KEYS = ("id", "type", "link", "modified", "modified_gmt")

# The value of `_fields` with exactly the members that `read` needs. Without `.raw`, WordPress would also
# render the text, which is the slowest part of a response.
MEMBERS: dict[Kind, str] = {
    kind: ",".join((*_KEYS, *(f"{f.name}.raw" if f.name in TEXTS else f.name for f in fields)))
    for kind, fields in BODIES.items()
}


def path_of(kind: Kind, number: int) -> str:
    """Give the path of one record; ValueError if the number is not an id (`…/pages/0` is another route)."""
    if not is_id(number):
        raise ValueError(f"{number!r} is not the id of a record")
    return f"{kind.row.route}/{number}"


def read(kind: Kind, members: Mapping[str, object], *, expected: int | None = None) -> Record:
    """Read a record as `record_json` does, with the content unwrapped and the title as plain text.

    :raises BadAnswer: it is not a record, or it does not have the id `expected`.
    """
    if members.get("meta") == []:
        # PHP encodes an empty map as a list.
        members = {**members, "meta": {}}
    record = record_json.read(kind, members, expected=expected)
    written = {WRAPPED: unwrap, TITLE: unescape_title}
    texts = {name: text for name in written if isinstance(text := record.fields.get(name), str)}
    fields = {**record.fields, **{name: written[name](text) for name, text in texts.items()}}
    return replace(record, fields=fields, classic=is_classic(texts.get(WRAPPED, "")))


def body(kind: Kind, fields: Fields, custom: CustomFields | None = None) -> dict[str, object]:
    """Make the object for these fields (interface, 4.1 and 4.4), with typed strings, numbers and lists.

    Custom fields are members of `meta`, beside those that the document names.

    ValueError for a field or a type that a record of this kind does not have. So the object never has an
    `id`, which would change another record, or a null, which takes a page off the site.
    """
    known = {field.name: field for field in BODIES[kind]}
    unknown = sorted(fields.keys() - known.keys())
    if unknown:
        raise ValueError(f"a {kind} has no field {', '.join(unknown)}")
    made = {name: _encoded(known[name], value) for name, value in fields.items()}
    if custom:
        named = made.get("meta")
        made["meta"] = {**custom, **(named if isinstance(named, dict) else {})}
    return made


def _encoded(field: Field, value: Value) -> object:
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
            return {WRAPPED: wrap, TITLE: escape_title}.get(field.name, str)(value)
        case Type.OBJECT, Mapping() if field.name not in TEXTS:
            return text_members(field, value)
        case _:
            raise ValueError(f"{field.name} is {field.type.value}, not {type(value).__name__}")
