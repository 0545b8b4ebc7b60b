"""Whether a file of the work tree may be written: it, and each folder above it, must not be a link.

A link can be committed, and `files.replace` writes to the end of one. A stranger's `.gitignore` that leads to
`~/.bashrc` would have us write there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def symlink_on_path(root: Path, name: str) -> Path | None:
    """Find the first link on the way from the root of the work tree to a file, the file included."""
    place = root
    for part in name.split("/"):
        place = place / part
        if place.is_symlink():
            return place
    return None


def refuse_symlink(root: Path, name: str) -> None:
    """Refuse to write a file of the work tree, named by its path from the root, through a link.

    :raises ConfigError: it is a link, or is below one.
    """
    link = symlink_on_path(root, name)
    if link is not None:
        where = link.relative_to(root).as_posix()
        raise ConfigError(
            f"it is a link to {link.readlink()}, and pressync writes through no link",
            where=where,
            todo=f"put a file or a folder in its place: `git rm --cached -- {where}`, and remove it",
        )
