"""Requests lists from WordPress's interface and reads them as rows, page by page.

The usual order of a list is by date. The records of a sync share their seconds, so between two requests they
change places in that order, and some are on no page. So every list of more than one page is ordered by id.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pressync.client.port import HttpRequest
from pressync.client.responses import CHECK_URL, clean, is_overfull
from pressync.client.wordpress.record import members_of
from pressync.client.wordpress.refusals import expect_success
from pressync.model.changes import CreateCall
from pressync.model.errors import BadAnswer
from pressync.model.interface import JSON_CONTENT_TYPE, TREE_KIND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pressync.client.port import HttpResponse
    from pressync.model.interface import Kind

    Send = Callable[[HttpRequest], HttpResponse]

Query = tuple[tuple[str, str], ...]

# The most rows that WordPress gives at once. As many ids are far below the 8 KB that servers allow a URL.
ROWS = 100

# A number of rows or pages with more digits is not that of a site.
_DIGITS = 7
# A page leaves out the rows that this user may not read. A site may have this many such pages in a row.
_EMPTY_PAGES = 1000

# `any` is every status except the trash.
EVERYWHERE = "any,trash"

# The part of a query that makes the order of a list independent of dates.
STEADY: Query = (("orderby", "id"), ("order", "asc"), ("per_page", str(ROWS)))


def whole(kind: Kind) -> Query:
    """Give the part of a query that asks for all members of a record that we read."""
    return (("context", "edit"), ("_fields", members_of(kind.row)))


def of_slugs(*slugs: str) -> Query:
    """Give the part of a query that asks for the records with these slugs."""
    # One parameter for each slug: in a single text, WordPress also splits a list at blanks.
    return tuple(("slug[]", slug) for slug in slugs)


def of_ids(ids: Iterable[int]) -> Iterator[Query]:
    """Give the part of each query that asks for the records with these ids, at most ROWS in one."""
    wanted = sorted(ids)
    for start in range(0, len(wanted), ROWS):
        yield (("include", ",".join(map(str, wanted[start : start + ROWS]))),)


def get(send: Send, path: str, query: Query, kind: Kind = TREE_KIND) -> HttpResponse:
    """Make one read. Raise the ServiceError that its response shows, in words for this kind of record."""
    url = f"{path}?{urlencode(query, safe=',')}"
    return ask(send, HttpRequest("GET", url, JSON_CONTENT_TYPE, b""), kind)


def ask(send: Send, request: HttpRequest, kind: Kind = TREE_KIND) -> HttpResponse:
    """Send a read that names no record, and expect a success."""
    response = send(request)
    # The statuses mean the same as for a create: neither names a record that could be gone.
    expect_success(CreateCall(kind, {}), response)
    return response


def rows(response: HttpResponse) -> list[Mapping[str, object]]:
    """Read a list of objects, complete and with nothing before it; BadAnswer if it is not such a list."""
    media_type = response.content_type.partition(";")[0].strip().lower()
    try:
        readable = media_type == JSON_CONTENT_TYPE and not is_overfull(response.body)
        found = json.loads(response.body.decode()) if readable else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise BadAnswer("the response is not the list of records that was requested", todo=CHECK_URL)
    return found


def pages(response: HttpResponse) -> int:
    """Give the number of pages of a list."""
    return total(response, "x-wp-totalpages") or 1


def total(response: HttpResponse, header: str) -> int:
    """Give the number of rows or pages that a header names, 0 without one; BadAnswer for absurd ones."""
    text = response.headers.get(header, "")
    if not (text.isascii() and text.isdigit()):
        return 0
    if len(text) > _DIGITS:
        raise BadAnswer(
            f"{header} of the response is {clean(text, 20)}, more than any site has", todo=CHECK_URL
        )
    return int(text)


def every_page(request_page: Callable[[int], HttpResponse]) -> Iterator[Mapping[str, object]]:
    """Read the rows of all pages; `request_page` gets the number of a page."""
    page, last, empty = 1, 1, 0
    while page <= last:
        response = request_page(page)
        found = rows(response)
        yield from found
        empty = 0 if found else empty + 1
        if empty > _EMPTY_PAGES:
            what = f"the service says that a list has {last:,} pages, and gives only empty ones"
            raise BadAnswer(what, todo=CHECK_URL)
        # A list may become shorter while it is read. New rows at its end are for a later read.
        last = min(last, pages(response)) if page > 1 else pages(response)
        page += 1


def every_row(send: Send, path: str, query: Query, kind: Kind = TREE_KIND) -> Iterator[Mapping[str, object]]:
    """Read a complete list."""
    return every_page(lambda page: get(send, path, (*query, *STEADY, ("page", str(page))), kind))
