"""Finds what others did to records on the site since they were settled: edits, trash, deletes.

A record's time stamp may change without an edit, and may stay the same after one (measured). So the content
is compared, field by field. One request reads a hundred records, so even a whole site takes about a second.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from pressync.client.port import Reads, read_keys, read_some
from pressync.html.notes import notes_of
from pressync.model.changes import Blocked, Create, Delete, Keep, NotCompared, Plan, Update
from pressync.model.reason import ReasonCode
from pressync.model.records import TRASH, Entry, Record, RecordKey
from pressync.model.visibility import DELETED, FRONT_PAGE, PUBLISH, is_deleted
from pressync.plan import reasons
from pressync.plan.blocks import HIDDEN, Held, is_placed
from pressync.plan.decide import replaces_markup
from pressync.plan.order import PagesAbove
from pressync.plan.survey import SiteFindings
from pressync.sync import echo, field_comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping

    from pressync.model.interface import Kind
    from pressync.model.reason import Reason
    from pressync.plan.build import PlannedRun
    from pressync.state.state import State

    # An entry, its record and its edits -> why the record contradicts the entry, if it does.
    CheckEvidence = Callable[[Entry, Record, Mapping[str, str]], Reason]


# A person does not read the markup of more pages in one plan.
MOST_SHOWN = 20
# The fields of which an address is made.
_MAKES_ADDRESS = frozenset({"slug", "parent", "status", "date", "date_gmt", FRONT_PAGE})
_FRONT_PAGE_HIDDEN = reasons.because(ReasonCode.FIELDS_NOT_READABLE, fields=(FRONT_PAGE,))


def compare(
    service: Reads,
    expected: Iterable[Entry],
    check: CheckEvidence | None = None,
    shown: Container[RecordKey] = (),
) -> SiteFindings:
    """Compare the records of these entries with what was settled; `check` may say why one contradicts.

    The contents of the records `shown` are kept.

    :raises ServiceError: the service cannot be read.
    """
    by_kind: dict[Kind, dict[int, Entry]] = defaultdict(dict)
    for entry in expected:
        # We know nothing of a record that was adopted and never written, so we cannot see an edit of it.
        if entry.fingerprints or check:
            by_kind[entry.kind][entry.id] = entry
    edited, moved, unverified = [], [], {}
    gone: set[str] = set()
    reads = [_read(service, kind, wanted.values()) for kind, wanted in by_kind.items()]
    for (kind, wanted), read in zip(by_kind.items(), reads, strict=True):
        for number, entry in wanted.items():
            record = read.found.get(number)
            conflict = edits(entry, record) if record and entry.fingerprints else {}
            if record is None:
                gone.update({entry.path} if entry.fingerprints and (kind, number) not in read.unread else ())
            elif check and (why := check(entry, record, conflict)):
                unverified[entry.path] = why
            elif entry.fingerprints:
                moved_entry = _at_its_address(entry, record, conflict)
                if moved_entry is not entry:
                    moved.append(moved_entry)
                if conflict != dict(entry.conflict):
                    edited.append(structs.replace(moved_entry, conflict=conflict))
    return SiteFindings(
        edited=tuple(edited),
        gone=frozenset(gone),
        unverified=unverified,
        moved=tuple(moved),
        notes={key: count for read in reads for key, count in read.notes.items()},
        held={key: held for read in reads for key, held in read.held.items()},
        stored=dict(part for read in reads for part in read.stored()),
        unread={key: why for read in reads for key, why in read.unread.items()},
        texts=dict(part for read in reads for part in read.contents(shown)),
    )


class _Read(NamedTuple):
    """The records of one kind that were found, by id; the other members are those of `SiteFindings`."""

    found: Mapping[int, Record]
    notes: Mapping[RecordKey, int]
    held: Mapping[RecordKey, Held]
    unread: Mapping[RecordKey, Reason]

    def stored(self) -> Iterator[tuple[RecordKey, frozenset[str]]]:
        """Give the fields of each record that are there in another form than pressync sends."""
        return (
            ((record.kind, record.id), frozenset(record.raw)) for record in self.found.values() if record.raw
        )

    def contents(self, shown: Container[RecordKey]) -> Iterator[tuple[RecordKey, str]]:
        """Give the contents of the records `shown`."""
        records = (((record.kind, record.id), record) for record in self.found.values())
        return ((key, str(record.fields.get("content", ""))) for key, record in records if key in shown)


def _read(service: Reads, kind: Kind, entries: Collection[Entry]) -> _Read:
    """Read the records of entries of one kind."""
    records, hidden = read_some(service, kind, {entry.id for entry in entries})
    with_front = with_front_page(service, entries, records)
    held = {(kind, number): Held.of(record) for number, record in records.items()}
    shown = service.published(kind, hidden) if hidden else {}
    held |= {(kind, n): Held(shown[n], PUBLISH, is_read=False) if n in shown else HIDDEN for n in hidden}
    unread = {(kind, number): _FRONT_PAGE_HIDDEN for number in front_page_hidden(entries, with_front)}
    return _Read(
        with_front,
        {(kind, number): len(notes_of(record.noted)) for number, record in with_front.items()},
        held,
        unread | {(kind, number): reasons.NOT_READABLE for number in hidden},
    )


def _at_its_address(entry: Entry, record: Record, edits: Mapping[str, str]) -> Entry:
    """Give an entry with the record's address; an address that an edit explains is that of a conflict.

    The address of a page without its slug is that of the site: somebody chose it as the front page.
    """
    link = echo.address_of(entry, record.link)
    if not link or link == entry.link or not _MAKES_ADDRESS.isdisjoint(edits):
        return entry
    is_home = entry.kind.row.front and "?" not in link and not link.rstrip("/").endswith(record.slug)
    return entry if is_home else echo.moved(entry, link)


def is_due(planned: PlannedRun, state: State) -> bool:
    """Tell whether a run must read the site: it has work, or a record that was deleted may be back."""
    blocked = (planned.entries.get(c.path) for c in planned.plan.changes if isinstance(c, Blocked))
    if planned.plan.pending or state.unconfirmed:
        return True
    return any(entry and is_deleted(entry) for entry in blocked)


def look(
    service: Reads,
    known: Mapping[str, Entry],
    plan: Plan,
    check: CheckEvidence | None = None,
    *,
    with_kept: bool = False,
    around: bool = True,
) -> SiteFindings:
    """Read the records that a plan would overwrite; `known` are the entries by path, and nothing is recorded.

    The pages above new and moved pages are read too, and `with_kept` the other records of the plan. If the
    settings of the site have changed its addresses, all records are read for theirs, unless nothing `around`
    the plan is to be read.

    :raises ServiceError: the service cannot be read.
    """
    # By id: the change of a renamed file has its new path, and the manifest still has the old one.
    by_id = {(entry.kind, entry.id): entry for entry in known.values()}
    kinds = Update | Delete | Keep | Blocked if with_kept else Update | Delete
    # A plan before has not been able to read the others.
    readable = [change for change in plan.changes if not isinstance(change, NotCompared)]
    pairs = [(change, by_id.get((change.kind, getattr(change, "id", None) or 0))) for change in readable]
    # A deleted record may be back, as after a backup.
    read = [entry for change, entry in pairs if entry and (isinstance(change, kinds) or is_deleted(entry))]
    unwanted = {(change.kind, change.id) for change in plan.changes if isinstance(change, Delete)}
    findings = compare(service, read, check, [*replaced(plan)][:MOST_SHOWN])
    moved = findings.moved
    if around and not with_kept and plan.pending:
        moved += _moved_beside(service, known, read, known=bool(moved))
    # If somebody trashed or deleted a record that the plan deletes, that is not a conflict.
    edited = tuple(e for e in findings.edited if not ((e.kind, e.id) in unwanted and is_trashed(e)))
    gone = frozenset(e.path for e in read if e.path in findings.gone and (e.kind, e.id) not in unwanted)
    parents = _parents(known, plan)
    above = read_keys(service, (key for key in parents if key[0].row.known))
    gone |= {entry.path for key, entry in parents.items() if key not in above}
    trashed = frozenset(parents[k].path for k, page in above.items() if page.is_trashed)
    # The next plan has to know of deleted records.
    gone_entries = [known[path] for path in sorted(gone)]
    lost = [entry for entry in gone_entries if entry.fingerprints and not is_deleted(entry)]
    edited += tuple(structs.replace(entry, conflict={"status": DELETED}) for entry in lost)
    return replace(findings, edited=edited, gone=gone, in_trash=trashed, moved=moved)


def replaced(plan: Plan) -> dict[RecordKey, str]:
    """Give the path of each update that replaces a text of the site, by its record."""
    updates = (change for change in plan.pending if isinstance(change, Update))
    return {(change.kind, change.id): change.path for change in updates if replaces_markup(change)}


def _moved_beside(
    service: Reads, known_entries: Mapping[str, Entry], read: Iterable[Entry], *, known: bool
) -> tuple[Entry, ...]:
    """Find the records whose address has changed, beside those that were `read`.

    Unless a move is `known`, one record of each kind is read first, of those that others link to. A new
    structure of the site's addresses changes that of each post.
    """
    have, kinds = {entry.path for entry in read}, {entry.kind for entry in read}
    if not known:
        linked = {path for entry in known_entries.values() for path in entry.links} - have
        targets = (known_entries.get(path) for path in sorted(linked))
        probes = {entry.kind: entry for entry in targets if entry and entry.fingerprints}
        if not compare(service, (probe for kind, probe in probes.items() if kind not in kinds)).moved:
            return ()
    return compare(service, (entry for path, entry in known_entries.items() if path not in have)).moved


def is_trashed(entry: Entry) -> bool:
    """Tell whether somebody put the entry's record into the trash."""
    return entry.conflict.get("status") == TRASH


