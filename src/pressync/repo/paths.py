"""Turns paths as people type them into paths from the repository's root, as Git and the manifest write them.

The caller hands in the paths that Git and the manifest have. All arguments are looked up in this one listing,
because a list of thousands of paths must not list the tree once per row.
"""

from __future__ import annotations

import os.path
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from collections.abc import Set as AbstractSet


class WorkingPlace(NamedTuple):
    """The folders that a typed path may begin in: current folder, root (None if bare), content folder."""

    directory: Path
    root: Path | None
    content: str


def resolved(
    arguments: Iterable[str], place: WorkingPlace, all_paths: Iterable[str], *, committed: bool = False
) -> list[str]:
    """Give each argument as a path from the root, "" for the root itself.

    An argument is tried from the current folder, then from the root, then from the content folder.
    `all_paths` are the files that are committed or in the manifest. A path that exists only on the disk is
    found last, and is refused where only `committed` files count.

    :raises ConfigError: an argument was not found.
    """
    listed = {""}
    for path in all_paths:
        # A folder above a file is known as well.
        while path not in listed:
            listed.add(path)
            path = path.rpartition("/")[0]  # noqa: PLW2901 - one step up
    return [_resolved(argument, place, listed, committed=committed) for argument in arguments]


def as_named_now(
    arguments: Iterable[str],
    place: WorkingPlace,
    names: AbstractSet[str],
    look: Callable[[AbstractSet[str]], Mapping[str, str]],
) -> list[str]:
    """Give the new name of each renamed file; any other argument stays as it is.

    A sync may print a command with the name that the manifest had before it noted the new one. `look` gives
    the new names by the old ones.
    """
    tried = [(typed, candidates(typed, place)) for typed in arguments]
    unknown = {path for _, some in tried if names.isdisjoint(some) for path in some}
    now = look({path for path in unknown if posixpath.splitext(path)[1]})
    return [next((now[path] for path in some if path in now), typed) for typed, some in tried]


def is_below(path: str, chosen: Iterable[str]) -> bool:
    """Whether a path is one of the chosen ones or below one; "" is the root."""
    return any(not folder or path == folder or path.startswith(f"{folder}/") for folder in chosen)


def concerns(path: str, chosen: Collection[str], *, content: str, templates: str) -> bool:
    """Whether a path is among the chosen ones (none means all), or is one that every document depends on."""
    is_shared = not is_below(path, (content,)) or bool(templates and is_below(path, (templates,)))
    return not chosen or is_below(path, chosen) or is_shared or path.endswith(".toml")


def candidates(argument: str, place: WorkingPlace) -> list[str]:
    """Give the paths from the root that an argument can mean, in the order in which they are tried."""
    tried = []
    if place.root is not None:
        root = place.root.resolve()
        typed = Path(os.path.normpath(place.directory.resolve() / argument))
        # A symbolic link counts as a file of its own, so only the folders above it are resolved.
        file = typed if typed == root else typed.parent.resolve() / typed.name
        if file.is_relative_to(root):
            tried.append(_plain(file.relative_to(root).as_posix()))
    if argument.strip("/.") or place.root is None:
        # A lone dot means the current folder alone. Otherwise `sync .` could sync the whole repository.
        named = argument.strip("/")
        tried += [_plain(named), _plain(f"{place.content}/{named}")]
    return [path for path in tried if path != ".." and not path.startswith("../")]


def _resolved(argument: str, place: WorkingPlace, listed: set[str], *, committed: bool) -> str:
    tried = candidates(argument, place)
    for candidate in tried:
        if candidate in listed:
            return candidate
    for candidate in tried:
        if place.root is not None and (place.root / candidate).exists():
            if committed:
                todo = "commit it, or include uncommitted files with `--worktree`"
                raise ConfigError(f"'{argument}' is not in the commit", todo=todo)
            return candidate
    raise ConfigError(
        f"'{argument}' is not a committed file or folder, and not in the manifest",
        todo="check the spelling, and see `git status` for files that are not committed yet",
    )


def _plain(path: str) -> str:
    clean = posixpath.normpath(path.strip("/") or ".")
    return "" if clean == "." else clean
