"""Looks up which records are at the addresses of a plan's creates, many addresses in one request.

The address of a page is its slug below its parent. A parent that does not exist has no children. So parents
are looked up first, and the children of a missing parent are not looked up at all.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.client.port import AtAddress
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.records import TRASH
from pressync.plan.decide import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pressync.client.port import Reads
    from pressync.model.changes import Create
    from pressync.model.records import Desired, Record

# The addresses of one request. The response has a hundred rows, so some addresses may have two records.
AT_ONCE = 90

_TOP = fingerprint(EMPTY["parent"])


@dataclass(frozen=True, slots=True)
class AddressOccupant:
    """The records without a document at one address, and those whose slug has the next number."""

    here: tuple[Record, ...] = ()
    numbered: tuple[Record, ...] = ()

    @property
    def live(self) -> tuple[Record, ...]:
        """The records that are not in the trash, first those at the exact address."""
        return tuple(record for record in (*self.here, *self.numbered) if not is_trashed(record))


def is_trashed(record: Record) -> bool:
    """Whether a record is in the trash."""
    return record.fields.get("status") == TRASH


def look_up(
    service: Reads, creates: Iterable[Create], holder: Callable[[Kind, int], str | None]
) -> dict[str, AddressOccupant]:
    """Read the records at the address of each create that belong to no document; by the create's path.

    A path without such records is absent. `holder` gives the path of the document that a record belongs to.

    :raises ServiceError: the service cannot be read.
    """
    by_kind: dict[Kind, dict[str, Desired]] = defaultdict(dict)
    for create in creates:
        by_kind[create.kind][create.path] = create.desired
    found: dict[str, AddressOccupant] = {}
    for kind, wanted in by_kind.items():
        found |= _of_kind(service, kind, wanted, holder)
    return found


def _of_kind(
    service: Reads,
    kind: Kind,
    wanted: Mapping[str, Desired],
    holder: Callable[[Kind, int], str | None],
) -> dict[str, AddressOccupant]:
    found: dict[str, AddressOccupant] = {}
    asked: set[str] = set()
    waiting = parents_first(wanted)[::-1]
    while waiting:
        batch: list[Desired] = []
        while waiting and len(batch) < AT_ONCE:
            desired = wanted[waiting.pop()]
            if desired.parent_path in asked and desired.parent_path not in found:
                asked.add(desired.path)
            else:
                batch.append(desired)
        there = service.at_addresses(kind, {desired.slug for desired in batch}) if batch else {}
        for desired in batch:
            asked.add(desired.path)
            is_here = _is_below_parent(desired, wanted, found)
            at = there.get(desired.slug, AtAddress())
            here, numbered = (
                tuple(r for r in records if is_here(r) and holder(kind, r.id) is None)
                for records in (at.holding, at.numbered)
            )
            if here or numbered:
                found[desired.path] = AddressOccupant(here, numbered)
    return _without_records_of_others(found)


def _without_records_of_others(found: Mapping[str, AddressOccupant]) -> dict[str, AddressOccupant]:
    """Give a record at a document's own address only to that document, not to one whose number it has."""
    own = {record.id for at in found.values() for record in at.here}
    left = {
        path: AddressOccupant(at.here, tuple(record for record in at.numbered if record.id not in own))
        for path, at in found.items()
    }
    return {path: at for path, at in left.items() if at.here or at.numbered}


def parents_first(wanted: Mapping[str, Desired]) -> list[str]:
    """Sort paths so that each parent comes before its children."""

    def depth(path: str) -> int:
        above, seen = wanted[path].parent_path, {path}
        while above is not None and above in wanted and above not in seen:
            seen.add(above)
            above = wanted[above].parent_path
        return len(seen)

    return sorted(wanted, key=lambda path: (depth(path), path))


def _is_below_parent(
    desired: Desired, wanted: Mapping[str, Desired], found: Mapping[str, AddressOccupant]
) -> Callable[[Record], bool]:
    """Give the test whether a record with the slug is below the parent that the document will have."""
    if desired.kind is Kind.POST:
        return lambda _record: True
    if desired.parent_path is not None and desired.parent_path in wanted:
        above = found.get(desired.parent_path)
        # A page is never created below one in the trash: it gets a new parent, or it is not created.
        ids = {record.id for record in above.live} if above else set()
        return lambda record: record.fields.get("parent") in ids
    digest = desired.fingerprints.get("parent", _TOP)
    return lambda record: fingerprint(record.fields.get("parent", 0)) == digest
