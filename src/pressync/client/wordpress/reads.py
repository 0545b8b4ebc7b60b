"""Reads records by id, the newest records, and the records that a lost create may have made.

A list of WordPress leaves out records in the trash, records that are gone and records that this user may
not read. It says nothing of the reason. Only a request for the single record tells these cases apart.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pressync.client.port import HttpRequest, Unreadable
from pressync.client.responses import json_object
from pressync.client.wordpress.lists import (
    EVERYWHERE,
    ROWS,
    every_row,
    get,
    of_ids,
    of_slugs,
    pages,
    rows,
    whole,
)
from pressync.client.wordpress.record import path_of, read
from pressync.client.wordpress.refusals import expect_success
from pressync.client.wordpress.slugs import TRASHED, spellings
from pressync.model.changes import UpdateCall
from pressync.model.errors import BadAnswer, Gone, Refused
from pressync.model.interface import BLOG_KIND, JSON_CONTENT_TYPE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pressync.client.wordpress.lists import Query, Send
    from pressync.model.interface import Kind
    from pressync.model.records import Record

# The most of the newest ids that are read to find unknown records.
_NEWEST = 1000

# The part of the description of a route that has the custom fields; the whole has 30 KB. Some proxies and
# firewalls refuse OPTIONS. WordPress takes the method from the query of a GET (measured on 6.1, 6.8 and 7.1).
_DESCRIBED: Query = (("_method", "OPTIONS"), ("_fields", "schema.properties.meta.properties"))

# WordPress adds a number to a slug that is taken, from 2 on. Reads ask for these numbers.
NUMBERED = range(2, 6)


def records(send: Send, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
    """Read records by id, in any status or in the trash; an id without a record is absent.

    :raises Unreadable: a record exists that this user may not read, which is not the same as absent.
    """
    wanted = sorted(set(ids))
    found: dict[int, Record] = {}
    refusal: Refused | None = None
    refused: set[int] = set()
    for start in range(0, len(wanted), ROWS):
        some = wanted[start : start + ROWS]
        try:
            found |= _included(send, kind, some)
        except Refused as error:
            # The user may not edit any record of this kind, so no single record can be read either.
            refusal, refused = _forbidden(error), refused.union(some)
            continue
        for number in some:
            try:
                if number not in found and (record := _single(send, kind, number)):
                    found[number] = record
            except Refused as error:
                refusal, refused = _forbidden(error), {*refused, number}
    if refusal:
        raise Unreadable(refusal, frozenset(refused), found)
    return found


def sticky(send: Send, ids: Collection[int]) -> dict[int, bool]:
    """Tell which of these posts are in the site's list of sticky posts; one that is not there is absent."""
    query = (("status", EVERYWHERE), ("_fields", "id,sticky"), ("per_page", str(ROWS)))
    found = (row for some in of_ids(ids) for row in rows(get(send, BLOG_KIND.row.route, (*query, *some))))
    return {n: row.get("sticky") is True for row in found if isinstance(n := row.get("id"), int)}


def find(send: Send, kind: Kind, *, slug: str, parent: int | None) -> list[Record]:
    """Read every record that a create with this slug may have made, wherever the record is now; oldest first.

    Such a record has the slug itself, or the slug with the number that WordPress adds to one that is taken:
    a caller must compare `Record.slug`. The record may be in the trash with one of these slugs. It may be a
    draft without a slug, whose title would give the slug. `parent` limits the pages to those below it; None
    means everywhere, and so does any post.
    """
    below = () if parent is None or not kind.row.hierarchical else (("parent", str(parent)),)
    names = spellings(slug)
    numbered = [*names, *(f"{name}-{number}" for name in names for number in NUMBERED)]
    trashed = [*(name + TRASHED for name in numbered), *(f"{name}{TRASHED}-2" for name in names)]
    named = _everywhere(send, kind, (*whole(kind), *below, *of_slugs(*numbered, *trashed)))
    found = {record.id: record for record in (read(kind, row) for row in named)}
    # A draft without a slug has the empty name in a list. In the trash its name is numbered as any other.
    nameless = ("", TRASHED, *(f"{TRASHED}-{number}" for number in NUMBERED))
    drafts = (("context", "edit"), ("_fields", "id,generated_slug"), *below, *of_slugs(*nameless))
    ids = [row.get("id") for row in _everywhere(send, kind, drafts) if row.get("generated_slug") in names]
    found |= records(send, kind, [number for number in ids if isinstance(number, int)])
    return [found[number] for number in sorted(found)]


def newest(send: Send, kind: Kind, *, besides: Collection[int]) -> list[Record]:
    """Read the newest hundred records that are not among these ids, in any status or in the trash.

    An id alone takes 12 bytes, so the ids of up to a thousand records are read to find them.
    """
    found: list[int] = []
    for page in range(1, _NEWEST // ROWS + 1):
        query = (
            ("status", EVERYWHERE), ("orderby", "id"), ("order", "desc"), ("_fields", "id"),
            ("per_page", str(ROWS)), ("page", str(page)),
        )  # fmt: skip
        response = get(send, kind.row.route, query, kind)
        ids = [row.get("id") for row in rows(response)]
        found += [number for number in ids if isinstance(number, int) and number not in besides]
        if len(found) >= ROWS or page >= pages(response):
            break
    return list(records(send, kind, found[:ROWS]).values())


def post_fields(send: Send) -> dict[str, str]:
    """Read the custom fields that are registered for posts, and their types; none if the site hides them."""
    try:
        found: object = json_object(get(send, BLOG_KIND.row.route, _DESCRIBED, BLOG_KIND))
    except (Refused, BadAnswer):
        return {}
    for member in ("schema", "properties", "meta", "properties"):
        found = found.get(member) if isinstance(found, dict) else None
    # PHP encodes an empty map as a list.
    known = found if isinstance(found, dict) else {}
    return {str(name): str(each.get("type", "")) for name, each in known.items() if isinstance(each, dict)}


def _forbidden(error: Refused) -> Refused:
    """Give a refusal that is about the rights of the user; any other is raised."""
    if error.status != HTTPStatus.FORBIDDEN:
        raise error
    return error


def _included(send: Send, kind: Kind, ids: list[int]) -> dict[int, Record]:
    query = (
        *whole(kind),
        ("status", EVERYWHERE),
        ("per_page", str(ROWS)),
        ("orderby", "include"),
        ("include", ",".join(map(str, ids))),
    )
    found = (read(kind, row) for row in rows(get(send, kind.row.route, query, kind)))
    return {record.id: record for record in found if record.id in ids}


def _single(send: Send, kind: Kind, number: int) -> Record | None:
    """Read one record; None if there is none, Refused if this user may not read it."""
    path = f"{path_of(kind, number)}?{urlencode(whole(kind), safe=',')}"
    response = send(HttpRequest("GET", path, JSON_CONTENT_TYPE, b""))
    try:
        # The statuses mean the same as for an update that changes nothing: both name one record.
        expect_success(UpdateCall(kind, number, {}), response)
    except Gone:
        return None
    return read(kind, json_object(response), expected=number)


def _everywhere(send: Send, kind: Kind, query: Query) -> Iterator[Mapping[str, object]]:
    """Read a complete list of records in any status."""
    return every_row(send, kind.row.route, (*query, ("status", EVERYWHERE)), kind)
