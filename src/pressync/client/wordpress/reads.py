"""Reads lists of WordPress's interface page by page, records by id, and the newest records.

The usual order of a list is by date. The records of a sync share their seconds, so between two requests they
change places in that order, and some are on no page. So every list of more than one page is ordered by id.

A list leaves out records in the trash, records that are gone and records that this user may not read. It says
nothing of the reason. Only a request for the single record tells these cases apart.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pressync.client.port import ROWS, HttpRequest, HttpResponse, Unreadable
from pressync.client.responses import CHECK_URL, clean, inside, json_object, parsed, require_json
from pressync.client.wordpress.record import members_of, path_of, read
from pressync.client.wordpress.refusals import expect_success
from pressync.model.changes import CreateCall, UpdateCall
from pressync.model.errors import BadAnswer, Gone, Refused
from pressync.model.interface import BLOG_KIND, TREE_KIND, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from pressync.model.records import Record

    Send = Callable[[HttpRequest], HttpResponse]
    # A row of a list, as WordPress sends it.
    Row = Mapping[str, object]

Query = tuple[tuple[str, str], ...]

# A number of rows or pages with more digits is not that of a site.
_DIGITS = 7
# A page leaves out the rows that this user may not read. A site may have this many such pages in a row.
_EMPTY_PAGES = 1000
# The end of the code with which WordPress refuses a page behind the last one, of posts and of revisions.
_BEHIND_LAST = "_invalid_page_number"

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
    return ask(send, HttpRequest("GET", url), kind)


def ask(send: Send, request: HttpRequest, kind: Kind = TREE_KIND) -> HttpResponse:
    """Send a read that names no record, and expect a success."""
    response = send(request)
    # The statuses mean the same as for a create: neither names a record that could be gone.
    expect_success(CreateCall(kind, {}), response)
    return response


def rows(response: HttpResponse) -> list[Mapping[str, object]]:
    """Read a list of objects, complete and with nothing before it; BadAnswer if it is not such a list."""
    require_json(response)
    listed = parsed(response.body)
    if not isinstance(listed, list) or not all(isinstance(row, dict) for row in listed):
        raise BadAnswer("the response is not the list of records that was requested", todo=CHECK_URL)
    return listed


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


def published(send: Send, kind: Kind, ids: Collection[int]) -> dict[int, int]:
    """Give the authors of the published ones of these records; a user without rights sees them as well."""
    shown: Query = (("_fields", "id,author"), ("per_page", str(ROWS)))
    listed = (row for some in of_ids(ids) for row in rows(get(send, kind.row.route, (*shown, *some), kind)))
    authors = ((row.get("id"), row.get("author")) for row in listed)
    return {number: who for number, who in authors if isinstance(number, int) and isinstance(who, int)}


def every_page(request_page: Callable[[int], HttpResponse]) -> Iterator[Mapping[str, object]]:
    """Read the rows of all pages; `request_page` gets the number of a page.

    If something before the site drops the number of pages, the list ends with a page that has nothing new.
    """
    page, last, empty = 1, 0, 0
    before: list[Row] = []
    while True:
        listed, told = _page(request_page, page)
        if listed == before and not told:
            return
        yield from listed
        empty = 0 if listed else empty + 1
        if empty > _EMPTY_PAGES:
            problem = f"the service says that a list has {last:,} pages, and gives only empty ones"
            raise BadAnswer(problem, todo=CHECK_URL)
        # A list may become shorter while it is read. New rows at its end are for a later read.
        last = min(last, told or last) if last else told
        if _is_last(page, listed, last):
            return
        page, before = page + 1, listed


def _page(request_page: Callable[[int], HttpResponse], page: int) -> tuple[list[Row], int]:
    """Read a page of a list: its rows, and the number of pages, which is 0 if the response lacks it."""
    try:
        response = request_page(page)
    except Refused as error:
        # WordPress refuses a page behind the last one.
        if page > 1 and error.code.endswith(_BEHIND_LAST):
            return [], page
        raise
    return rows(response), total(response, "x-wp-totalpages")


def _is_last(page: int, listed: Sequence[Row], last: int) -> bool:
    return page >= last if last else not listed


def every_row(send: Send, path: str, query: Query, kind: Kind = TREE_KIND) -> Iterator[Mapping[str, object]]:
    """Read a complete list."""
    return every_page(lambda page: get(send, path, (*query, *STEADY, ("page", str(page))), kind))


# The most of the newest ids that are read to find unknown records.
_NEWEST = 1000

# The part of the description of a route that has the custom fields; the whole has 30 KB. Some proxies and
# firewalls refuse OPTIONS. WordPress takes the method from the query of a GET (measured on 6.1, 6.8 and 7.1).
_DESCRIBED: Query = (("_method", "OPTIONS"), ("_fields", "schema.properties.meta.properties"))


def records(send: Send, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
    """Read records by id, in any status or in the trash; an id without a record is absent.

    :raises Unreadable: a record exists that this user may not read, which is not the same as absent.
    """
    wanted = sorted(set(ids))
    records: dict[int, Record] = {}
    refusal: Refused | None = None
    refused: set[int] = set()
    for start in range(0, len(wanted), ROWS):
        some = wanted[start : start + ROWS]
        try:
            records |= _included(send, kind, some)
        except Refused as error:
            # The user may not edit any record of this kind, so no single record can be read either.
            refusal, refused = _forbidden(error), refused.union(some)
            continue
        missing = [number for number in some if number not in records]
        for number in missing:
            if number in refused:
                continue
            try:
                record = _single(send, kind, number)
            except Refused as error:
                # The list lacks the records that this user may not edit. A visitor sees the published ones of
                # them, so one request names them: one request each took 100 s for the 1,500 posts of a site.
                if len(missing) > 1 and refused.isdisjoint(missing):
                    refused |= published(send, kind, missing).keys()
                refusal, refused = _forbidden(error), refused | {number}
                continue
            if record:
                records[number] = record
    if refusal:
        raise Unreadable(refusal, frozenset(refused), records)
    return records


def sticky(send: Send, ids: Collection[int]) -> dict[int, bool]:
    """Tell which of these posts are in the site's list of sticky posts; one that is not there is absent."""
    query = (("status", EVERYWHERE), ("_fields", "id,sticky"), ("per_page", str(ROWS)))
    listed = (row for some in of_ids(ids) for row in rows(get(send, BLOG_KIND.row.route, (*query, *some))))
    return {n: row.get("sticky") is True for row in listed if isinstance(n := row.get("id"), int)}


