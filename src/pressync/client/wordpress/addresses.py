"""Reads the records at the addresses of creates: many slugs in one request, in any status and in the trash.

A hundred slugs in four spellings are longer than the 8 KB that servers allow a URL, and WordPress repeats the
query in a header of its response. So a long request goes by POST with `X-HTTP-Method-Override: GET`, and its
slugs are a list in the body. If something before the site drops that header, WordPress takes the request for
a create. It then refuses the list, which cannot be the slug of a page (400, measured), and makes nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pressync.client.port import AtAddress, HttpRequest
from pressync.client.wordpress.lists import EVERYWHERE, STEADY, ask, every_page, of_slugs, whole
from pressync.client.wordpress.record import PATHS, read
from pressync.client.wordpress.slugs import numbered, stored, trashed
from pressync.model.interface import JSON_CONTENT_TYPE

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.client.wordpress.lists import Send
    from pressync.model.interface import Kind
    from pressync.model.records import Record

# The header `Link` has the query twice, for the lists before and after. nginx allows 4 KB for all headers,
# and answers 502 if they are longer.
_LONGEST_QUERY = 1000


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
    path = f"{PATHS[kind]}?{urlencode(query, safe=',')}"
    named = urlencode(of_slugs(*slugs))
    if len(named) <= _LONGEST_QUERY:
        return HttpRequest("GET", f"{path}&{named}", JSON_CONTENT_TYPE, b"")
    body = json.dumps({"slug": slugs}, ensure_ascii=False).encode()
    return HttpRequest("POST", path, JSON_CONTENT_TYPE, body, override="GET")
