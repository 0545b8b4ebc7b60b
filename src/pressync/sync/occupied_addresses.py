"""Decides what the records at a plan's new addresses mean: some are bound, others stop their create.

If a manifest was not committed, not pulled or lost, a plan creates documents that the site has already. A
record that can only be the document's own is bound to it. For any other record at the address, a person must
decide.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.client.port import AtAddress, Reads
from pressync.model.changes import Create
from pressync.model.fingerprint import fingerprint
from pressync.model.printable import listed
from pressync.model.records import CREATED_WITH, Desired, Entry, Fields, Prepared, Record
from pressync.plan import known_elsewhere, match, reasons
from pressync.plan.decide import EMPTY, adopted
from pressync.repo.paths import is_below
from pressync.sync.echo import settle
from pressync.sync.field_comparison import BY_DATE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pressync.content.content import Content
    from pressync.model.changes import Plan
    from pressync.model.interface import Kind
    from pressync.model.reason import Reason
    from pressync.plan.blocks import Permissions
    from pressync.plan.build import PlannedRun
    from pressync.state.state import State

# More documents than this are counted, and only the first ones are named.
_NAMED = 10
# The addresses of one request. The response has a hundred rows, so some addresses may have two records.
AT_ONCE = 90

_TOP = fingerprint(EMPTY["parent"])


@dataclass(frozen=True, slots=True)
class OccupiedAddresses:
    """The entries of documents whose records were found, and by path why other documents get none."""

    bound: tuple[Entry, ...] = ()
    taken: Mapping[str, Reason] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether the plan must be built again."""
        return bool(self.bound or self.taken)

    @property
    def path(self) -> str:
        """The first path that was found."""
        return min((*(entry.path for entry in self.bound), *self.taken))

    def tell(self, say: Callable[[str], None]) -> None:
        """Say which records are bound."""
        if len(self.bound) <= _NAMED:
            for entry in self.bound:
                say(f"{entry.path} is {entry.kind} {entry.id} already, with the same text: it is bound")
        else:
            paths = listed([entry.path for entry in self.bound])
            count = len(self.bound)
            say(f"{count} documents are on the site already, with the same texts: they are bound ({paths})")


# A site refuses the whole list of a kind to a user who may write no record of it (400).
def to_look_up(plan: Plan, may: Permissions, anyway: Collection[str]) -> list[Create]:
    """Give the creates of a plan that the user may make; those below the paths `anyway` need no look."""
    creates = (change for change in plan.changes if isinstance(change, Create))
    return [create for create in creates if not (is_below(create.path, anyway) or may.missing(create))]


def look_up(
    service: Reads,
    state: State,
    content: Content,
    planned: PlannedRun,
    creates: Collection[Create],
    *,
    learn: Callable[[Collection[Create]], None] = lambda _creates: None,
) -> OccupiedAddresses:
    """Look up the addresses of creates of a plan.

    `learn` gets the creates that have a record at their address, before their texts are compared. It looks up
    the ids of the names and files in them.

    :raises ServiceError: the service cannot be read.
    """
    occupied = records_at(service, creates, state.holder)
    if not occupied:
        return OccupiedAddresses()
    learn([create for create in creates if create.path in occupied])
    live = {path: at.live for path, at in occupied.items()}
    records = DocumentMatcher(content, planned.entries, live, service.user()).matches()
    entries = bound_entries(content, planned.entries, records, planned.plan.commit)
    return OccupiedAddresses(tuple(entries), _taken(state, content, creates, occupied, records))


def _taken(
    state: State,
    content: Content,
    creates: Collection[Create],
    occupied: Mapping[str, AtAddress],
    bound: Mapping[str, Record],
) -> dict[str, Reason]:
    """Say, by path, why documents that are not bound cannot be created."""
    in_trash = {
        (record.kind, record.id) for at in occupied.values() for record in at.here if record.is_trashed
    }
    own = (
        known_elsewhere.once_held(content.repository, content.settings, state, in_trash)
        if in_trash
        else frozenset()
    )
    parents = {create.path: create.desired.parent_path for create in creates}
    taken = {}
    for path, at in occupied.items():
        others = [record for record in at.here if (record.kind, record.id) not in own]
        parent = parents[path]
        if parent in parents and parent not in taken:
            # The parent is created by this plan too, so it has no children yet.
            above = bound.get(parent)
            others = [record for record in others if above and record.fields.get("parent") == above.id]
        if path not in bound and others:
            taken[path] = reasons.taken(path, others)
    return taken


