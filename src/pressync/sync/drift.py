"""Finds what others did to records on the site since they were settled: edits, trash, deletes.

A record's time stamp may change without an edit, and may stay the same after one (measured). So the content
is compared, field by field. One request reads a hundred records, so even a whole site takes about a second.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.changes import Blocked, Create, Delete, Keep, Update
from pressync.model.interface import Kind
from pressync.model.records import TRASH
from pressync.model.visibility import DELETED, is_deleted
from pressync.plan.dependents import is_placed
from pressync.plan.page_tree import PagesAbove
from pressync.sync import echo, front_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pressync.client.port import Reads
    from pressync.model.changes import Plan
    from pressync.model.records import Entry, Record
    from pressync.plan.build import PlannedRun
    from pressync.state.state import State

    # An entry, its record and its edits -> why the record contradicts the entry, or "".
    CheckEvidence = Callable[[Entry, Record, Mapping[str, str]], str]


@dataclass(frozen=True, slots=True)
class Drift:
    """The entries whose `conflict` differs from the manifest's, and the paths of deleted records.

    `unverified` says, by path, why a record contradicts its entry. `in_trash` are the paths of parents that
    are in the trash.
    """

    edited: tuple[Entry, ...] = ()
    gone: frozenset[str] = frozenset()
    unverified: Mapping[str, str] = field(default_factory=dict)
    in_trash: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Whether anything was found that is not in the manifest."""
        return bool(self.edited or self.gone or self.unverified or self.in_trash)


def _unchallenged(_entry: Entry, _record: Record, _edits: Mapping[str, str]) -> str:
    return ""


def compare(service: Reads, entries: Iterable[Entry], check: CheckEvidence = _unchallenged) -> Drift:
    """Read the records of these entries, and compare each with what was settled.

    `check` says why a record contradicts its entry, or "".

    :raises ServiceError: the service cannot be read.
    """
    known: dict[Kind, dict[int, Entry]] = defaultdict(dict)
    for entry in entries:
        # We know nothing of a record that was adopted and never written, so we cannot see an edit of it.
        if entry.fingerprints or check is not _unchallenged:
            known[entry.kind][entry.id] = entry
    edited = []
    gone: set[str] = set()
    unverified = {}
    for kind, wanted in known.items():
        found = front_page.shown(service, wanted.values(), service.records(kind, wanted.keys()))
        for number, entry in wanted.items():
            record = found.get(number)
            conflict = edits(entry, record) if record and entry.fingerprints else {}
            if record is None:
                gone.update({entry.path} if entry.fingerprints else ())
            elif why := check(entry, record, conflict):
                unverified[entry.path] = why
            elif entry.fingerprints and conflict != dict(entry.conflict):
                edited.append(replace(entry, conflict=conflict))
    return Drift(tuple(edited), frozenset(gone), unverified)


def check_before_write(
    service: Reads,
    state: State,
    plan: Plan,
    check: CheckEvidence = _unchallenged,
    *,
    with_kept: bool = False,
) -> Drift:
    """Read the records that a plan would overwrite, and note the edits of others in the manifest.

    The next plan shows these edits as conflicts.

    :raises ServiceError: the service cannot be read.
    """
    found = look(service, state, plan, check, with_kept=with_kept)
    if found.edited:
        state.put(*found.edited)
    return found


def is_due(planned: PlannedRun, state: State) -> bool:
    """Tell whether a run must read the site: it has work, or a record that was deleted may be back."""
    blocked = (planned.entries.get(c.path) for c in planned.plan.changes if isinstance(c, Blocked))
    return bool(planned.plan.pending or state.unconfirmed) or any(e and is_deleted(e) for e in blocked)


def look(
    service: Reads,
    state: State,
    plan: Plan,
    check: CheckEvidence = _unchallenged,
    *,
    with_kept: bool = False,
) -> Drift:
    """Read the records that a plan would overwrite; nothing is recorded.

    The pages above new and moved pages are read too, and `with_kept` the other records of the plan.

    :raises ServiceError: the service cannot be read.
    """
    # By id: the change of a renamed file has its new path, and the manifest still has the old one.
    by_id = {(entry.kind, entry.id): entry for entry in state.manifest.entries.values()}
    kinds = Update | Delete | Keep | Blocked if with_kept else Update | Delete
    entries = [
        entry
        for change in plan.changes
        if (entry := by_id.get((change.kind, getattr(change, "id", None) or 0)))
        # A deleted record may be back, as after a backup.
        and (isinstance(change, kinds) or is_deleted(entry))
    ]
    unwanted = {(change.kind, change.id) for change in plan.changes if isinstance(change, Delete)}
    found = compare(service, entries, check)
    # If somebody trashed or deleted a record that the plan deletes, that is not a conflict.
    edited = tuple(e for e in found.edited if not ((e.kind, e.id) in unwanted and is_trashed(e)))
    gone = frozenset(e.path for e in entries if e.path in found.gone and (e.kind, e.id) not in unwanted)
    parents = _parents(state, plan)
    above = service.records(Kind.PAGE, parents.keys()) if parents else {}
    gone |= {path for number, path in parents.items() if number not in above}
    return Drift(
        (*edited, *_noted(state.manifest.entries[path] for path in sorted(gone))),
        gone,
        found.unverified,
        frozenset(parents[number] for number, page in above.items() if page.fields.get("status") == TRASH),
    )


def _noted(gone: Iterable[Entry]) -> Iterator[Entry]:
    """Note in the entries of deleted records that they are, so that the next plan knows it."""
    for entry in gone:
        if entry.fingerprints and not is_deleted(entry):
            yield replace(entry, conflict={"status": DELETED})


def is_trashed(entry: Entry) -> bool:
    """Tell whether somebody put the entry's record into the trash."""
    return entry.conflict.get("status") == TRASH


def _parents(state: State, plan: Plan) -> dict[int, str]:
    """Give the paths of the known pages above new and moved pages, by id."""
    placed = [c.desired for c in plan.pending if isinstance(c, Create | Update) and is_placed(c)]
    known = state.manifest.entries
    pages = PagesAbove(known.values() if placed else ())
    above = (known.get(pages.parent(desired) or "") for desired in placed)
    return {entry.id: entry.path for entry in above if entry}


def edits(entry: Entry, record: Record) -> Mapping[str, str]:
    """Find the edits of a record.

    The only edit of a trashed record is its status: the trash changed its slug, not a person.
    """
    if record.fields.get("status") == TRASH:
        return {"status": TRASH}
    return echo.edits(entry, record)
