"""The few steps by which files change so that a power cut cannot undo them: append, replace, remove.

It must not know what the files hold. What decided its shape: everything that must be durable goes
through these functions, so a test can put a disk underneath that forgets whatever was not synced.
All of them raise OSError as it comes; what it means is for the caller to say.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import sys
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Space is reserved in steps of this many bytes: a few hundred records.
CHUNK = 256 * 1024

_NEW = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW


def make_folder(path: Path, *, mode: int = 0o777) -> None:
    """Make a folder and those above it, durably; those that exist stay as they are."""
    if path.is_dir():
        # Who made it may have been killed before its name was durable. Where we may not look, nobody
        # made anything for us.
        with contextlib.suppress(PermissionError):
            sync_folder(path.parent)
        return
    make_folder(path.parent, mode=mode)
    try:
        path.mkdir(mode, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from error
    sync_folder(path.parent)


def replace(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Give a file new contents at once: whoever looks, now or after a power cut, sees all or nothing.

    A symbolic link stays one and its target is replaced; a file that exists keeps its mode. The name of
    the temporary file is fixed, so that one left by a crash is overwritten and not collected: the caller
    must hold the lock. Only where something else has that name, which a repository can commit, another one
    is made up.
    """
    target = path.resolve()
    with _beside(target, data, mode) as temporary:
        temporary.replace(target)
    sync_folder(target.parent)


def try_to_replace(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Take every step of `replace` that can fail but the last one, and leave nothing behind."""
    with _beside(path.resolve(), data, mode) as temporary:
        temporary.unlink()


@contextlib.contextmanager
def _beside(target: Path, data: bytes, mode: int) -> Iterator[Path]:
    """Write a temporary file beside the target; it is removed if the block fails."""
    temporary = target.with_name(f".{target.name}.new")
    try:
        descriptor = os.open(temporary, _NEW | os.O_TRUNC, mode)
    except OSError:
        # A folder or a link. No repository has a name that nobody knows beforehand.
        temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:12]}.new")
        descriptor = os.open(temporary, _NEW | os.O_EXCL, mode)
    try:
        _fill(descriptor, data, _mode_of(target))
        yield temporary
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def make_durable(path: Path) -> None:
    """Sync a file and its name; whoever wrote it may have been killed before that."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)
    sync_folder(path.resolve().parent)


def remove(path: Path) -> None:
    """Remove a file, durably; nothing happens if it is not there."""
    if path.exists():
        path.unlink()
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable: syncing a file does not sync the name that it has."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class AppendFile:
    """A file that grows at its end, in space that was reserved before it is needed."""

    def __init__(self, path: Path, *, end: int) -> None:
        """Open a file, or make it for its owner alone, and cut what is behind byte `end`.

        Its name is durable then, and so is the cut: later lines must not stand before the rest of a torn one.
        """
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        self._end = self._reserved = end
        try:
            if os.fstat(self._descriptor).st_size > end:
                os.ftruncate(self._descriptor, end)
                _sync(self._descriptor)
            # Also if it was there: the sync after a replacement may have failed.
            sync_folder(path.parent)
        except BaseException:
            self.close()
            raise

    def reserve(self, size: int) -> None:
        """Make sure that the next `size` bytes find their place, however full the disk is by then.

        The place is filled with NULs and not just allocated: that works on every file system, and later
        syncs have no block maps to write.
        """
        wanted = self._end + size
        if wanted > self._reserved:
            upto = -(-wanted // CHUNK) * CHUNK
            _write_at(self._descriptor, bytes(upto - self._reserved), self._reserved)
            self._reserved = upto

    def append(self, data: bytes) -> None:
        """Write at the end; if it fails, the end stays where it was."""
        _write_at(self._descriptor, data, self._end)
        self._end += len(data)
        self._reserved = max(self._reserved, self._end)

    def sync(self) -> None:
        """Return when everything that was appended before is on the disk."""
        _sync(self._descriptor)

    def close(self) -> None:
        """Close the file; what was not synced may still be lost."""
        os.close(self._descriptor)


def _mode_of(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _fill(descriptor: int, data: bytes, kept_mode: int | None) -> None:
    try:
        if kept_mode is not None:
            os.fchmod(descriptor, kept_mode)
        _write_at(descriptor, data, 0)
        _sync(descriptor)
    finally:
        os.close(descriptor)


def _write_at(descriptor: int, data: bytes, offset: int) -> None:
    rest = memoryview(data)
    while rest:
        # A disk that is almost full takes a part and says so only on the next try.
        written = os.pwrite(descriptor, rest, offset)
        rest = rest[written:]
        offset += written


def _sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        # fsync there stops at the drive's own cache.
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(descriptor)
