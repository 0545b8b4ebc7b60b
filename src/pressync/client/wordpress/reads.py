"""Reads: records by id, and records that may be the one that a lost create made.

It must not decide what a record means for a plan. What decided its shape: a list of WordPress leaves out
what is in the trash, what is no longer there and what this user may not read, all in the same silence;
only asking for one record tells these apart.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pressync.client.json_size import is_overfull
from pressync.client.port import HttpRequest
from pressync.client.responses import json_object
from pressync.client.wordpress.record import MEMBERS, PATHS, path_of, read
from pressync.client.wordpress.refusals import expect_success
from pressync.client.wordpress.slugs import TRASHED, spellings
from pressync.model.errors import BadAnswer, Gone
from pressync.model.interface import JSON_CONTENT_TYPE, Kind
from pressync.model.records import CreateCall, UpdateCall

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pressync.client.port import HttpResponse
    from pressync.model.records import Record

    Send = Callable[[HttpRequest], HttpResponse]

# The most rows that WordPress gives at once. As many ids are far below the 8 KB that servers allow a URL.
ROWS = 100

# How many of the newest records are looked through for those that nobody knows.
_LOOKED_THROUGH = 1000

# `any` is every status but the trash.
EVERYWHERE = "any,trash"

# WordPress numbers a slug that is taken, from 2 on; so many are looked for.
NUMBERED = range(2, 6)

Query = tuple[tuple[str, str], ...]


def get(send: Send, path: str, query: Query, kind: Kind = Kind.PAGE) -> HttpResponse:
    """Make one read; raises the ServiceError that its answer shows, in words for this kind of record."""
    response = send(HttpRequest("GET", f"{path}?{urlencode(query, safe=',')}", JSON_CONTENT_TYPE, b""))
    # For what an answer may mean, a read that names no record is like a create: it can find nothing gone.
    expect_success(CreateCall(kind, {}), response)
    return response


def listed(send: Send, kind: Kind, query: Query) -> list[Mapping[str, object]]:
    """Read one list of records of a kind, as rows."""
    return rows(get(send, PATHS[kind], query, kind))


def records(send: Send, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
    """Read those of the records that exist, in any status or in the trash, by id; the others are absent.

    :raises Refused: a record exists and this user may not read it: that is not the same as absent.
    """
    wanted = sorted(set(ids))
    found: dict[int, Record] = {}
    for start in range(0, len(wanted), ROWS):
        some = wanted[start : start + ROWS]
        found |= _included(send, kind, some)
        for number in some:
            if number not in found and (record := _single(send, kind, number)):
                found[number] = record
    return found


def find(send: Send, kind: Kind, *, slug: str, parent: int | None) -> list[Record]:
    """Read every record that a create with this slug may have made, wherever it is now; oldest first.

    That is the slug itself, the slug with the number that WordPress adds to one that is taken (a caller
    must look at `Record.slug`), the same in the trash, and a draft without a slug whose title would give
    it. `parent` leaves only the pages below it; None, and any post, stands for everywhere.
    """
    below = () if parent is None or kind is Kind.POST else (("parent", str(parent)),)
    names = spellings(slug)
    numbered = [*names, *(f"{name}-{number}" for name in names for number in NUMBERED)]
    trashed = [*(name + TRASHED for name in numbered), *(f"{name}{TRASHED}-2" for name in names)]
    named = (*_reading(kind), *below, *of_slugs(*numbered, *trashed))
    found = {record.id: record for record in _read(kind, _every_row(send, kind, named))}
    # The empty name in a list is what a draft without a slug has; in the trash it is numbered as any other.
    nameless = ("", TRASHED, *(f"{TRASHED}-{number}" for number in NUMBERED))
    unnamed = (("context", "edit"), ("_fields", "id,generated_slug"), *below, *of_slugs(*nameless))
    ids = [row.get("id") for row in _every_row(send, kind, unnamed) if row.get("generated_slug") in names]
    found |= records(send, kind, [number for number in ids if isinstance(number, int)])
    return [found[number] for number in sorted(found)]


def newest(send: Send, kind: Kind, *, besides: Collection[int]) -> list[Record]:
    """Read the newest hundred records that are not among these ids, in any status or in the trash.

    Ids alone are 12 bytes a record, so a thousand are looked through for them.
    """
    found: list[int] = []
    for page in range(1, _LOOKED_THROUGH // ROWS + 1):
        query = (
            ("status", EVERYWHERE), ("orderby", "id"), ("order", "desc"), ("_fields", "id"),
            ("per_page", str(ROWS)), ("page", str(page)),
        )  # fmt: skip
        response = get(send, PATHS[kind], query, kind)
        ids = [row.get("id") for row in rows(response)]
        found += [number for number in ids if isinstance(number, int) and number not in besides]
        if len(found) >= ROWS or page >= pages(response):
            break
    return list(records(send, kind, found[:ROWS]).values())


def rows(response: HttpResponse) -> list[Mapping[str, object]]:
    """Read a list of objects, whole and with nothing before it; BadAnswer if the answer is none."""
    media_type = response.content_type.partition(";")[0].strip().lower()
    try:
        readable = media_type == JSON_CONTENT_TYPE and not is_overfull(response.body)
        found = json.loads(response.body.decode()) if readable else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise BadAnswer(
            "the answer is not the list of records that was asked for",
            todo="check `url`, and what stands between here and the service",
        )
    return found


def _included(send: Send, kind: Kind, ids: list[int]) -> dict[int, Record]:
    query = (
        *_reading(kind),
        ("status", EVERYWHERE),
        ("per_page", str(ROWS)),
        ("orderby", "include"),
        ("include", ",".join(map(str, ids))),
    )
    return {record.id: record for record in _read(kind, listed(send, kind, query)) if record.id in ids}


def _single(send: Send, kind: Kind, number: int) -> Record | None:
    """Read one record; None if there is none, Refused if it may not be read."""
    path = f"{path_of(kind, number)}?{urlencode(_reading(kind), safe=',')}"
    response = send(HttpRequest("GET", path, JSON_CONTENT_TYPE, b""))
    try:
        # For what an answer may mean, a read of one record is like an update of nothing in it.
        expect_success(UpdateCall(kind, number, {}), response)
    except Gone:
        return None
    return read(kind, json_object(response), expected=number)


def _every_row(send: Send, kind: Kind, query: Query) -> Iterator[Mapping[str, object]]:
    """Read a list of records wherever they are, page by page."""
    return every_row(send, PATHS[kind], (*query, ("status", EVERYWHERE)), kind)


def every_row(send: Send, path: str, query: Query, kind: Kind = Kind.PAGE) -> Iterator[Mapping[str, object]]:
    """Read a list whole, page by page."""
    page, last = 1, 1
    # The usual order is by date: records of the same second, as a sync makes them, then change places
    # between two pages of a list, and some are on neither.
    steady = (*query, ("orderby", "id"), ("order", "asc"), ("per_page", str(ROWS)))
    while page <= last:
        response = get(send, path, (*steady, ("page", str(page))), kind)
        yield from rows(response)
        # Rows that this user may not read are missing from a page, so a short one need not be the last.
        last = pages(response)
        page += 1


def pages(response: HttpResponse) -> int:
    """Tell how many pages a list has."""
    total = response.headers.get("x-wp-totalpages", "")
    return int(total) if total.isascii() and total.isdigit() else 1


def of_slugs(*names: str) -> Query:
    """Ask for the records of these slugs."""
    # Names one by one: WordPress takes a list in one text apart at blanks too.
    return tuple(("slug[]", name) for name in names)


def _reading(kind: Kind) -> Query:
    return (("context", "edit"), ("_fields", MEMBERS[kind]))


def _read(kind: Kind, found: Iterable[Mapping[str, object]]) -> Iterator[Record]:
    return (read(kind, row) for row in found)
