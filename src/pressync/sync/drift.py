"""What others did to records on the site since they were settled: edited, put into the trash, deleted.

It must not change anything, nor decide what it means. What decided its shape: a time stamp moves without
an edit and stands still for others (measured), so what is compared is content, field by field; and a
hundred records are read at once, so that even a whole site costs a second.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.changes import Delete, Update
from pressync.model.records import TRASH
from pressync.sync import echo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pressync.client.port import Reads
    from pressync.model.changes import Plan
    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Record
    from pressync.state.state import State

    # An entry, its record and what is edited in it -> why that is not believed, or "".
    CheckEvidence = Callable[[Entry, Record, Mapping[str, str]], str]


@dataclass(frozen=True, slots=True)
class Drift:
    """Entries whose `conflict` is no longer what stands in the manifest, and the paths of deleted records.

    `disbelieved` says of entries, by path, why their record does not show that they are true.
    """

    edited: tuple[Entry, ...] = ()
    gone: frozenset[str] = frozenset()
    disbelieved: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there is anything that the manifest does not say."""
        return bool(self.edited or self.gone or self.disbelieved)


def _believed(_entry: Entry, _record: Record, _edits: Mapping[str, str]) -> str:
    return ""


def compare(service: Reads, entries: Iterable[Entry], weigh: CheckEvidence = _believed) -> Drift:
    """Read the records of these entries, and compare each with what was settled.

    `weigh` says why a record does not show that its entry is true, or "".

    :raises ServiceError: the service cannot be read.
    """
    known: dict[Kind, dict[int, Entry]] = defaultdict(dict)
    for entry in entries:
        # Of a record that was adopted and never written, nothing is known that could have been edited.
        if entry.fingerprints or weigh is not _believed:
            known[entry.kind][entry.id] = entry
    edited = []
    gone: set[str] = set()
    disbelieved = {}
    for kind, wanted in known.items():
        found = service.records(kind, wanted.keys())
        for number, entry in wanted.items():
            record = found.get(number)
            conflict = _edits(entry, record) if record and entry.fingerprints else {}
            if record is None:
                gone.update({entry.path} if entry.fingerprints else ())
            elif why := weigh(entry, record, conflict):
                disbelieved[entry.path] = why
            elif entry.fingerprints and conflict != dict(entry.conflict):
                edited.append(replace(entry, conflict=conflict))
    return Drift(tuple(edited), frozenset(gone), disbelieved)


def check_before_write(service: Reads, state: State, plan: Plan, weigh: CheckEvidence = _believed) -> Drift:
    """Read the records that a plan would overwrite, and note in the manifest what others put there.

    The next plan shows these as conflicts.

    :raises ServiceError: the service cannot be read.
    """
    # By id: a renamed file's change has the new path already, and the manifest still the old one.
    by_id = {(entry.kind, entry.id): entry for entry in state.manifest.entries.values()}
    touched = [change for change in plan.pending if isinstance(change, Update | Delete)]
    entries = [entry for change in touched if (entry := by_id.get((change.kind, change.id)))]
    unwanted = {(change.kind, change.id) for change in touched if isinstance(change, Delete)}
    found = compare(service, entries, weigh)
    # Somebody may have put into the trash what is to go there, or deleted it.
    edited = tuple(e for e in found.edited if not ((e.kind, e.id) in unwanted and _is_trashed(e)))
    gone = frozenset(e.path for e in entries if e.path in found.gone and (e.kind, e.id) not in unwanted)
    if edited:
        state.put(*edited)
    return Drift(edited, gone, found.disbelieved)


def _is_trashed(entry: Entry) -> bool:
    return entry.conflict.get("status") == TRASH


def _edits(entry: Entry, record: Record) -> Mapping[str, str]:
    """Find the edits of a record.

    A trashed one is edited in its status alone: its slug was changed by the trash, not by a person.
    """
    if record.fields.get("status") == TRASH:
        return {"status": TRASH}
    return echo.edits(entry, record)
