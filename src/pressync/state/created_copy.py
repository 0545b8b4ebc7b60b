"""A copy of the records that this clone put on the site, to find those that the manifest has forgotten.

People restore, reset and delete the manifest, and Git changes it with the branch. A document whose entry was
lost in that way must not be created a second time. The copy is only a safety net: the manifest decides.
"""

from __future__ import annotations

import contextlib
import json
import re
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from pressync.model.errors import ManifestError
from pressync.model.interface import Kind
from pressync.model.records import Manifest
from pressync.state import atomic_files, private_files
from pressync.state.journal_lines import Removed
from pressync.state.manifest import codec
from pressync.state.manifest.sorted_rows import SortedRows
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pressync.model.records import Entry
    from pressync.state.journal_lines import Line

# The first line of each record, which has its path alone.
_PATH = re.compile(rb'^\{"path": (".*"),$', re.MULTILINE)


class CreatedCopy:
    """The file of the copy; a record that the journal's `lines` remove does not count as forgotten."""

    def __init__(self, path: Path, target: str, lines: Iterable[Line]) -> None:
        self._path = path
        self._target = target
        # True if the file is known to hold the same entries as the manifest.
        self.is_current = False
        self._removed: set[tuple[Kind, int]] = set()
        self._removed_file = path.with_suffix(f"{path.suffix}.removed")
        for line in lines:
            self.take(line)

    def take(self, line: Line) -> None:
        """Note the record that a line of the journal removes, if it removes one."""
        if isinstance(line, Removed):
            self._removed.add((line.kind, line.id))

    def removed(self) -> frozenset[tuple[Kind, int]]:
        """Return the records that this clone has deleted or dropped, if their file can be read."""
        try:
            noted = json.loads(self._removed_file.read_bytes())
            rows = noted["records"] if noted["target"] == self._target else []
            kept = {(Kind(str(kind)), int(number)) for kind, number in rows}
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            # It is a safety net. Without it, a person has to look at the records in the trash.
            kept = set()
        return frozenset(kept | self._removed)

    def forgotten_by_manifest(
        self,
        entries: Mapping[str, Entry],
        *,
        to_read: bool = False,
        records: Callable[[], Iterable[bytes]] | None = None,
    ) -> dict[str, Entry]:
        """Return the records of the copy that are neither among these entries nor removed, by path.

        `records` is the text of these entries, if they are as the manifest has them. Usually the copy has the
        same text, so nothing has to be decoded. A state that is opened `to_read` asks this for each plan. So
        the paths are compared then: for 25,000 records that takes a fifth of the time.
        """
        if records is not None and self._has(records):
            self.is_current = True
            return {}
        if to_read and not self._has_other_paths(entries):
            return {}
        try:
            copied = ManifestFile(self._path, self._target).read(writable=False).entries
        except ManifestError:
            # The file is for another target, or unreadable, so it says nothing about this target.
            return {}
        self.is_current = copied == dict(entries.items())
        held = _records(entries) | self._removed
        return {
            path: entry
            for path, entry in copied.items()
            if path not in entries and (entry.kind, entry.id) not in held
        }

    def _has(self, records: Callable[[], Iterable[bytes]]) -> bool:
        with contextlib.suppress(OSError, ManifestError), self._path.open("rb") as file:
            rows = SortedRows(file, where=str(self._path))
            is_ours = rows.head == codec.head(Manifest(self._target))
            return is_ours and all(one == other for one, other in zip_longest(records(), rows.pieces()))
        return False

    def _has_other_paths(self, entries: Mapping[str, Entry]) -> bool:
        try:
            found = _PATH.findall(self._path.read_bytes())
            return not entries.keys() >= set(json.loads(b"[" + b",".join(found) + b"]"))
        except FileNotFoundError:
            return False
        except (OSError, ValueError):
            return True

    def save(
        self,
        entries: Mapping[str, Entry],
        forgotten: Mapping[str, Entry],
        records: Callable[[], Iterable[bytes]] | None = None,
    ) -> None:
        """Keep these entries and those that are still forgotten; a failed write does not fail the run.

        `records` is the text of these entries, if the manifest has it.
        """
        held = _records(entries) if forgotten else set()
        still = {path: entry for path, entry in forgotten.items() if (entry.kind, entry.id) not in held}
        with contextlib.suppress(OSError):
            if not self.is_current and (entries or still or self._path.exists()):
                self._write(
                    Manifest(self._target, {**still, **dict(entries.items())}), None if still else records
                )
        if self._removed:
            with contextlib.suppress(OSError):
                atomic_files.make_folder(self._removed_file.parent)
                noted = {"target": self._target, "records": sorted(self.removed())}
                atomic_files.replace(self._removed_file, json.dumps(noted).encode())

    def _write(self, known: Manifest, records: Callable[[], Iterable[bytes]] | None) -> None:
        if records is not None:
            with contextlib.suppress(ManifestError, OSError):
                private_files.write(self._path, chain([codec.head(Manifest(self._target))], records()))
                return
        private_files.write(self._path, codec.pieces(known))


def _records(entries: Mapping[str, Entry]) -> set[tuple[Kind, int]]:
    return {(entry.kind, entry.id) for entry in entries.values()}
