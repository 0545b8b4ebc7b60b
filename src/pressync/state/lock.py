"""The lock of one site: one process at a time writes its manifest and journal, and others can say which.

It must not know what is locked. The decision that shaped it: the lock is the kernel's (flock), so that of
a dead process is free at once; what is written in the file is for people only. The file is never deleted,
for whoever waits for it would then hold the lock of a file that nobody else can find.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pressync.model.errors import LockHeld, StorageError
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# How often a waiting process tries again, in seconds.
_POLL = 0.05
_MOST_INFORMATION = 4096


class Lock:
    """The lock file of one site; `command` is what its holder is doing, for others to read."""

    def __init__(self, path: Path, command: str) -> None:
        self._path = path
        self._command = command
        self._descriptor: int | None = None

    def acquire(self, wait: float, on_wait: Callable[[str], None]) -> None:
        """Take the lock, waiting at most `wait` seconds; `on_wait` is told once who holds it.

        :raises LockHeld: somebody still holds it.
        :raises StorageError: the file cannot be made or locked.
        """
        try:
            atomic_files.make_folder(self._path.parent, mode=0o700)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            self._wait(descriptor, wait, on_wait)
            self._inform(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Let the lock go; nothing happens if it is not held."""
        if self._descriptor is not None:
            # What stands in it is for people, and of a lock that nobody holds nobody reads it.
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    def _wait(self, descriptor: int, wait: float, on_wait: Callable[[str], None]) -> None:
        deadline = time.monotonic() + wait
        told = False
        while not self._taken(descriptor):
            if time.monotonic() >= deadline:
                holder = _holder(descriptor)
                raise LockHeld(f"{holder} holds the lock of this site", todo="try again when it is done")
            if not told:
                on_wait(f"waiting for {_holder(descriptor)}")
                told = True
            time.sleep(_POLL)

    def _taken(self, descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise self._unusable(error) from error
        return True

    def _inform(self, descriptor: int) -> None:
        since = datetime.now(UTC).astimezone().isoformat(" ", "seconds")
        information = {
            "pid": os.getpid(),
            "host": os.uname().nodename,
            "command": self._command,
            "since": since,
        }
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(information).encode(), 0)
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> StorageError:
        what = f"the lock cannot be taken ({error.strerror}), so nothing was sent"
        return StorageError(what, where=str(self._path), todo="make its folder writable, on a disk with room")


def _holder(descriptor: int) -> str:
    """Name the holder in words: "process 123 on host x, `pressync sync`, since 2024-01-31 12:00:01+01:00"."""
    try:
        said = json.loads(os.pread(descriptor, _MOST_INFORMATION, 0))
        return f"process {said['pid']} on host {said['host']}, `{said['command']}`, since {said['since']}"
    except (ValueError, LookupError, TypeError):
        # It has the lock already, and has not written yet who it is.
        return "another process"
