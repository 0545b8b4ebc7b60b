"""Where Git looks for the hooks of a repository, and whose folder that is.

It must not write. What decided its shape: `core.hooksPath`, work trees and submodules each move that
folder, so Git itself is asked; and a folder that other repositories share, or that another tool keeps
rewriting, is not ours to put a file into.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError
from pressync.repo import discover, run_git

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class HookPaths:
    """A repository's root (None if bare), its common directory, and its hooks folder, all absolute.

    `hooks_path` is the value of `core.hooksPath`, empty where it is not set.
    """

    root: Path | None
    common: Path
    hooks: Path
    hooks_path: str = ""

    @property
    def base(self) -> Path:
        """The folder to ask Git in: the root, or the bare repository itself."""
        return self.root or self.common

    @property
    def cache(self) -> Path:
        """Where hooks keep what they found in step; local, and never committed."""
        return self.common / "pressync" / "hook"

    @property
    def is_shared(self) -> bool:
        """Whether the hooks folder belongs to more than this repository."""
        folder = self.hooks.resolve()
        own = [self.common.resolve(), *([self.root.resolve()] if self.root else [])]
        return not any(folder.is_relative_to(each) for each in own)

    @property
    def is_husky(self) -> bool:
        """Whether husky keeps this folder: it writes every file in it anew with each installation."""
        return self.hooks.parts[-2:] == (".husky", "_")

    def tracks(self, file: Path) -> bool:
        """Whether Git has a file of the hooks folder under version control."""
        return self.root is not None and bool(run_git.text(self.root, "ls-files", "--", str(file)))


def find(directory: Path) -> HookPaths:
    """Find the place that belongs to the repository of a folder.

    :raises RepositoryError: there is no repository.
    """
    found = discover.find(directory, "--is-bare-repository", "--is-inside-git-dir")
    if found.told == ("false", "true"):
        raise RepositoryError(
            "this is inside of a Git directory", where=str(directory), todo="go to the working tree"
        )
    base = found.root or found.common
    hooks = run_git.text(base, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
    path = run_git.text(base, "config", "core.hooksPath") or ""
    return HookPaths(found.root, found.common, Path(hooks or base / "hooks"), path)


def outside(environ: Mapping[str, str]) -> dict[str, str]:
    """Give the environment without what Git tells its hooks: where it stands, and when it commits."""
    return {name: value for name, value in run_git.outside(environ).items() if name != "GIT_AUTHOR_DATE"}
