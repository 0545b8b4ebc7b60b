"""The record that each path has, as this clone knows it: the clone wrote the record, or a person bound it.

Others push the reference or the commit that holds the manifest, so a manifest cannot prove that its ids are
right. The clone's own file can. It is read only if a plan overwrites or deletes something.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from pressync.model.records import Entry
from pressync.state import atomic_files
from pressync.state.journal_lines import Done, Intent, Removed, Resolved

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from pathlib import Path

    from pressync.state.journal_lines import Line


class _Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    path: str
    kind: str
    id: int
    commit: str


class _File(msgspec.Struct):
    target: str
    records: list[_Row]


_PIECE = 400
_decode = msgspec.json.Decoder(_File).decode


@dataclass(frozen=True, slots=True)
class Bond:
    """The record that a path had, and the commit at which this clone knew it; id 0 is a deleted record."""

    kind: str
    id: int
    commit: str

    def holds(self, entry: Entry) -> bool:
        """Whether an entry still has this record."""
        return (self.kind, self.id) == (entry.kind.value, entry.id)


class Vouched:
    """The file of the bonds between paths and records for which this clone vouches."""

    def __init__(self, path: Path, target: str, lines: Iterable[Line] = ()) -> None:
        """Open the file; `lines` are those of the journal, which a killed run left."""
        self._path = path
        self._target = target
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
        """Return the bonds by path, of all paths or only of some.

        A file that is missing or unreadable vouches for nothing.
        """
        added = {path: _bond(new) for path, new in self._new.items()}
        read = self._read(only)
        held = {(bond.kind, bond.id) for bond in added.values()} if read else ()
        found = {path: bond for path, bond in read.items() if (bond.kind, bond.id) not in held}
        found |= {path: bond for path, bond in added.items() if only is None or path in only}
        for path in self._deleted & found.keys():
            found[path] = replace(found[path], id=0)
        return found

    def save(self) -> None:
        """Save the new bonds; a failed write does not fail the run.

        Bonds that the manifest contradicts or has forgotten are kept, because they show a forged id.
        """
        if not (self._new or self._deleted):
            return
        wanted = self.bonds()
        self._new.clear()
        self._deleted.clear()
        with contextlib.suppress(OSError):
            atomic_files.make_folder(self._path.parent, mode=0o700)
            atomic_files.replace(self._path, self._pieces(wanted), mode=0o600)

    def _pieces(self, bonds: Mapping[str, Bond]) -> Iterator[bytes]:
        """Write the file as pieces of some hundred rows, because that of a large site takes megabytes."""
        yield json.dumps({"target": self._target, "records": []}).removesuffix("]}").encode()
        paths, more = iter(sorted(bonds)), ""
        while piece := [(path, bonds[path]) for path in islice(paths, _PIECE)]:
            rows = json.dumps([(path, bond.kind, bond.id, bond.commit) for path, bond in piece])
            yield f"{more}{rows[1:-1]}".encode()
            more = ", "
        yield b"]}"

    def _read(self, only: Container[str] | None) -> dict[str, Bond]:
        try:
            known = _decode(self._path.read_bytes())
        except (OSError, ValueError, msgspec.MsgspecError, RecursionError):
            return {}
        rows = known.records if known.target == self._target else []
        return {
            row.path: Bond(row.kind, row.id, row.commit) for row in rows if only is None or row.path in only
        }


def _bond(new: Entry | Bond) -> Bond:
    return new if isinstance(new, Bond) else Bond(new.kind.value, new.id, new.commit)
