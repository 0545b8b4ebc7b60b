"""The Git commands behind the port. Both implementations run the same commands, each in its own way.

`update-ref` moves a reference only from a given old value. GitPython's own references cannot compare, and its
settings writer drops the comments of the file, so the GitPython implementation runs these commands too.

`PlainGit` is the other one. GitPython cannot read repositories whose ids are SHA-256, and to load it takes
longer than the few questions of a run that has nothing to do.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from pressync.model.bounds import PAGE
from pressync.repo import parse, run_git

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.bounds import FileBound
    from pressync.repo.process import GitProcess

# Git writes through to the disk: without a remote, no other copy exists.
_DURABLE = ("-c", "core.fsync=all")


class Commands(ABC):
    """The whole port except the reading of blobs."""

    @abstractmethod
    def ask(
        self, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git and give its exit code, its output without the last line break, its error output."""

    def resolve(self, name: str) -> str | None:
        """See the port."""
        status, found, _ = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return None if status else found

    def is_ancestor(self, older: str, newer: str) -> bool:
        """See the port."""
        return not self.ask("merge-base", "--is-ancestor", older, newer)[0]

    def write_commit(
        self, files: Mapping[str, bytes], parent: str | None, message: str, env: Mapping[str, str]
    ) -> str:
        """See the port."""
        rows = [
            f"100644 blob {self._write('hash-object', '-w', '--stdin', given=text, env=env)}\t{name}\n"
            for name, text in sorted(files.items())
        ]
        tree = self._write("mktree", given="".join(rows), env=env)
        parents = ("-p", parent) if parent else ()
        return self._write("commit-tree", tree, *parents, "-m", message, env=env)

    def move(self, name: str, new: str, old: str | None) -> str:
        """See the port."""
        expected = () if old is None else (old,)
        status, _, complaint = self.ask(*_DURABLE, "update-ref", "-m", "pressync", name, new, *expected)
        return (complaint or f"git update-ref ended with {status}") if status else ""

    def remotes(self) -> frozenset[str]:
        """See the port."""
        return frozenset(run_git.rows(self._do("remote")))

    def setting(self, name: str) -> str | None:
        """See the port."""
        status, value, _ = self.ask("config", "--get", name)
        return None if status else value

    def configure(self, name: str, value: str) -> None:
        """See the port."""
        self._do("config", "--local", name, value)

    def _write(self, *arguments: str, given: str | bytes = "", env: Mapping[str, str]) -> str:
        return self._do(*_DURABLE, *arguments, given=given, env=env)

    def _do(self, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None) -> str:
        return parse.output_of(arguments, self.ask(*arguments, given=given, env=env))


class PlainGit(Commands):
    """Runs one process for each question, and one process for all blobs."""

    def __init__(self, process: GitProcess) -> None:
        self._process = process
        self._blobs = process.blobs()
        # One process gives one blob at a time. The threads that upload files read beside the others.
        self._one_at_a_time = threading.Lock()

    def ask(
        self, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git as a process."""
        return self._process.run(*arguments, given=given, env=env)

    def read(self, blob: str, bound: FileBound = PAGE) -> bytes | None:
        """See the port."""
        with self._one_at_a_time:
            return self._blobs.read(blob, bound)

    def close(self) -> None:
        """See the port."""
        self._blobs.close()
