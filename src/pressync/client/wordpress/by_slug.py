"""Finds records by many slugs at once: those at the addresses of creates, and those that lost creates made.

A hundred slugs in four spellings are longer than the 8 KB that servers allow a URL, and WordPress repeats the
query in a header of its response. So a long request goes by POST with `X-HTTP-Method-Override: GET`, and its
slugs are a list in the body. If something before the site drops that header, WordPress takes the request for
a create. It then refuses the list, which cannot be the slug of a page (400, measured), and makes nothing.

`reads.find` makes two requests and more for one slug, because a record may have become a draft or gone to the
trash since. The record of a create that was sent a moment ago has its slug, or its slug with a number. So
`find_recent` asks for many of them in one request.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlencode

from pressync.client.port import AtAddress, HttpRequest
from pressync.client.wordpress.lists import (
    EVERYWHERE,
    STEADY,
    ask,
    every_page,
    get,
    of_slugs,
    pages,
    rows,
    whole,
)
from pressync.client.wordpress.reads import NUMBERED
from pressync.client.wordpress.record import read
from pressync.client.wordpress.slugs import numbered, spellings, stored, trashed
from pressync.model.interface import JSON_CONTENT_TYPE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pressync.client.wordpress.lists import Query, Send
    from pressync.model.interface import Kind
    from pressync.model.records import Record


# The header `Link` has the query twice, for the lists before and after. nginx allows 4 KB for all headers,
# and answers 502 if they are longer.
_LONGEST_QUERY = 1000

# Web servers allow 8,190 characters for the first line of a request; the base address needs some of them.
_LONGEST_LINE = 7_400


def at_addresses(send: Send, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
    """Find the records that have these slugs, or had them before they went to the trash; below any parent.

    A slug without a record is absent.
    """
    holding, next_numbers = _stored_slugs(slugs)
    held: dict[str, list[Record]] = defaultdict(list)
    beside: dict[str, list[Record]] = defaultdict(list)
    # The slugs themselves are in the request as well: WordPress may read one otherwise than we do.
    names = sorted({*holding, *next_numbers, *slugs} - {""})
    for row in every_page(lambda page: ask(send, _request(kind, names, page), kind)) if names else ():
        record = read(kind, row)
        for slug in holding.get(record.slug.lower(), ()):
            held[slug].append(record)
        for slug in next_numbers.get(record.slug.lower(), ()):
            beside[slug].append(record)
    return {
        slug: AtAddress(tuple(held[slug]), tuple(beside[slug]))
        for slug in slugs
        if held[slug] or beside[slug]
    }


def _stored_slugs(slugs: Collection[str]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Map the slugs that WordPress stores to the slugs that they come from.

    The first map has the stored slugs of records at the addresses, and the second those of numbered ones.
    """
    holding: dict[str, list[str]] = defaultdict(list)
    next_numbers: dict[str, list[str]] = defaultdict(list)
    for slug in dict.fromkeys(slugs):
        for form in stored(slug):
            for name in (form, *trashed(form)):
                holding[name].append(slug)
            next_numbers[numbered(form)].append(slug)
    return holding, next_numbers


def _request(kind: Kind, slugs: list[str], page: int) -> HttpRequest:
    query = (*whole(kind), ("status", EVERYWHERE), *STEADY, ("page", str(page)))
    path = f"{kind.row.route}?{urlencode(query, safe=',')}"
    named = urlencode(of_slugs(*slugs))
    if len(named) <= _LONGEST_QUERY:
        return HttpRequest("GET", f"{path}&{named}", JSON_CONTENT_TYPE, b"")
    body = json.dumps({"slug": slugs}, ensure_ascii=False).encode()
    return HttpRequest("POST", path, JSON_CONTENT_TYPE, body, override="GET")


def find_recent(send: Send, kind: Kind, slugs: Sequence[str], *, requests: int) -> dict[str, list[Record]]:
    """Read the records that creates with these slugs may have made, by slug, in at most `requests` requests.

    A slug is absent if its records could not be read completely: there are too many of them, or too many
    slugs.
    """
    found: dict[str, list[Record]] = {}
    left = list(slugs)
    while left and requests > 0:
        names = _fitting(kind, left)
        listed, made = _listed(send, kind, names, requests)
        found |= _by_slug(names, listed) if listed is not None else {}
        requests -= made
        left = left[len(names) :]
    return found


def _fitting(kind: Kind, slugs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Give as many slugs as one URL has room for, each with the names by which it may have been stored."""
    fitting: dict[str, tuple[str, ...]] = {}
    length = len(urlencode(_query_of(kind, ()), safe=","))
    for slug in slugs:
        names = tuple(
            name for text in spellings(slug) for name in (text, *(f"{text}-{number}" for number in NUMBERED))
        )
        length += 1 + len(urlencode(of_slugs(*names), safe=","))
        if fitting and length > _LONGEST_LINE:
            break
        fitting[slug] = names
    return fitting


def _listed(
    send: Send, kind: Kind, names: Mapping[str, tuple[str, ...]], requests: int
) -> tuple[list[Record] | None, int]:
    """Read a complete list, or None if that takes more than `requests`; and give the number of requests."""
    query = _query_of(kind, [name for some in names.values() for name in some])
    response = get(send, kind.row.route, query, kind)
    last = pages(response)
    if last > requests:
        return None, 1
    found = rows(response)
    for page in range(2, last + 1):
        found += rows(get(send, kind.row.route, (*query, ("page", str(page))), kind))
    return [read(kind, row) for row in found], last


def _query_of(kind: Kind, names: Sequence[str]) -> Query:
    return (*whole(kind), ("status", EVERYWHERE), *STEADY, *of_slugs(*names))


def _by_slug(names: Mapping[str, tuple[str, ...]], found: Sequence[Record]) -> dict[str, list[Record]]:
    """Group records by the slug that was sent; a record with an unexpected slug belongs to every group."""
    sent = {_plain(name): slug for slug, some in names.items() for name in some}
    groups: dict[str, list[Record]] = {slug: [] for slug in names}
    for record in found:
        slug = sent.get(_plain(record.slug))
        for group in (slug,) if slug is not None else names:
            groups[group].append(record)
    return groups


def _plain(slug: str) -> str:
    """Decode a slug: WordPress stores characters that are not ASCII percent-encoded."""
    return unquote(slug).lower()
