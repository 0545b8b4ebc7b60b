"""Paths as people type them -> paths from the repository's root, as Git and the manifest write them.

It must not know Git or manifests: what they hold is handed in. What decided its shape: many paths are
looked up against one listing, because a list of thousands must not list the tree once per row.
"""

from __future__ import annotations

import os.path
import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class WorkingPlace:
    """Where paths are typed: the current folder, the repository's root (None if bare), the content folder."""

    directory: Path
    root: Path | None
    content: str


def resolved(
    arguments: Iterable[str], place: WorkingPlace, known: Iterable[str], *, committed: bool = False
) -> list[str]:
    """Give each argument as a path from the root, "" for the root itself.

    Tried in this order: from the current folder, from the root, from the content folder. `known` are the
    files that are committed or in the manifest; what is on the disk alone is found last, and is refused where
    only what is `committed` counts.

    :raises ConfigError: an argument is none of these.
    """
    there = _with_folders(known)
    return [_resolved(argument, place, there, committed=committed) for argument in arguments]


def is_below(path: str, chosen: Iterable[str]) -> bool:
    """Tell whether a path is one of the chosen ones or below one; "" is the root."""
    return any(not each or path == each or path.startswith(f"{each}/") for each in chosen)


def _resolved(argument: str, place: WorkingPlace, there: set[str], *, committed: bool) -> str:
    candidates = _candidates(argument, place)
    for candidate in candidates:
        if candidate in there:
            return candidate
    for candidate in candidates:
        if place.root is not None and (place.root / candidate).exists():
            if committed:
                todo = "commit it, or include what is not committed with `--worktree`"
                raise ConfigError(f"'{argument}' is not in the commit", todo=todo)
            return candidate
    raise ConfigError(
        f"'{argument}' is neither a committed file or folder nor in the manifest",
        todo="check the spelling, and `git status` for files that are not committed yet",
    )


def _candidates(argument: str, place: WorkingPlace) -> list[str]:
    found = []
    if place.root is not None:
        root = place.root.resolve()
        typed = Path(os.path.normpath(place.directory.resolve() / argument))
        # A symbolic link is a file of its own: only what leads to it is followed.
        here = typed if typed == root else typed.parent.resolve() / typed.name
        if here.is_relative_to(root):
            found.append(_plain(here.relative_to(root).as_posix()))
    if argument.strip("/.") or place.root is None:
        # A lone dot means the current folder and nothing else, or `sync .` there would be a sync of all.
        named = argument.strip("/")
        found += [_plain(named), _plain(f"{place.content}/{named}")]
    return [path for path in found if path != ".." and not path.startswith("../")]


def _plain(path: str) -> str:
    clean = posixpath.normpath(path.strip("/") or ".")
    return "" if clean == "." else clean


def _with_folders(paths: Iterable[str]) -> set[str]:
    """Name the files and every folder above them."""
    found = {""}
    for path in paths:
        while path not in found:
            found.add(path)
            path = path.rpartition("/")[0]  # noqa: PLW2901 - one step up
    return found
