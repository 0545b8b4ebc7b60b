"""The port by plain `git`: for SHA-256, and for all that a run asks before it knows that there is work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.repo.commands import Commands

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.repo.process import Blobs, GitProcess


class PlainGit(Commands):
    """Runs a process for each question, and one for all blobs."""

    def __init__(self, asking: GitProcess) -> None:
        self._asking = asking
        self._blobs: Blobs | None = None

    def ask(
        self, *arguments: str, given: str = "", env: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Run Git by ourselves."""
        return self._asking.run(*arguments, given=given, env=env)

    def read(self, blob: str) -> bytes | None:
        """See the port."""
        self._blobs = self._blobs or self._asking.blobs()
        return self._blobs.read(blob)

    def close(self) -> None:
        """See the port."""
        if self._blobs:
            self._blobs.close()
        self._blobs = None
