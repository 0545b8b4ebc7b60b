"""The port on plain `git`: for SHA-256, and for all questions before a run knows that it has work.

GitPython cannot read repositories whose ids are SHA-256, and to load it takes longer than the few questions
of a run that has nothing to do.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from pressync.repo.commands import Commands

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.repo.process import Blobs, GitProcess


class PlainGit(Commands):
    """Runs one process for each question, and one process for all blobs."""

    def __init__(self, process: GitProcess) -> None:
        self._process = process
        self._blobs: Blobs | None = None
        # One process gives one blob at a time. The threads that upload files read beside the others.
        self._one_at_a_time = threading.Lock()

    def ask(
        self, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git as a process."""
        return self._process.run(*arguments, given=given, env=env)

    def read(self, blob: str) -> bytes | None:
        """See the port."""
        with self._one_at_a_time:
            self._blobs = self._blobs or self._process.blobs()
            return self._blobs.read(blob)

    def close(self) -> None:
        """See the port."""
        if self._blobs:
            self._blobs.close()
        self._blobs = None