def newest(send: Send, kind: Kind, *, besides: Collection[int]) -> list[Record]:
    """Read the newest hundred records that are not among these ids, in any status or in the trash."""
    asked = (
        ("status", EVERYWHERE), ("orderby", "id"), ("order", "desc"), ("_fields", "id"),
        ("per_page", str(ROWS)),
    )  # fmt: skip

    def request_page(page: int) -> HttpResponse:
        return get(send, kind.row.route, (*asked, ("page", str(page))), kind)

    unknown: list[int] = []
    for page in range(1, _NEWEST // ROWS + 1):
        listed, last = _page(request_page, page)
        ids = [row.get("id") for row in listed]
        unknown += [number for number in ids if isinstance(number, int) and number not in besides]
        if len(unknown) >= ROWS or _is_last(page, listed, last):
            break
    return list(records(send, kind, unknown[:ROWS]).values())


def post_fields(send: Send) -> dict[str, str]:
    """Read the custom fields that are registered for posts, and their types; none if the site hides them."""
    try:
        described = json_object(get(send, BLOG_KIND.row.route, _DESCRIBED, BLOG_KIND))
    except (Refused, BadAnswer):
        return {}
    shown = inside(described, "schema", "properties", "meta", "properties")
    fields = shown if isinstance(shown, dict) else {}
    return {
        str(name): str(schema.get("type", "")) for name, schema in fields.items() if isinstance(schema, dict)
    }


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
    included = (read(kind, row) for row in rows(get(send, kind.row.route, query, kind)))
    return {record.id: record for record in included if record.id in ids}


def _single(send: Send, kind: Kind, number: int) -> Record | None:
    """Read one record; None if there is none, Refused if this user may not read it."""
    path = f"{path_of(kind, number)}?{urlencode(whole(kind), safe=',')}"
    response = send(HttpRequest("GET", path))
    try:
        # The statuses mean the same as for an update that changes nothing: both name one record.
        expect_success(UpdateCall(kind, number, {}), response)
    except Gone:
        return None
    return read(kind, json_object(response), expected=number)
