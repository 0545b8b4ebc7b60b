"""What is at the addresses of creates: many slugs in one request, in any status and in the trash.

A hundred slugs in four spellings are longer than the 8 KB that servers take as a URL. Such a question goes
by POST with `X-HTTP-Method-Override: GET`, and its slugs are a list in the body: a site behind something
that drops the header refuses that list as the slug of a page (400, measured), and so makes nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pressync.client.port import AtAddress, HttpRequest
from pressync.client.wordpress.reads import EVERYWHERE, ROWS, pages, rows
from pressync.client.wordpress.record import MEMBERS, PATHS, read
from pressync.client.wordpress.refusals import expect_success
from pressync.client.wordpress.slugs import numbered, stored, trashed
from pressync.model.interface import JSON_CONTENT_TYPE
from pressync.model.records import CreateCall

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pressync.client.wordpress.reads import Send
    from pressync.model.interface import Kind
    from pressync.model.records import Record

# Servers take 8 KB and more as a URL, and some firewalls before them half of that.
_LONGEST_QUERY = 4000


def at_addresses(send: Send, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
    """Find the records that hold these slugs, or did before they went into the trash; below any parent.

    A slug that nothing holds is absent.
    """
    held, beside = _wanted(slugs)
    found: dict[str, list[Record]] = defaultdict(list)
    further: dict[str, list[Record]] = defaultdict(list)
    # The slugs as they were sent are asked for as well: WordPress may read one otherwise than we do.
    asked = sorted({*held, *beside, *slugs} - {""})
    for record in _every_record(send, kind, asked):
        for slug in held.get(record.slug.lower(), ()):
            found[slug].append(record)
        for slug in beside.get(record.slug.lower(), ()):
            further[slug].append(record)
    return {
        slug: AtAddress(tuple(found[slug]), tuple(further[slug]))
        for slug in slugs
        if found[slug] or further[slug]
    }


def _wanted(slugs: Collection[str]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Give the stored slugs of records at the addresses, and of numbered ones; each with its slugs."""
    held: dict[str, list[str]] = defaultdict(list)
    beside: dict[str, list[str]] = defaultdict(list)
    for slug in dict.fromkeys(slugs):
        for form in stored(slug):
            for name in (form, *trashed(form)):
                held[name].append(slug)
            beside[numbered(form)].append(slug)
    return held, beside


def _every_record(send: Send, kind: Kind, slugs: list[str]) -> Iterator[Record]:
    page, last = 1, 1
    while slugs and page <= last:
        response = send(_request(kind, slugs, page))
        # For what an answer may mean, a read that names no record is like a create: it finds nothing gone.
        expect_success(CreateCall(kind, {}), response)
        yield from (read(kind, row) for row in rows(response))
        last = pages(response)
        page += 1


def _request(kind: Kind, slugs: list[str], page: int) -> HttpRequest:
    query = (
        ("context", "edit"), ("_fields", MEMBERS[kind]), ("status", EVERYWHERE),
        ("orderby", "id"), ("order", "asc"), ("per_page", str(ROWS)), ("page", str(page)),
    )  # fmt: skip
    # Names one by one: WordPress takes a list in one text apart at blanks too.
    named = urlencode([("slug[]", slug) for slug in slugs])
    path = f"{PATHS[kind]}?{urlencode(query, safe=',')}"
    if len(named) <= _LONGEST_QUERY:
        return HttpRequest("GET", f"{path}&{named}", JSON_CONTENT_TYPE, b"")
    body = json.dumps({"slug": slugs}, ensure_ascii=False).encode()
    return HttpRequest("POST", path, JSON_CONTENT_TYPE, body, override="GET")