def _parents(known: Mapping[str, Entry], plan: Plan) -> dict[RecordKey, Entry]:
    """Give the entries of the known pages above new and moved pages, by record."""
    placed = [c.desired for c in plan.pending if isinstance(c, Create | Update) and is_placed(c)]
    pages = PagesAbove(known.values() if placed else ())
    above = (known.get(pages.parent(desired) or "") for desired in placed)
    return {(entry.kind, entry.id): entry for entry in above if entry}


def edits(entry: Entry, record: Record) -> Mapping[str, str]:
    """Find the edits of a record; that of a trashed one is its status alone: the trash changed its slug."""
    if record.is_trashed:
        return {"status": TRASH}
    return field_comparison.edits(entry, record)


# A record does not show it: the front page is a setting of the site. So it costs a request, which is made
# only if an entry among those that are compared has the field.
def with_front_page(
    service: Reads, entries: Iterable[Entry], pages: Mapping[int, Record]
) -> Mapping[int, Record]:
    """Add the field to the pages that were found by id; if the user cannot see the front page, nothing."""
    asked = _with_front_page_field(entries, pages)
    front = service.front_page() if asked else None
    if front is None:
        return pages
    told = {n: replace(pages[n], fields={**pages[n].fields, FRONT_PAGE: n == front}) for n in asked}
    return {**pages, **told}


def front_page_hidden(entries: Iterable[Entry], pages: Mapping[int, Record]) -> list[int]:
    """Give the ids of the pages that were found, and whose field this user may not see."""
    asked = _with_front_page_field(entries, pages)
    # A site that never took the setting from us has nothing to compare.
    set_by_us = {entry.id for entry in entries if FRONT_PAGE not in entry.changed_by_service}
    return [n for n in asked if n in set_by_us and FRONT_PAGE not in pages[n].fields]


def _with_front_page_field(entries: Iterable[Entry], pages: Mapping[int, Record]) -> list[int]:
    asked = (entry.id for entry in entries if entry.kind.row.front and FRONT_PAGE in entry.fingerprints)
    return [number for number in asked if number in pages]
