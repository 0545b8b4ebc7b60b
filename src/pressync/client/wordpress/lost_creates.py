"""Reads the records that many lost creates may have made just now, in very few requests.

`reading.find` takes two lists and more for one slug, because a record may have become a draft or gone to the
trash since. A create that was sent a moment ago can only be there by its slug, or with a number behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlencode

from pressync.client.wordpress.reads import EVERYWHERE, NUMBERED, ROWS, get, of_slugs, pages, rows
from pressync.client.wordpress.record import MEMBERS, PATHS, read
from pressync.client.wordpress.slugs import spellings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.client.wordpress.reads import Query, Send
    from pressync.model.interface import Kind
    from pressync.model.records import Record

# Web servers take 8,190 characters of a request's first line; the base address needs some of them.
_LONGEST_QUERY = 7_400


def find_recent(send: Send, kind: Kind, slugs: Sequence[str], *, requests: int) -> dict[str, list[Record]]:
    """Read what creates with these slugs may have made, by slug, in at most `requests` requests.

    A slug is absent where its answer is not complete: for there are too many records of these slugs, or
    too many slugs.
    """
    found: dict[str, list[Record]] = {}
    left = list(slugs)
    while left and requests > 0:
        names = _fitting(kind, left)
        listed, asked = _listed(send, kind, names, requests)
        found |= _by_slug(names, listed) if listed is not None else {}
        requests -= asked
        left = left[len(names) :]
    return found


def _fitting(kind: Kind, slugs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Give as many slugs as one address has room for, each with the names that it may have been stored by."""
    fitting: dict[str, tuple[str, ...]] = {}
    length = len(urlencode(_query(kind, ()), safe=","))
    for slug in slugs:
        names = tuple(
            name for text in spellings(slug) for name in (text, *(f"{text}-{number}" for number in NUMBERED))
        )
        length += 1 + len(urlencode(of_slugs(*names), safe=","))
        if fitting and length > _LONGEST_QUERY:
            break
        fitting[slug] = names
    return fitting


def _listed(
    send: Send, kind: Kind, names: Mapping[str, tuple[str, ...]], requests: int
) -> tuple[list[Record] | None, int]:
    """Read a list whole; None if that takes more than `requests`, and how many were made."""
    query = _query(kind, [name for some in names.values() for name in some])
    response = get(send, PATHS[kind], query, kind)
    last = pages(response)
    if last > requests:
        return None, 1
    found = rows(response)
    for page in range(2, last + 1):
        found += rows(get(send, PATHS[kind], (*query, ("page", str(page))), kind))
    return [read(kind, row) for row in found], last


def _query(kind: Kind, names: Sequence[str]) -> Query:
    # The order by id is steady: records of one second change places in the usual one.
    return (
        ("context", "edit"),
        ("_fields", MEMBERS[kind]),
        ("status", EVERYWHERE),
        ("orderby", "id"),
        ("order", "asc"),
        ("per_page", str(ROWS)),
        *of_slugs(*names),
    )


def _by_slug(names: Mapping[str, tuple[str, ...]], found: Sequence[Record]) -> dict[str, list[Record]]:
    """Sort records by the slug that was sent; one that the site stored otherwise may be of any."""
    sent = {_plain(name): slug for slug, some in names.items() for name in some}
    sorted_out: dict[str, list[Record]] = {slug: [] for slug in names}
    for record in found:
        slug = sent.get(_plain(record.slug))
        for here in (slug,) if slug is not None else names:
            sorted_out[here].append(record)
    return sorted_out


def _plain(slug: str) -> str:
    """Give a slug as it reads: WordPress stores what ASCII cannot spell as percent-encoded text."""
    return unquote(slug).lower()
