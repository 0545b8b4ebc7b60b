"""Checks that the manifest's file is inside the work tree, and whether Git has its current content.

The check prevents two accidents. Somebody can commit a symlink at the path, and pressync would write to its
target. A sparse checkout can leave the file out; pressync would read an empty manifest and create every page
a second time.
"""

from __future__ import annotations

import os
import posixpath
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.errors import ManifestError, RepositoryError
from pressync.model.outcomes import KeptManifest

if TYPE_CHECKING:
    from pressync.config.settings import Site
    from pressync.repo.repository import Repository

# The arguments of `git status` for the manifest's file; its path follows.
STATUS = ("--no-optional-locks", "status", "--porcelain", "--ignored", "--untracked-files=all", "--")


def check(repository: Repository, name: str) -> None:
    """Check the manifest's place, if there is a work tree; `name` is its path from the root.

    :raises ManifestError: the path leads out of the work tree, or the file is committed and not on the disk.
    """
    if repository.root is not None:
        _refuse_outside(repository.root, name)
        if not (repository.root / name).exists():
            _refuse_left_out(repository, name)


def kept(repository: Repository, site: Site) -> KeptManifest | None:
    """Ask Git whether other clones can get the manifest as it is now; None if nobody has to commit it."""
    if site.url is None:
        return None
    if site.reference:
        return KeptManifest(site.reference, committed=True)
    if repository.root is None:
        return None
    _, said, _ = repository.ask(*STATUS, site.manifest)
    return judged(site.manifest, said)


def judged(name: str, said: str) -> KeptManifest:
    """Read the output of `STATUS` for the manifest of this name."""
    return KeptManifest(name, committed=not said, ignored=said.startswith("!!"))


def _refuse_outside(root: Path, name: str) -> None:
    place, top = Path(os.path.realpath(root / name)), Path(os.path.realpath(root))
    if not place.is_relative_to(top) or ".git" in place.relative_to(top).parts:
        what = f"it is a symlink to {place}, which is outside the work tree"
        raise ManifestError(what, where=str(root / name), todo="make it a file of the repository")


def _refuse_left_out(repository: Repository, name: str) -> None:
    with suppress(RepositoryError):  # before the first commit nothing was synced
        if repository.port.resolve(f"{repository.commit()}:{name}"):
            folder, file = quote(posixpath.dirname(name)), quote(name)
            todo = f"`git sparse-checkout add {folder}` or `git checkout -- {file}`; or commit its removal"
            raise ManifestError("it is committed, but it is not in this work tree", where=name, todo=todo)
