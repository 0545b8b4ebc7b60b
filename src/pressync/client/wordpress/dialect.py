"""The WordPress dialect: a call is JSON with typed values, and a response has only the requested members.

A status of 200 does not prove a success. So every request asks for the members that show the result of the
call, and the response to a permanent delete must say that the record is deleted. A service that ignores
JSON is the documented one, and the run stops at its first record.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING

from pressync.client.dialects import BATCH
from pressync.client.port import HttpRequest, HttpResponse, WrongDialectShown
from pressync.client.record_json import to_json
from pressync.client.responses import CHECK_URL, SUCCESS, json_object
from pressync.client.wordpress.record import body, members_of, path_of, read
from pressync.client.wordpress.refusals import expect_success
from pressync.model.changes import Call, CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import BadAnswer, NoAnswer, Refused, ServiceError
from pressync.model.interface import JSON_CONTENT_TYPE
from pressync.model.records import TEXTS, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def route(call: Call) -> tuple[str, str]:
    """Give the method and the path of a call, with the query that keeps the response small."""
    members = members_of(call.kind.row)
    match call:
        case CreateCall():
            return "POST", f"{call.kind.row.route}?_fields={members}"
        case UpdateCall():
            return "POST", f"{path_of(call.kind, call.id)}?_fields={members}"
        case DeleteCall(permanent=False):
            return "DELETE", f"{path_of(call.kind, call.id)}?_fields={members}"
        case DeleteCall():
            # `force` is in the query, because some servers drop the body of a DELETE. The response wraps the
            # record, and `_fields` filters both: the wrapper by its names, the record by its own.
            return "DELETE", f"{path_of(call.kind, call.id)}?force=true&_fields=deleted,previous,{members}"


def request(call: Call) -> HttpRequest:
    """Encode a call. ValueError if a record of this kind has no such field, type or id.

    `id` and null are never in the body. WordPress changes the record with the `id` of the body, whatever
    the path says, and it resets a field that is null.
    """
    method, path = route(call)
    sent = "" if isinstance(call, DeleteCall) else to_json(_body(call))
    return HttpRequest(method, path, JSON_CONTENT_TYPE, sent.encode())


def _body(call: CreateCall | UpdateCall) -> dict[str, object]:
    stored = call.stored if isinstance(call, UpdateCall) else {}
    return body(call.kind, call.fields, call.custom, stored)


def record(call: Call, response: HttpResponse) -> Record:
    """Read the record in the response to a call, or raise the ServiceError that it shows.

    The record has the status that WordPress gives: an update of a record in the trash succeeds and leaves
    the record there, so `fields["status"]` is `trash`.
    """
    expect_success(call, response)
    return record_of(call, response.status, json_object(response))


def record_of(call: Call, status: int, members: Mapping[str, object]) -> Record:
    """Read the record in the members of a successful response, as `record` does."""
    expected = None if isinstance(call, CreateCall) else call.id
    if isinstance(call, DeleteCall) and call.permanent:
        return _deleted_for_good(call, members)
    made = read(call.kind, members, expected=expected)
    if not isinstance(call, DeleteCall):
        _expect_wordpress(call, status, members, made)
    return made


def _deleted_for_good(call: DeleteCall, members: Mapping[str, object]) -> Record:
    previous = members.get("previous")
    if members.get("deleted") is True and isinstance(previous, dict):
        return read(call.kind, previous, expected=call.id)
    raise WrongDialectShown(
        f"the service did not confirm, as WordPress does, that {call.kind} {call.id} is deleted for good",
        record=read(call.kind, members, expected=call.id),
        todo='look at it on the site; if this is not stock WordPress, set dialect = "documented"',
    )


def _expect_wordpress(
    call: CreateCall | UpdateCall, status: int, members: Mapping[str, object], made: Record
) -> None:
    """Raise WrongDialectShown if the service does not behave as WordPress and did not take a text.

    Such a service reads forms, and finds no field in our JSON. WordPress responds to a create with 201, and
    only with the requested members. A missing text is needed as well, because a proxy or a plugin may change
    the status or the members.
    """
    created_with_200 = isinstance(call, CreateCall) and status == HTTPStatus.OK
    if not created_with_200 and "guid" not in members:
        return
    for name in TEXTS:
        sent = call.fields.get(name)
        if not isinstance(sent, str) or not sent.strip():
            continue
        kept = made.fields.get(name)
        lost = not kept if isinstance(call, CreateCall) else kept != sent
        if lost:
            raise WrongDialectShown(
                f"the service read no {name} of {made.kind} {made.id} from JSON: it is not stock WordPress",
                record=made,
                todo='set dialect = "documented" and run again, which repairs the record',
            )


# Each item of a batch is encoded and read by the functions of a single call, so a batch promises exactly what
# single calls promise. A batch is four to eight times faster, because WordPress needs two thirds of the time
# of a request to start.
def batch_request(calls: Sequence[Call]) -> HttpRequest:
    """Encode 1 to 25 calls, which WordPress carries out in this order; ValueError if it cannot.

    The validation is `normal`: each item succeeds or fails alone. `require-all-validate` only looks safer.
    It runs no item if one item is malformed, but it undoes nothing if an item fails while it runs.
    """
    if not 0 < len(calls) <= BATCH:
        raise ValueError(f"a batch holds 1 to {BATCH} calls, not {len(calls)}")
    items: list[dict[str, object]] = []
    for call in calls:
        method, path = route(call)
        items.append({"method": method, "path": path})
        if not isinstance(call, DeleteCall):
            items[-1]["body"] = _body(call)
    envelope = to_json({"validation": "normal", "requests": items})
    return HttpRequest("POST", "/batch/v1", JSON_CONTENT_TYPE, envelope.encode())


def results(calls: Sequence[Call], response: HttpResponse) -> list[Record | ServiceError]:
    """Read the result of each call in order: the record that `carry_out` would return, or its error."""
    try:
        items = _items(calls, response)
    except ServiceError as error:
        return [error] * len(calls)
    return [
        _result(call, items[place], response)
        if place < len(items)
        else NoAnswer(
            f"the response to the batch has {len(items)} of its {len(calls)} calls, and not this one"
        )
        for place, call in enumerate(calls)
    ]


def _items(calls: Sequence[Call], response: HttpResponse) -> list[object]:
    """Give the items of a response; raise the error that the response as a whole shows for every call."""
    if response.status != HTTPStatus.MULTI_STATUS:
        try:
            expect_success(calls[0], response)
        except Refused as refusal:
            # This includes Gone: the route of the batch is missing, and not the record of the first call.
            raise Refused(
                f"the batch as a whole: {refusal.what}", status=refusal.status, todo=refusal.todo
            ) from None
        raise BadAnswer(
            f"the service answered the batch with {response.status}, not with 207", todo=CHECK_URL
        )
    items = json_object(response).get("responses")
    if not isinstance(items, list) or len(items) > len(calls):
        raise BadAnswer(
            f"the response to a batch of {len(calls)} calls has no list of results", todo=CHECK_URL
        )
    return items


def _result(call: Call, item: object, batch: HttpResponse) -> Record | ServiceError:
    match item:
        case {"status": int(status), "body": body_, **others}:
            given = others.get("headers")
            headers = given if isinstance(given, dict) else {}
        case _:
            return NoAnswer("the response to the batch has no result for this call")
    try:
        if status in SUCCESS and isinstance(body_, dict):
            return record_of(call, status, body_)
        named = {str(name).lower(): str(value) for name, value in headers.items()}
        alone = HttpResponse(
            status, JSON_CONTENT_TYPE, named, json.dumps(body_).encode(), batch.has_credentials
        )
        return record(call, alone)
    except ServiceError as error:
        return error
