"""Finds the folder in which Git looks for hooks, and tells who else uses that folder.

`core.hooksPath`, work trees and submodules move that folder, so this module asks Git. Hooks are not installed
in a folder that other repositories share or that another tool rewrites.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.app import embedded_home
from pressync.model.errors import RepositoryError
from pressync.repo import discover

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class HookPaths:
    """A repository's root (None if bare), its common directory, and its hooks folder, all absolute.

    `hooks_path` is the value of `core.hooksPath`, empty where it is not set. `git` is the Git directory of a
    linked work tree.
    """

    root: Path | None
    common: Path
    hooks: Path
    hooks_path: str = ""
    git: Path | None = None

    @property
    def base(self) -> Path:
        """The folder in which Git is started: the root, or the bare repository itself."""
        return self.root or self.common

    @property
    def embedded_home(self) -> Path:
        """The Git directory that has the embedded service of this work tree."""
        return embedded_home.home(self.root, self.git or self.common, self.common)

    @property
    def cache(self) -> Path:
        """The folder of the tests in `hooks.cache`; it is local and never committed."""
        return self.common / "pressync" / "hook"

    @property
    def is_shared(self) -> bool:
        """Whether other repositories use the hooks folder, too."""
        folder = self.hooks.resolve()
        own = [self.common.resolve(), *([self.root.resolve()] if self.root else [])]
        return not any(folder.is_relative_to(each) for each in own)

    @property
    def is_husky(self) -> bool:
        """Whether the folder is husky's, which rewrites all files in it with each installation."""
        return self.hooks.parts[-2:] == (".husky", "_")

    def tracks(self, file: Path) -> bool:
        """Tell whether a file of the hooks folder is under version control."""
        return self.root is not None and discover.is_tracked(self.root, str(file))


def find(directory: Path) -> HookPaths:
    """Find the hooks of the repository that holds a folder.

    :raises RepositoryError: there is no repository.
    """
    found = discover.find(directory)
    if discover.is_inside_git_directory(directory):
        raise RepositoryError(
            "this is inside a Git directory", where=str(directory), todo="go to the working tree"
        )
    base = found.root or found.common
    path = discover.setting(base, "core.hooksPath")
    return HookPaths(found.root, found.common, discover.hooks_folder(base), path, found.git)
