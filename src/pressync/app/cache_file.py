"""Names the files in the cache folder of the user, and the state of the program that wrote them.

Anybody may delete them.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from stat import S_IMODE
from typing import TYPE_CHECKING

import pressync
from pressync.config.environment import cache_folder
from pressync.model.fingerprint import small_digest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.repo.repository import Repository

# A file of an older form has this number in its name, so a newer pressync does not open it.
_FORM = 4
# Seconds, of 60 days.
_LONG = 60 * 24 * 3600
_WRITABLE_BY_OTHERS = 0o022
_PRIVATE = 0o700


def of_check(repository: Repository, site: str, environ: Mapping[str, str]) -> Path | None:
    """Name the cache of `check` for a site of a clone; None without a home, or if others may write there."""
    cache = cache_folder(environ)
    if cache is None:
        return None
    folder = cache / "check"
    try:
        folder.mkdir(_PRIVATE, parents=True, exist_ok=True)
        state = folder.stat()
    except OSError:
        return None
    if state.st_uid != os.geteuid() or S_IMODE(state.st_mode) & _WRITABLE_BY_OTHERS:
        return None
    _forget_old(folder)
    key = f"{repository.common_directory}\n{repository.root}\n{site}"
    return folder / f"{small_digest(key.encode(errors='surrogateescape'))}-{_FORM}.sqlite"


def _forget_old(folder: Path) -> None:
    """Remove the caches that no check has used for long: their clones are gone, or nobody works there."""
    oldest = time.time() - _LONG
    for entry in os.scandir(folder):
        with suppress(OSError):
            if entry.stat(follow_symlinks=False).st_mtime < oldest:
                os.unlink(entry.path)  # noqa: PTH108 - pathlib doubles the cost


def program_state() -> str:
    """Tell one state of this program from another: also while somebody works on it."""
    waiting, seen = [os.path.dirname(pressync.__file__)], [pressync.__version__]  # noqa: PTH120 - pathlib is slower
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    seen.append(f"{entry.name} {status.st_size} {status.st_mtime_ns}")
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return small_digest("\n".join(sorted(seen)).encode())
