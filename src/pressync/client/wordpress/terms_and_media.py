"""Looks up and makes the terms and uploaded files that records refer to by id.

WordPress decides which terms are the same. So a term is looked up by creating it: the refusal names the term
that exists. WordPress takes the same file twice. So the slug of a file has the hash of its content, and the
file is looked up by that slug before it is uploaded.
"""

from __future__ import annotations

import html
import json
from collections import Counter
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.client import responses
from pressync.client.port import HttpRequest, Term, Upload, Uploaded
from pressync.client.record_json import is_id
from pressync.client.responses import clean, inside, json_object, object_or_nothing
from pressync.client.wordpress.reads import every_row, get, of_ids, of_slugs, rows
from pressync.client.wordpress.record import escape_title, unescape_title
from pressync.model.changes import CreateCall
from pressync.model.errors import BadAnswer, Refused
from pressync.model.interface import BLOG_KIND, JSON_CONTENT_TYPE, Taxonomy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pressync.client.wordpress.reads import Send

_TERM = "id,name,slug,parent"
_FILE = "id,slug,source_url"
# `edit` leaves out the files that this user may not edit, and `view` those of drafts.
_CONTEXTS = ("edit", "view")
# A term below more others than this has no path. The paths of 10,000 in a line have 50 million names.
DEEPEST_TERM = 100
# This many slugs of files are below the 8 KB that servers allow a URL.
_SLUGS = 50

# The statuses mean the same when a term or a file is made as when a record is created.
_MAKING = CreateCall(BLOG_KIND, {})


def terms(send: Send, taxonomy: Taxonomy) -> list[Term]:
    """Read every term of a taxonomy, oldest first."""
    return [term_of(row) for row in every_row(send, taxonomy.route, (("_fields", _TERM),))]


def paths_of(terms: Iterable[Term], *, nested: bool) -> dict[int, str]:
    """Name terms by id; a `nested` one by its path (`News/World`).

    Of two terms with one name, the older has it. The slug stands for a name that has a slash or is taken. A
    term below more than `DEEPEST_TERM` others is left out.
    """
    ordered = sorted(terms, key=lambda term: term.id)
    taken: set[tuple[int, str]] = set()
    parts: dict[int, str] = {}
    for term in ordered:
        above = term.parent if nested else 0
        is_clear = term.name.strip() and not (nested and "/" in term.name)
        key = (above, term.name.casefold())
        parts[term.id] = term.name if is_clear and key not in taken else unquote(term.slug)
        taken.add(key)
    parents = {term.id: term.parent for term in ordered}
    paths = {number: _path(number, parts, parents) if nested else name for number, name in parts.items()}
    return {number: path for number, path in paths.items() if path is not None}


def clear_paths(terms: Iterable[Term], *, nested: bool) -> dict[int, str]:
    """Name terms as `paths_of` does, without those that share a name with another one at the same place."""
    rows = {term.id: term for term in terms}
    keys = {n: (term.parent if nested else 0, term.name.casefold()) for n, term in rows.items()}
    count = Counter(keys.values())
    shared = {number for number, key in keys.items() if count[key] > 1}

    def line(number: int) -> Iterator[int]:
        for _ in range(DEEPEST_TERM + 1):
            yield number
            number = rows[number].parent if nested and number in rows else 0

    paths = paths_of(rows.values(), nested=nested)
    return {number: path for number, path in paths.items() if shared.isdisjoint(line(number))}


def _path(number: int, parts: Mapping[int, str], parents: Mapping[int, int]) -> str | None:
    line: dict[int, str] = {}
    while number in parts and number not in line:
        if len(line) > DEEPEST_TERM:
            return None
        line[number] = parts[number]
        number = parents[number]
    return "/".join(reversed(line.values()))


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
    responses.expect_success(_MAKING, response)
    return term_of(json_object(response)).id


def present(send: Send, taxonomy: Taxonomy | None, ids: Collection[int]) -> frozenset[int]:
    """Tell which of these terms, or without a taxonomy which of these files, the site has."""
    if taxonomy is not None:
        return _shown(send, taxonomy.route, "view", ids)
    found = frozenset[int]()
    for context in _CONTEXTS:
        found |= _shown(send, "/wp/v2/media", context, frozenset(ids) - found)
    return found


def _shown(send: Send, route: str, context: str, ids: Collection[int]) -> frozenset[int]:
    query = (("context", context), ("_fields", "id"))
    return frozenset(id_of(row) for some in of_ids(ids) for row in every_row(send, route, (*query, *some)))


def uploaded(send: Send, slugs: Collection[str]) -> dict[str, Uploaded]:
    """Look up files by the slugs that they were uploaded with; a missing file is absent."""
    found: dict[str, Uploaded] = {}
    for context in _CONTEXTS:
        wanted = sorted({*slugs} - found.keys())
        for start in range(0, len(wanted), _SLUGS):
            some = wanted[start : start + _SLUGS]
            query = (*of_slugs(*some), ("context", context), ("per_page", "100"))
            for row in rows(get(send, "/wp/v2/media", (*query, ("_fields", _FILE)))):
                if row.get("slug") in some:
                    found[str(row["slug"])] = _file(row)
    return found


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
        what = f"WordPress does not take it: {said}"
        raise Refused(what, status=response.status, todo="use another file")
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