# The address of a page is its slug below its parent. A parent that does not exist has no children. So
# parents are looked up first, and the children of a missing parent are not looked up at all.
def records_at(
    service: Reads, creates: Iterable[Create], holder: Callable[[Kind, int], str | None]
) -> dict[str, AtAddress]:
    """Read the records at the address of each create that belong to no document; by the create's path.

    A path without such records is absent. `holder` gives the path of the document that a record belongs to.

    :raises ServiceError: the service cannot be read.
    """
    by_kind: dict[Kind, dict[str, Desired]] = defaultdict(dict)
    for create in creates:
        by_kind[create.kind][create.path] = create.desired
    occupied: dict[str, AtAddress] = {}
    for kind, wanted in by_kind.items():
        occupied |= _of_kind(service, kind, wanted, holder)
    return occupied


def _of_kind(
    service: Reads, kind: Kind, wanted: Mapping[str, Desired], holder: Callable[[Kind, int], str | None]
) -> dict[str, AtAddress]:
    occupied: dict[str, AtAddress] = {}
    asked: set[str] = set()
    waiting = parents_first(wanted)[::-1]
    while waiting:
        batch: list[Desired] = []
        while waiting and len(batch) < AT_ONCE:
            desired = wanted[waiting.pop()]
            if desired.parent_path in asked and desired.parent_path not in occupied:
                asked.add(desired.path)
            else:
                batch.append(desired)
        there = service.at_addresses(kind, {desired.slug for desired in batch}) if batch else {}
        for desired in batch:
            asked.add(desired.path)
            is_here = _is_below_parent(desired, wanted, occupied)
            at = there.get(desired.slug, AtAddress())
            at_slug = tuple(r for r in at.here if is_here(r) and holder(kind, r.id) is None)
            numbered = tuple(r for r in at.numbered if is_here(r) and holder(kind, r.id) is None)
            if at_slug or numbered:
                occupied[desired.path] = AtAddress(at_slug, numbered)
    return _without_records_of_others(occupied)


def _without_records_of_others(occupied: Mapping[str, AtAddress]) -> dict[str, AtAddress]:
    """Give a record at a document's own address only to that document, not to one whose number it has."""
    own = {record.id for at in occupied.values() for record in at.here}
    left = {
        path: AtAddress(at.here, tuple(record for record in at.numbered if record.id not in own))
        for path, at in occupied.items()
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
    desired: Desired, wanted: Mapping[str, Desired], occupied: Mapping[str, AtAddress]
) -> Callable[[Record], bool]:
    """Give the test whether a record with the slug is below the parent that the document will have."""
    if not desired.kind.row.hierarchical:
        return lambda _record: True
    if desired.parent_path is not None and desired.parent_path in wanted:
        above = occupied.get(desired.parent_path)
        # A page is never created below one in the trash: it gets a new parent, or it is not created.
        ids = {record.id for record in above.live} if above else set()
        return lambda record: record.fields.get("parent") in ids
    digest = desired.fingerprints.get("parent", _TOP)
    return lambda record: match.holds(record, "parent", digest)


