"""Git asked as a process: what a command says, and the bytes of blobs.

A run with little to do asks Git a handful of questions, and loading GitPython costs more than all of their
answers (four times a `git status` of 10,000 files).
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError
from pressync.repo import run_git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.repo.discover import RepositoryPaths


class OutOfTime(RepositoryError):  # noqa: N818 - it says what happened, and callers go on
    """Git took longer than it was given, and was ended."""


class GitProcess:
    """Asks Git about one repository; `environment` is laid over this process's own in every question."""

    def __init__(self, place: RepositoryPaths) -> None:
        self._place = place
        self.environment: dict[str, str] = {}

    @property
    def working(self) -> Path:
        """The folder in which Git is asked."""
        return self._place.working

    def run(
        self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None, seconds: float = 0.0
    ) -> tuple[int, str, str]:
        """Run Git: its exit code, what it says (without its last line break), what it complains about.

        :raises RepositoryError: there is no Git.
        :raises OutOfTime: it took longer than `seconds`; 0 is any time.
        """
        try:
            said = run_git.run(
                "--literal-pathspecs",
                *arguments,
                directory=self._place.working,
                given=given.encode(errors="surrogateescape"),
                env={**self.environment, **(env or {})},
                seconds=seconds,
            )
        except subprocess.TimeoutExpired as error:
            raise OutOfTime(f"git {arguments[0]} took longer than {seconds:.1f} s") from error
        return said.status, said.text, said.err.decode(errors="surrogateescape").strip()

    def blobs(self) -> Blobs:
        """Start to read blobs, of the object folders that Git is told of now."""
        question = ("cat-file", "--batch")
        return Blobs(run_git.start(*question, directory=self._place.working, env=self.environment))


class Blobs:
    """A running `git cat-file --batch`: one process for any number of blobs, of SHA-1 and SHA-256 alike."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def read(self, blob: str) -> bytes | None:
        """Read the bytes of a blob; None if this clone does not have it."""
        asked, answers = self._process.stdin, self._process.stdout
        if asked is None or answers is None:
            raise ValueError("Git was started without pipes")
        try:
            asked.write(f"{blob if blob.isalnum() else 'none'}\n".encode())
            asked.flush()
        except OSError:
            # Git has ended, as it does in a partial clone where it cannot fetch what is missing.
            return None
        about = answers.readline().split()
        if len(about) != 3:  # noqa: PLR2004 - id, type and size; else the word "missing", or nothing
            return None
        data = answers.read(int(about[2]) + 1)[:-1]
        return data if about[1] == b"blob" else None

    def close(self) -> None:
        """End the process."""
        # It ends by itself when nobody can ask any more.
        self._process.communicate()

    def __del__(self) -> None:
        if self._process.poll() is None:
            self.close()
