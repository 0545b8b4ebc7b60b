"""The WordPress dialect: calls as JSON with real values in it, answers as the few members asked for.

Pure: no socket, no clock. It knows stock WordPress 6.1 and later, and of the documented service only how
to recognise it. What decided its shape: 200 is not success, so every answer is asked for in the form that
shows what became of the call, and a permanent delete must say so itself.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING

from pressync.client import capabilities
from pressync.client.port import Dialect, HttpRequest, WrongDialectShown
from pressync.client.responses import clean, json_object
from pressync.client.wordpress.body import body
from pressync.client.wordpress.record import MEMBERS, PATHS, path_of, read
from pressync.client.wordpress.refusals import expect_success
from pressync.model.errors import BadAnswer
from pressync.model.interface import JSON_CONTENT_TYPE
from pressync.model.records import TEXTS, CreateCall, DeleteCall, UpdateCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.client.port import HttpResponse
    from pressync.model.records import Call, Record

# The status of a record in the trash.
_TRASH = "trash"


def route(call: Call) -> tuple[str, str]:
    """Give a call's method and its path, with the query that keeps the answer small."""
    members = MEMBERS[call.kind]
    match call:
        case CreateCall():
            return "POST", f"{PATHS[call.kind]}?_fields={members}"
        case UpdateCall():
            return "POST", f"{path_of(call.kind, call.id)}?_fields={members}"
        case DeleteCall(permanent=False):
            return "DELETE", f"{path_of(call.kind, call.id)}?_fields={members}"
        case DeleteCall():
            # In the query, since some servers drop the body of a DELETE. The record is wrapped, and
            # `_fields` filters twice: inside by the record's names, outside by those of the wrapper.
            return "DELETE", f"{path_of(call.kind, call.id)}?force=true&_fields=deleted,previous,{members}"


def request(call: Call) -> HttpRequest:
    """Encode a call. ValueError if a record of this kind has no such field, type or id.

    `id` and null are never in the body: WordPress takes an `id` there for the record that is meant,
    whatever the path says, and a null for a wish to reset.
    """
    method, path = route(call)
    return HttpRequest(method, path, JSON_CONTENT_TYPE, b"" if isinstance(call, DeleteCall) else _json(call))


def record(call: Call, response: HttpResponse) -> Record:
    """Read the answer to a call: the record, or the ServiceError that it shows.

    The status of the record is as WordPress says it: an update of a record in the trash succeeds and
    leaves it there, which `fields["status"]` shows as `trash`.
    """
    expect_success(call, response)
    members = json_object(response)
    expected = None if isinstance(call, CreateCall) else call.id
    if isinstance(call, DeleteCall) and call.permanent:
        return _deleted_for_good(call, members)
    made = read(call.kind, members, expected=expected)
    if isinstance(call, DeleteCall):
        _expect_trashed(made)
    else:
        _expect_wordpress(call, response, members, made)
    return made


WORDPRESS = Dialect("wordpress", capabilities.WORDPRESS, request, record)


def _json(call: CreateCall | UpdateCall) -> bytes:
    # Characters, not \uXXXX: `é` is 2 bytes instead of 6.
    return json.dumps(body(call.kind, call.fields), ensure_ascii=False, separators=(",", ":")).encode()


def _expect_trashed(made: Record) -> None:
    """Raise BadAnswer for a delete that left its record where it was: it would be forgotten, and stay."""
    status = made.fields.get("status", _TRASH)
    if status != _TRASH:
        raise BadAnswer(
            f"{made.kind} {made.id} is not in the trash but “{clean(str(status), 40)}”, after a delete",
            todo="look at it on the site, and at the plugins that keep it there",
        )


def _deleted_for_good(call: DeleteCall, members: Mapping[str, object]) -> Record:
    previous = members.get("previous")
    if members.get("deleted") is True and isinstance(previous, dict):
        return read(call.kind, previous, expected=call.id)
    raise WrongDialectShown(
        f"the service did not say that {call.kind} {call.id} is deleted for good, as WordPress does",
        record=read(call.kind, members, expected=call.id),
        todo=_OTHER_DIALECT,
    )


_OTHER_DIALECT = 'look at it on the site; if this is no stock WordPress, set dialect = "documented"'


def _expect_wordpress(
    call: CreateCall | UpdateCall, response: HttpResponse, members: Mapping[str, object], made: Record
) -> None:
    """Stop at the first record whose text was not taken by a service that does not behave as WordPress.

    Such a service reads forms and finds nothing in ours. WordPress answers a create with 201, and no
    member that was not asked for; either sign alone could be the work of a proxy or a plugin.
    """
    created_with_200 = isinstance(call, CreateCall) and response.status == HTTPStatus.OK
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
                f"the service took no {name} for {made.kind} {made.id} from JSON: it is no stock WordPress",
                record=made,
                todo='set dialect = "documented" and run again, which repairs the record',
            )
