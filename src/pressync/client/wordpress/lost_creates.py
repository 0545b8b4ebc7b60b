"""Reads the records that many lost creates may have made a moment ago, in very few requests.

`reads.find` makes two requests and more for one slug, because a record may have become a draft or gone to the
trash since. The record of a create that was sent a moment ago has its slug, or its slug with a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlencode

from pressync.client.wordpress.lists import EVERYWHERE, STEADY, get, of_slugs, pages, rows, whole
from pressync.client.wordpress.reads import NUMBERED
from pressync.client.wordpress.record import PATHS, read
from pressync.client.wordpress.slugs import spellings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.client.wordpress.lists import Query, Send
    from pressync.model.interface import Kind
    from pressync.model.records import Record

# Web servers allow 8,190 characters for the first line of a request; the base address needs some of them.
_LONGEST_QUERY = 7_400


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
    """Read a complete list, or None if that takes more than `requests`; and give the number of requests."""
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
