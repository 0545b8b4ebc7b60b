"""Installs hooks in a repository, removes them, and tells which are installed.

A hook that was there before may be a program in any language. So it is never edited: it is renamed to
`TYPE.before-pressync`, our hook calls it first, and a second rename restores it byte for byte.
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
# The pre-commit framework renames a hook that it finds to this ending, and still runs it.
_LEGACY = ".legacy"


@dataclass(frozen=True, slots=True)
class Hook:
    """One type of hook in a repository: our file, if there is one, and the hooks of others.

    `chained` is the hook that ours calls first. `in_front` is the hook of another tool, in the place where
    Git looks. `runs` tells whether our hook runs.
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
    """Find the hooks of one type."""
    spot, before = paths.hooks / hook_type, paths.hooks / f"{hook_type}{_BEFORE}"
    beside = sorted(paths.hooks.glob(f"{hook_type}.*"))
    file = next((candidate for candidate in (spot, *beside) if script.is_ours(candidate)), None)
    chained = before if os.path.lexists(before) else None
    in_front = spot if file != spot and os.path.lexists(spot) else None
    return Hook(hook_type, file, chained, in_front)


def installed(paths: HookPaths) -> list[Hook]:
    """List our hooks, also one that another tool has overwritten if it called a hook first."""
    hooks = [inspect(paths, hook_type) for hook_type in TYPES]
    return [hook for hook in hooks if hook.file or hook.chained]


def install(paths: HookPaths, hook_type: str, setup: Setup) -> Hook:
    """Install one hook, or rewrite it where it is; a hook of somebody else stays, and ours calls it first.

    :raises ConfigError: this repository cannot have this type, or the folder is not for our hooks alone.
    :raises StorageError: the file cannot be written.
    """
    _refuse(paths, hook_type, setup)
    found = inspect(paths, hook_type)
    spot = paths.hooks / hook_type
    file = found.file if found.runs and found.file else spot
    if file == spot and found.in_front and found.chained:
        raise ConfigError(
            f"another hook replaced the hook of pressync, and {found.chained.name} still has an earlier one",
            where=str(spot),
            todo=f"merge the two into {hook_type}, remove {found.chained.name}, and try again",
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
    """Remove our hook and restore the one before it; give what was installed.

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
    """Remove the cached tests of this type: the setup of the hook may have changed."""
    shutil.rmtree(paths.cache / hook_type, ignore_errors=True)


def hook_line(hook_type: str, setup: Setup) -> str:
    """Write the line that does the work of our hook in a hook of somebody else."""
    return " ".join(("pressync hook run", hook_type, *setup.words, '"$@"'))


def _refuse(paths: HookPaths, hook_type: str, setup: Setup) -> None:
    if (hook_type == POST_RECEIVE) != (paths.root is None):
        kind, other = ("bare", "post-receive") if paths.root is None else ("non-bare", "post-commit")
        raise ConfigError(
            f"a {hook_type} hook is not for a {kind} repository",
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
            "husky rewrites this folder, so nothing was written",
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
    """Give the words of the command in our hook; the first one is the program."""
    return script.words_of(hook.file) if hook.file else ()
