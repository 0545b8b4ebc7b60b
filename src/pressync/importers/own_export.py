"""Looks up on the own site the records of an export of it, and the files of its library.

An export has the texts of the database, and the interface of WordPress 6.8 writes the comments of blocks
anew. So the bytes of an export prove nothing, and the record of the site itself goes into the manifest. A
record that is newer than the export is a conflict, which `pressync pull` solves.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pressync.client.retry import retrying
from pressync.client.wordpress import WordPressService
from pressync.client.wordpress.lists import ROWS
from pressync.client.wordpress.whole_site import WholeSite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pressync.importers.in_step import OwnSite
    from pressync.importers.item import Item
    from pressync.model.interface import Kind
    from pressync.model.records import Record


def look_up(own: OwnSite, items: Iterable[Item]) -> tuple[Item, ...] | None:
    """Note the records of these items; give the items whose record is gone.

    None without credentials: a visitor sees neither the stored texts nor the other records.

    :raises ServiceError: the site cannot be read.
    """
    wanted: dict[Kind, dict[int, Item]] = defaultdict(dict)
    for item in items:
        if item.id is not None and item.key not in own.seen and not item.is_current:
            wanted[item.kind][item.id] = item
    if not wanted and not (own.uploads and not own.library):
        return ()
    with own.connect() as service:
        if not isinstance(service, WordPressService) or not service.transport.has_credentials:
            return None
        if own.uploads and not own.library:
            own.library = tuple(WholeSite(service.transport.send, own.retry, edit=True).library())
        reads = retrying(service, own.retry)
        return tuple(
            item
            for kind, by_id in wanted.items()
            for some in _in_hundreds(sorted(by_id))
            for item in _gone(own, [by_id[number] for number in some], reads.records(kind, some))
        )


def _in_hundreds(numbers: list[int]) -> Iterator[list[int]]:
    return (numbers[start : start + ROWS] for start in range(0, len(numbers), ROWS))


def _gone(own: OwnSite, items: Iterable[Item], found: Mapping[int, Record]) -> Iterator[Item]:
    for item in items:
        record = found.get(item.id or 0)
        if record is None:
            yield item
        else:
            # A draft has no moment in GMT, and the interface makes one of the local time.
            moments = {_digits(record.modified_gmt), _digits(record.modified)}
            own.note(item.key, record, has_changed=_digits(item.modified) not in moments)


def _digits(moment: str) -> str:
    """Give the digits of a moment: an export writes it with a blank, and the interface with a T."""
    return "".join(filter(str.isdigit, moment))
