"""Makes the entries of records from their responses. Pure."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.fingerprint import UNSURE
from pressync.model.records import Entry
from pressync.model.visibility import is_front

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.model.records import Record

# Nobody changes it: entries are frozen.
_NOTHING: Mapping[str, str] = {}
_LOCAL = re.compile(r"^http://127\.0\.0\.1:\d+(?=/)")


def of_record(
    path: str, record: Record, commit: str, fingerprints: Mapping[str, str], wanted: str = ""
) -> Entry:
    """Make the entry of a record that the service returned; it has no blob, so the file is read again.

    `wanted` is the slug that was sent. If the record has it, the two share their memory.
    """
    return Entry(
        path=path,
        kind=record.kind,
        id=record.id,
        slug=wanted if wanted == record.slug else record.slug,
        link=record.link,
        # Many records have the time of one second.
        modified=sys.intern(record.modified),
        modified_gmt=sys.intern(record.modified_gmt),
        blob="",
        commit=commit,
        fingerprints=fingerprints,
    )


def shared(digests: Mapping[str, str], held: Mapping[str, str] = _NOTHING) -> Mapping[str, str]:
    """Give equal digests, in the same order, as the mapping that a run holds anyway, to save its memory."""
    return held if [*digests.items()] == [*held.items()] else digests


def unsure(entry: Entry, fields: Collection[str] | None = None) -> Entry:
    """Make the entry of a record that may not hold what was sent in these fields, or in any field."""
    uncertain = entry.fingerprints.keys() if fields is None else entry.fingerprints.keys() & fields
    return replace(
        entry,
        fingerprints={**entry.fingerprints, **dict.fromkeys(uncertain, UNSURE)},
        changed_by_service={
            name: digest for name, digest in entry.changed_by_service.items() if name not in uncertain
        },
    )


def moved(entry: Entry, link: str) -> Entry:
    """Make the entry of a record whose address changed because a page above it moved."""
    return replace(entry, link=link, former=former(entry, link))


def address(previous: Entry | None, link: str) -> str:
    """Give the address of a record whose response has this link.

    The embedded service may have another port at each start, and its pages lead to the right one. So another
    port of this machine is not a move: all texts with links to this record would change.
    """
    before = previous.link if previous else ""
    return before if before != link and _path(before) == _path(link) else link


def _path(link: str) -> str:
    """Give an address without a port of this machine."""
    return _LOCAL.sub("", link)


def former(previous: Entry, link: str) -> tuple[str, ...]:
    """List the addresses that the record had before `link`, oldest first, each once."""
    # The address of the site itself belongs to its front page, and leads nowhere else.
    if not previous.link or previous.link == link or is_front(previous):
        return tuple(address for address in previous.former if address != link)
    earlier = (address for address in previous.former if address not in {link, previous.link})
    return (*earlier, previous.link)
