"""Reads files within their bounds, and checks that a file of the work tree may be written.

A file may be written if neither it nor a folder above it is a symlink. A symlink can be committed, and
`atomic_files.replace` writes to its target. A `.gitignore` of a stranger that is a symlink to `~/.bashrc`
would make pressync write there.
"""

from __future__ import annotations

from os import fstat
from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.model.bounds import FileBound


def read(file: Path, bound: FileBound) -> bytes:
    """Read a file; its size is asked first.

    :raises FileTooLarge: it is above the bound.
    :raises OSError: it cannot be read.
    """
    with file.open("rb") as opened:
        size = fstat(opened.fileno()).st_size
        if size:
            return bound.take(opened.read, size)
        # A pipe, as of `--config <(…)`, does not tell its size.
        data = opened.read(bound.most + 1)
    bound.check(len(data))
    return data


# What Git stores in the place of a file, by its first bytes.
_FILTERED = {
    b"version https://git-lfs.github.com/spec/": "is a pointer of Git LFS here",
    b"\0GITCRYPT\0": "is encrypted by git-crypt here",
}


def filtered(data: bytes) -> str:
    """Say which filter has left something else in the place of a file; "" if its first bytes show none."""
    return next((said for start, said in _FILTERED.items() if data.startswith(start)), "")


def symlink_on_path(root: Path, name: str) -> Path | None:
    """Find the first symlink on the path from the root of the work tree to a file, the file included."""
    path = root
    for part in name.split("/"):
        path = path / part
        if path.is_symlink():
            return path
    return None


def refuse_symlink(root: Path, name: str) -> None:
    """Raise ConfigError if a file of the work tree, named from the root, is a symlink or below one."""
    link = symlink_on_path(root, name)
    if link is not None:
        from shlex import quote  # noqa: PLC0415 - only an error needs it

        where = link.relative_to(root).as_posix()
        raise ConfigError(
            f"it is a symlink to {link.readlink()}, and pressync does not write through symlinks",
            where=where,
            todo=f"remove it (`git rm --cached -- {quote(where)}`), and put a file or a folder in its place",
        )
