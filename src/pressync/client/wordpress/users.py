"""Reads the users of a site: our own and the rights that it lacks, authors, and application passwords.

WordPress considers a request with wrong credentials the request of a visitor, who may read everything
public. So only a read that a visitor may not make shows whether the credentials arrived.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from itertools import islice
from typing import TYPE_CHECKING

from pressync.client.abilities import ApprovalPage, Identity
from pressync.client.address import above_dashboard
from pressync.client.port import HttpRequest
from pressync.client.responses import clean, json_object, object_or_nothing, page_title, printed_before
from pressync.client.wordpress.reads import ask, every_row, get, of_ids
from pressync.client.wordpress.refusals import AsVisitor, expect_success
from pressync.client.wordpress.terms_and_media import id_of
from pressync.html.titles import unescape_title
from pressync.model.changes import CreateCall
from pressync.model.errors import BadAnswer, ConfigError, Refused
from pressync.model.interface import TREE_KIND
from pressync.model.printable import listed
from pressync.model.records import NoUser
from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from pressync.client.wordpress.reads import Row, Send

_PERSON = "id,username,email,slug,name"
# For one name, 50 requests read at most this many users.
_MOST = 5_000
_SPECIAL = re.compile(r"[@&<>]|https?://")
# A shorter part of a name matches too many users.
_SELECTIVE = 3
# A search is cut to this many characters, because servers limit a URL.
_LONGEST = 100
# This many users are asked for one by one.
_ALONE = 20
# A message names this many users.
_NAMED = 5

# Exact spelling counts first. A slug is always in lower case, so its spelling does not tell users apart.
_COMPARISONS = ((("username", "email", "name"), str), (("username", "email", "slug", "name"), str.casefold))


def authors(send: Send, names: Collection[str]) -> dict[str, int | NoUser]:
    """Give the id of the user whom each name means, or the reason why it means nobody.

    A name is a login, an e-mail address, a slug or a displayed name. If we may not list users, we see only
    ourselves and those who have published something.
    """
    users: dict[str, int | NoUser] = {}
    visible: list[Row] = []

    @cache
    def listed() -> list[Row]:
        query = (("context", "edit"), ("_fields", _PERSON))
        return list(islice(every_row(send, "/wp/v2/users", query), _MOST))

    for name in names:
        if not visible:
            try:
                users[name] = _searched(send, name, listed)
                continue
            except Refused:
                # We see ourselves and the users whom everybody sees; some sites hide these.
                me = get(send, "/wp/v2/users/me", (("context", "edit"), ("_fields", _PERSON)))
                visible = [json_object(me)]
                with suppress(Refused):
                    visible += islice(every_row(send, "/wp/v2/users", (("_fields", _PERSON),)), _MOST)
        users[name] = _meant(name, visible) or NoUser(
            "this account may not list users, and none that it sees has this login, e-mail address or name",
            _nearest(name, visible),
        )
    return users


def present(send: Send, ids: Collection[int]) -> frozenset[int]:
    """Tell which of these users the site has. WordPress says it of each user to everybody.

    One request shows those who have published something. Of the others, some are asked for one by one, and
    the rest is taken as there.
    """

    def is_gone(number: int) -> bool:
        response = send(HttpRequest("GET", f"/wp/v2/users/{number}?_fields=id"))
        # A user whom we may not see is there: 403. A site may hide the whole route: 404 with another code.
        gone = response.status == HTTPStatus.NOT_FOUND
        return gone and object_or_nothing(response).get("code") == "rest_user_invalid_id"

    unseen = frozenset(ids) - (logins(send, ids).keys() if len(ids) > 1 else frozenset())
    return frozenset(ids) - {number for number in sorted(unseen)[:_ALONE] if is_gone(number)}


def logins(send: Send, ids: Collection[int]) -> dict[int, str]:
    """Give the login of each of these users; the slug, if this account may not see the login."""
    for query in ((("context", "edit"), ("_fields", _PERSON)), (("_fields", _PERSON),)):
        # A site shows its users to those who may list them.
        with suppress(Refused):
            rows = [row for some in of_ids(ids) for row in every_row(send, "/wp/v2/users", (*query, *some))]
            return {id_of(row): _login(row) for row in rows}
    return {}


def _searched(send: Send, name: str, listed: Callable[[], Collection[Row]]) -> int | NoUser:
    rows: list[Row] = []
    meant: int | NoUser | None = None
    for text in dict.fromkeys((name, _plain_part(name))):
        rows += islice(_hits(send, text, name), _MOST)
        meant = _meant(name, rows)
        if isinstance(meant, int):
            return meant
    if not meant and len(rows) >= _MOST:
        return NoUser(
            f"more than {_MOST} users have a similar name, and none of the first {_MOST} has this one"
        )
    return meant or NoUser("no user has this login, e-mail address or name", _nearest(name, listed()))


def _login(row: Row) -> str:
    """Give the login of a user; the slug, if this account may not see the login."""
    return str(row.get("username") or row.get("slug"))


def _nearest(name: str, rows: Collection[Row]) -> str:
    """Name the users whose login or name is nearest; "" without users."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - most runs know all their authors

    def likeness(row: Row) -> float:
        texts = (str(row.get(key, "")).casefold() for key in ("username", "slug", "name"))
        return max(SequenceMatcher(None, name.casefold(), text[:_LONGEST]).ratio() for text in texts)

    logins = [clean(_login(row)) for row in sorted(rows, key=likeness)]
    are = "logins are" if logins[1:] else "login is"
    return f"the nearest {are} {', '.join(logins[::-1][:_NAMED])}" if logins else ""


