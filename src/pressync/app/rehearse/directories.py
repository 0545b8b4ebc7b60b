"""The folders of the stages, in the Git directory: one for each rehearsal that runs, and those that are kept.

A rehearsal that is killed cannot remove its folder. The kernel releases the lock of a dead process, so the
next rehearsal knows by the lock which folders nobody uses any more.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.app import embedded_server
from pressync.model.errors import StorageError
from pressync.state import atomic_files, private_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_RUNNING, _KEPT = "running-", "kept-"


@dataclass
class StageFolder:
    """The folder of a rehearsal that runs; `keep` names it for good when the block ends."""

    path: Path
    kept: Path | None = None

    def keep(self, name: str) -> Path:
        """Have the folder kept below a name; an older one of that name is replaced, unless it is served."""
        wanted = self.path.with_name(f"{_KEPT}{name}")
        number = 2
        while embedded_server.find(wanted):
            wanted = self.path.with_name(f"{_KEPT}{name}-{number}")
            number += 1
        self.kept = wanted
        return wanted


def root(home: Path) -> Path:
    """Name the folder of all stages of a Git directory."""
    return home / "pressync" / "rehearsals"


@contextmanager
def opened(home: Path) -> Iterator[StageFolder]:
    """Make a folder for one rehearsal, and remove it at the end unless it is to be kept.

    Folders of rehearsals that were killed are removed first.

    :raises StorageError: the folder cannot be made or moved.
    """
    place = root(home)
    folder = StageFolder(place / f"{_RUNNING}{os.getpid()}-{secrets.token_hex(4)}")
    with ExitStack() as locks:
        try:
            # Between its creation and its lock, a folder would look abandoned to another rehearsal.
            with _locked(home, wait=True):
                _remove_abandoned(place)
                atomic_files.make_folder(folder.path, mode=private_files.FOLDER)
                locks.enter_context(_locked(folder.path))
            yield folder
            if folder.kept:
                shutil.rmtree(folder.kept, ignore_errors=True)
                folder.path.rename(folder.kept)
        except OSError as error:
            what = f"the folder of the stage cannot be used ({error.strerror or error})"
            todo = "see that the disk is not full and the folder can be written"
            raise StorageError(what, where=str(folder.path), todo=todo) from error
        finally:
            shutil.rmtree(folder.path, ignore_errors=True)
            for empty in (place, place.parent):
                with suppress(OSError):
                    empty.rmdir()


def _remove_abandoned(place: Path) -> None:
    """Remove the folders whose rehearsal has ended without removing them."""
    for folder in place.glob(f"{_RUNNING}*"):
        with suppress(BlockingIOError), _locked(folder):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold the lock of a folder itself, which needs no file. BlockingIOError: another process holds it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)
