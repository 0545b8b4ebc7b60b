"""What records refer to by id: terms, authors and uploaded files; looked up, and made where they are missing.

It must not decide what is needed. What decided its shape: WordPress itself knows best what is the same
term, so one is asked for by creating it, and the refusal names the one that there is; whereas nothing
tells two equal files apart, so a file gets a slug that holds its content's hash, and is looked for first.
"""

from __future__ import annotations

import html
import json
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pressync.client import responses
from pressync.client.port import HttpRequest, Term, Uploaded
from pressync.client.record_json import is_id
from pressync.client.responses import clean, json_object
from pressync.client.wordpress.lists import every_row, get, rows
from pressync.client.wordpress.titles import escape, unescape
from pressync.model.errors import BadAnswer, Gone, Refused
from pressync.model.interface import JSON_CONTENT_TYPE, Kind
from pressync.model.records import CreateCall, DeleteCall

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.client.port import HttpResponse, Upload
    from pressync.client.wordpress.lists import Send

_TERM = "id,name,slug,parent"
_FILE = "id,slug,source_url"
_PERSON = "id,username,email,slug,name"
# So many slugs of a file stay below the 8 KB that servers allow a URL.
_SLUGS = 50

# For what an answer may mean, making a term or a file is like making any record.
_MAKING = CreateCall(Kind.POST, {})


def terms(send: Send, field: str) -> list[Term]:
    """Read every category or every tag, oldest first."""
    return [_term(row) for row in every_row(send, f"/wp/v2/{field}", (("_fields", _TERM),))]


def make_term(send: Send, field: str, name: str, parent: int) -> int:
    """Make a term; the id of the one that there is already, if WordPress finds that it is the same.

    Of a name that reads like HTML WordPress takes the tags out: of `Vec<T>` it would make “Vec”.
    """
    escaped = escape(name)
    wanted: dict[str, object] = {"name": escaped, "parent": parent} if parent else {"name": escaped}
    response = send(_post(f"/wp/v2/{field}?_fields={_TERM}", wanted))
    if response.status == HTTPStatus.BAD_REQUEST:
        error = json_object(response)
        data = error.get("data")
        if error.get("code") == "term_exists" and isinstance(data, dict) and is_id(data.get("term_id")):
            return int(data["term_id"])
    responses.expect_success(_MAKING, response)
    return _term(json_object(response)).id


def author(send: Send, name: str) -> int | None:
    """Look up a user by login, e-mail address, slug or displayed name, as far as this user may see others.

    Displayed names need not be unique; one that several people have is nobody's.

    Only who may list users is shown logins and addresses; everybody is shown their own, and the slugs
    (usually the logins in lower case) of those who have published something.
    """
    wanted = name.casefold()
    try:
        query = (("context", "edit"), ("search", name), ("per_page", "100"), ("_fields", _PERSON))
        found = rows(get(send, "/wp/v2/users", query))
    except Refused:
        me = json_object(get(send, "/wp/v2/users/me", (("context", "edit"), ("_fields", _PERSON))))
        public = (("slug[]", wanted), ("_fields", "id,slug,name"))
        found = [me, *rows(get(send, "/wp/v2/users", public))]
    for key in ("username", "email", "slug", "name"):
        same = {_id(row) for row in found if str(row.get(key, "")).casefold() == wanted}
        if len(same) == 1:
            return same.pop()
    return None


def uploaded(send: Send, slugs: Collection[str]) -> dict[str, Uploaded]:
    """Look up files by the slugs that they were uploaded with; those that are not there are absent."""
    wanted = sorted(slugs)
    found: dict[str, Uploaded] = {}
    for start in range(0, len(wanted), _SLUGS):
        some = wanted[start : start + _SLUGS]
        query = (*(("slug[]", slug) for slug in some), ("context", "edit"), ("per_page", "100"))
        for row in rows(get(send, "/wp/v2/media", (*query, ("_fields", _FILE)))):
            if row.get("slug") in some:
                found[str(row["slug"])] = _file(row)
    return found


def upload(send: Send, file: Upload) -> Uploaded:
    """Upload a file under its name, with its slug; Refused if WordPress takes no such file."""
    from urllib3.filepost import encode_multipart_formdata  # noqa: PLC0415 - a plan uploads nothing

    # Both in one form: in a raw body only the file has its place. A slug of its own keeps `about.png`
    # from taking the slug of a page called “about”.
    content = (file.name, file.data, "application/octet-stream")
    body, content_type = encode_multipart_formdata([("slug", file.slug), ("file", content)])
    response = send(HttpRequest("POST", f"/wp/v2/media?_fields={_FILE}", content_type, body))
    if refusal := _refused_upload(response):
        raise refusal
    responses.expect_success(_MAKING, response)
    return _file(json_object(response))


def delete_upload(send: Send, number: int) -> None:
    """Delete a file for good; one that is gone already is no error."""
    path = f"/wp/v2/media/{number}?{urlencode({'force': 'true', '_fields': 'deleted'})}"
    response = send(HttpRequest("DELETE", path, JSON_CONTENT_TYPE, b""))
    try:
        responses.expect_success(DeleteCall(Kind.POST, number, permanent=True), response)
    except Gone:
        return
    if json_object(response).get("deleted") is not True:
        raise BadAnswer(
            f"the service did not say that file {number} is deleted", todo="look at it on the site"
        )


def _refused_upload(response: HttpResponse) -> Refused | None:
    """WordPress answers 500 to a file that it does not take, though nothing is stored then (measured)."""
    if response.status < HTTPStatus.BAD_REQUEST:
        return None
    try:
        error = json_object(response)
    except BadAnswer:
        return None
    if not str(error.get("code", "")).startswith("rest_upload_"):
        return None
    said = clean(html.unescape(str(error.get("message", ""))))
    return Refused(f"WordPress does not take it: {said}", status=response.status, todo="use another file")


def _post(path: str, members: Mapping[str, object]) -> HttpRequest:
    return HttpRequest("POST", path, JSON_CONTENT_TYPE, json.dumps(members, ensure_ascii=False).encode())


def _term(row: Mapping[str, object]) -> Term:
    parent = row.get("parent")
    # Names are stored as HTML: `A & B` comes back as `A &amp; B`.
    name = unescape(str(row.get("name", "")))
    return Term(_id(row), name, str(row.get("slug", "")), parent if isinstance(parent, int) else 0)


def _file(row: Mapping[str, object]) -> Uploaded:
    link = row.get("source_url")
    if not isinstance(link, str) or not link.startswith(("http://", "https://")):
        raise BadAnswer("the answer is JSON, but no file: it has no address", todo="look at it on the site")
    return Uploaded(_id(row), link)


def _id(row: Mapping[str, object]) -> int:
    number = row.get("id")
    if not isinstance(number, int) or not is_id(number):
        raise BadAnswer("the answer is JSON, but it has no id", todo="check `url` and `dialect`")
    return number
