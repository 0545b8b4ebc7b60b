"""Puts hooks into a repository, takes them out again, and tells which are there.

It must not know what a hook does. What decided its shape: a hook that was there before is a program in
some language with a mode of its own, so it is never edited: it is renamed to `TYPE.before-pressync`, ours
calls it first, and a second rename puts it back byte for byte.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.app.hooks import script
from pressync.app.hooks.setup import POST_RECEIVE, TYPES
from pressync.model.errors import ConfigError, StorageError
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pressync.app.hooks.hooks_path import HookPaths
    from pressync.app.hooks.setup import Setup

_BEFORE = ".before-pressync"
# Where the pre-commit framework keeps, and still runs, a hook that it found in its place.
_LEGACY = ".legacy"


@dataclass(frozen=True, slots=True)
class Hook:
    """One type of hook in a repository: our file, if there is one, and what else stands there.

    `chained` is the hook that ours calls first; `in_front` that of another tool, which stands in Git's
    place. `runs` tells whether ours is reached.
    """

    type: str
    file: Path | None
    chained: Path | None = None
    in_front: Path | None = None

    @property
    def runs(self) -> bool:
        """Whether Git, or the pre-commit framework in front, runs our file."""
        return self.file is not None and (self.in_front is None or self.file.name.endswith(_LEGACY))


def inspect(paths: HookPaths, hook_type: str) -> Hook:
    """Tell what there is of one type."""
    spot, before = paths.hooks / hook_type, paths.hooks / f"{hook_type}{_BEFORE}"
    beside = sorted(paths.hooks.glob(f"{hook_type}.*"))
    file = next((candidate for candidate in (spot, *beside) if script.is_ours(candidate)), None)
    chained = before if os.path.lexists(before) else None
    in_front = spot if file != spot and os.path.lexists(spot) else None
    return Hook(hook_type, file, chained, in_front)


def installed(paths: HookPaths) -> list[Hook]:
    """List the hooks of ours, and what is left of one that another tool overwrote."""
    hooks = [inspect(paths, hook_type) for hook_type in TYPES]
    return [hook for hook in hooks if hook.file or hook.chained]


def install(paths: HookPaths, hook_type: str, setup: Setup) -> Hook:
    """Install one hook, or write it anew where it is; a hook of somebody else stays and is called first.

    :raises ConfigError: this type is not for this repository, or the folder is not for one repository.
    :raises StorageError: the file cannot be written.
    """
    _refuse(paths, hook_type, setup)
    found = inspect(paths, hook_type)
    spot = paths.hooks / hook_type
    file = found.file if found.runs and found.file else spot
    if file == spot and found.in_front and found.chained:
        raise ConfigError(
            f"another hook took the place of pressync's, and {found.chained.name} is kept for it",
            where=str(spot),
            todo=f"put what you need of the two into {hook_type}, remove {found.chained.name}, and try again",
        )
    try:
        atomic_files.make_folder(paths.hooks)
        if file == spot and found.in_front:
            spot.rename(paths.hooks / f"{hook_type}{_BEFORE}")
        atomic_files.replace(file, os.fsencode(script.text(hook_type, setup)), mode=0o777)
    except OSError as error:
        raise _unwritable(file, error) from error
    clear_cache(paths, hook_type)
    return inspect(paths, hook_type)


def uninstall(paths: HookPaths, hook_type: str) -> Hook:
    """Remove our file and put back what stood there; what it was is returned, no file if there was none.

    :raises StorageError: the folder cannot be written.
    """
    found = inspect(paths, hook_type)
    try:
        if found.file and found.chained:
            found.chained.rename(found.file)
        elif found.file:
            atomic_files.remove(found.file)
    except OSError as error:
        raise _unwritable(found.file or paths.hooks, error) from error
    clear_cache(paths, hook_type)
    return found


def clear_cache(paths: HookPaths, hook_type: str) -> None:
    """Forget what hooks of this type found in step: they may be set up otherwise now."""
    shutil.rmtree(paths.cache / hook_type, ignore_errors=True)


def hook_line(hook_type: str, setup: Setup) -> str:
    """Write the line that does in anybody's own hook what ours would do."""
    return " ".join(("pressync hook run", hook_type, *setup.words, '"$@"'))


def _refuse(paths: HookPaths, hook_type: str, setup: Setup) -> None:
    if (hook_type == POST_RECEIVE) != (paths.root is None):
        kind, other = ("a bare", "post-receive") if paths.root is None else ("no bare", "post-commit")
        raise ConfigError(
            f"a {hook_type} hook is not for {kind} repository",
            where=str(paths.base),
            todo=f"`--type {other}`",
        )
    own = hook_line(hook_type, setup)
    if paths.is_shared:
        raise ConfigError(
            f"core.hooksPath is {paths.hooks_path}, which other repositories share, so nothing was written",
            where=str(paths.hooks),
            todo=f"add `[ ! -f pressync.toml ] || {own}` to {hook_type} there, "
            "or give this repository its own with `git config core.hooksPath .git/hooks`",
        )
    if paths.is_husky:
        raise ConfigError(
            "husky writes this folder anew, so nothing was written",
            where=str(paths.hooks),
            todo=f"add the line `{own}` to .husky/{hook_type}",
        )
    if paths.tracks(paths.hooks / hook_type):
        raise ConfigError(
            "this hook is under version control, so nothing was written",
            where=str(paths.hooks / hook_type),
            todo=f"add the line `{own}` to it",
        )


def _unwritable(file: Path, error: OSError) -> StorageError:
    what = f"the hook cannot be written ({error.strerror or error})"
    return StorageError(what, where=str(file), todo="make its folder writable")


def command_words(hook: Hook) -> Sequence[str]:
    """Give the words of the command in a hook of ours, from the program on."""
    return script.words_of(hook.file) if hook.file else ()