def _hits(send: Send, text: str, login: str) -> Iterator[Row]:
    query = (("context", "edit"), ("search", text[:_LONGEST]), ("_fields", _PERSON))
    for row in every_row(send, "/wp/v2/users", query):
        yield row
        if row.get("username") == login:
            return


def _plain_part(name: str) -> str:
    """Give a part of a name that WordPress searches for everywhere; with "" it lists all users."""
    parts = [part.strip() for part in _SPECIAL.split(name) if not part.strip().isdigit()]
    return next((part for part in parts if len(part) >= _SELECTIVE or part == name), max(parts, default=""))


def _meant(name: str, rows: Collection[Row]) -> int | NoUser | None:
    """Give the user of this name, or say which users have it; None if nobody has it."""
    several = None
    for keys, spelling in _COMPARISONS:
        for key in keys:
            same = {
                id_of(row): row
                for row in rows
                if spelling(unescape_title(str(row.get(key, "")))) == spelling(name)
            }
            if len(same) == 1:
                return next(iter(same))
            if same and not several:
                logins = sorted(clean(_login(row)) for row in same.values())
                named = f"the logins are {listed(logins, _NAMED)}"
                several = NoUser(f"{len(same)} users have this name", named)
    return several


_PATH = "/wp/v2/users/me"
_QUERY = "?context=edit&_fields=id,name,slug,roles,capabilities"
# The statuses with which a web server sends a page of the site, or its page for an address without one.
_OF_PAGES = frozenset({HTTPStatus.OK, HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})
_ROOT = "/wp-json"
_ROOTS = (_ROOT, "rest_route=", "rest_route=%2F")
# WordPress shows each user to itself, and never refuses that.
_OF_BLOCKS = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED})
_BLOCKED = (
    "WordPress opens this path to each user, so a plugin or a firewall of the site blocks it: let it pass "
    "requests with credentials"
)


_TAKEN_AWAY = (
    "each WordPress has this route, so a plugin of the site takes it away: let it keep `/wp/v2/users/me` for "
    "requests with credentials"
)


class NoInterface(BadAnswer):
    """A web page came: the interface of WordPress is not at the address of the settings."""

    exit_code = 2


def identity(send: Send, address_of: Callable[[str], str] = str) -> Identity:
    """Read our user; `address_of` gives the address of a path of the interface, for messages.

    :raises NoInterface: the interface is not at this address.
    :raises Refused: WordPress sees a visitor; the message has advice about application passwords.
    """
    response = send(HttpRequest("GET", _PATH + _QUERY))
    is_page = response.content_type.startswith("text/html") and not printed_before(response)
    if response.status in _OF_PAGES and is_page:
        base = address_of("")
        is_root = _ROOT in base or "rest_route" in base
        todo = "check `url`" if is_root else f"set `url` to {above_dashboard(base).rstrip('/')}{_ROOT}"
        raise NoInterface(
            f"the interface of WordPress is not there: the site sends a web page{page_title(response)} "
            f"({response.status})",
            where=f"GET {address_of(_PATH)}",
            todo=f"{todo}; `pressync doctor` asks the site where its interface is",
        )
    try:
        # The statuses mean the same as for a create: neither names a record that could be gone.
        expect_success(CreateCall(TREE_KIND, {}), response)
    except AsVisitor:
        raise
    except Refused as refusal:
        # At the root of the interface, only a plugin can take the route away.
        is_hidden = refusal.code == "rest_no_route" and address_of("").rstrip("/").endswith(_ROOTS)
        if refusal.status not in _OF_BLOCKS and not is_hidden:
            raise
        todo = _TAKEN_AWAY if is_hidden else _BLOCKED
        raise Refused(
            refusal.what, status=refusal.status, where=f"GET {address_of(_PATH)}", todo=todo
        ) from None
    user = json_object(response)
    number, roles, rights = user.get("id"), user.get("roles"), user.get("capabilities")
    if not isinstance(number, int):
        raise BadAnswer("the response is JSON but not a user", todo="check `url` and `dialect`")
    # PHP encodes an empty map as a list.
    granted = rights.items() if isinstance(rights, dict) else ()
    return Identity(
        id=number,
        name=str(user.get("name", "")),
        slug=str(user.get("slug", "")),
        roles=tuple(map(str, roles)) if isinstance(roles, list) else (),
        capabilities=frozenset(str(right) for right, has in granted if has is True),
    )


_MINE = "/wp/v2/users/me/application-passwords"


def approval_page(send: Send) -> ApprovalPage:
    """Read the address of the page from the root of the interface; no credentials are needed.

    :raises ConfigError: the site accepts no application passwords.
    """
    members = json_object(get(send, "/", (("_fields", "name,url,home,authentication"),)))
    match members.get("authentication"):
        case {"application-passwords": {"endpoints": {"authorization": str(address)}}}:
            pass
        case _:
            raise ConfigError(
                "the site offers no application passwords",
                todo="use https, and check whether a plugin switches them off",
            )
    # The address is opened in a browser and printed, so only one of the web is taken.
    parts = split(address)
    if parts is None or parts.scheme not in {"http", "https"} or not address.isprintable():
        raise BadAnswer("the page for application passwords has an address that is not of the web")
    return ApprovalPage(address, str(members.get("url", "")), str(members.get("home", "")))


def revoke(send: Send) -> str:
    """Delete the application password with which these requests are sent; give its name.

    :raises Refused: the site does not accept it any more.
    """
    mine = json_object(get(send, f"{_MINE}/introspect", (("_fields", "uuid,name"),)))
    number, name = mine.get("uuid"), str(mine.get("name", ""))
    if not isinstance(number, str) or not number.replace("-", "").isalnum():
        raise BadAnswer("the response does not say which application password this is")
    ask(send, HttpRequest("DELETE", f"{_MINE}/{number}"))
    return name
