"""Manifest and journal of one site, opened together: nothing is made twice, nothing is lost.

It must not know services or plans. What decided its shape: people and Git write the manifest too, so it
is read and saved as a whole, and in between the journal is the truth. Kill the process in any row:

    1. lock, read, replay       nothing has changed
    2. intend: line, sync       nothing was sent; at worst there is a doubt without a call
    3.   the call               open: a create is in doubt, an update or delete is sent again
    4. settle: line, sync       replayed over the old manifest
    5. save: manifest replaced  replayed over the new one, to the same end
    6. journal compacted        only the creates in doubt are left in it

The journal is read before the manifest: what is no longer in the one is in the other by then.
"""

from __future__ import annotations

import contextlib
import threading
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Self

from pressync import manifest
from pressync.errors import ManifestError, StorageError
from pressync.model import Manifest
from pressync.state.journal import Journal
from pressync.state.journal_lines import Done, Intent, Removed, Withdrawn
from pressync.state.lock import Lock
from pressync.state.manifest_file import ManifestFile
from pressync.state.recovery import recover

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

    from pressync.interface import Kind
    from pressync.model import Doubt, Entry
    from pressync.state.journal_lines import Action, Line

_NOT_CREATED = "somebody looked, and it was not created"


class State:
    """What we know of one site. Use as a context manager; threads may share it."""

    def __init__(
        self, manifest_path: Path, made_path: Path, log: Journal, target: str, lock: Lock | None
    ) -> None:
        """Use `open`; a state without a lock is for reading only."""
        self._file = ManifestFile(manifest_path, target)
        self._made = ManifestFile(made_path, target)
        self._journal = log
        self._lock = lock
        # Lines get into the journal in the order in which the ledger took them.
        self._turn = threading.Lock()
        lines = log.read()
        self._ledger = recover(self._file.read(), lines)
        self.manifest = Manifest(target, self._ledger.entries)
        self._removed = {(line.kind, line.id) for line in lines if isinstance(line, Removed)}
        if lock is not None:
            # Before anything changes: a record that this run deletes is not lost.
            _ = self.lost

    @classmethod
    def open(
        cls,
        manifest_path: Path,
        directory: Path,
        site: str,
        target: str,
        *,
        writable: bool,
        wait: float = 0.0,
        on_wait: Callable[[str], None] = lambda _sentence: None,
        command: str = "pressync",
    ) -> Self:
        """Read manifest and journal, and put them together; a missing manifest is an empty one.

        To write, the lock is taken first: `wait` is how long to try, in seconds, `on_wait` is told who
        holds it, and `command` is what others are told. To read, nothing on the disk is touched.

        :raises ManifestError: the manifest cannot be read, or is for another target.
        :raises JournalError: the journal is damaged, or is for another target.
        :raises LockHeld: another run holds the lock.
        :raises StorageError: the lock cannot be taken.
        """
        log = Journal(directory / f"{site}.journal", target)
        made_path = directory / f"{site}.made"
        if not writable:
            return cls(manifest_path, made_path, log, target, None)
        lock = Lock(directory / f"{site}.lock", command)
        lock.acquire(wait, on_wait)
        try:
            return cls(manifest_path, made_path, log, target, lock)
        except BaseException:
            lock.release()
            raise

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
            return self._ledger.doubts

    @cached_property
    def lost(self) -> dict[str, Entry]:
        """The records that this clone put on the site and the manifest has forgotten, by path.

        A manifest is a file that people restore, reset and delete, and Git changes with the branch; a
        document whose entry went that way must not be made a second time. What this clone made is kept
        beside the journal.
        """
        try:
            made = self._made.read().entries
        except ManifestError:
            # It is for another target, or unreadable: then it says nothing of this one.
            return {}
        held = {(entry.kind, entry.id) for entry in self.manifest.entries.values()} | self._removed
        return {
            path: entry
            for path, entry in made.items()
            if path not in self.manifest.entries and (entry.kind, entry.id) not in held
        }

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
        _check_path(path)
        time = datetime.now(UTC).isoformat(timespec="seconds")
        with self._turn:
            number = self._ledger.next_number
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
            line = Done(number, (entry,)) if entry else self._removal(number, path)
            ticket = self._take(line)
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
            _check_entry(entry)
        with self._turn:
            self._take(Done(0, entries))

    def drop(self, path: str) -> None:
        """Let a record go from the manifest, or one that it has lost, without a call; durable like `put`.

        :raises KeyError: there is none.
        :raises StorageError: the journal cannot be written.
        """
        lost = self.lost.pop(path, None)
        with self._turn:
            entry = self._ledger.entries.get(path)
            if entry is not None:
                self._take(Removed(0, path, entry.kind, entry.id))
            elif lost is None:
                raise KeyError(path)

    def resolve(self, path: str, entry: Entry | None) -> None:
        """Settle the create that is in doubt for a path: it made this entry's record, or (None) nothing.

        :raises KeyError: nothing is in doubt there.
        :raises StorageError: the journal cannot be written.
        """
        with self._turn:
            first, *others = self._creates(path)
            lines: list[Line] = [Done(first, (entry,)) if entry else Withdrawn(first, _NOT_CREATED)]
            lines += [Withdrawn(number, _NOT_CREATED) for number in others]
            tickets = [self._take(line) for line in lines]
        self._journal.sync(tickets[-1], lines[-1])

    def save(self) -> None:
        """Save the manifest, then cut the journal to the creates in doubt.

        What has not changed is not written.

        :raises StorageError: the manifest cannot be saved, or is no longer the one that was read. The
            journal is as it was, and the next run reads both.
        """
        self._check_writable()
        with self._turn:
            self._ledger.mark()
            try:
                self._file.save(self.manifest)
            except OSError as error:
                raise self._unsaved(error.strerror or str(error)) from error
            except ManifestError as error:
                raise self._unsaved(error.what) from error
            self._journal.compact(self._ledger.open)
        self._save_made()

    def close(self) -> None:
        """Close the journal and let the lock go. Nothing is saved."""
        self._journal.close()
        if self._lock is not None:
            self._lock.release()

    def _save_made(self) -> None:
        entries = dict(self.manifest.entries)
        held = {(entry.kind, entry.id) for entry in entries.values()}
        lost = {path: entry for path, entry in self.lost.items() if (entry.kind, entry.id) not in held}
        # It is a safety net and never the truth: a disk that refuses it takes nothing away.
        with contextlib.suppress(OSError, ManifestError):
            self._made.save(Manifest(self.manifest.target, {**lost, **entries}))

    def _creates(self, path: str) -> list[int]:
        found = [
            intent.n for intent in self._ledger.open if intent.action == "create" and intent.path == path
        ]
        if not found:
            raise KeyError(path)
        return found

    def _removal(self, number: int, path: str) -> Line:
        intent, entry = self._ledger.intent(number), self._ledger.entries.get(path)
        if intent is not None and intent.id is not None:
            return Removed(number, path, intent.kind, intent.id)
        if entry is not None:
            return Removed(number, path, entry.kind, entry.id)
        return Withdrawn(number, "there is no such record")

    def _take(self, line: Line) -> int:
        """Let a line have its effect, and write it; in this order, for `save` may work where this fails."""
        self._check_writable()
        self._ledger.take(line)
        return self._journal.write(line)

    def _unsaved(self, why: str) -> StorageError:
        what = f"the manifest cannot be saved ({why}); what was done is in the journal {self._journal.path}"
        todo = "remove the cause and run `pressync sync` again"
        return StorageError(what, where=str(self._file.path), todo=todo)

    def _check_writable(self) -> None:
        if self._lock is None:
            raise ValueError("this state was opened for reading only")


def _check_entry(entry: Entry) -> None:
    _check_path(entry.path)
    if entry.id < 1:
        raise ManifestError(f"{entry.id} is no id of a record", where=entry.path, todo="ids count from 1")


def _check_path(path: str) -> None:
    if not manifest.is_path(path):
        what = f"{path!r} cannot be kept in a manifest, so nothing is sent for it"
        raise ManifestError(what, todo="rename the file, without control characters and in UTF-8")
