"""The documented dialect: calls as form bodies with JSON text in them, answers as whole records.

Pure: no socket, no clock. It knows `content-service.md` through `interface` and nothing of stock
WordPress but how to recognise it. What decided its shape: the document shows how objects are *sent* (every
member, `rendered` among them) and never says that the service computes any, so whole objects are sent.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pressync.errors import BadAnswer
from pressync.interface import (
    BODIES,
    CREATE_PAGE,
    DELETE_PAGE,
    DELETE_POST,
    FORM_CONTENT_TYPE,
    UPDATE_PAGE,
    UPDATE_POST,
    Kind,
    Type,
)
from pressync.model import Capabilities, CreateCall, DeleteCall, Record, UpdateCall
from pressync.service.answers import clean, expect_success, json_object
from pressync.service.form import form
from pressync.service.port import Dialect, Request, WrongDialectShown

if TYPE_CHECKING:
    from pressync.interface import Field, Operation
    from pressync.model import Call, Fields, Value
    from pressync.service.port import Answer

# Section 1: creating a post is "not shown", and so are reads.
CAPABILITIES = Capabilities(create=frozenset({Kind.PAGE}))

_OPERATIONS: dict[tuple[type, Kind], Operation] = {
    (CreateCall, Kind.PAGE): CREATE_PAGE,
    (UpdateCall, Kind.PAGE): UPDATE_PAGE,
    (UpdateCall, Kind.POST): UPDATE_POST,
    (DeleteCall, Kind.PAGE): DELETE_PAGE,
    (DeleteCall, Kind.POST): DELETE_POST,
}

# The objects that are one text to people, with `raw` as that text.
_TEXTS = ("title", "content", "excerpt")

# The largest id that any database gives out; a longer number is no id.
_LARGEST_ID = 2**63 - 1


def request(call: Call) -> Request:
    """Encode a call (section 4). ValueError if the operation has no such field, type or kind at all.

    Integers are sent as decimals, booleans as `true` and `false`; `id` and null are never sent.
    """
    operation = _OPERATIONS.get((type(call), call.kind))
    if operation is None:
        raise ValueError(f"the interface shows no way to create a {call.kind}")
    if isinstance(call, DeleteCall):
        # Section 4.3: only `false` appears; that `true` is permanent is the field's plain sense.
        fields: Fields = {"force": call.permanent}
    else:
        fields = call.fields
    path = operation.path if isinstance(call, CreateCall) else operation.path.format(id=_id(call.id))
    return Request(operation.method, path, FORM_CONTENT_TYPE, _body(operation, fields))


def record(call: Call, answer: Answer) -> Record:
    """Read the answer to a call: the record (sections 2.1 and 2.2), or the ServiceError that it shows.

    What we do not need is read with tolerance: a field that is absent or of another type is left out of
    `Record.fields`. What makes it *this* record is not: id, type, slug, link and both modified times.
    """
    expect_success(call, answer)
    echo = json_object(answer)
    number = _identity(call, echo)
    made = Record(
        kind=call.kind,
        id=number,
        slug=_required(echo, "slug", number),
        link=_required(echo, "link", number),
        modified=_required(echo, "modified", number),
        modified_gmt=_required(echo, "modified_gmt", number),
        fields=_fields(call.kind, echo),
    )
    _expect_this_dialect(call, made)
    return made


DOCUMENTED = Dialect("documented", CAPABILITIES, request, record)


def _id(number: int) -> int:
    if isinstance(number, bool) or not 0 < number <= _LARGEST_ID:
        raise ValueError(f"{number!r} is no id of a record")
    return number


def _body(operation: Operation, fields: Fields) -> bytes:
    known = {field.name: field for field in operation.body}
    unknown = sorted(fields.keys() - known.keys())
    if unknown:
        raise ValueError(f"{operation.name} has no field {', '.join(unknown)}")
    protected = bool(fields.get("password"))
    return form((name, _encoded(known[name], value, protected=protected)) for name, value in fields.items())


def _encoded(field: Field, value: Value, *, protected: bool) -> str:
    match field.type, value:
        case ((Type.STRING | Type.DATETIME), str()):
            return value
        case Type.BOOLEAN, bool():
            return "true" if value else "false"
        case Type.INTEGER, int() if not isinstance(value, bool):
            return str(value)
        case Type.INTEGERS, tuple() if all(type(number) is int for number in value):
            return _json(list(value))
        case Type.OBJECT, str() if field.name in _TEXTS:
            return _json(_text_object(field, value, protected=protected))
        case Type.OBJECT, Mapping() if field.name not in _TEXTS:
            return _json(_members(field, value))
        case _:
            raise ValueError(f"{field.name} is {field.type.value}, not {type(value).__name__}")


def _text_object(field: Field, text: str, *, protected: bool) -> dict[str, object]:
    """Give a text as the whole documented object (section 4.1), every member that it is shown with.

    A service that stores what it is given would show nothing if only `raw` came. So `rendered` says how
    the text is to be shown: the body and the excerpt are HTML already, a title is plain text and is
    escaped. `protected` follows the password of the same call; a password set earlier is not known here.
    """
    members: dict[str, object] = {
        "raw": text,
        "rendered": html.escape(text) if field.name == "title" else text,
        "block_version": 0,
        "protected": protected,
    }
    return {member.name: members[member.name] for member in field.members}


def _members(field: Field, value: Mapping[str, str]) -> dict[str, str]:
    known = {member.name for member in field.members}
    if not value.keys() <= known or not all(isinstance(text, str) for text in value.values()):
        raise ValueError(f"{field.name} has text members {', '.join(sorted(known))} and no others")
    return dict(value)


def _json(value: object) -> str:
    # Characters, not \uXXXX: once percent-encoded, `é` is 6 bytes instead of 8 and an emoji 12 instead of
    # 16 (Chinese is 9 instead of 8), and text without any costs the same either way.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _identity(call: Call, echo: Mapping[str, object]) -> int:
    number, kind = echo.get("id"), echo.get("type")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number <= _LARGEST_ID:
        raise BadAnswer("the answer is JSON, but no record: it has no id", todo="check `url` and `dialect`")
    if not isinstance(call, CreateCall) and number != call.id:
        raise BadAnswer(
            f"the answer is record {number}, though {call.kind} {call.id} was asked for",
            todo="look at both records on the site before the next run",
        )
    if kind is not None and kind != call.kind:
        raise BadAnswer(
            f"the answer is record {number} of type “{clean(str(kind), 40)}”, though a {call.kind} was meant",
            todo="check the record on the site, and `type` in the front matter",
        )
    return number


def _required(echo: Mapping[str, object], name: str, number: int) -> str:
    value = echo.get(name)
    if not isinstance(value, str):
        raise BadAnswer(
            f"the answer names record {number} but has no text `{name}`", todo="look at it on the site"
        )
    return _text(value)


def _fields(kind: Kind, echo: Mapping[str, object]) -> Fields:
    found = ((field.name, _decoded(field, echo.get(field.name))) for field in BODIES[kind])
    return {name: value for name, value in found if value is not None}


def _decoded(field: Field, value: object) -> Value | None:  # noqa: PLR0911 - one return per row of a table
    """Read one echoed field as a `Value`; None if it is absent or not of the documented type."""
    match field.type, value:
        case ((Type.STRING | Type.DATETIME), str()):
            return _text(value)
        case Type.BOOLEAN, bool():
            return value
        case Type.INTEGER, int() if not isinstance(value, bool):
            return value
        case Type.INTEGERS, list() if all(type(number) is int for number in value):
            return tuple(value)
        case Type.OBJECT, {"raw": str(raw)} if field.name in _TEXTS:
            return _text(raw)
        case Type.OBJECT, dict() if field.name not in _TEXTS:
            names = (member.name for member in field.members)
            return {name: _text(value[name]) for name in names if isinstance(value.get(name), str)}
        case _:
            return None


def _text(value: str) -> str:
    r"""Replace lone surrogates: JSON can spell them (`"\ud800"`), and no file or terminal can hold them."""
    return value.encode("utf-8", "replace").decode()


def _expect_this_dialect(call: Call, made: Record) -> None:
    """Stop at the first record whose text came back as the JSON text of its object.

    Compared by how it begins, not byte for byte: stock WordPress trims, and filters what some users send.
    """
    sent = {} if isinstance(call, DeleteCall) else call.fields
    for name in _TEXTS:
        echoed = made.fields.get(name)
        if name not in sent or not isinstance(echoed, str) or echoed == sent[name]:
            continue
        if echoed.lstrip().startswith('{"raw":'):
            raise WrongDialectShown(
                f"the service stored JSON text as the {name} of {made.kind} {made.id}: it is stock WordPress",
                record=made,
                todo='set dialect = "wordpress" and run again, which mends the record',
            )
