"""The facts on its records that this clone keeps beside the manifest, which decides; each may be missing.

| fact | why the manifest is not enough |
|---|---|
| the records that this clone put on the site | people and Git put an older manifest back |
| the record of each path that this clone wrote or a person bound | others push manifests with other ids |
| the rights of the site's user, the number of editors' notes | each look would change the manifest |

A document whose entry was lost must not be created a second time: that is what the copy is for. The bonds are
read only if a plan overwrites or deletes something. The rights are only a shortcut, because a question for
them is one request of three that a sync of one page costs: the service still refuses what the user may not
do. The numbers of notes are for people alone. A failed write of any fact does not fail the run.
"""

from __future__ import annotations

import contextlib
import json
import re
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from msgspec.json import encode

from pressync.client.dialects import UserRights
from pressync.model.errors import ManifestError
from pressync.model.interface import Kind
from pressync.model.records import Entry, Manifest
from pressync.state import atomic_files
from pressync.state.clone_log import Bond, Rights, bond_facts
from pressync.state.journal_lines import Done, Intent, Removed, Resolved
from pressync.state.manifest import codec
from pressync.state.manifest.sorted_rows import SortedRows
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping
    from pathlib import Path

    from pressync.state.clone_log import CloneLog
    from pressync.state.journal_lines import Line

    RecordKey = tuple[Kind, int]

# The first line of each record, which has its path alone.
_PATH = re.compile(rb'^\{"path": (".*"),$', re.MULTILINE)
# The record of a path was deleted.
_DELETED = Bond("", 0, "")


class CreatedCopy:
    """The file of the copy; a record that the journal's `lines` remove does not count as forgotten."""

    def __init__(self, path: Path, log: CloneLog, lines: Iterable[Line]) -> None:
        self._path = path
        self._log = log
        self._target = log.target
        # True if the file is known to hold the same entries as the manifest.
        self.is_current = False
        self._removed: set[RecordKey] = set()
        for line in lines:
            self.take(line)

    def take(self, line: Line) -> None:
        """Note the record that a line of the journal removes, if it removes one."""
        if isinstance(line, Removed):
            self._removed.add((line.kind, line.id))

    def removed(self) -> frozenset[RecordKey]:
        """Return the records that this clone has deleted or dropped.

        It is a safety net. Without it, a person has to look at the records in the trash.
        """
        return frozenset({(Kind(kind), number) for kind, number in self._log.removed()} | self._removed)

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
                self._log.append([("removed", encode(sorted(self._removed)))])

    def _write(self, known: Manifest, records: Callable[[], Iterable[bytes]] | None) -> None:
        if records is not None:
            with contextlib.suppress(ManifestError, OSError):
                atomic_files.write_private(self._path, chain([codec.head(Manifest(self._target))], records()))
                return
        atomic_files.write_private(self._path, codec.pieces(known))


class Vouched:
    """The bonds between paths and records for which this clone vouches."""

    def __init__(self, log: CloneLog, lines: Iterable[Line] = ()) -> None:
        """Take the bonds of the log; `lines` are those of the journal, which a killed run left."""
        self._log = log
        # An entry of this run is in the memory already, and needs no bond before the bonds are asked for.
        self._new: dict[str, Entry | Bond] = {}
        self._deleted: set[str] = set()
        for line in lines:
            self.take(line)

    def take(self, line: Line) -> None:
        """Note what a line of the journal says of a call of this clone, or of an unconfirmed create.

        An update is sent only to a record that the plan believed in. So its intent is enough: if the run is
        killed, the record may already have a text that no commit of the manifest knows. A line without a call
        notes an entry that came with the manifest, so it vouches for nothing.
        """
        match line:
            case Intent(action="update", path=path, kind=kind, id=int() as number, commit=commit):
                self._new[path] = Bond(kind.value, number, commit)
                self._deleted.discard(path)
            case Done(n=number, entries=entries) if number:
                for entry in entries:
                    self.add(entry)
            case Removed(n=number, path=path) if number:
                self.end(path)
            case Resolved(entry=Entry() as entry):
                self.add(entry)

    def add(self, entry: Entry) -> None:
        """Vouch for an entry: this run wrote its record, or a person has bound it."""
        self._new[entry.path] = entry
        self._deleted.discard(entry.path)

    def end(self, path: str) -> None:
        """Note that a path's record was deleted; if the path comes back, it has another record."""
        self._deleted.add(path)

    def bonds(self, only: Container[str] | None = None) -> dict[str, Bond]:
        """Return the bonds by path, of all paths or only of some; an empty log vouches for nothing."""
        return self._log.bonds(self._rows(), only)

    def save(self) -> None:
        """Save the new bonds; a failed write does not fail the run.

        Bonds that the manifest contradicts or has forgotten are kept, because they show a forged id.
        """
        if self._new or self._deleted:
            with contextlib.suppress(OSError):
                self._log.append(bond_facts(self._rows()))
            self._new.clear()
            self._deleted.clear()

    def _rows(self) -> Iterator[tuple[str, Bond]]:
        for path, new in self._new.items():
            yield path, new if isinstance(new, Bond) else Bond(new.kind.value, new.id, new.commit)
        for path in self._deleted:
            yield path, _DELETED


class SeenRights:
    """The rights that the site's user was seen to lack; most users of a sync lack none."""

    def __init__(self, log: CloneLog) -> None:
        self._log = log

    def of(self, user: str) -> UserRights | None:
        """Give the rights that this user was seen to lack; None if nobody has asked."""
        seen = self._log.rights()
        return UserRights(seen.id, frozenset(seen.lacking)) if seen.id and seen.user == user else None

    def note(self, user: str, rights: UserRights) -> None:
        """Note the rights that a user lacks."""
        self._note(Rights(user, rights.user, tuple(sorted(rights.lacking))))

    def drop(self) -> None:
        """Ask for the rights again before the next run."""
        self._note(Rights())

    def _note(self, rights: Rights) -> None:
        if rights != self._log.rights():
            with contextlib.suppress(OSError):
                self._log.append([("rights", encode(rights))])


class SeenNotes:
    """The number of notes of editors at each record."""

    def __init__(self, log: CloneLog) -> None:
        self._log = log

    def counts(self) -> dict[RecordKey, int]:
        """Give the number of notes by record, for records that have any."""
        return {(Kind(kind), number): count for (kind, number), count in self._log.notes().items()}

    def see(self, seen: Mapping[RecordKey, int]) -> None:
        """Note the numbers of the records that were read."""
        before = self.counts()
        changed = [(*key, count) for key, count in sorted(seen.items()) if count != before.get(key, 0)]
        if changed:
            with contextlib.suppress(OSError):
                self._log.append([("notes", encode(changed))])


def _records(entries: Mapping[str, Entry]) -> set[RecordKey]:
    return {(entry.kind, entry.id) for entry in entries.values()}
