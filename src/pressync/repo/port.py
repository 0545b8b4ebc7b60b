"""The Git operations that have two implementations, and the function that chooses one.

GitPython serves runs with work to do. Plain `git` exists for three reasons. Importing GitPython costs 65 ms,
so a run does not load it before it knows that it has work. GitPython cannot read SHA-256 repositories. And
GitPython hands its whole environment to its children, with the variables in which Git tells a hook about
another folder.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from pressync.model.bounds import PAGE
from pressync.repo.run_git import INHERITED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.bounds import FileBound
    from pressync.repo.process import GitProcess

# The length of an id in a repository of the format that GitPython reads.
_SHA1 = 40


class GitPort(Protocol):
    """The operations on objects, references and this clone's settings."""

    def ask(
        self, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git and give its exit code, its output without the last line break, its error output."""

    def read(self, blob: str, bound: FileBound = PAGE) -> bytes | None:
        """Read the bytes of a blob; None if this clone does not have it.

        :raises FileTooLarge: it is above the bound.
        """

    def resolve(self, name: str) -> str | None:
        """Give the id of a reference, a commit or `COMMIT:path`; None if it does not exist."""

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` is `older` or descends from it; false if this clone lacks one of them."""

    def write_commit(
        self, files: Mapping[str, bytes], parent: str | None, message: str, env: Mapping[str, str]
    ) -> str:
        """Make a durable commit with these files alone, and give its id; no reference moves.

        :raises RepositoryError: Git cannot write.
        """

    def move(self, name: str, new: str, old: str | None) -> str:
        """Move a reference; with `old` ("": it does not exist yet) only from that value.

        Gives Git's error output, or "" if the reference has moved.
        """

    def remotes(self) -> frozenset[str]:
        """Give the names of the remotes that this clone knows."""

    def setting(self, name: str) -> str | None:
        """Give the effective value of one Git setting; None if it is not set."""

    def configure(self, name: str, value: str) -> None:
        """Set one of this clone's own settings.

        :raises RepositoryError: Git refused.
        """

    def close(self) -> None:
        """End the process that reads blobs."""


def choose(process: GitProcess, object_id: str, *, has_work: bool) -> GitPort:
    """Choose the implementation for a repository; the length of one object id shows its hash function."""
    from pressync.repo.commands import PlainGit  # noqa: PLC0415 - one of the two is used

    if has_work and len(object_id) == _SHA1 and not any(name in os.environ for name in INHERITED):
        from pressync.repo.gitpython import LibraryGit  # noqa: PLC0415 - 65 ms

        return LibraryGit(process.working, process.environment)
    return PlainGit(process)
