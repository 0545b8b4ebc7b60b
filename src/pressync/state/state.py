"""Manifest and journal of one site, opened together: nothing is made twice, nothing is lost.

It must not know services or plans. What decided its shape: people and Git write the manifest too, so it
is read and saved as a whole, and in between the journal is the truth. Kill the process in any row:

    1. lock, read, replay       nothing has changed
    2. intend: line, sync       nothing was sent; at worst there is a doubt without a call
    3.   the call               open: a create is in doubt, an update or delete is sent again
    4. settle: line, sync       replayed over the old manifest
    5. save: manifest replaced  replayed over the new one, to the same end
    6. what was made is kept    replayed as before; a record removed is in the journal still
    7. journal compacted        only the creates in doubt are left in it

A create in doubt stands in both: in the manifest for other clones, which may settle it, and in the journal
for the day when Git puts an older manifest back. The journal is read before the manifest: what is no longer
in the one is in the other by then.
"""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from msgspec import structs

from pressync.model.bounds import check_entry, check_path
from pressync.model.errors import ManifestError, Overtaken, RepositoryError, SafetyRefusal, StorageError
from pressync.model.records import Manifest, NamedId
from pressync.state.created_copy import CreatedCopy
from pressync.state.journal_lines import Done, Forgotten, Intent, Learned, Removed, Resolved, Withdrawn
from pressync.state.replay import by_path, recover
from pressync.state.vouched import Vouched

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from types import TracebackType

    from pressync.model.interface import Kind
    from pressync.model.records import Doubt, Entry, Medium, Name
    from pressync.state.journal import Journal
    from pressync.state.journal_lines import Action, Line
    from pressync.state.lock import Lock
    from pressync.state.manifest_store import ManifestStore

_NOTHING: Mapping[Name, int] = MappingProxyType({})
# How often a manifest that others share is read and put together anew before a person is asked.
_TRIES = 5