# A text contains the addresses of other documents, and these are known only after those documents are
# bound. So every candidate counts as bound, the documents are rendered, and the records that differ are
# removed. That is repeated until no record differs.
class DocumentMatcher:
    """Compares documents with the records at their addresses; `entries` are bound already."""

    def __init__(
        self,
        content: Content,
        entries: Mapping[str, Entry],
        candidates: Mapping[str, Sequence[Record]],
        user: int,
    ) -> None:
        """`candidates` are the records by path; `user` is our id, the author if a file names none."""
        self._content = content
        self._user = user
        self._candidates = {path: records for path, records in candidates.items() if records}
        self._records = {path: records[0] for path, records in self._candidates.items()}
        self._entries = dict(entries) | {path: _bound(path, record) for path, record in self._records.items()}
        self._prepared: dict[str, Prepared] = {}

    def matches(self) -> dict[str, Record]:
        """Find the documents, by path, whose record can only be theirs."""
        unsettled: Collection[str] = sorted(self._records)
        swapped: set[str] = set()
        while unsettled:
            changed = {path for path in unsettled if not self._keeps_record(path, swapped)}
            unsettled = self._to_compare_again(changed or self._release_shared())
        return dict(self._records)

    def _keeps_record(self, path: str, swapped: set[str]) -> bool:
        """Whether a document keeps its record; it may change once, to the only record that is alike."""
        if path not in self._prepared and (prepared := self._content.read(path, self._entries).prepared):
            self._prepared[path] = prepared
        read, candidates = self._prepared.get(path), self._candidates[path]
        like = [
            record for record in candidates if read and match.is_record_of(read.fields, record, self._user)
        ]
        if like == [self._records[path]]:
            return True
        if len(like) == 1 and path not in swapped:
            swapped.add(path)
            self._records[path], self._entries[path] = like[0], _bound(path, like[0])
        else:
            del self._records[path], self._entries[path]
        return False

    def _release_shared(self) -> set[str]:
        """Release the records that several documents claim; give the paths of these documents."""
        holders: dict[tuple[Kind, int], list[str]] = defaultdict(list)
        for path, record in self._records.items():
            holders[record.kind, record.id].append(path)
        shared = {path for paths in holders.values() if len(paths) > 1 for path in paths}
        for path in shared:
            del self._records[path], self._entries[path]
        return shared

    def _to_compare_again(self, changed: Collection[str]) -> list[str]:
        """List the paths to compare again after these got another record, or none."""
        again = set()
        for path in self._records if changed else ():
            desired = self._prepared[path].desired
            if path in changed or not {*desired.links, desired.parent_path}.isdisjoint(changed):
                again.add(path)
        for path in again:
            del self._prepared[path]
        return sorted(again)


def bound_entries(
    content: Content,
    entries: Mapping[str, Entry],
    records: Mapping[str, Record],
    commit: str,
    *,
    said: bool = False,
) -> list[Entry]:
    """Make the entries of documents that are bound to records which this clone has not written.

    A field that holds what would be sent counts as sent; the next sync sends the others. A different status
    counts as an edit on the site. If a person has `said` that the record belongs to the document, the next
    sync sends all of it if anything differs.
    """
    with_bound = {**entries, **{path: _bound(path, record) for path, record in records.items()}}
    made = []
    for path, record in records.items():
        prepared = content.read(path, with_bound).prepared
        if prepared is None:
            continue
        entry = _entry(prepared, record, commit)
        if said and not entry.blob:
            # A record that differs gets the entry of one that was adopted by its id, so `pull` can read it.
            entry = with_bound[path]
        status = record.fields.get("status")
        if not said and "status" not in entry.fingerprints and isinstance(status, str):
            # A sync does not overwrite it.
            wanted = {**entry.fingerprints, "status": fingerprint(_sent(prepared)["status"])}
            entry = replace(entry, fingerprints=wanted, conflict={"status": status})
        made.append(entry)
    return made


def _entry(prepared: Prepared, record: Record, commit: str) -> Entry:
    sent = _sent(prepared)
    # The record is at the document's address. So if its slug differs, the service changed our slug.
    same = {}
    for name, value in sent.items():
        stored = record.fields.get(name)
        is_same = value == stored or (name == "status" and {stored, value} <= BY_DATE)
        if is_same or name == "slug":
            same[name] = value
    entry = settle(prepared.desired, same, record, None, commit).entry
    # Without a blob, the next plan reads the file again and sends what differs.
    return entry if same.keys() >= prepared.fields.keys() else replace(entry, blob="")


def _sent(prepared: Prepared) -> Fields:
    return {**CREATED_WITH, **prepared.fields}


def _bound(path: str, record: Record) -> Entry:
    entry = adopted(path, record.kind, record.id)
    return replace(entry, slug=record.slug, link=record.link)
