"""Files and folders that are this clone's own affair: 0600 and 0700, whatever the umask.

Notes, journals and the embedded site's texts hold drafts and private pages. A umask of 0 is common in
containers, and older versions left some of these files open to everybody, so what is there is closed as well.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING, BinaryIO

from pressync.state import atomic_files

if TYPE_CHECKING:
    from pathlib import Path

FILE, FOLDER = 0o600, 0o700
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def write(path: Path, data: bytes) -> None:
    """Replace a file at once and durably, and make its folder if it is not there.

    :raises OSError: it cannot be written.
    """
    atomic_files.make_folder(path.parent, mode=FOLDER)
    atomic_files.replace(path, data, mode=FILE)
    # It keeps the rights of what it replaced.
    close(path)


def opened(path: Path) -> BinaryIO:
    """Open an empty file to be written, in place of what is there.

    :raises OSError: it cannot be opened.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, FILE)
    close(path)
    return os.fdopen(descriptor, "wb")


def close(path: Path) -> None:
    """Take the rights of others from a file, or from a folder and everything below it.

    What belongs to somebody else stays as it is.
    """
    _close(path)
    for folder, folders, names in os.walk(path):
        for name in (*folders, *names):
            _close(os.path.join(folder, name))  # noqa: PTH118 - what `os.walk` gives


def _close(path: Path | str) -> None:
    with contextlib.suppress(OSError):
        mode = os.stat(path, follow_symlinks=False).st_mode  # noqa: PTH116 - of a link itself
        if mode & _OTHERS and not stat.S_ISLNK(mode):
            os.chmod(path, stat.S_IMODE(mode) & ~_OTHERS)  # noqa: PTH101 - the same
