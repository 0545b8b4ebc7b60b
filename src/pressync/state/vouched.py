"""Which record each path has, as this clone has seen with its own eyes: it wrote it, or a person said so.

A manifest comes from a reference or a commit that others push, so it cannot vouch for itself. The notes of
the clone can. They are read only where a plan has something to overwrite or delete.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.state import files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.model import Entry


@dataclass(frozen=True, slots=True)
class Bond:
    """The record that a path had, and the commit at which this clone knew it."""

    kind: str
    id: int
    commit: str

    def holds(self, entry: Entry) -> bool:
        """Whether an entry still has this record."""
        return (self.kind, self.id) == (entry.kind.value, entry.id)


class Vouched:
    """The file of the bonds between paths and records that this clone vouches for."""

    def __init__(self, path: Path, target: str) -> None:
        self._path = path
        self._target = target
        self._new: dict[str, Bond] = {}

    def add(self, entry: Entry) -> None:
        """Vouch for an entry: this run wrote its record, or a person has bound it."""
        self._new[entry.path] = Bond(entry.kind.value, entry.id, entry.commit)

    def bonds(self) -> Mapping[str, Bond]:
        """Give the bonds by path; a file that is missing or unreadable vouches for nothing."""
        return {**self._read(), **self._new}

    def save(self, entries: Mapping[str, Entry]) -> None:
        """Keep what is new, without paths that have left the manifest; a full disk takes nothing away.

        A bond that the manifest contradicts is kept: that is how a forged id is known.
        """
        if not self._new:
            return
        wanted = {path: bond for path, bond in self.bonds().items() if path in entries}
        self._new.clear()
        rows = [[path, bond.kind, bond.id, bond.commit] for path, bond in sorted(wanted.items())]
        text = json.dumps({"target": self._target, "records": rows})
        with contextlib.suppress(OSError):
            files.make_folder(self._path.parent, mode=0o700)
            files.replace(self._path, text.encode(), mode=0o600)

    def _read(self) -> dict[str, Bond]:
        try:
            known = json.loads(self._path.read_bytes())
            rows = known["records"] if known["target"] == self._target else []
            return {
                str(path): Bond(str(kind), int(number), str(commit)) for path, kind, number, commit in rows
            }
        except (OSError, ValueError, KeyError, TypeError):
            return {}
