"""Makes the JSON object that stock WordPress takes of the fields of a call.

Title, content and excerpt are plain strings. WordPress ignores the title `{"raw": ""}` or `{"raw": "0"}`,
but it always takes a string.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pressync.client.record_json import text_members
from pressync.client.wordpress.classic_block import wrap
from pressync.client.wordpress.record import TITLE, WRAPPED
from pressync.client.wordpress.titles import escape
from pressync.model.interface import BODIES, Type
from pressync.model.records import TEXTS

if TYPE_CHECKING:
    from pressync.model.interface import Field, Kind
    from pressync.model.records import Fields, Value


def body(kind: Kind, fields: Fields) -> dict[str, object]:
    """Make the object for these fields (interface, 4.1 and 4.4), with typed strings, numbers and lists.

    ValueError for a field or a type that a record of this kind does not have. So the object never has an
    `id`, which would change another record, or a null, which takes a page off the site.
    """
    known = {field.name: field for field in BODIES[kind]}
    unknown = sorted(fields.keys() - known.keys())
    if unknown:
        raise ValueError(f"a {kind} has no field {', '.join(unknown)}")
    return {name: _encoded(known[name], value) for name, value in fields.items()}


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
            return {WRAPPED: wrap, TITLE: escape}.get(field.name, str)(value)
        case Type.OBJECT, Mapping() if field.name not in TEXTS:
            return text_members(field, value)
        case _:
            raise ValueError(f"{field.name} is {field.type.value}, not {type(value).__name__}")
