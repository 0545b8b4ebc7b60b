"""Changes files so that a power cut cannot undo the change, and so that nobody else reads the private ones.

Everything that must be durable goes through these functions. So a test can put a disk underneath that forgets
all that was not synced. The functions raise OSError, and the caller says what the error means.

Private files and folders have the modes 0600 and 0700, whatever the umask is. The clone's own files, the
journals and the texts of the embedded site hold drafts and private pages. A umask of 0 is common in
containers, and older versions left some of these files open to everybody. So existing files are closed as
well.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import sys
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# Space is reserved in steps of this many bytes: a few hundred records.
CHUNK = 256 * 1024
# One object for all of them: each thread that makes its own keeps the space of it.
_NULS = memoryview(bytes(CHUNK))

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_NEW = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW


def make_folder(path: Path, *, mode: int = 0o777) -> None:
    """Make a folder and its parents, durably; a folder that exists stays as it is."""
    if path.is_dir():
        # The process that made the folder may have been killed before the name was durable. If we may not
        # open the parent, we did not make the folder.
        with contextlib.suppress(PermissionError):
            sync_folder(path.parent)
        return
    make_folder(path.parent, mode=mode)
    try:
        path.mkdir(mode, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from error
    sync_folder(path.parent)


def replace(path: Path, data: bytes | Iterable[bytes], *, mode: int = 0o666, time: int | None = None) -> None:
    """Replace the content of a file in one step, so that no reader and no power cut sees half of it.

    `data` may be pieces; if one cannot be made, the file stays as it is. `time` is the time of the last
    change in nanoseconds, for a file that keeps its content.

    A symbolic link stays a link, and its target is replaced. A file that exists keeps its mode. The temporary
    file has a fixed name, so that the next run overwrites one that a crash left; the caller must hold the
    lock. A repository can commit something else by that name, and then the temporary file gets a random name.
    """
    target = path.resolve()
    with _beside(target, data, mode, time) as temporary:
        temporary.replace(target)
    sync_folder(target.parent)


def append(path: Path, pieces: Iterable[bytes], *, mode: int) -> None:
    """Write durably behind the end of a file, or create it; a line that a crash tore ends before."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, mode)
    try:
        begin = end = os.fstat(descriptor).st_size
        is_torn = end > 0 and os.pread(descriptor, 1, end - 1) != b"\n"
        for data in chain([b"\n"] if is_torn else [], pieces):
            _write_at(descriptor, data, end)
            end += len(data)
        _sync(descriptor)
    finally:
        os.close(descriptor)
    if begin == 0:
        sync_folder(path.parent)


def try_to_replace(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Take every step of `replace` but the last one, to see whether one fails, and leave nothing behind."""
    with _beside(path.resolve(), data) as temporary:
        temporary.unlink()


@contextlib.contextmanager
def _beside(
    target: Path, data: bytes | Iterable[bytes], mode: int = 0o666, time: int | None = None
) -> Iterator[Path]:
    """Write a temporary file beside the target, and remove it if the block fails."""
    temporary = target.with_name(f".{target.name}.new")
    try:
        descriptor = os.open(temporary, _NEW | os.O_TRUNC, mode)
    except OSError:
        # A folder or a link has this name. A repository cannot have committed a random name.
        import uuid  # noqa: PLC0415 - few repositories have such a name

        temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:12]}.new")
        descriptor = os.open(temporary, _NEW | os.O_EXCL, mode)
    try:
        _fill(descriptor, target, [data] if isinstance(data, bytes) else data, time)
        yield temporary
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def make_durable(path: Path) -> None:
    """Sync a file and its name, because the process that wrote it may have been killed before it did."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)
    sync_folder(path.resolve().parent)


def remove(path: Path) -> None:
    """Remove a file, durably; do nothing if it does not exist."""
    if path.exists():
        path.unlink()
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable; the sync of a file does not sync its name."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_private(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Replace a file in one step and durably, and make its folder if it does not exist."""
    make_folder(path.parent, mode=PRIVATE_FOLDER)
    replace(path, data, mode=PRIVATE_FILE)
    # The new file has the mode of the file that it replaced.
    make_private(path)


def open_private(path: Path) -> BinaryIO:
    """Open a file for writing, and empty it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, PRIVATE_FILE)
    make_private(path)
    return os.fdopen(descriptor, "wb")


def make_private(path: Path) -> None:
    """Remove the rights of group and others from a file, or from a folder and all that is below it.

    A file of another owner stays as it is.
    """
    _close(path)
    for folder, folders, names in os.walk(path):
        for name in (*folders, *names):
            _close(os.path.join(folder, name))  # noqa: PTH118 - `os.walk` gives strings


class AppendFile:
    """A file that grows at its end, in space that is reserved before it is needed."""

    def __init__(self, path: Path, *, end: int) -> None:
        """Open a file, or create it for its owner alone, and cut off everything from byte `end` on.

        The name and the cut are durable then: the rest of a torn line must not follow later lines.
        """
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        self._end = self._reserved = end
        try:
            if os.fstat(self._descriptor).st_size > end:
                os.ftruncate(self._descriptor, end)
                _sync(self._descriptor)
            # This is also done for a file that existed: the sync after a replacement may have failed.
            sync_folder(path.parent)
        except BaseException:
            self.close()
            raise

    def reserve(self, size: int) -> None:
        """Make sure that the next `size` bytes can be written, even if the disk is full by then.

        The space is filled with NULs and not only allocated. That works on every file system, and later syncs
        need not write block maps.
        """
        wanted = self._end + size
        if wanted > self._reserved:
            upto = -(-wanted // CHUNK) * CHUNK
            while self._reserved < upto:
                nuls = _NULS[: upto - self._reserved]
                _write_at(self._descriptor, nuls, self._reserved)
                self._reserved += len(nuls)

    def append(self, data: bytes) -> None:
        """Write at the end; after a failure the end is where it was."""
        _write_at(self._descriptor, data, self._end)
        self._end += len(data)
        self._reserved = max(self._reserved, self._end)

    def sync(self) -> None:
        """Return when all that was appended before is on the disk."""
        _sync(self._descriptor)

    def close(self) -> None:
        """Close the file; data that was not synced may still be lost."""
        os.close(self._descriptor)


def _fill(descriptor: int, target: Path, pieces: Iterable[bytes], time: int | None) -> None:
    try:
        with contextlib.suppress(FileNotFoundError):
            os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
        offset = 0
        for data in pieces:
            _write_at(descriptor, data, offset)
            offset += len(data)
        if time is not None:
            os.utime(descriptor, ns=(time, time))
        _sync(descriptor)
    finally:
        os.close(descriptor)


def _write_at(descriptor: int, data: bytes | memoryview, offset: int) -> None:
    rest = memoryview(data)
    while rest:
        # A disk that is almost full writes a part, and reports the error only on the next write.
        written = os.pwrite(descriptor, rest, offset)
        rest = rest[written:]
        offset += written


def _sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        # On macOS, fsync stops at the drive's own cache.
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(descriptor)


def _close(path: Path | str) -> None:
    with contextlib.suppress(OSError):
        mode = os.stat(path, follow_symlinks=False).st_mode  # noqa: PTH116 - of a link itself
        if mode & _OTHERS and not stat.S_ISLNK(mode):
            os.chmod(path, stat.S_IMODE(mode) & ~_OTHERS)  # noqa: PTH101 - the same
