"""The state of one site: manifest and journal, opened together.

People and Git also write the manifest. So pressync reads it and saves it as a whole, and between the two the
journal holds the truth. A process may be killed at any step:

    1. lock, read, replay       nothing has changed
    2. intend: line, sync       nothing was sent; at worst a create is unconfirmed that was never called
    3.   the call               open: a create is unconfirmed; an update or delete is sent again
    4. settle: line, sync       the next run replays the line over the old manifest
    5. save: manifest replaced  the next run replays the lines over the new manifest, with the same result
    6. copy and log are saved   replayed as before; the journal still names a removed record
    7. journal compacted        only the unconfirmed creates are left in it

An unconfirmed create stands in both files. Other clones may settle it, so it is in the manifest. Git may put
an older manifest back, so it is also in the journal. The journal is read before the manifest: a line that
another process has just removed from the journal is then already in the manifest.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from msgspec import structs

from pressync.model import errors
from pressync.model.bounds import check_entry, check_path
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.model.records import Entry, Manifest, Medium, Name, NamedId, UnconfirmedCreate
from pressync.state import atomic_files
from pressync.state.clone_facts import CreatedCopy, Vouched
from pressync.state.clone_files import Lock
from pressync.state.clone_log import CloneLog
from pressync.state.journal import Journal
from pressync.state.journal_lines import (
    Done,
    Forgotten,
    Intent,
    Learned,
    Removed,
    Resolved,
    Withdrawn,
    by_path,
    recover,
)
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pressync.model.interface import Kind
    from pressync.state.clone_files import CloneFiles
    from pressync.state.journal_lines import Action, Line
    from pressync.state.manifest_ref import ManifestRef

    ManifestStore = ManifestFile | ManifestRef

_NOTHING: Mapping[Name, int] = MappingProxyType({})
# A save may find that another machine was first. It reads and merges again at most this many times.
_TRIES = 5


class State:
    """The state of one site. Use it as a context manager; threads may share it.

    A method that writes raises `StorageError` if the journal cannot be written. `save` may still work then.
    """

    def __init__(
        self, store: ManifestStore, journal: Journal, log: CloneLog, made: Path, lock: Lock | None
    ) -> None:
        """Use `open_state` instead; a state without a lock is for reading only."""
        self._store, self._journal, self._lock = store, journal, lock
        self.one_sync = journal.one_sync
        self._order = threading.RLock()  # the journal gets its lines in the order of the ledger
        # A thread renews the claim. Each commit of the manifest must have all that the one before it had.
        self._commits = threading.Lock()
        # True if there may be something to save: lines of a killed run, or a change by this run.
        self._touched = bool(lines := journal.read())
        self._read(lines)
        self.log = log
        if lock is not None:
            self.log.take_in_earlier()
        self.created_copy = CreatedCopy(made, self.log, lines)
        self.vouched = Vouched(self.log, lines)
        if lock is not None:
            self.forgotten_by_manifest  # noqa: B018 - a record that this run deletes is not a forgotten one

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def unconfirmed(self) -> Mapping[str, UnconfirmedCreate]:
        """The unconfirmed creates by path; calls that are under way are among them."""
        with self._order:
            return by_path(self._ledger.unconfirmed)

    def holder(self, kind: Kind, number: int) -> str | None:
        """Return the path that has this record; None if the manifest does not have the record."""
        with self._order:
            return self._ledger.holder(kind, number)

    @property
    def whole(self) -> Manifest:
        """The manifest with its unconfirmed creates, as `save` would write it now."""
        with self._order:
            mark = self._ledger.rolled_back
            return replace(self.manifest, unconfirmed=self._ledger.unconfirmed, rolled_back=mark)

    @cached_property
    def forgotten_by_manifest(self) -> dict[str, Entry]:
        """The records that this clone put on the site and that the manifest has forgotten, by path."""
        entries, rows = self.manifest.entries, None if self._ledger.changed else self._store.records
        return self.created_copy.forgotten_by_manifest(entries, to_read=self._lock is None, records=rows)

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
        """Write a call into the journal before it is sent, and return its number when it is durable.

        Give the number to `settle` or to `withdraw`. Without either, the call stays unconfirmed.

        :raises StorageError: the line could not be written, so the call must not be sent.
        """
        self._check_writable()
        check_path(path)
        time = datetime.now(UTC).isoformat(timespec="seconds")
        with self._order:
            number = self._ledger.next_number
            self._touched = True
            intent = Intent(number, action, path, kind, id, slug, dict(fingerprints), commit, blob, time)
            ticket = self._journal.write(intent, under_way=len(self._ledger.open))
            self._ledger.take(intent)
            self.vouched.take(intent)
        try:
            self._journal.sync(ticket, intent)
        except errors.StorageError as error:
            # The call will not be sent. If the manifest can still be saved, the create is not unconfirmed.
            with self._order:
                self._ledger.take(Withdrawn(number, error.what))
            raise
        return number

    def settle(self, number: int, path: str, entry: Entry | None) -> None:
        """Write down that a call was carried out; `entry` is what the manifest now says, None for none."""
        with self._order:
            line = Done(number, (entry,)) if entry else self._ledger.removal(number, path)
            ticket = self._take(line)
        self._journal.sync(ticket, line)

    def withdraw(self, number: int, why: str) -> None:
        """Write down that a call was certainly not carried out."""
        self.write(Withdrawn(number, why))

    def put(self, *entries: Entry) -> None:
        """Set entries without a call, all in one line of the journal, so that two can swap their names.

        The line is in the journal at once. The next sync of the journal, or `save`, makes it durable.
        """
        for entry in entries:
            check_entry(entry)
        with self._order:
            self._take(Done(0, entries))

    def drop(self, path: str) -> None:
        """Remove an entry, or a record that the manifest has forgotten, without a call; durable like `put`.

        :raises KeyError: the path has neither.
        """
        forgotten = self.forgotten_by_manifest.pop(path, None)
        with self._order:
            entry = self._ledger.entries.get(path)
            if entry is not None:
                self._take(Removed(0, path, entry.kind, entry.id))
            elif forgotten is None:
                raise KeyError(path)

    def learn(self, *, names: Mapping[Name, int] = _NOTHING, media: Iterable[Medium] = ()) -> None:
        """Note the ids of names, and the files that are on the site; durable like `put`."""
        with self._order:
            self._take(Learned(tuple(NamedId.of(*pair) for pair in names.items()), tuple(media)))

    def unlearn(self, *, names: Iterable[Name] = (), media: Iterable[str] = ()) -> None:
        """Forget names, and files by their blob ids; durable like `put`."""
        with self._order:
            self._take(Forgotten(tuple(names), tuple(media)))

    def resolve(self, path: str, entry: Entry | None) -> None:
        """Settle the unconfirmed creates of a path: they made this entry's record, or (None) nothing.

        :raises KeyError: no create is unconfirmed there.
        """
        with self._order:
            settled = tuple(create for create in self._ledger.unconfirmed if create.path == path)
            if not settled:
                raise KeyError(path)
            self.write(Resolved(settled, entry))

    def claim(self, creates: Iterable[UnconfirmedCreate], about: str) -> None:
        """Tell other machines that this run begins, and what it creates; Overtaken if one was first."""
        self._check_writable()
        self._touched = True
        with self._commits:
            self._store.claim(self.whole, tuple(creates), about, self._ledger.changed)

    @property
    def pulse(self) -> float:
        """How often the claim has to be renewed, in seconds; 0 if no other machine sees it."""
        return self._store.pulse

    def renew(self) -> None:
        """Show other machines that this run is still working; Overtaken if another run has taken over."""
        with self._commits:
            with self._order:
                whole = self.whole
                names, media = dict(whole.names), dict(whole.media)
                manifest = replace(whole, entries=dict(whole.entries.items()), names=names, media=media)
                changed = frozenset(self._ledger.changed)
            self._store.renew(manifest, changed)

    def save(self, about: str = "") -> None:
        """Save the manifest, then cut the journal to the unconfirmed creates; `about` is a line of history.

        An unchanged manifest is not written. If another machine was first, the two manifests are merged.

        :raises StorageError: the manifest cannot be saved, or has changed since it was read. The journal
            stays as it is, and the next run reads both.
        """
        self._check_writable()
        if not (self._touched or self._store.pulse) and self.created_copy.is_current:
            # A store that other machines see must still be told that the run has ended.
            return
        with self._commits, self._order:
            try:
                self._save(about)
            except (OSError, errors.ManifestError, errors.RepositoryError, errors.SafetyRefusal) as error:
                why = (error.strerror or str(error)) if isinstance(error, OSError) else error.what
                problem = f"the manifest cannot be saved ({why})"
                raise errors.StorageError(
                    f"{problem}; what was done is in the journal {self._journal.path}",
                    where=self._store.where,
                    todo="remove the cause and run `pressync sync` again",
                ) from error
            # The journal must still have its lines: records that it removes do not count as forgotten.
            self.created_copy.is_current &= not self._ledger.changed
            self.created_copy.save(self.manifest.entries, self.forgotten_by_manifest, self._store.records)
            self.vouched.save()
            self._journal.compact(structs.replace(intent, told=True) for intent in self._ledger.open)

    def _save(self, about: str) -> None:
        for attempt in range(_TRIES):
            if attempt:
                # As after a crash: the journal has the work of this run, the manifest that of the other.
                self._read(self._journal.read())
                self.created_copy.is_current = False
            self._ledger.mark()
            try:
                self._store.save(self.whole, about, self._ledger.changed)
            except errors.Overtaken:
                if attempt == _TRIES - 1 or self._journal.broken:
                    raise
            else:
                return

    def _read(self, lines: Iterable[Line]) -> None:
        manifest = self._store.read(writable=self._lock is not None)
        # Without a manifest this is the first run, or the manifest was lost.
        self.has_manifest = self._store.is_there
        self.refusal = self._store.refusal
        self._ledger = recover(manifest, lines, goes_back=self._store.goes_back)
        # It has no unconfirmed creates: they change while other threads read.
        self.manifest = Manifest(
            manifest.target, self._ledger.entries, self._ledger.names, self._ledger.media
        )

    def close(self) -> None:
        """Close the journal and release the lock. Nothing is saved."""
        self._journal.close()
        if self._lock is not None:
            self._lock.release()

    def write(self, line: Line) -> None:
        """Write a line, and return when it is durable."""
        with self._order:
            ticket = self._take(line)
        self._journal.sync(ticket, line)

    def _take(self, line: Line) -> int:
        """Apply a line, then write it. The order matters: `save` may still work where the write fails."""
        self._check_writable()
        self._touched = True
        self._ledger.take(line)
        self.created_copy.take(line)
        self.vouched.take(line)
        return self._journal.write(line)

    def _check_writable(self) -> None:
        if self._lock is None:
            raise ValueError("this state was opened for reading only")


def open_state(
    place: Path | ManifestStore,
    files: CloneFiles,
    target: str,
    types: SiteTypes = DOCUMENTED_TYPES,
    *,
    writable: bool,
    wait: float = 0.0,
    on_wait: Callable[[str], None] = lambda _sentence: None,
) -> State:
    """Read manifest and journal, and replay the one over the other; a missing manifest is empty.

    `place` is the manifest's file or store, and the site has these `types`. A `writable` state takes the lock
    first: `wait` is how long to try, in seconds, and `on_wait` is called with the holder. A state for reading
    changes nothing on the disk.

    :raises ManifestError: the manifest cannot be read, or it is for another target.
    :raises JournalError: the journal is damaged, or it is for another target.
    :raises LockHeld: another run holds the lock.
    :raises StorageError: the lock cannot be taken, or the files of a killed run cannot be synced.
    """
    journal, log = Journal(files.journal, target, types), CloneLog(files, target, types)
    # In a bare repository the manifest is one of the clone's own files, and so it is private.
    is_private = place == files.manifest
    store = ManifestFile(place, target, types, is_private=is_private) if isinstance(place, Path) else place
    if not writable:
        return State(store, journal, log, files.made, None)
    lock = Lock(files.lock, "pressync")
    lock.acquire(wait, on_wait)
    atomic_files.make_private(files.directory)
    try:
        if journal.path.exists():
            # This run acts on the files that a killed run left, so no power cut may undo them.
            saved = (place,) if isinstance(place, Path) else ()
            problem, todo = "the files of the last run cannot be synced", "check the disk, and run again"
            for path in (journal.path, *saved, files.made, files.log):
                with (
                    errors.storing(path, problem, todo, so=", so nothing was sent"),
                    suppress(FileNotFoundError),
                ):
                    atomic_files.make_durable(path)
        return State(store, journal, log, files.made, lock)
    except BaseException:
        lock.release()
        raise


@dataclass(frozen=True, slots=True)
class PlanMemory:
    """Learns for one plan, which changes nothing; `manifest` has the new ids and entries."""

    manifest: Manifest
    _entries: dict[str, Entry]
    _names: dict[Name, int]
    _media: dict[str, Medium]

    @classmethod
    def beside(cls, manifest: Manifest) -> Self:
        """Begin with what a manifest has."""
        entries, names, media = dict(manifest.entries.items()), dict(manifest.names), dict(manifest.media)
        return cls(replace(manifest, entries=entries, names=names, media=media), entries, names, media)

    def put(self, *entries: Entry) -> None:
        """Set entries."""
        self._entries.update({entry.path: entry for entry in entries})

    def learn(self, *, names: Mapping[Name, int] = _NOTHING, media: Iterable[Medium] = ()) -> None:
        """Note the ids of names, and the files that are on the site."""
        self._names.update(names)
        self._media.update({medium.blob: medium for medium in media})

    def unlearn(self, *, names: Iterable[Name] = (), media: Iterable[str] = ()) -> None:
        """Forget names, and files by their blob ids."""
        for name in names:
            self._names.pop(name, None)
        for blob in media:
            self._media.pop(blob, None)


# It knows entries and the ids of names and files on a site. It learns more, for good or for one plan.
Learner = State | PlanMemory
