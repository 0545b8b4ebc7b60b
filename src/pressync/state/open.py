"""Opens the state of one site: takes the lock, syncs the files of a killed run, reads manifest and journal.

pressync makes decisions from what it reads. So nobody may change the files after they were read, and no power
cut may undo them. That is why the lock and the sync come before the read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.errors import StorageError
from pressync.state import atomic_files, private_files
from pressync.state.journal import Journal
from pressync.state.lock import Lock
from pressync.state.manifest_file import ManifestFile
from pressync.state.state import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.state.clone_files import CloneFiles
    from pressync.state.manifest_store import ManifestStore


def open_state(
    place: Path | ManifestStore,
    files: CloneFiles,
    target: str,
    *,
    writable: bool,
    wait: float = 0.0,
    on_wait: Callable[[str], None] = lambda _sentence: None,
    command: str = "pressync",
) -> State:
    """Read manifest and journal, and replay the one over the other; a missing manifest is empty.

    `place` is the manifest's file or store. A `writable` state takes the lock first: `wait` is how long to
    try, in seconds, `on_wait` is called with the holder, and other runs can read our `command`. A state for
    reading changes nothing on the disk.

    :raises ManifestError: the manifest cannot be read, or it is for another target.
    :raises JournalError: the journal is damaged, or it is for another target.
    :raises LockHeld: another run holds the lock.
    :raises StorageError: the lock cannot be taken, or the files of a killed run cannot be synced.
    """
    journal = Journal(files.journal, target)
    # In a bare repository the manifest is one of the clone's own files, and so it is private.
    is_private = place == files.manifest
    store = ManifestFile(place, target, is_private=is_private) if isinstance(place, Path) else place
    if not writable:
        return State(store, files.made, journal, target, None)
    lock = Lock(files.lock, command)
    lock.acquire(wait, on_wait)
    private_files.close(files.directory)
    try:
        if journal.path.exists():
            saved = (place,) if isinstance(place, Path) else ()
            _make_durable(journal.path, *saved, files.made)
        return State(store, files.made, journal, target, lock)
    except BaseException:
        lock.release()
        raise


def _make_durable(*paths: Path) -> None:
    """Sync the files that a killed run left. This run acts on them, so no power cut may undo them."""
    for path in paths:
        try:
            atomic_files.make_durable(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            what = f"the files of the last run cannot be synced ({error.strerror}), so nothing was sent"
            raise StorageError(what, where=str(path), todo="check the disk, and run again") from error
