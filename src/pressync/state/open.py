"""Opening the state of one site: the lock first, then what a killed run left, then both manifest and journal.

It must not know what they hold. What decided its shape: what is read is acted on, so nothing is read to be
written before nobody else writes it, and before no power cut can take it back.
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
    notes: CloneFiles,
    target: str,
    *,
    writable: bool,
    wait: float = 0.0,
    on_wait: Callable[[str], None] = lambda _sentence: None,
    command: str = "pressync",
) -> State:
    """Read manifest and journal, and put them together; a missing manifest is an empty one.

    `place` is the manifest's file, or what else keeps it. To write, the lock is taken first: `wait` is how
    long to try, in seconds, `on_wait` is told who holds it, and `command` is what others are told. To read,
    nothing on the disk is touched.

    :raises ManifestError: the manifest cannot be read, or is for another target.
    :raises JournalError: the journal is damaged, or is for another target.
    :raises LockHeld: another run holds the lock.
    :raises StorageError: the lock cannot be taken, or what a killed run left cannot be synced.
    """
    log = Journal(notes.journal, target)
    # In a bare repository the manifest is one of the notes; in a work tree it is a file like any other.
    is_note = place == notes.manifest
    keeper = ManifestFile(place, target, is_private=is_note) if isinstance(place, Path) else place
    if not writable:
        return State(keeper, notes.made, log, target, None)
    lock = Lock(notes.lock, command)
    lock.acquire(wait, on_wait)
    private_files.close(notes.directory)
    try:
        if log.path.exists():
            kept = (place,) if isinstance(place, Path) else ()
            _make_durable(log.path, *kept, notes.made)
        return State(keeper, notes.made, log, target, lock)
    except BaseException:
        lock.release()
        raise


def _make_durable(*paths: Path) -> None:
    """Sync what a killed run left: the next one acts on it, so no power cut may take it back."""
    for path in paths:
        try:
            atomic_files.make_durable(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            what = f"what the last run left cannot be synced ({error.strerror}), so nothing was sent"
            raise StorageError(
                what, where=str(path), todo="see that the disk is sound, and run again"
            ) from error
