"""The files of one step of a workflow: its outputs, its summary, and the report that is left behind.

It must not know what is written. What decided its shape: a value of an output may hold anything, so it
stands between two lines that nobody can guess; and outside of a workflow there are no such files, so
whatever is written is written nowhere ("Workflow commands", environment files).
"""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Mapping

# A summary may have 1 MiB and a character has four bytes at most.
SUMMARY_LIMIT = 2**20 // 4


class Step:
    """One step, by the variables that its runner set."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    @property
    def summarises(self) -> bool:
        """Whether there is a page for summaries."""
        return bool(self._environ.get("GITHUB_STEP_SUMMARY"))

    def output(self, **values: str) -> None:
        """Set outputs; an underscore in a name becomes a dash.

        :raises StorageError: the file cannot be written.
        """
        rows = []
        for name, value in values.items():
            fence = f"pressync-{secrets.token_hex(16)}"
            rows.append(f"{name.replace('_', '-')}<<{fence}\n{value}\n{fence}\n")
        self._append("GITHUB_OUTPUT", "".join(rows))

    def summarise(self, markdown: str) -> None:
        """Add to the summary, which has room for `SUMMARY_LIMIT` characters.

        :raises StorageError: the file cannot be written.
        """
        self._append("GITHUB_STEP_SUMMARY", f"{markdown}\n")

    def keep(self, name: str, text: str) -> Path:
        """Write a report that later steps may read, under a name that no other step has; its path.

        :raises StorageError: the file cannot be written.
        """
        folder = self._environ.get("RUNNER_TEMP") or tempfile.gettempdir()
        try:
            path = Path(tempfile.mkdtemp(prefix="pressync-", dir=folder), name)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise StorageError(f"the report cannot be written: {error.strerror}", where=folder) from error
        return path

    def _append(self, variable: str, text: str) -> None:
        name = self._environ.get(variable)
        if not name:
            return
        try:
            with Path(name).open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise StorageError(f"it cannot be written: {error.strerror}", where=variable) from error
