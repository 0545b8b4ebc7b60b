"""The documented dialect, and a service over HTTP that speaks it.

A call is a form body with JSON text in it, and a response is a whole record. The interface's document shows
objects with every member, `rendered` among them. It never says that the service computes a member. So
pressync sends whole objects. A service that stores their JSON text as the text itself is stock WordPress, and
the run stops at its first record.
"""

# ruff: noqa: D102 - the protocols of the port document the methods

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from pressync.client import record_json
from pressync.client.dialects import DOCUMENTED
from pressync.client.port import HttpRequest, HttpResponse, WrongDialectShown
from pressync.client.record_json import encoded, to_json, valid_id
from pressync.client.responses import expect_success, json_object
from pressync.model.changes import Call, CreateCall, DeleteCall, UpdateCall
from pressync.model.interface import FORM_CONTENT_TYPE, OPERATIONS, Field, Kind, Operation
from pressync.model.records import TEXTS, Fields, Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.client.dialects import DialectRow
    from pressync.client.http import Transport
    from pressync.model.interface import SiteTypes

# The characters that `urllib.parse.quote_plus` keeps: RFC 3986 calls them unreserved.
_NOTHING: Fields = MappingProxyType({})
_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"

_CALLS = {"create": CreateCall, "update": UpdateCall, "delete": DeleteCall}
_OPERATIONS: dict[tuple[type, Kind], Operation] = {
    (_CALLS[operation.verb], operation.kind): operation for operation in OPERATIONS
}


def request(call: Call) -> HttpRequest:
    """Encode a call (section 4). ValueError if the operation has no such field, type or kind.

    Integers are sent as decimals, and booleans as `true` and `false`. `id` and null are never sent.
    """
    operation = _OPERATIONS.get((type(call), call.kind))
    if operation is None:
        raise ValueError(f"the interface does not show how to create a {call.kind}")
    if isinstance(call, DeleteCall):
        # Section 4.3 shows only `false`; the field's name says that `true` is permanent.
        fields: Fields = {"force": call.permanent}
    else:
        fields = call.fields
    path = operation.path if isinstance(call, CreateCall) else operation.path.format(id=valid_id(call.id))
    return HttpRequest(operation.method, path, FORM_CONTENT_TYPE, _body(operation, fields))


def body(_kind: Kind, fields: Fields, stored: Fields = _NOTHING) -> Fields:
    """Give the values that a service stores of these fields; those that are `stored` are as they are."""
    return {**fields, **stored}


def record(call: Call, response: HttpResponse) -> Record:
    """Read the record in the response to a call (sections 2.1 and 2.2), or raise its ServiceError.

    `record_json` says which members may be missing.
    """
    expect_success(call, response)
    expected = None if isinstance(call, CreateCall) else call.id
    made = record_json.read(call.kind, json_object(response), expected=expected)
    _expect_this_dialect(call, made)
    return made


def _body(operation: Operation, fields: Fields) -> bytes:
    by_name = {field.name: field for field in operation.body}
    unknown = sorted(fields.keys() - by_name.keys())
    if unknown:
        raise ValueError(f"{operation.name} has no field {', '.join(unknown)}")
    protected = bool(fields.get("password"))
    pairs = []
    for name, value in fields.items():
        made = encoded(by_name[name], value, partial(_text_object, by_name[name], protected=protected))
        pairs.append((name, made if isinstance(made, str) else to_json(made)))
    return encode_form(pairs)


def _text_object(field: Field, text: str, *, protected: bool) -> dict[str, object]:
    """Make the whole documented object of a text (section 4.1), with every member that the document shows.

    A service that stores exactly what it gets would show nothing if only `raw` came. So `rendered` has the
    HTML of the text: the body and the excerpt are HTML already, and a title is plain text to be escaped.
    `protected` follows the password of the same call; an earlier password is not known here.
    """
    members: dict[str, object] = {
        "raw": text,
        "rendered": html.escape(text) if field.name == "title" else text,
        "block_version": 0,
        "protected": protected,
    }
    return {member.name: members[member.name] for member in field.members}


def _expect_this_dialect(call: Call, made: Record) -> None:
    """Raise WrongDialectShown for a record whose text came back as the JSON text of its object.

    Only the beginning is compared: stock WordPress trims texts, and filters the texts of some users.
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
                todo='set dialect = "wordpress" and run again, which repairs the record',
            )


def encode_form(pairs: Iterable[tuple[str, str]]) -> bytes:
    """Encode pairs as application/x-www-form-urlencoded, in UTF-8."""
    return b"&".join(
        percent_encode(name.encode()) + b"=" + percent_encode(value.encode()) for name, value in pairs
    )


def percent_encode(text: bytes) -> bytes:
    """Percent-encode a text, and a blank as a plus, exactly as `urllib.parse.quote_plus` does.

    That function encodes byte by byte in Python, which was the largest part of preparing a record (280 µs for
    a page). To replace each distinct byte in one pass over the whole text takes a third of that time.
    """
    present = set(text.translate(None, _UNRESERVED))
    if not present:
        return text
    # The percent sign comes first; else those of the other replacements would be encoded again. The
    # hexadecimal digits are never replaced. The plus for a blank comes last.
    result = text.replace(b"%", b"%25")
    for byte in present - {ord("%"), ord(" ")}:
        result = result.replace(bytes((byte,)), b"%%%02X" % byte)
    return result.replace(b" ", b"+")


@dataclass(frozen=True, slots=True)
class Remote:
    """The service at the other end of a transport."""

    transport: Transport
    name = DOCUMENTED.name
    capabilities = DOCUMENTED.capabilities
    # The documented interface reads nothing, and has ids only.
    readable = library = notes = accounts = facts = None

    def carry_out(self, call: Call) -> Record:
        return record(call, self.transport.send(request(call)))

    def close(self) -> None:
        self.transport.close()


def opened(transport: Transport, _types: SiteTypes, _row: DialectRow) -> Remote:
    """Make the service of a transport; the documented interface has no types of a site's own."""
    return Remote(transport)
