"""Finds the repository of a folder, and the file with its settings, for every command and every hook.

A run with nothing to do can afford two calls of Git. So one call asks Git for everything, callers may add
questions of their own to it, and this module loads only the module that runs Git.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

SETTINGS = "pressync.toml"

_ABSOLUTE = ("rev-parse", "--path-format=absolute")
_SHARED = ("--git-dir", "--git-common-dir")


class RepositoryPaths(NamedTuple):
    """The folders of a repository: working tree (None if bare), Git directory, directory that trees share.

    `answers` has Git's answers to the added questions, one line each.
    """

    root: Path | None
    git: Path
    common: Path
    answers: tuple[str, ...] = ()

    @property
    def working(self) -> Path:
        """The folder in which Git runs."""
        return self.root or self.git


def find(directory: Path, *questions: str) -> RepositoryPaths:
    """Find the repository of a folder; `questions` are further arguments of the same `git rev-parse`.

    :raises RepositoryError: the folder is not in a repository, Git cannot answer a question, Git is not
        installed, or the repository was committed into another one.
    """
    paths = in_working_tree(directory, *questions)
    if paths is not None:
        return paths
    from pressync.repo.embedded_repository import refuse_committed  # noqa: PLC0415 - most folders are in a working tree

    # In a bare repository, and within a Git directory, Git cannot name a working tree.
    git, common = (Path(_ask(directory, word)) for word in _SHARED)
    refuse_committed(git, directory)
    answers = _ask(directory, *questions).split("\n") if questions else ()
    return RepositoryPaths(_root_around(directory, git), git, common.resolve(), tuple(answers))


def in_working_tree(directory: Path, *questions: str) -> RepositoryPaths | None:
    """Find the working tree of a folder with one call of Git; None where Git cannot answer."""
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    output = run_git.text(directory.absolute(), *_ABSOLUTE, "--show-toplevel", *_SHARED, *questions)
    if not output:
        return None
    root, git, common, *answers = [*output.split("\n"), "", ""]
    # The name of a folder may contain a line break: then `find` asks each question by itself. If the Git
    # directory contains the folder, somebody may have committed it with a working tree in its settings.
    if not (git.startswith("/") and common.startswith("/")) or _is_within(directory, git):
        return None
    return RepositoryPaths(Path(root), Path(git), Path(os.path.realpath(common)), tuple(answers[:-2]))


def _is_within(directory: Path, git: str) -> bool:
    return Path(os.path.realpath(directory)).is_relative_to(os.path.realpath(git))


def settings_file(root: Path | None, named: Path | None = None) -> Path | None:
    """Name the file with the settings, whether it exists or not; None in a bare repository."""
    return named or (root / SETTINGS if root else None)


def _root_around(directory: Path, git: Path) -> Path | None:
    """Find the working tree; for a folder `.git`, the one around it if both belong to one repository."""
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    root = run_git.text(directory.absolute(), *_ABSOLUTE, "--show-toplevel")
    if root:
        return Path(root)
    around = in_working_tree(git.parent) if git.name == ".git" else None
    return around.root if around and around.git == git else None


def _ask(directory: Path, *question: str) -> str:
    from pressync.model.errors import RepositoryError  # noqa: PLC0415 - few runs fail
    from pressync.repo import run_git  # noqa: PLC0415 - help needs no process

    where = directory.absolute()
    result = run_git.run(*_ABSOLUTE, *question, directory=where)
    if result.status == 0:
        return result.text
    complaint = result.err.decode(errors="replace").strip()
    if "not a git repository" not in complaint and "cannot change to" not in complaint:
        raise RepositoryError(f"git rev-parse failed: {complaint}", where=str(where))
    raise RepositoryError(
        "this folder is not in a Git repository",
        where=str(where),
        todo="go to your repository, or name it with `-C`; `git init` makes a new one",
    )
