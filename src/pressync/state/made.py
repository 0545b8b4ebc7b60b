"""What this clone put on the site, beside the journal: the records that the manifest may have forgotten.

It must not know the journal's file. It exists because a manifest is a file that people restore, reset and
delete, and that Git changes with the branch; a document whose entry went that way must not be made a
second time. It is a safety net and never the truth.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from pressync.errors import ManifestError
from pressync.model import Manifest
from pressync.state.journal_lines import Removed
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pressync.interface import Kind
    from pressync.model import Entry
    from pressync.state.journal_lines import Line


class Made:
    """The file of what this clone made; `lines` are the journal's, for what they remove is not lost."""

    def __init__(self, path: Path, target: str, lines: Iterable[Line]) -> None:
        self._file = ManifestFile(path, target, is_private=True)
        self._target = target
        # Whether the file is known to hold what the manifest does.
        self.is_current = False
        self._removed = {(line.kind, line.id) for line in lines if isinstance(line, Removed)}

    def lost(self, entries: Mapping[str, Entry]) -> dict[str, Entry]:
        """Name the records that were made, and are neither among these entries nor removed; by path."""
        try:
            made = self._file.read().entries
        except ManifestError:
            # It is for another target, or unreadable: then it says nothing of this one.
            return {}
        self.is_current = made == dict(entries.items())
        held = _records(entries) | self._removed
        return {
            path: entry
            for path, entry in made.items()
            if path not in entries and (entry.kind, entry.id) not in held
        }

    def save(self, entries: Mapping[str, Entry], lost: Mapping[str, Entry]) -> None:
        """Keep these entries, and what is still lost; a disk that refuses takes nothing away."""
        held = _records(entries)
        still = {path: entry for path, entry in lost.items() if (entry.kind, entry.id) not in held}
        with contextlib.suppress(OSError, ManifestError):
            self._file.save(Manifest(self._target, {**still, **entries}))


def _records(entries: Mapping[str, Entry]) -> set[tuple[Kind, int]]:
    return {(entry.kind, entry.id) for entry in entries.values()}
