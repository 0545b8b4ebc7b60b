"""Looks up users by the names that front matter gives them.

WordPress's search decides by the look of a text where it searches: for a text with an `@` only in e-mail
addresses, for a number only in logins. It stores `A & B` as `A &amp; B`. So if nobody has the whole name,
pressync searches for a plain part of it, and compares the names itself (measured on 6.1, 6.8 and 7.1).
"""

from __future__ import annotations

import re
from contextlib import suppress
from http import HTTPStatus
from itertools import islice
from typing import TYPE_CHECKING

from pressync.client.port import HttpRequest
from pressync.client.responses import clean, json_object
from pressync.client.wordpress.encoding import unescape_title
from pressync.client.wordpress.lists import every_row, get
from pressync.client.wordpress.terms_and_media import id_of
from pressync.model.errors import BadAnswer, Refused
from pressync.model.interface import JSON_CONTENT_TYPE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pressync.client.wordpress.lists import Send

    Row = Mapping[str, object]

_PERSON = "id,username,email,slug,name"
# For one name, 50 requests read at most this many users.
_MOST = 5_000
_SPECIAL = re.compile(r"[@&<>]|https?://")
# A shorter part of a name matches too many users.
_SELECTIVE = 3
# A search is cut to this many characters, because servers limit a URL.
_LONGEST = 100
# A message names this many users.
_NAMED = 5

# Exact spelling counts first. A slug is always in lower case, so its spelling does not tell users apart.
_COMPARISONS = (
    (("username", "email", "name"), str),
    (("username", "email", "slug", "name"), str.casefold),
)


def authors(send: Send, names: Collection[str]) -> dict[str, int | str]:
    """Give the id of the user whom each name means, or the reason why it means nobody.

    A name is a login, an e-mail address, a slug or a displayed name. If we may not list users, we see only
    ourselves and those who have published something.
    """
    found: dict[str, int | str] = {}
    visible: list[Row] = []
    for name in names:
        if not visible:
            try:
                found[name] = _searched(send, name)
                continue
            except Refused:
                visible = _visible(send)
        found[name] = _meant(name, visible) or (
            "this account may not list users, and none that it sees has this login, e-mail address or name"
        )
    return found


def present(send: Send, ids: Collection[int]) -> frozenset[int]:
    """Tell which of these users the site has. WordPress says it of each user to everybody."""
    return frozenset(number for number in ids if not _is_gone(send, number))


def _is_gone(send: Send, number: int) -> bool:
    response = send(HttpRequest("GET", f"/wp/v2/users/{number}?_fields=id", JSON_CONTENT_TYPE, b""))
    try:
        # A user whom we may not see is there: 403. A site may hide the whole route: 404 with another code.
        gone = response.status == HTTPStatus.NOT_FOUND
        return gone and json_object(response).get("code") == "rest_user_invalid_id"
    except BadAnswer:
        return False


def _searched(send: Send, name: str) -> int | str:
    """Look a name up among all users."""
    rows: list[Row] = []
    meant: int | str = ""
    for text in dict.fromkeys((name, _plain_part(name))):
        rows += islice(_hits(send, text, name), _MOST)
        meant = _meant(name, rows)
        if isinstance(meant, int):
            return meant
    if not meant and len(rows) >= _MOST:
        return f"more than {_MOST} users have a similar name, and none of the first {_MOST} has this one"
    return meant or "no user has this login, e-mail address or name"


def _hits(send: Send, text: str, login: str) -> Iterator[Row]:
    """Search for users until one of them has the login."""
    query = (("context", "edit"), ("search", text[:_LONGEST]), ("_fields", _PERSON))
    for row in every_row(send, "/wp/v2/users", query):
        yield row
        if row.get("username") == login:
            return


def _plain_part(name: str) -> str:
    """Give a part of a name that WordPress searches for everywhere; with "" it lists all users."""
    parts = [part.strip() for part in _SPECIAL.split(name) if not part.strip().isdigit()]
    return next((part for part in parts if len(part) >= _SELECTIVE or part == name), max(parts, default=""))


def _visible(send: Send) -> list[Row]:
    """Read the users whom everybody may see, and ourselves."""
    me = json_object(get(send, "/wp/v2/users/me", (("context", "edit"), ("_fields", _PERSON))))
    found: list[Row] = [me]
    # Some sites hide their users from all who may not list them.
    with suppress(Refused):
        found += islice(every_row(send, "/wp/v2/users", (("_fields", _PERSON),)), _MOST)
    return found


def _meant(name: str, rows: Collection[Row]) -> int | str:
    """Give the user of this name, or say which users have it; "" if nobody has it."""
    several = ""
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
                logins = sorted(clean(str(row.get("username") or row.get("slug"))) for row in same.values())
                rest = f" and {len(same) - _NAMED} more" if len(same) > _NAMED else ""
                several = (
                    f"{len(same)} users have this name: the logins are {', '.join(logins[:_NAMED])}{rest}"
                )
    return several
