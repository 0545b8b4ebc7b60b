"""The questions and writes for which a repository has two implementations, and the one place that chooses.

GitPython is the first one, for runs with work to do. Plain `git` is the second one, for three reasons:
importing GitPython costs 65 ms, so everything that a run asks before it knows of work goes without it;
GitPython cannot read repositories with SHA-256; and it hands all of the environment to its children, also
what Git told a hook about another folder.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from pressync.repo.run_git import INHERITED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.repo.process import GitProcess

# The length of an id in a repository of the format that GitPython reads.
_SHA1 = 40


class GitPort(Protocol):
    """What is asked of Git about objects, references and this clone's settings."""

    def ask(
        self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git: its exit code, its output without the last line break, its complaint."""

    def read(self, blob: str) -> bytes | None:
        """Read the bytes of a blob; None if this clone does not have it."""

    def resolve(self, name: str) -> str | None:
        """Give the id of what a name stands for: a reference, a commit, `COMMIT:path`; None if nothing."""

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Tell whether a commit descends from another one, or is it; false where either is not known."""

    def write_commit(
        self, files: Mapping[str, str], parent: str | None, message: str, env: Mapping[str, str]
    ) -> str:
        """Make a commit of these files alone, durable, and give its id; no reference moves.

        :raises RepositoryError: Git cannot write.
        """

    def move(self, name: str, new: str, old: str | None) -> str:
        """Move a reference; with `old` ("": it does not exist yet) only from there.

        Gives Git's complaint, "" if it has moved.
        """

    def remotes(self) -> frozenset[str]:
        """Give the names of the remotes that this clone knows."""

    def setting(self, name: str) -> str | None:
        """Give one setting of Git as it counts here; None if it is not set."""

    def configure(self, name: str, value: str) -> None:
        """Set one of this clone's own settings.

        :raises RepositoryError: Git refused.
        """

    def worktrees(self) -> tuple[Path, ...]:
        """List the folders of all work trees, the main one first."""

    def close(self) -> None:
        """End the process that reads blobs."""


def choose(asking: GitProcess, commit: str, *, has_work: bool) -> GitPort:
    """Choose the implementation for a repository, by the length of the id of one of its commits."""
    from pressync.repo.plain_git import PlainGit  # noqa: PLC0415 - one of the two is used

    if has_work and len(commit) == _SHA1 and not any(name in os.environ for name in INHERITED):
        from pressync.repo.gitpython import LibraryGit  # noqa: PLC0415 - 65 ms

        return LibraryGit(asking.working, asking.environment)
    return PlainGit(asking)
