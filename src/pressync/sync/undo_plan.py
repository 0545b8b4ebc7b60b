"""Plans a rollback: collects what is known of each record that a run touched, and orders what undoes them.

Nothing is sent here. The plan is built twice: from the clone's own files first, so that a limit stops the run
before its first request, and again beside the records of the site.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.client.port import Reads, read_keys
from pressync.content.former import FormerTexts
from pressync.model.changes import Blocked, Delete, Plan, Update
from pressync.plan.build import PlannedRun
from pressync.plan.manifest_search import search
from pressync.plan.order import schedule
from pressync.state.clone_facts import Image, RunRecord, RunRecords, TouchedRecord, digest, record_after
from pressync.sync.undo import BY_LATER_RUN, BY_OTHERS, BY_PULL, Undo, UndoItem, undo

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pressync.content.content import Content
    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Manifest, RecordKey
    from pressync.plan.limits import DeleteLimit
    from pressync.state.state import State


@dataclass(frozen=True, slots=True)
class Undoing:
    """The plan of a rollback, what undoes each record by path, and the texts of before."""

    planned: PlannedRun
    undos: Mapping[str, Undo]
    texts: FormerTexts
    # The entries as they are when all is undone: they give the addresses and the parents.
    then: Mapping[str, Entry]

    @property
    def plan(self) -> Plan:
        """The plan to show, to approve and to send."""
        return self.planned.plan


@dataclass(frozen=True)
class UndoPlanner:
    """Plans the rollback of one run; `content` is that of HEAD."""

    content: Content
    state: State
    record: RunRecord
    records: RunRecords

    def plan(self, delete_limit: DeleteLimit, reads: Reads | None) -> Undoing:
        """Plan the rollback; `reads` shows the records of the site.

        :raises ServiceError: the service cannot be read.
        """
        entries = self.state.manifest.entries
        befores = [result.before for result in self.record.touched if result.before]
        then = self._then({result.path for result in self.record.touched})
        texts = FormerTexts(
            self.content.repository, self.content.settings, then, befores, self.state.manifest
        )
        results = [undo(item) for item in self._items(texts, reads)]
        blocked = [result for result in results if isinstance(result, Blocked)]
        undos = {result.path: result for result in results if isinstance(result, Undo)}
        changes = [result.change for result in undos.values() if result.change]
        order = schedule(changes, entries)
        deletes = sum(isinstance(change, Delete) for change in changes)
        refusal = delete_limit.exceeded(deletes, len(entries))
        # The sentence that lifts a limit names this command; without RUN it would undo the last one.
        command = f"pressync rollback {self.record.run}"
        said = refusal.message.replace("pressync sync", command) if refusal else ""
        plan = Plan(
            site=self.content.settings.site.name,
            target=self.content.settings.site.target,
            commit=self.record.commit,
            changes=(*order.changes(), *sorted(blocked, key=lambda change: change.path)),
            refusals=() if refusal is None else (replace(refusal, message=said),),
            compared=reads is not None,
        )
        after = self._then(undos.keys())
        return Undoing(PlannedRun(plan, order, self._here(undos)), undos, texts, after)

    def _items(self, texts: FormerTexts, reads: Reads | None) -> Iterator[UndoItem]:
        """Collect what is known of each record that the run touched."""
        images, later = self.records.images(self.record.run), self._later
        entries, unconfirmed = self.state.manifest.entries, self.state.unconfirmed
        ours = {(record.kind, number) for record in self.record.touched if (number := self._id(record))}
        on_site = read_keys(reads, ours) if reads else {}
        for touched in self.record.touched:
            before, key, now = touched.before, (touched.kind, self._id(touched) or 0), self._now(touched)
            at = entries.get(before.path) if before else None
            if before:
                text = texts.read(before) if before.fingerprints else None
            else:
                text = texts.at(self.record.commit, touched.path) if touched.id and not now else None
            after = (self.record.after or {}).get(touched.path)
            lost = after is not None and not after.id
            # A pull alone leaves the commit of the entry.
            is_pulled = now is not None and now.commit == self.record.commit
            image = images.get(key, Image(*key, {}))
            overtaken = BY_PULL if is_pulled else BY_OTHERS
            yield UndoItem(
                touched=touched,
                after=after,
                now=now,
                other=at is not None and (at.kind, at.id) not in ours,
                record=on_site.get(key),
                read=reads is not None,
                text=text.desired if text else None,
                image=image.values,
                stored=image.raw,
                unclear=image.unclear,
                permanent=self.record.permanent,
                begun=key in self._begun or (lost and touched.path not in later),
                unconfirmed=lost and touched.path in unconfirmed,
                overtaken=BY_LATER_RUN if touched.path in later else overtaken,
                restore=self._restore if key in self._lost else "",
            )

    @cached_property
    def _lost(self) -> frozenset[RecordKey]:
        """Name the records of which the manifest has lost what the run settled."""
        lost: set[RecordKey] = set()
        for touched in self.record.touched:
            key, after = (touched.kind, self._id(touched) or 0), (self.record.after or {}).get(touched.path)
            if not after or not after.id or key in self._begun or touched.path in self._later:
                continue
            now, before = self._now(touched), touched.before
            is_back = before is not None and now is not None and digest(now) == digest(before)
            if now is None or (is_back and record_after(now) != after):
                lost.add(key)
        return frozenset(lost)

    @cached_property
    def _restore(self) -> str:
        """Say how the manifest gets back what the run settled: by a command, if Git has such a manifest."""
        after = {(touched.kind, self._id(touched)): touched.path for touched in self.record.touched}

        def has_it(manifest: Manifest) -> bool:
            settled = self.record.after or {}
            entries = (entry for entry in manifest.entries.values() if (entry.kind, entry.id) in self._lost)
            return any(record_after(entry) == settled.get(after[entry.kind, entry.id]) for entry in entries)

        site, repository = self.content.settings.site, self.content.repository
        manifest = search(repository, site, repository.commit(), wanted=has_it).found
        again = f"then `pressync rollback {self.record.run}`"
        if manifest:
            return f"`{manifest.command}` restores it, {again}"
        name = site.reference or site.file
        return f"restore {name} from a backup, {again}; without one, `pressync plan` says what to do"

    def _id(self, touched: TouchedRecord) -> int | None:
        """Give the id of a touched record, also of one that the run created."""
        left = (self.record.after or {}).get(touched.path)
        if left and not left.id and touched.path not in self._later:
            # The create was unconfirmed when the run ended, and has been confirmed since.
            entry = self.state.manifest.entries.get(touched.path)
            return entry.id if entry else None
        return touched.id or (left.id if left else None)

    def _now(self, touched: TouchedRecord) -> Entry | None:
        """Give the entry that a touched record has today."""
        holder = self.state.holder(touched.kind, self._id(touched) or 0)
        return self.state.manifest.entries[holder] if holder else None

    @cached_property
    def _later(self) -> frozenset[str]:
        """Name the paths that later runs of this clone have touched."""
        later = (record for record in self._all if record.run > self.record.run and not record.undoes)
        return frozenset(touched.path for record in later for touched in record.touched)

    @cached_property
    def _all(self) -> list[RunRecord]:
        return self.records.all()

    @cached_property
    def _begun(self) -> frozenset[tuple[Kind, int | None]]:
        """Name the records that a rollback of this run has begun with, if no sync has run since."""
        mark = self.state.whole.rolled_back
        if mark is None or mark.run != self.record.run:
            return frozenset()
        begun = (record for record in self._all if record.undoes == self.record.run)
        return frozenset((touched.kind, touched.id) for record in begun for touched in record.touched)

    def _then(self, paths: Collection[str]) -> dict[str, Entry]:
        """Give the entries with those of before the run at these paths."""
        then = dict(self.state.manifest.entries)
        chosen = [t for t in self.record.touched if t.path in paths or (t.before and t.before.path in paths)]
        for touched in chosen:
            if now := self._now(touched):
                then.pop(now.path, None)
        then.update({t.before.path: t.before for t in chosen if t.before})
        for touched in self.record.touched:
            # A record that stays where the run moved it is linked at its address of now.
            now, before = self._now(touched), touched.before
            if before and now and before.path not in then:
                then[before.path] = structs.replace(now, path=before.path)
        return then

    def _here(self, undos: Mapping[str, Undo]) -> dict[str, Entry]:
        """Give the entries with all that comes back without a call."""
        entries = dict(self.state.manifest.entries)
        moved: list[Entry] = []
        for undone in undos.values():
            change = undone.change
            entry = undone.entry if change is None else None
            entry = change.entry if isinstance(change, Update) else entry
            old = self.state.holder(entry.kind, entry.id) if entry else None
            if entry and (old or change is None):
                entries.pop(old or "", None)
                moved.append(entry)
        entries.update({entry.path: entry for entry in moved})
        return entries
