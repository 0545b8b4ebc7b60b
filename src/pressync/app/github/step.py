"""Writes the files of one step of a workflow: outputs, summary, and the report for later steps.

An output may have any value, so each value stands between two random lines that nobody can guess. Outside of
a workflow these files do not exist, so nothing is written ("Workflow commands", environment files).
"""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Mapping

# GitHub accepts a summary of 1 MiB, and a character has at most four bytes.
SUMMARY_LIMIT = 2**20 // 4


class Step:
    """One step; its runner sets variables that name the files."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    @property
    def summarises(self) -> bool:
        """Whether the runner shows a summary."""
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
        """Add text to the summary, which may have `SUMMARY_LIMIT` characters.

        :raises StorageError: the file cannot be written.
        """
        self._append("GITHUB_STEP_SUMMARY", f"{markdown}\n")

    def keep(self, name: str, text: str) -> Path:
        """Write a report for later steps into a new folder, and give its path.

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
