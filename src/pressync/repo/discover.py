"""Finds the repository that holds a folder, and the file with its settings: for every command and every hook.

One question to Git tells it all, and callers may add questions of their own: a run with nothing to do can
afford two calls of Git. So this module loads nothing but what runs Git.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

SETTINGS = "pressync.toml"

_ABSOLUTE = ("rev-parse", "--path-format=absolute")
_SHARED = ("--git-dir", "--git-common-dir")


class RepositoryPaths(NamedTuple):
    """Where a repository is: its working tree (None if bare), its Git directory, what its trees share.

    `told` has Git's answers to what was asked beside, a line each.
    """

    root: Path | None
    git: Path
    common: Path
    answers: tuple[str, ...] = ()

    @property
    def working(self) -> Path:
        """The folder in which Git is asked."""
        return self.root or self.git


def find(directory: Path, *beside: str) -> RepositoryPaths:
    """Find the repository that holds a folder; `beside` is asked of `git rev-parse` by the way.

    :raises RepositoryError: there is none, it has no answer to what is asked beside, or there is no Git; or
        somebody committed it into another one.
    """
    place = in_working_tree(directory, *beside)
    if place is not None:
        return place
    from pressync.repo.embedded_repository import refuse_committed  # noqa: PLC0415 - most folders are in a working tree

    # In a bare repository, and within a Git directory, there is no working tree to be named.
    git, common = (Path(_told(directory, word)) for word in _SHARED)
    refuse_committed(git, directory)
    told = _told(directory, *beside).split("\n") if beside else ()
    return RepositoryPaths(_root_around(directory, git), git, common.resolve(), tuple(told))


def in_working_tree(directory: Path, *beside: str) -> RepositoryPaths | None:
    """Find the working tree that holds a folder, with one question; None where Git has no answer."""
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    said = run_git.text(directory.absolute(), *_ABSOLUTE, "--show-toplevel", *_SHARED, *beside)
    if not said:
        return None
    root, git, common, *told = [*said.split("\n"), "", ""]
    # The name of a folder may have a line break in it: then each question is asked by itself. A Git directory
    # that has the folder in it may be one that somebody committed, with a working tree in its settings.
    if not (git.startswith("/") and common.startswith("/")) or _is_within(directory, git):
        return None
    return RepositoryPaths(Path(root), Path(git), Path(os.path.realpath(common)), tuple(told[:-2]))


def _is_within(directory: Path, git: str) -> bool:
    return Path(os.path.realpath(directory)).is_relative_to(os.path.realpath(git))


def settings_file(root: Path | None, named: Path | None = None) -> Path | None:
    """Name the file with the settings, there or not; None in a bare repository, where they are committed."""
    return named or (root / SETTINGS if root else None)


def _root_around(directory: Path, git: Path) -> Path | None:
    """Find the working tree; of a folder `.git`, that around it if both are of one repository."""
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    root = run_git.text(directory.absolute(), *_ABSOLUTE, "--show-toplevel")
    if root:
        return Path(root)
    around = in_working_tree(git.parent) if git.name == ".git" else None
    return around.root if around and around.git == git else None


def _told(directory: Path, *question: str) -> str:
    from pressync.model.errors import RepositoryError  # noqa: PLC0415 - few runs fail
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    where = directory.absolute()
    said = run_git.run(*_ABSOLUTE, *question, directory=where)
    if said.status == 0:
        return said.text
    complaint = said.err.decode(errors="replace").strip()
    if "not a git repository" not in complaint and "cannot change to" not in complaint:
        raise RepositoryError(f"git rev-parse failed: {complaint}", where=str(where))
    raise RepositoryError(
        "no Git repository here",
        where=str(where),
        todo="go to your repository, or name it with `-C`; a new one begins with `git init`",
    )
