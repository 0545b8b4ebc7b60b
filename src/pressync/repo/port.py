"""The questions of a repository to Git, for the two implementations.

GitPython serves runs with work to do. Plain `git` exists for three reasons. Importing GitPython costs 65 ms,
so a run does not load it before it knows that it has work. GitPython cannot read SHA-256 repositories. And
GitPython hands its whole environment to its children, with the variables in which Git tells a hook about
another folder. `update-ref` moves a reference only from a given old value. GitPython's own references cannot
compare, and its settings writer drops the comments of the file, so both run the same commands.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from pressync.model.bounds import PAGE
from pressync.model.errors import RepositoryError
from pressync.repo.run_git import rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.model.bounds import FileBound

# Git writes through to the disk: without a remote, no other copy exists.
_DURABLE = ("-c", "core.fsync=all")
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


class OutOfTime(RepositoryError):  # noqa: N818 - an expected event: callers go on
    """Git took longer than its time limit and was stopped."""


class GitPort(ABC):
    """The operations on objects, references and this clone's settings."""

    @abstractmethod
    def run(
        self, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git and give its exit code, its output without the last line break, its error output."""

    @abstractmethod
    def read(self, blob: str, bound: FileBound = PAGE) -> bytes | None:
        """Read the bytes of a blob; None if this clone does not have it.

        :raises FileTooLarge: it is above the bound.
        """

    @abstractmethod
    def close(self) -> None:
        """End the process that reads blobs; the next read starts another one."""

    def resolve(self, name: str) -> str | None:
        """Give the id of a reference, a commit or `COMMIT:path`; None if it does not exist."""
        status, found, _ = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return None if status else found

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` is `older` or descends from it; false if this clone lacks one of them."""
        return not self.run("merge-base", "--is-ancestor", older, newer)[0]

    def write_commit(
        self, files: Mapping[str, bytes], parent: str | None, message: str, env: Mapping[str, str]
    ) -> str:
        """Make a durable commit with these files alone, and give its id; no reference moves.

        :raises RepositoryError: Git cannot write.
        """
        listed = [
            f"100644 blob {self._write('hash-object', '-w', '--stdin', given=text, env=env)}\t{name}\n"
            for name, text in sorted(files.items())
        ]
        tree = self._write("mktree", given="".join(listed), env=env)
        parents = ("-p", parent) if parent else ()
        return self._write("commit-tree", tree, *parents, "-m", message, env=env)

    def move(self, name: str, new: str, old: str | None) -> str:
        """Move a reference, with `old` ("": there is none) only from there; give the error output, or ""."""
        expected = () if old is None else (old,)
        status, _, said = self.run(*_DURABLE, "update-ref", "-m", "pressync", name, new, *expected)
        return (said or f"git update-ref ended with {status}") if status else ""

    def remotes(self) -> frozenset[str]:
        """Give the names of the remotes that this clone knows."""
        return frozenset(rows(self._do("remote")))

    def setting(self, name: str, url: str = "") -> str | None:
        """Give the effective value of one Git setting, maybe that for an address; None if it is not set."""
        status, value, _ = self.run("config", *(("--get-urlmatch", name, url) if url else ("--get", name)))
        return None if status else value

    def configure(self, name: str, value: str) -> None:
        """Set one of this clone's own settings.

        :raises RepositoryError: Git refused.
        """
        self._do("config", "--local", name, value)

    def _write(self, *arguments: str, given: str | bytes = "", env: Mapping[str, str]) -> str:
        return self._do(*_DURABLE, *arguments, given=given, env=env)

    def _do(self, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None) -> str:
        return output_of(arguments, self.run(*arguments, given=given, env=env))


def output_of(arguments: Sequence[str], result: tuple[int, str, str], where: str = "") -> str:
    """Give the output of a Git command that must not fail; `result` has its exit code and both outputs.

    :raises RepositoryError: it failed.
    """
    status, output, said = result
    if status:
        command = next(word for word in arguments if not word.startswith("-") and "=" not in word)
        raise RepositoryError(f"git {command} failed: {complaint(said) or status}", where=where)
    return output


def complaint(output: str) -> str:
    """Tidy an error output of Git, and remove credentials from the addresses in it."""
    # A remote ends its lines with blanks, and ssh with a carriage return.
    return "\n".join(line.rstrip() for line in _CREDENTIALS.sub("", output.strip()).split("\n"))
