"""Writes files and folders that only their owner may read: modes 0600 and 0700, whatever the umask is.

The clone's own files, the journals and the texts of the embedded site hold drafts and private pages. A umask
of 0 is common in containers, and older versions left some of these files open to everybody. So existing files
are closed as well.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING, BinaryIO

from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE, FOLDER = 0o600, 0o700
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def write(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Replace a file in one step and durably, and make its folder if it does not exist.

    :raises OSError: the file cannot be written.
    """
    atomic_files.make_folder(path.parent, mode=FOLDER)
    atomic_files.replace(path, data, mode=FILE)
    # The new file has the mode of the file that it replaced.
    close(path)


def opened(path: Path) -> BinaryIO:
    """Open a file for writing, and empty it.

    :raises OSError: the file cannot be opened.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, FILE)
    close(path)
    return os.fdopen(descriptor, "wb")


def close(path: Path) -> None:
    """Remove the rights of group and others from a file, or from a folder and all that is below it.

    A file of another owner stays as it is.
    """
    _close(path)
    for folder, folders, names in os.walk(path):
        for name in (*folders, *names):
            _close(os.path.join(folder, name))  # noqa: PTH118 - `os.walk` gives strings


def _close(path: Path | str) -> None:
    with contextlib.suppress(OSError):
        mode = os.stat(path, follow_symlinks=False).st_mode  # noqa: PTH116 - of a link itself
        if mode & _OTHERS and not stat.S_ISLNK(mode):
            os.chmod(path, stat.S_IMODE(mode) & ~_OTHERS)  # noqa: PTH101 - the same
