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

from pressync.client import capabilities, record_json
from pressync.client.form_encoding import encode_form
from pressync.client.port import Dialect, HttpRequest, WrongDialectShown
from pressync.client.record_json import is_id
from pressync.client.responses import expect_success, json_object
from pressync.model.interface import (
    CREATE_PAGE,
    DELETE_PAGE,
    DELETE_POST,
    FORM_CONTENT_TYPE,
    UPDATE_PAGE,
    UPDATE_POST,
    Kind,
    Type,
)
from pressync.model.records import TEXTS, CreateCall, DeleteCall, UpdateCall

if TYPE_CHECKING:
    from pressync.client.port import HttpResponse
    from pressync.model.interface import Field, Operation
    from pressync.model.records import Call, Fields, Record, Value

_OPERATIONS: dict[tuple[type, Kind], Operation] = {
    (CreateCall, Kind.PAGE): CREATE_PAGE,
    (UpdateCall, Kind.PAGE): UPDATE_PAGE,
    (UpdateCall, Kind.POST): UPDATE_POST,
    (DeleteCall, Kind.PAGE): DELETE_PAGE,
    (DeleteCall, Kind.POST): DELETE_POST,
}


def request(call: Call) -> HttpRequest:
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
    return HttpRequest(operation.method, path, FORM_CONTENT_TYPE, _body(operation, fields))


def record(call: Call, response: HttpResponse) -> Record:
    """Read the answer to a call: the record (sections 2.1 and 2.2), or the ServiceError that it shows.

    How tolerantly it is read, `service.records` says.
    """
    expect_success(call, response)
    expected = None if isinstance(call, CreateCall) else call.id
    made = record_json.read(call.kind, json_object(response), expected=expected)
    _expect_this_dialect(call, made)
    return made


DOCUMENTED = Dialect("documented", capabilities.DOCUMENTED, request, record)


def _id(number: int) -> int:
    if not is_id(number):
        raise ValueError(f"{number!r} is no id of a record")
    return number


def _body(operation: Operation, fields: Fields) -> bytes:
    known = {field.name: field for field in operation.body}
    unknown = sorted(fields.keys() - known.keys())
    if unknown:
        raise ValueError(f"{operation.name} has no field {', '.join(unknown)}")
    protected = bool(fields.get("password"))
    return encode_form(
        (name, _encoded(known[name], value, protected=protected)) for name, value in fields.items()
    )


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
        case Type.OBJECT, str() if field.name in TEXTS:
            return _json(_text_object(field, value, protected=protected))
        case Type.OBJECT, Mapping() if field.name not in TEXTS:
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


def _expect_this_dialect(call: Call, made: Record) -> None:
    """Stop at the first record whose text came back as the JSON text of its object.

    Compared by how it begins, not byte for byte: stock WordPress trims, and filters what some users send.
    """
    sent = {} if isinstance(call, DeleteCall) else call.fields
    for name in TEXTS:
        echoed = made.fields.get(name)
        if name not in sent or not isinstance(echoed, str) or echoed == sent[name]:
            continue
        if echoed.lstrip().startswith('{"raw":'):
            raise WrongDialectShown(
                f"the service stored JSON text as the {name} of {made.kind} {made.id}: it is stock WordPress",
                record=made,
                todo='set dialect = "wordpress" and run again, which mends the record',
            )
