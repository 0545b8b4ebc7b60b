"""Many calls in one request: /batch/v1, answered item by item.

Pure. It must not send. What decided its shape: each item is encoded and read by the very functions that
serve a single call, so a batch can promise exactly what single calls promise; it is four to eight times
faster, because two thirds of a WordPress request are its start.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING

from pressync.client.capabilities import BATCH
from pressync.client.port import HttpRequest, HttpResponse
from pressync.client.responses import json_object
from pressync.client.wordpress.body import body
from pressync.client.wordpress.dialect import record, route
from pressync.client.wordpress.refusals import expect_success
from pressync.model.errors import BadAnswer, NoAnswer, Refused, ServiceError
from pressync.model.interface import JSON_CONTENT_TYPE
from pressync.model.records import DeleteCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.model.records import Call, Record


def request(calls: Sequence[Call]) -> HttpRequest:
    """Encode 1 to 25 calls, which WordPress carries out one after the other; ValueError if they cannot be.

    Validation is `normal`: each item stands for itself. With `require-all-validate` nothing is run after
    an error of form, but errors met while running roll nothing back: a promise that only looks safer.
    """
    if not 0 < len(calls) <= BATCH:
        raise ValueError(f"a batch holds 1 to {BATCH} calls, not {len(calls)}")
    envelope = {"validation": "normal", "requests": [_item(call) for call in calls]}
    text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    return HttpRequest("POST", "/batch/v1", JSON_CONTENT_TYPE, text.encode())


def results(calls: Sequence[Call], response: HttpResponse) -> list[Record | ServiceError]:
    """Read what became of each call, in their order: what `carry_out` would have given, or raised."""
    try:
        items = _items(calls, response)
    except ServiceError as error:
        return [error] * len(calls)
    return [
        _result(call, items[place])
        if place < len(items)
        else NoAnswer(f"the batch was answered for {len(items)} of its {len(calls)} calls, and not for this")
        for place, call in enumerate(calls)
    ]


def _item(call: Call) -> dict[str, object]:
    method, path = route(call)
    item: dict[str, object] = {"method": method, "path": path}
    return item if isinstance(call, DeleteCall) else item | {"body": body(call.kind, call.fields)}


def _items(calls: Sequence[Call], response: HttpResponse) -> list[object]:
    """Give the items of an answer; raises what the answer as a whole shows for every call."""
    if response.status != HTTPStatus.MULTI_STATUS:
        try:
            expect_success(calls[0], response)
        except Refused as refusal:
            # Also if it seems Gone: it is the batch that is not there, not the record of its first call.
            raise Refused(
                f"the batch as a whole: {refusal.what}", status=refusal.status, todo=refusal.todo
            ) from None
        raise BadAnswer(f"the batch was answered with {response.status}, not with 207", todo=_BETWEEN)
    items = json_object(response).get("responses")
    if not isinstance(items, list) or len(items) > len(calls):
        raise BadAnswer(f"the answer to a batch of {len(calls)} has no list of as many", todo=_BETWEEN)
    return items


_BETWEEN = "check `url`, and what stands between here and the service"


def _result(call: Call, item: object) -> Record | ServiceError:
    match item:
        case {"status": int(status), "body": body_, **others}:
            found = others.get("headers")
            headers = found if isinstance(found, dict) else {}
        case _:
            return NoAnswer("the batch has no answer to this call")
    alone = HttpResponse(
        status=status,
        content_type=JSON_CONTENT_TYPE,
        headers={str(name).lower(): str(value) for name, value in headers.items()},
        body=json.dumps(body_).encode(),
    )
    try:
        return record(call, alone)
    except ServiceError as error:
        return error
