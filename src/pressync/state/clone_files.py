"""The names of the files in which a clone keeps its own data on one site, beside the manifest.

Several modules use the same files. If two of them spelled the name of the lock in two ways, the lock would
stop nobody. So each name is spelled once, here.

The lock of a site lets one process at a time write its manifest and its journal, and names that process. The
kernel keeps the lock (flock), so the lock of a dead process is free at once. The text in the file is for
people only. The file is never deleted: a process that waits for it would then lock a file that no other
process can find.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, Self

from pressync.model.errors import LockHeld, storing
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path


class CloneFiles(NamedTuple):
    """The files of the site of this name; all are in `directory`."""

    directory: Path
    site: str

    @classmethod
    def of(cls, common_directory: Path, site: str) -> Self:
        """Return the files of a clone; all its work trees share them, and they are never committed."""
        return cls(common_directory / "pressync", site)

    @property
    def lock(self) -> Path:
        """The lock; it names the process that writes the manifest and these files."""
        return self.directory / f"{self.site}.lock"

    @property
    def journal(self) -> Path:
        """The calls that were about to be sent, and their outcomes, until all are settled and saved."""
        return self.directory / f"{self.site}.journal"

    @property
    def made(self) -> Path:
        """A copy of the records that this clone put on the site, in case the manifest forgets them."""
        return self.directory / f"{self.site}.made"

    @property
    def log(self) -> Path:
        """The log of what this clone did and saw; `clone_log` names its facts."""
        return self.directory / f"{self.site}.log"

    @property
    def manifest(self) -> Path:
        """The manifest itself, if there is no work tree to hold it."""
        return self.directory / f"{self.site}.json"


# How often a waiting process tries again, in seconds.
_POLL = 0.05
_MOST_INFORMATION = 4096


class Lock:
    """The lock file of one site; `command` is the holder's command, which others can read."""

    def __init__(self, path: Path, command: str) -> None:
        self._path = path
        self._command = command
        self._descriptor: int | None = None

    def acquire(self, wait: float, on_wait: Callable[[str], None]) -> None:
        """Take the lock, and wait for it at most `wait` seconds; `on_wait` is called once with the holder.

        :raises LockHeld: another process still holds it.
        :raises StorageError: the file cannot be created or locked.
        """
        with self._taking():
            atomic_files.make_folder(self._path.parent, mode=0o700)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            self._wait(descriptor, wait, on_wait)
            information = {
                "pid": os.getpid(),
                "host": os.uname().nodename,
                "command": self._command,
                "since": datetime.now(UTC).astimezone().isoformat(" ", "seconds"),
            }
            with self._taking():
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, json.dumps(information).encode(), 0)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Release the lock; do nothing if it is not held."""
        if self._descriptor is not None:
            # The text is for people, and nobody reads it when nobody holds the lock.
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    def _wait(self, descriptor: int, wait: float, on_wait: Callable[[str], None]) -> None:
        deadline = time.monotonic() + wait
        told = False
        while True:
            with self._taking(), contextlib.suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if time.monotonic() >= deadline:
                holder = _holder(descriptor)
                raise LockHeld(f"{holder} holds the lock of this site", todo="try again when it is done")
            if not told:
                on_wait(f"waiting for {_holder(descriptor)}")
                told = True
            time.sleep(_POLL)

    def _taking(self) -> AbstractContextManager[None]:
        todo = "make its folder writable, and see that the disk is not full"
        return storing(self._path, "the lock cannot be taken", todo, so=", so nothing was sent")


def _holder(descriptor: int) -> str:
    """Describe the holder: "process 123 on host x, `pressync sync`, since 2024-01-31 12:00:01+01:00"."""
    try:
        said = json.loads(os.pread(descriptor, _MOST_INFORMATION, 0))
        return f"process {said['pid']} on host {said['host']}, `{said['command']}`, since {said['since']}"
    except (ValueError, LookupError, TypeError):
        # The holder has the lock, but has not yet written its name.
        return "another process"
