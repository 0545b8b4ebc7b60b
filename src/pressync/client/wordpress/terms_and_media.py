"""Looks up and makes the terms and uploaded files that records refer to by id.

WordPress decides which terms are the same. So a term is looked up by creating it: the refusal names the term
that exists. WordPress takes the same file twice. So the slug of a file has the hash of its content, and the
file is looked up by that slug before it is uploaded.
"""

from __future__ import annotations

import html
import json
from http import HTTPStatus
from typing import TYPE_CHECKING

from pressync.client import responses
from pressync.client.abilities import Uploaded
from pressync.client.port import HttpRequest, Upload
from pressync.client.record_json import is_id
from pressync.client.responses import clean, inside, json_object, object_or_nothing
from pressync.client.terms import Term
from pressync.client.wordpress.reads import every_row, get, of_ids, of_slugs, rows
from pressync.html.titles import escape_title, unescape_title
from pressync.model.changes import CreateCall
from pressync.model.errors import BadAnswer, Refused
from pressync.model.interface import BLOG_KIND, JSON_CONTENT_TYPE, Taxonomy

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.client.wordpress.reads import Send

_TERM = "id,name,slug,parent"
_FILE = "id,slug,source_url"
# `edit` leaves out the files that this user may not edit, and `view` those of drafts.
_CONTEXTS = ("edit", "view")
# This many slugs of files are below the 8 KB that servers allow a URL.
_SLUGS = 50

# The statuses mean the same when a term or a file is made as when a record is created.
_MAKING = CreateCall(BLOG_KIND, {})


def terms(send: Send, taxonomy: Taxonomy) -> list[Term]:
    """Read every term of a taxonomy, oldest first."""
    return [term_of(row) for row in every_row(send, taxonomy.route, (("_fields", _TERM),))]


def make_term(send: Send, taxonomy: Taxonomy, name: str, parent: int) -> int:
    """Make a term and give its id, or the id of the term that WordPress considers the same.

    The name is escaped, because WordPress removes tags from a name: of `Vec<T>` it would make “Vec”.
    """
    escaped = escape_title(name)
    wanted: dict[str, object] = {"name": escaped, "parent": parent} if parent else {"name": escaped}
    body = json.dumps(wanted, ensure_ascii=False).encode()
    response = send(HttpRequest("POST", f"{taxonomy.route}?_fields={_TERM}", JSON_CONTENT_TYPE, body))
    if response.status == HTTPStatus.BAD_REQUEST:
        error = json_object(response)
        number = inside(error, "data", "term_id")
        if error.get("code") == "term_exists" and is_id(number):
            return number
    if object_or_nothing(response).get("code") == "db_insert_error":
        # WordPress stops at the first table, so nothing was stored.
        problem, todo = "the site's database refused the name", "write one of at most 200 characters"
        raise Refused(problem, status=response.status, todo=todo)
    responses.expect_success(_MAKING, response)
    return term_of(json_object(response)).id


def present(send: Send, taxonomy: Taxonomy | None, ids: Collection[int]) -> frozenset[int]:
    """Tell which of these terms, or without a taxonomy which of these files, the site has."""
    if taxonomy is not None:
        return _shown(send, taxonomy.route, "view", ids)
    shown = frozenset[int]()
    for context in _CONTEXTS:
        shown |= _shown(send, "/wp/v2/media", context, frozenset(ids) - shown)
    return shown


def _shown(send: Send, route: str, context: str, ids: Collection[int]) -> frozenset[int]:
    query = (("context", context), ("_fields", "id"))
    return frozenset(id_of(row) for some in of_ids(ids) for row in every_row(send, route, (*query, *some)))


def uploaded(send: Send, slugs: Collection[str]) -> dict[str, Uploaded]:
    """Look up files by the slugs that they were uploaded with; a missing file is absent."""
    files: dict[str, Uploaded] = {}
    for context in _CONTEXTS:
        wanted = sorted({*slugs} - files.keys())
        for start in range(0, len(wanted), _SLUGS):
            some = wanted[start : start + _SLUGS]
            query = (*of_slugs(*some), ("context", context), ("per_page", "100"))
            for row in rows(get(send, "/wp/v2/media", (*query, ("_fields", _FILE)))):
                if row.get("slug") in some:
                    files[str(row["slug"])] = _file(row)
    return files


def upload(send: Send, file: Upload) -> Uploaded:
    """Upload a file with its name and its slug; Refused if WordPress does not take such a file."""
    from urllib3.filepost import encode_multipart_formdata  # noqa: PLC0415 - a plan uploads nothing

    # Slug and file are in one form, because a raw body has room only for the file. Without a slug of its
    # own, `about.png` would take the slug of a page called “about”.
    content = (file.name, file.data, "application/octet-stream")
    body, content_type = encode_multipart_formdata([("slug", file.slug), ("file", content)])
    response = send(HttpRequest("POST", f"/wp/v2/media?_fields={_FILE}", content_type, body))
    # WordPress responds with 500 to a file that it refuses, and stores nothing then (measured).
    error = object_or_nothing(response) if response.status >= HTTPStatus.BAD_REQUEST else {}
    if str(error.get("code", "")).startswith("rest_upload_"):
        said = clean(html.unescape(str(error.get("message", ""))))
        problem = f"WordPress does not take it: {said}"
        raise Refused(problem, status=response.status, todo="use another file")
    if response.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        todo = "use a smaller file, or raise the server's limit for request bodies"
        raise Refused("the service refused with 413", status=response.status, todo=todo)
    responses.expect_success(_MAKING, response)
    return _file(json_object(response))


def term_of(row: Mapping[str, object]) -> Term:
    """Read a category or a tag; BadAnswer if it has no id."""
    parent = row.get("parent")
    # WordPress stores names as HTML: `A & B` comes back as `A &amp; B`.
    name = unescape_title(str(row.get("name", "")))
    return Term(id_of(row), name, str(row.get("slug", "")), parent if isinstance(parent, int) else 0)


def _file(row: Mapping[str, object]) -> Uploaded:
    link = row.get("source_url")
    if not isinstance(link, str) or not link.startswith(("http://", "https://")):
        raise BadAnswer(
            "the response is JSON but not a file: it has no address", todo="look at it on the site"
        )
    return Uploaded(id_of(row), link)


def id_of(row: Mapping[str, object]) -> int:
    """Give the id of a row; BadAnswer if it has none."""
    number = row.get("id")
    if not is_id(number):
        raise BadAnswer("the response is JSON but has no id", todo="check `url` and `dialect`")
    return number
