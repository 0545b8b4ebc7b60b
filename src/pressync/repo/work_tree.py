"""Checks that a file of the work tree may be written: neither the file nor a folder above it is a symlink.

A symlink can be committed, and `atomic_files.replace` writes to its target. A `.gitignore` of a stranger that
is a symlink to `~/.bashrc` would make pressync write there.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def symlink_on_path(root: Path, name: str) -> Path | None:
    """Find the first symlink on the path from the root of the work tree to a file, the file included."""
    path = root
    for part in name.split("/"):
        path = path / part
        if path.is_symlink():
            return path
    return None


def refuse_symlink(root: Path, name: str) -> None:
    """Refuse to write a file of the work tree, named by its path from the root, through a symlink.

    :raises ConfigError: it is a symlink, or is below one.
    """
    link = symlink_on_path(root, name)
    if link is not None:
        where = link.relative_to(root).as_posix()
        raise ConfigError(
            f"it is a symlink to {link.readlink()}, and pressync does not write through symlinks",
            where=where,
            todo=f"remove it (`git rm --cached -- {quote(where)}`), and put a file or a folder in its place",
        )
