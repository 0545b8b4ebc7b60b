"""What this clone put on the site, beside the journal: the records that the manifest may have forgotten.

It must not know the journal's file. It exists because a manifest is a file that people restore, reset and
delete, and that Git changes with the branch; a document whose entry went that way must not be made a
second time. It is a safety net and never the truth.
"""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING

from pressync.model.errors import ManifestError
from pressync.model.interface import Kind
from pressync.model.records import Manifest
from pressync.state import atomic_files
from pressync.state.journal_lines import Removed
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pressync.model.records import Entry
    from pressync.state.journal_lines import Line

# A record's path has a line of its own, which the manifest's text begins with.
_PATH = re.compile(rb'^\{"path": (".*"),$', re.MULTILINE)


class CreatedCopy:
    """The file of what this clone made; `lines` are the journal's, for what they remove is not lost."""

    def __init__(self, path: Path, target: str, lines: Iterable[Line]) -> None:
        self._file = ManifestFile(path, target, is_private=True)
        self._target = target
        # Whether the file is known to hold what the manifest does.
        self.is_current = False
        self._removed: set[tuple[Kind, int]] = set()
        self._bygone = path.with_suffix(f"{path.suffix}.removed")
        for line in lines:
            self.take(line)

    def take(self, line: Line) -> None:
        """Note what a line of the journal removes."""
        if isinstance(line, Removed):
            self._removed.add((line.kind, line.id))

    def removed(self) -> frozenset[tuple[Kind, int]]:
        """Give the records that this clone has deleted or let go, as long as it remembers."""
        try:
            noted = json.loads(self._bygone.read_bytes())
            rows = noted["records"] if noted["target"] == self._target else []
            kept = {(Kind(str(kind)), int(number)) for kind, number in rows}
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            # A safety net: without it, what is in the trash is a person's to look at.
            kept = set()
        return frozenset(kept | self._removed)

    def forgotten_by_manifest(
        self, entries: Mapping[str, Entry], *, to_read: bool = False
    ) -> dict[str, Entry]:
        """Name the records that were made, and are neither among these entries nor removed; by path.

        A state that is opened `to_read` asks each time it draws a plan, so the paths are compared first: of
        25,000 records that takes a fifth of the time.
        """
        if to_read and not self._has_other_paths(entries):
            return {}
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

    def _has_other_paths(self, entries: Mapping[str, Entry]) -> bool:
        try:
            found = _PATH.findall(self._file.path.read_bytes())
            return not entries.keys() >= set(json.loads(b"[" + b",".join(found) + b"]"))
        except (OSError, ValueError):
            return True

    def save(self, entries: Mapping[str, Entry], lost: Mapping[str, Entry]) -> None:
        """Keep these entries, and what is still lost; a disk that refuses takes nothing away."""
        held = _records(entries)
        still = {path: entry for path, entry in lost.items() if (entry.kind, entry.id) not in held}
        with contextlib.suppress(OSError, ManifestError):
            self._file.save(Manifest(self._target, {**still, **entries}))
        if self._removed:
            with contextlib.suppress(OSError):
                atomic_files.make_folder(self._bygone.parent)
                noted = {"target": self._target, "records": sorted(self.removed())}
                atomic_files.replace(self._bygone, json.dumps(noted).encode())


def _records(entries: Mapping[str, Entry]) -> set[tuple[Kind, int]]:
    return {(entry.kind, entry.id) for entry in entries.values()}
