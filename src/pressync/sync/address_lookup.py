"""Asks a service what is at the addresses of the creates of a plan, many in one request.

A page's address is its slug below its parent. A parent that does not exist yet has no children either, so
parents are asked for first, and children of one that was not found need no question.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.records import TRASH
from pressync.plan.decide import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pressync.client.port import Reads
    from pressync.model.changes import Create
    from pressync.model.records import Desired, Record

# The addresses of one request: their answer of a hundred rows has room for some that are there twice.
AT_ONCE = 90

_TOP = fingerprint(EMPTY["parent"])


@dataclass(frozen=True, slots=True)
class AddressOccupant:
    """What is at one address and held by no document, and what the next number beside it has."""

    here: tuple[Record, ...] = ()
    numbered: tuple[Record, ...] = ()

    @property
    def live(self) -> tuple[Record, ...]:
        """Those that are not in the trash, the ones at the very address first."""
        return tuple(record for record in (*self.here, *self.numbered) if not is_trashed(record))


def is_trashed(record: Record) -> bool:
    """Whether a record is in the trash."""
    return record.fields.get("status") == TRASH


def look_up(
    service: Reads, creates: Iterable[Create], holder: Callable[[Kind, int], str | None]
) -> dict[str, AddressOccupant]:
    """Read what is at the address of each create and is held by nothing; by path, absent if nothing is.

    `holder` names the path whose record one is.

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
        some: list[Desired] = []
        while waiting and len(some) < AT_ONCE:
            desired = wanted[waiting.pop()]
            if desired.parent_path in asked and desired.parent_path not in found:
                asked.add(desired.path)
            else:
                some.append(desired)
        there = service.at_addresses(kind, {desired.slug for desired in some}) if some else {}
        for desired in some:
            asked.add(desired.path)
            at = there.get(desired.slug)
            is_here = _place(desired, wanted, found)
            if at is None:
                continue
            here, numbered = (
                tuple(r for r in records if is_here(r) and holder(kind, r.id) is None)
                for records in (at.holding, at.numbered)
            )
            if here or numbered:
                found[desired.path] = AddressOccupant(here, numbered)
    return _each_at_its_own(found)


def _each_at_its_own(found: Mapping[str, AddressOccupant]) -> dict[str, AddressOccupant]:
    """Take what is at a document's own address from those whose number it would be."""
    own = {record.id for at in found.values() for record in at.here}
    left = {
        path: AddressOccupant(at.here, tuple(record for record in at.numbered if record.id not in own))
        for path, at in found.items()
    }
    return {path: at for path, at in left.items() if at.here or at.numbered}


def parents_first(wanted: Mapping[str, Desired]) -> list[str]:
    """Put paths into an order in which a parent comes before its children."""

    def depth(path: str) -> int:
        above, seen = wanted[path].parent_path, {path}
        while above is not None and above in wanted and above not in seen:
            seen.add(above)
            above = wanted[above].parent_path
        return len(seen)

    return sorted(wanted, key=lambda path: (depth(path), path))


def _place(
    desired: Desired, wanted: Mapping[str, Desired], found: Mapping[str, AddressOccupant]
) -> Callable[[Record], bool]:
    """Tell whether a record that has the slug is below the parent that the document will have."""
    if desired.kind is Kind.POST:
        return lambda _record: True
    if desired.parent_path is not None and desired.parent_path in wanted:
        above = found.get(desired.parent_path)
        # Below a page in the trash nothing is made: its place is taken by a new one, or by nobody.
        ids = {record.id for record in above.live} if above else set()
        return lambda record: record.fields.get("parent") in ids
    digest = desired.fingerprints.get("parent", _TOP)
    return lambda record: fingerprint(record.fields.get("parent", 0)) == digest