class State:
    """What we know of one site. Use as a context manager; threads may share it."""

    def __init__(
        self, keeper: ManifestStore, made_path: Path, log: Journal, target: str, lock: Lock | None
    ) -> None:
        """Use `open_state`; a state without a lock is for reading only."""
        self._keeper = keeper
        self._journal = log
        self._lock = lock
        # Lines get into the journal in the order in which the ledger took them.
        self._turn = threading.Lock()
        lines = log.read()
        # Whether anything may have to be saved: what a killed run left, or what happens from now on.
        self._touched = bool(lines)
        self._read(lines)
        self.made = CreatedCopy(made_path, target, lines)
        self.vouched = Vouched(made_path.with_suffix(".vouched"), target)
        if lock is not None:
            # Before anything changes: a record that this run deletes is not lost.
            _ = self.forgotten_by_manifest

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def doubts(self) -> Mapping[str, Doubt]:
        """The creates that were sent and have no outcome, by path; those under way are among them."""
        with self._turn:
            return by_path(self._ledger.doubts)

    def holder(self, kind: Kind, number: int) -> str | None:
        """Name the path whose record this is; None if the manifest does not have it."""
        with self._turn:
            return self._ledger.holder(kind, number)

    @property
    def whole(self) -> Manifest:
        """The manifest with its doubts, as it would be saved now."""
        with self._turn:
            return self._whole()

    @cached_property
    def forgotten_by_manifest(self) -> dict[str, Entry]:
        """The records that this clone put on the site and the manifest has forgotten, by path."""
        return self.made.forgotten_by_manifest(self.manifest.entries, to_read=self._lock is None)

    def intend(
        self,
        *,
        action: Action,
        path: str,
        kind: Kind,
        id: int | None,  # noqa: A002 - the interface's own word
        slug: str,
        fingerprints: Mapping[str, str],
        commit: str,
        blob: str,
    ) -> int:
        """Write down a call before it is sent; returns its number, durably known.

        The number is for `settle` or `withdraw`. With neither, the call stays in doubt.

        :raises StorageError: it could not be written, so it must not be sent.
        """
        self._check_writable()
        check_path(path)
        time = datetime.now(UTC).isoformat(timespec="seconds")
        with self._turn:
            number = self._ledger.next_number
            self._touched = True
            intent = Intent(number, action, path, kind, id, slug, dict(fingerprints), commit, blob, time)
            ticket = self._journal.write(intent, under_way=len(self._ledger.open))
            self._ledger.take(intent)
        try:
            self._journal.sync(ticket, intent)
        except StorageError as error:
            # It will not be sent. If the manifest can be saved all the same, no doubt needs to remain.
            with self._turn:
                self._ledger.take(Withdrawn(number, error.what))
            raise
        return number

    def settle(self, number: int, path: str, entry: Entry | None) -> None:
        """Write down that a call was carried out: what the manifest says now, None for no record.

        :raises StorageError: the journal cannot be written; the manifest may still be saved.
        """
        with self._turn:
            line = Done(number, (entry,)) if entry else self._ledger.removal(number, path)
            ticket = self._take(line)
            self.vouched.add(entry) if entry else self.vouched.end(path)
        self._journal.sync(ticket, line)

    def withdraw(self, number: int, why: str) -> None:
        """Write down that a call was certainly not carried out.

        :raises StorageError: the journal cannot be written.
        """
        line = Withdrawn(number, why)
        with self._turn:
            ticket = self._take(line)
        self._journal.sync(ticket, line)

    def put(self, *entries: Entry) -> None:
        """Say what the manifest says of records without a call; together, so that names can be swapped.

        It is in the journal at once, and durable with the next sync of it or `save`.

        :raises StorageError: the journal cannot be written.
        """
        for entry in entries:
            check_entry(entry)
        with self._turn:
            self._take(Done(0, entries))

    def drop(self, path: str) -> None:
        """Let a record go from the manifest, or one that it has lost, without a call; durable like `put`.

        :raises KeyError: there is none.
        :raises StorageError: the journal cannot be written.
        """
        lost = self.forgotten_by_manifest.pop(path, None)
        with self._turn:
            entry = self._ledger.entries.get(path)
            if entry is not None:
                self._take(Removed(0, path, entry.kind, entry.id))
            elif lost is None:
                raise KeyError(path)

    def learn(self, *, names: Mapping[Name, int] = _NOTHING, media: Iterable[Medium] = ()) -> None:
        """Say what names stand for on the site, and which files are there; durable like `put`.

        :raises StorageError: the journal cannot be written.
        """
        with self._turn:
            self._take(Learned(tuple(itertools.starmap(NamedId.of, names.items())), tuple(media)))

    def unlearn(self, *, names: Iterable[Name] = (), media: Iterable[str] = ()) -> None:
        """Forget what names stand for, and files by their blob ids; durable like `put`.

        :raises StorageError: the journal cannot be written.
        """
        with self._turn:
            self._take(Forgotten(tuple(names), tuple(media)))

    def resolve(self, path: str, entry: Entry | None) -> None:
        """Settle what is in doubt for a path: it made this entry's record, or (None) nothing.

        :raises KeyError: nothing is in doubt there.
        :raises StorageError: the journal cannot be written.
        """
        with self._turn:
            settled = tuple(doubt for doubt in self._ledger.doubts if doubt.path == path)
            if not settled:
                raise KeyError(path)
            line = Resolved(settled, entry)
            ticket = self._take(line)
            if entry:
                self.vouched.add(entry)
        self._journal.sync(ticket, line)

    def claim(self, creates: Iterable[Doubt], about: str) -> None:
        """Tell the runs of other machines that this one begins, and what it is about to create.

        :raises Overtaken: another run was first: nothing must be sent.
        :raises RepositoryError: nobody can be told; nothing must be sent.
        """
        self._check_writable()
        self._touched = True
        self._keeper.claim(self.whole, tuple(creates), about)

    @property
    def pulse(self) -> float:
        """How often a claim has to be renewed, in seconds; 0 if nobody looks at it."""
        return self._keeper.pulse

    def renew(self) -> None:
        """Show other machines that this run is still at it, and what it has done so far.

        :raises Overtaken: another run has taken over: nothing more must be sent.
        :raises RepositoryError: nobody can be told.
        """
        self._keeper.renew(self.whole)

    def save(self, about: str = "") -> None:
        """Save the manifest, then cut the journal to the creates in doubt; `about` is a line of history.

        What has not changed is not written. If another machine was first, both are put together.

        :raises StorageError: the manifest cannot be saved, or is no longer the one that was read. The
            journal is as it was, and the next run reads both.
        """
        self._check_writable()
        if not (self._touched or self._keeper.pulse) and self.made.is_current:
            # Writing both once more to find them unchanged takes as long as the plan did. Where other
            # machines see a run, its end has to be told.
            return
        with self._turn:
            try:
                self._save(about)
            except OSError as error:
                raise self._unsaved(error.strerror or str(error)) from error
            except (ManifestError, RepositoryError, SafetyRefusal) as error:
                raise self._unsaved(error.what) from error
            # Before the journal is cut: without its lines, what this run removed would count as lost.
            self.made.save(self.manifest.entries, self.forgotten_by_manifest)
            self.vouched.save()
            self._journal.compact(structs.replace(intent, told=True) for intent in self._ledger.open)

    def _save(self, about: str) -> None:
        for attempt in range(_TRIES):
            if attempt:
                # As after a crash: what this run did is in the journal, what the other did in the manifest.
                self._read(self._journal.read())
            self._ledger.mark()
            try:
                self._keeper.save(self._whole(), about)
            except Overtaken:
                if attempt == _TRIES - 1 or self._journal.broken:
                    raise
            else:
                return

    def _read(self, lines: Iterable[Line]) -> None:
        known = self._keeper.read(writable=self._lock is not None)
        # With none this is the first run, or the manifest was lost.
        self.has_manifest = self._keeper.is_there
        self._ledger = recover(known, lines, goes_back=self._keeper.goes_back)
        # Without its doubts: those change while others read.
        self.manifest = Manifest(known.target, self._ledger.entries, self._ledger.names, self._ledger.media)

    def _whole(self) -> Manifest:
        return replace(self.manifest, doubts=self._ledger.doubts)

    def close(self) -> None:
        """Close the journal and let the lock go. Nothing is saved."""
        self._journal.close()
        if self._lock is not None:
            self._lock.release()

    def _take(self, line: Line) -> int:
        """Let a line have its effect, and write it; in this order, for `save` may work where this fails."""
        self._check_writable()
        self._touched = True
        self._ledger.take(line)
        self.made.take(line)
        return self._journal.write(line)

    def _unsaved(self, why: str) -> StorageError:
        what = f"the manifest cannot be saved ({why}); what was done is in the journal {self._journal.path}"
        todo = "remove the cause and run `pressync sync` again"
        return StorageError(what, where=self._keeper.where, todo=todo)

    def _check_writable(self) -> None:
        if self._lock is None:
            raise ValueError("this state was opened for reading only")
