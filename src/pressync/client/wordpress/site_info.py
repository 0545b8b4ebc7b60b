"""Reads what a WordPress site tells of itself, and reads and writes its front page, which is a setting.

`describe` changes nothing on the site, not even for a moment. Only a delete would prove that the trash is
off, so the trash is reported as on if there is a record in it, and as unknown otherwise.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pressync.client import discovery
from pressync.client.abilities import Description, InterfaceRoot, front_of
from pressync.client.dialects import WORDPRESS
from pressync.client.port import HttpRequest, WrongInterface
from pressync.client.responses import json_object, object_or_nothing
from pressync.client.wordpress import reads
from pressync.client.wordpress.reads import ask, get, rows
from pressync.client.wordpress.refusals import expect_success
from pressync.client.wordpress.users import identity
from pressync.model.changes import UpdateCall
from pressync.model.errors import BadAnswer, Gone, Refused
from pressync.model.interface import BLOG_KIND, JSON_CONTENT_TYPE, NAMESPACE, TREE_KIND, SiteTypes
from pressync.model.visibility import FRONT_PAGE, PUBLISH
from pressync.model.web_address import origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.client.dialects import Capabilities
    from pressync.client.wordpress.reads import Send
    from pressync.model.records import Record

_ROOT_MEMBERS = "name,home,gmt_offset,timezone_string,namespaces,authentication"
_FRONT_MEMBERS = "dialects,page_on_front,show_on_front"


def describe(
    send: Send, types: SiteTypes, capabilities: Capabilities = WORDPRESS.capabilities
) -> Description:
    """Read these facts of a site with these types; WrongInterface if the site is not a WordPress."""
    seen = root(send) if capabilities.lists_routes else root_by_settings(send)
    user, refusal = None, None
    try:
        user = identity(send)
    except Refused as error:
        refusal = error
    version = discovery.version(seen.home) if seen.home else None
    trash = has_filter = None
    if user:
        trash = True if any(_samples(send, types, "trash", "id")) else None
        has_filter = filtered(send, types)
    batch = _batch(send) if capabilities.batch > 1 else 0
    return Description(seen, version, user, trash, batch, has_filter, refusal)


def root(send: Send, *, with_front: bool = False) -> InterfaceRoot:
    """Read the root of the interface; WrongInterface if this is not that of a WordPress site."""
    wanted = f"{_ROOT_MEMBERS},{_FRONT_MEMBERS}" if with_front else _ROOT_MEMBERS
    members = json_object(get(send, "/", (("_fields", wanted),)))
    spaces, offered = members.get("namespaces"), members.get("authentication")
    if not isinstance(spaces, list) or NAMESPACE[1:] not in spaces:
        raise WrongInterface(
            "the root of this address does not list the routes of WordPress (wp/v2)",
            todo='check `url`; if this is not stock WordPress, set dialect = "documented"',
        )
    return InterfaceRoot(
        name=str(members.get("name", "")),
        home=str(members.get("home", "")),
        timezone=_timezone(members.get("timezone_string"), members.get("gmt_offset")),
        # PHP encodes an empty map as a list.
        passwords=isinstance(offered, dict) and "application-passwords" in offered,
        is_own="dialects" in members,
        front=front_of(members),
    )


# These settings are the facts that the root of the interface shows elsewhere.
_FACTS = "title,url,timezone,gmt_offset,show_on_front,page_on_front"


def root_by_settings(send: Send) -> InterfaceRoot:
    """Read the facts of a site whose interface lists nothing at its root, as far as this user sees them.

    :raises ServiceError: the interface of this site is not there.
    """
    types = json_object(get(send, f"{NAMESPACE}/types", (("_fields", "page"),)))
    if not isinstance(types.get("page"), dict):
        todo = "check `url` and `dialect`"
        raise WrongInterface("the types of this address are not those of WordPress", todo=todo)
    shown: Mapping[str, object] = {}
    # Only an administrator sees the settings.
    with suppress(Refused):
        shown = json_object(get(send, _SETTINGS, (("_fields", _FACTS),)))
    name, home = (str(shown.get(member) or "") for member in ("title", "url"))
    home = home or _home_of_records(send)
    zone = _timezone(shown.get("timezone"), shown.get("gmt_offset"))
    return InterfaceRoot(name, home, zone, passwords=False, is_own=False, front=front_of(shown))


def _home_of_records(send: Send) -> str:
    """Give the origin of a published record: a network of sites does not show the address in the settings."""
    for kind in (BLOG_KIND, TREE_KIND):
        with suppress(Refused):
            for row in rows(get(send, kind.row.route, (("per_page", "1"), ("_fields", "link")), kind)):
                return origin_of(str(row.get("link", "")))
    return ""


def _timezone(name: object, offset: object) -> str:
    """Give the name of the time zone, or the offset in hours (`5.5`, also as text) as `+05:30`."""
    if isinstance(name, str) and name:
        return name
    try:
        minutes = round(float(str(offset)) * 60)
    except (ValueError, OverflowError):
        return ""
    sign = "-" if minutes < 0 else "+"
    hours, rest = divmod(abs(minutes), 60)
    return f"{sign}{hours:02}:{rest:02}"


def _samples(send: Send, types: SiteTypes, status: str, members: str) -> Iterator[Mapping[str, object]]:
    query = (("context", "edit"), ("status", status), ("per_page", "1"), ("_fields", members))
    for kind in types.kinds:
        with suppress(Refused):
            yield from rows(get(send, kind.row.route, query, kind))


def filtered(send: Send, types: SiteTypes) -> bool | None:
    """Read the actions that the site offers on a record that this user may edit; None without a record."""
    for row in _samples(send, types, "any", "id,_links"):
        links = row.get("_links")
        return not (isinstance(links, dict) and "wp:action-unfiltered-html" in links)
    return None


def _batch(send: Send) -> int:
    try:
        response = ask(send, HttpRequest("OPTIONS", "/batch/v1"))
    except Refused:
        return 0
    match json_object(response):
        case {"endpoints": [{"args": {"requests": {"maxItems": int(most)}}}, *_]}:
            return most
        case _:
            return 0


# Without `name`, a site that shows nothing of its front page would answer with an empty list.
_MEMBERS = (("_fields", "name,show_on_front,page_on_front"),)
_SETTINGS = "/wp/v2/settings"


def front(send: Send, *, has_index: bool = True) -> int | None:
    """Read the id of the front page, 0 for the list of posts; None if this user cannot see it."""
    shown = front_of(json_object(get(send, "/", _MEMBERS))) if has_index else None
    if shown is not None:
        return shown
    try:
        return front_of(json_object(get(send, _SETTINGS, _MEMBERS)))
    except Refused as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
    return None


def carry_out(send: Send, call: UpdateCall, *, has_index: bool = True) -> Record:
    """Make a page the front page, or take that back if it is one; give the record with its address of now.

    If the user may not change the settings, the field of the record says which page is the front.

    :raises Refused: visitors would not see the page.
    :raises Gone: there is no such page.
    """
    if call.fields.keys() != {FRONT_PAGE}:
        raise ValueError("the front page is set by a call of its own")
    page = _page(send, call)
    wanted = bool(call.fields[FRONT_PAGE])
    if wanted and page.fields.get("status") != PUBLISH:
        raise Refused(
            f"the page is '{page.fields.get('status')}', and visitors would find nothing at the front",
            status=HTTPStatus.CONFLICT,
            todo="publish it, then sync again",
        )
    if wanted:
        written = _write(send, {"show_on_front": "page", "page_on_front": call.id})
        shown = front(send, has_index=has_index) if written is None else written
        is_front = shown == call.id
    else:
        # If this page is the front page, the front shows the posts again.
        posts: dict[str, object] = {"show_on_front": "posts", "page_on_front": 0}
        is_front = front(send, has_index=has_index) == call.id and _write(send, posts) in {call.id, None}
    return replace(page := _page(send, call), fields={**page.fields, FRONT_PAGE: is_front})


def _page(send: Send, call: UpdateCall) -> Record:
    page = reads.records(send, call.kind, [call.id]).get(call.id)
    if page is None:
        raise Gone(f"{call.kind} {call.id} is not on the site", status=HTTPStatus.NOT_FOUND)
    return page


def _write(send: Send, settings: dict[str, object]) -> int | None:
    """Write the settings, and give the front page of the response; None if this user may not write them."""
    body = json.dumps(settings).encode()
    response = send(
        HttpRequest("POST", f"{_SETTINGS}?{urlencode(_MEMBERS, safe=',')}", JSON_CONTENT_TYPE, body)
    )
    refusal = object_or_nothing(response) if response.status == HTTPStatus.FORBIDDEN else {}
    if refusal.get("code") == "rest_forbidden":
        # WordPress itself refuses, and not a firewall before it.
        return None
    # The statuses mean the same as for an update: both leave one state, however often they are sent.
    expect_success(UpdateCall(TREE_KIND, 1, {}), response)
    shown = front_of(json_object(response))
    if shown is None:
        raise BadAnswer("the response to the settings does not say which page is the front page")
    return shown
