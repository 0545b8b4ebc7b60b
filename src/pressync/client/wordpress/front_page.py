"""Reads and sets the front page of a WordPress site, which is a setting of the site and not of a page.

Only an administrator may read and change the settings. From WordPress 6.8 on, the root of the interface shows
the front page to everybody. WordPress takes the id of a draft or of a page that does not exist, and visitors
then get 404 at the address of the site (measured on 6.1, 6.8 and 7.1). So a page is read before it is set.
"""

from __future__ import annotations

import json
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pressync.client.port import HttpRequest
from pressync.client.responses import json_object
from pressync.client.wordpress import reads
from pressync.client.wordpress.lists import get
from pressync.client.wordpress.refusals import expect_success
from pressync.client.wordpress.site_info import front_of
from pressync.model.changes import UpdateCall
from pressync.model.errors import BadAnswer, Gone, Refused
from pressync.model.interface import JSON_CONTENT_TYPE, TREE_KIND
from pressync.model.visibility import FRONT_PAGE

if TYPE_CHECKING:
    from pressync.client.port import HttpResponse
    from pressync.client.wordpress.lists import Send
    from pressync.model.records import Record

# Without `name`, a site that shows nothing of its front page would answer with an empty list.
_MEMBERS = (("_fields", "name,show_on_front,page_on_front"),)
_SETTINGS = "/wp/v2/settings"
_PUBLISHED = "publish"


def front(send: Send) -> int | None:
    """Read the id of the front page, 0 for the list of posts; None if this user cannot see it."""
    found = front_of(json_object(get(send, "/", _MEMBERS)))
    return _of_settings(send) if found is None else found


def carry_out(send: Send, call: UpdateCall) -> Record:
    """Make a page the front page, or take that back if it is one; give the record with its address of now.

    If the user may not change the settings, the field of the record says which page is the front.

    :raises Refused: visitors would not see the page.
    :raises Gone: there is no such page.
    """
    if call.fields.keys() != {FRONT_PAGE}:
        raise ValueError("the front page is set by a call of its own")
    page = _page(send, call)
    wanted = bool(call.fields[FRONT_PAGE])
    if wanted and page.fields.get("status") != _PUBLISHED:
        raise Refused(
            f"the page is '{page.fields.get('status')}', and visitors would find nothing at the front",
            status=HTTPStatus.CONFLICT,
            todo="publish it, then sync again",
        )
    is_front = _set(send, call.id) if wanted else _taken_back(send, call.id)
    return replace(page := _page(send, call), fields={**page.fields, FRONT_PAGE: is_front})


def _page(send: Send, call: UpdateCall) -> Record:
    found = reads.records(send, call.kind, [call.id]).get(call.id)
    if found is None:
        raise Gone(f"{call.kind} {call.id} is not on the site", status=HTTPStatus.NOT_FOUND)
    return found


def _set(send: Send, number: int) -> bool:
    written = _write(send, {"show_on_front": "page", "page_on_front": number})
    return (front(send) if written is None else written) == number


def _taken_back(send: Send, number: int) -> bool:
    """Show the posts again, if this page is the front page; tell whether it still is."""
    if front(send) != number:
        return False
    return _write(send, {"show_on_front": "posts", "page_on_front": 0}) in {number, None}


def _write(send: Send, settings: dict[str, object]) -> int | None:
    """Write the settings, and give the front page of the response; None if this user may not write them."""
    body = json.dumps(settings).encode()
    response = send(
        HttpRequest("POST", f"{_SETTINGS}?{urlencode(_MEMBERS, safe=',')}", JSON_CONTENT_TYPE, body)
    )
    if response.status == HTTPStatus.FORBIDDEN and _is_without_right(response):
        return None
    # The statuses mean the same as for an update: both leave one state, however often they are sent.
    expect_success(UpdateCall(TREE_KIND, 1, {}), response)
    shown = front_of(json_object(response))
    if shown is None:
        raise BadAnswer("the response to the settings does not say which page is the front page")
    return shown


def _is_without_right(response: HttpResponse) -> bool:
    """Tell whether WordPress itself refuses, and not a firewall before it."""
    try:
        return json_object(response).get("code") == "rest_forbidden"
    except BadAnswer:
        return False


def _of_settings(send: Send) -> int | None:
    try:
        return front_of(json_object(get(send, _SETTINGS, _MEMBERS)))
    except Refused as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
    return None
