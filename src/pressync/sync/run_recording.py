"""Writes down what a run is about to change, before its first call, so that the run can be rolled back.

The manifest forgets an entry when it is replaced, and the site forgets the values of other people when they
are overwritten. So both are kept in the clone's own files. A run that changes nothing leaves no record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace

from pressync.model.changes import Delete, Update
from pressync.model.fingerprint import UNSURE, is_unsure
from pressync.model.records import TEXTS, TRASH, new_id
from pressync.model.visibility import FRONT_PAGE
from pressync.state import clone_facts
from pressync.state.clone_facts import Image, RecordAfter, RunRecord, RunRecords, TouchedRecord
from pressync.state.journal_lines import Marked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pressync.client.port import Reads
    from pressync.model.interface import Kind
    from pressync.plan.build import PlannedRun
    from pressync.plan.survey import SiteFindings
    from pressync.state.state import State


@dataclass
class RunRecording:
    """The record of one run while it works. `run` is its id, None before it is about to change something."""

    records: RunRecords
    state: State
    permanent: bool = False
    undoes: str = ""
    run: str | None = None
    # The records that this run has bound: they were not in the manifest before.
    bound: set[tuple[Kind, int]] = field(default_factory=set)
    _touched: dict[str, TouchedRecord] = field(default_factory=dict)
    _images: dict[tuple[Kind, int], Image] = field(default_factory=dict)
    _commit: str = ""

    @classmethod
    def of(cls, state: State, *, permanent: bool = False, undoes: str = "") -> Self:
        """Make the record of a run of this clone; nothing is written yet."""
        return cls(RunRecords(state.log), state, permanent, undoes)

    def about(self) -> str:
        """Give a line for the manifest's history; "" if nothing is about to change."""
        return f"Sync of {self._commit[:8]}, run {self.run}" if self.run else ""

    def begin(self, planned: PlannedRun, reads: Reads | None) -> None:
        """Write down what a plan changes and what is not ours of it; a later part of the run adds to it.

        :raises StorageError: it cannot be written, so nothing must be sent.
        :raises ServiceError: the service cannot be read.
        """
        if self.state.whole.rolled_back and not self.undoes:
            # From now on the files decide again.
            self.state.write(Marked(None))
        touched = list(self._about_to_change(planned))
        if not touched:
            return
        if self.run is None:
            finish_killed(self.records, self.state)
        self.run, self._commit = self.run or new_id(), planned.plan.commit
        for record in touched:
            earlier = self._touched.setdefault(record.path, record)
            if more := tuple(name for name in record.fields if name not in earlier.fields):
                self._touched[record.path] = replace(earlier, fields=(*earlier.fields, *more))
        if reads is not None:
            for image in self._images_of(reads, planned):
                self._images.setdefault((image.kind, image.id), image)
        self.records.begin(self._record(), self._images.values())

    def end(self, *, finished: bool = False) -> None:
        """Write down how the run left its records."""
        if self.run is not None:
            record = replace(self._record(), finished=finished)
            self.records.end(record, _after(record.touched, self.state))

    def _record(self) -> RunRecord:
        return RunRecord(
            version=clone_facts.VERSION,
            run=self.run or "",
            target=self.records.target,
            commit=self._commit,
            touched=tuple(self._touched.values()),
            permanent=self.permanent,
            undoes=self.undoes,
        )

    def _about_to_change(self, planned: PlannedRun) -> Iterable[TouchedRecord]:
        """List the records of the pending changes, and the entries that follow a renamed file."""
        before = self.state.manifest.entries
        for change in planned.plan.pending:
            number = change.id if isinstance(change, Update | Delete) else None
            path = self.state.holder(change.kind, number) if number else None
            earlier = before[path] if path and (change.kind, number) not in self.bound else None
            fields = change.fields if isinstance(change, Update) else ()
            yield TouchedRecord(change.path, change.kind, number, earlier, fields)
        pending = {change.path for change in planned.plan.pending}
        for path, entry in planned.entries.items():
            if path not in pending and before.get(path) != entry:
                old = self.state.holder(entry.kind, entry.id)
                yield TouchedRecord(path, entry.kind, entry.id, before[old] if old else None)

    def _images_of(self, reads: Reads, planned: PlannedRun) -> Iterable[Image]:
        """Read the values that the plan takes from other people; few plans take any."""
        wanted: dict[Kind, dict[int, frozenset[str]]] = {}
        for change in planned.plan.pending:
            if isinstance(change, Update | Delete) and (names := self._not_ours(change, planned.findings)):
                wanted.setdefault(change.kind, {})[change.id] = names
        for kind, fields in wanted.items():
            has_front = any(FRONT_PAGE in names for names in fields.values())
            front = reads.front_page() if has_front else None
            for number, record in reads.records(kind, fields.keys()).items():
                shown = {**record.fields, FRONT_PAGE: number == front}
                values = {name: value for name, value in shown.items() if name in fields[number]}
                trashed = {"status": TRASH} if record.is_trashed else {}
                yield Image.of(kind, number, {**values, **trashed}, record.raw)

    def _not_ours(self, change: Update | Delete, findings: SiteFindings) -> frozenset[str]:
        """Name the fields whose value on the site is not one that we surely sent."""
        fields = change.fields if isinstance(change, Update) else ("status",)
        if (change.kind, change.id) in self.bound:
            return frozenset(fields)
        entry = change.entry
        # The site's text of an imported record is not in Git: the file says the same in other words.
        theirs = entry.changed_by_service.keys() & TEXTS | entry.conflict.keys()
        theirs |= findings.stored.get((change.kind, change.id), frozenset())
        return frozenset(
            name for name in fields if is_unsure(entry.fingerprints.get(name, UNSURE)) or name in theirs
        )


def finish_killed(records: RunRecords, state: State) -> None:
    """Write down how the last run left its records, if it was killed; the journal is replayed already."""
    last = next((record for run in reversed(records.ids()) if (record := records.read(run))), None)
    if last is not None and last.after is None:
        records.end(last, _after(last.touched, state))


def _after(touched: Iterable[TouchedRecord], state: State) -> Iterator[tuple[str, RecordAfter]]:
    entries, unconfirmed = state.manifest.entries, state.unconfirmed
    for path in dict.fromkeys(record.path for record in touched):
        if entry := entries.get(path):
            yield path, clone_facts.record_after(entry)
        elif path in unconfirmed:
            yield path, RecordAfter(0, "")
