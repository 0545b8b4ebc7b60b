"""Reads the open notes of editors, and resolves one: its reply, and its status. Nothing else of comments.

WordPress 6.9 and later keep a note as a comment of the type `note`. An open one has the status `hold`, a
resolved one `approved`. An earlier version has no such type, and lists none.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING

from pressync.client.abilities import SiteNote
from pressync.client.port import HttpRequest
from pressync.client.responses import inside, json_object
from pressync.client.wordpress.reads import ask, every_row, get
from pressync.html.titles import unescape_title
from pressync.model.errors import ConfigError, Gone, Refused
from pressync.model.interface import JSON_CONTENT_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.client.wordpress.reads import Send

_ROUTE = "/wp/v2/comments"
# For `content.raw` WordPress gives no content of a comment.
_FIELDS = ("_fields", "id,post,parent,type,status,author_name,date_gmt,content")
_OPEN, _RESOLVED = "hold", "approved"


def open_notes(send: Send) -> list[SiteNote]:
    """Read the open notes of a site, the oldest first; none where the user may not see them.

    :raises ServiceError: the site does not answer, or does not take the credentials.
    """
    asked = (("context", "edit"), ("type", "note"), ("status", _OPEN), ("order", "asc"), _FIELDS)
    try:
        notes = [_note(row) for row in every_row(send, _ROUTE, asked) if row.get("type") == "note"]
    except Refused as error:
        if error.status == HTTPStatus.UNAUTHORIZED:
            raise
        return []
    return [note for note in notes if not note.parent and note.is_open]


def resolve(send: Send, number: int, reply: str) -> bool:
    """Resolve a note with a reply; tell whether it was open. A reply that a killed run left is enough.

    :raises ConfigError: there is no such note.
    :raises ServiceError: the site does not answer, or it refuses.
    """
    try:
        row = json_object(get(send, f"{_ROUTE}/{number}", (("context", "edit"), _FIELDS)))
    except Gone as error:
        raise ConfigError(
            f"there is no note {number} on the site", todo="`pressync notes` lists them"
        ) from error
    note = _note(row)
    if row.get("type") != "note" or note.parent:
        raise ConfigError(f"{number} is not a note of an editor", todo="`pressync notes` lists them")
    if not note.is_open:
        return False
    asked = (("context", "edit"), ("type", "note"), ("parent", str(number)), ("status", "all"), _FIELDS)
    replies = [_note(row) for row in every_row(send, _ROUTE, asked)]
    if all(note.text != reply for note in replies):
        said = {"post": note.post, "type": "note", "parent": number, "status": _OPEN, "content": reply}
        _post(send, _ROUTE, said)
    _post(send, f"{_ROUTE}/{number}", {"status": _RESOLVED})
    return True


def _post(send: Send, path: str, body: Mapping[str, object]) -> None:
    ask(send, HttpRequest("POST", path, JSON_CONTENT_TYPE, json.dumps(body).encode()))


def _note(row: Mapping[str, object]) -> SiteNote:
    members = {name: row.get(name) for name in ("id", "post", "parent")}
    numbers = {name: value if isinstance(value, int) else 0 for name, value in members.items()}
    return SiteNote(
        **numbers,
        author=unescape_title(str(row.get("author_name", ""))),
        date=str(row.get("date_gmt", "")),
        text=unescape_title(str(inside(row, "content", "raw") or "")),
        is_open=row.get("status") == _OPEN,
    )
