"""The lines of a journal: as data, and as text that shows when it is damaged. Pure.

It must not know files. A line is JSON, a tab, the CRC-32 of the JSON in hexadecimal, and a newline; the
first says version and target. The decision that shaped it: the text is ASCII, for a line must never
fail on half a character that the service answered with.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from pressync.model.errors import JournalError
from pressync.model.interface import Kind  # noqa: TC001 - the same
from pressync.model.records import Doubt, Name  # noqa: TC001 - the same
from pressync.state.manifest import codec

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.model.records import Entry, Medium

VERSION = 1

Action = Literal["create", "update", "delete"]


@dataclass(frozen=True, slots=True)
class Intent:
    """A call that is about to be sent; `id` is None for a create, `time` is ISO 8601 in UTC.

    `told`: a manifest that was saved since has it among its doubts.
    """

    n: int
    action: Action
    path: str
    kind: Kind
    id: int | None
    slug: str
    fingerprints: Mapping[str, str]
    commit: str
    blob: str
    time: str
    told: bool = False

    def __str__(self) -> str:
        return f"{self.action} of {self.path}" + ("" if self.id is None else f" ({self.kind} {self.id})")

    @property
    def doubt(self) -> Doubt | None:
        """What is in doubt as long as nobody knows the end of it; of an update or delete, nothing."""
        if self.action != "create":
            return None
        return Doubt(self.path, self.kind, self.slug, self.time, self.commit, self.fingerprints)


@dataclass(frozen=True, slots=True)
class Done:
    """What the manifest says of these records from now on; `n` is the call's, 0 if there was none."""

    n: int
    entries: tuple[Entry, ...]

    def __str__(self) -> str:
        return ", ".join(f"{entry.path} is {entry.kind} {entry.id}" for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Removed:
    """The manifest knows this record no more; `n` is the call's, 0 if there was none."""

    n: int
    path: str
    kind: Kind
    id: int

    def __str__(self) -> str:
        return f"{self.path} is {self.kind} {self.id} no more"


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The call was certainly not carried out."""

    n: int
    why: str

    def __str__(self) -> str:
        return f"call {self.n} was not carried out ({self.why})"


@dataclass(frozen=True, slots=True)
class Resolved:
    """These creates are in doubt no more: they made the record of this entry, or (None) nothing."""

    doubts: tuple[Doubt, ...]
    entry: Entry | None = None

    def __str__(self) -> str:
        paths = ", ".join(sorted({doubt.path for doubt in self.doubts}))
        entry = self.entry
        return f"{paths} is {entry.kind} {entry.id}" if entry else f"{paths} was not created"


@dataclass(frozen=True, slots=True)
class Learned:
    """What names stand for on the site, and which files are there, from now on."""

    names: tuple[tuple[Name, int], ...] = ()
    media: tuple[Medium, ...] = ()

    def __str__(self) -> str:
        names = (f"{name.field} '{name.text}' is {number}" for name, number in self.names)
        return ", ".join((*names, *(f"{medium.path} is media {medium.id}" for medium in self.media)))


@dataclass(frozen=True, slots=True)
class Forgotten:
    """These names and files stand for nothing that is known, from now on; files by their blob ids."""

    names: tuple[Name, ...] = ()
    media: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{len(self.names)} names and {len(self.media)} files are known no more"


Line = Intent | Done | Removed | Withdrawn | Resolved | Learned | Forgotten

_NAMES: dict[type[Line], str] = {
    Intent: "intent",
    Done: "done",
    Removed: "removed",
    Withdrawn: "not",
    Resolved: "resolved",
    Learned: "learned",
    Forgotten: "forgotten",
}


class _Header(msgspec.Struct):
    version: int
    target: str


class _DoneLine(msgspec.Struct):
    n: int
    entries: list[dict[str, object]]


class _ResolvedLine(msgspec.Struct):
    doubts: list[dict[str, object]]
    entry: dict[str, object] | None


class _LearnedLine(msgspec.Struct):
    names: list[dict[str, object]]
    media: list[dict[str, object]]


def encode_header(target: str) -> bytes:
    """Write the first line of a journal."""
    return _encoded("journal", {"version": VERSION, "target": target})


def encode(line: Line) -> bytes:
    """Write any other line."""
    members = {name: getattr(line, name) for name in line.__slots__}
    match line:
        case Done():
            members["entries"] = [codec.to_record(entry) for entry in line.entries]
        case Resolved():
            members["doubts"] = [codec.to_doubt(doubt) for doubt in line.doubts]
            members["entry"] = codec.to_record(line.entry) if line.entry else None
        case Learned():
            members["names"] = [codec.to_name(*known) for known in line.names]
            members["media"] = [codec.to_medium(medium) for medium in line.media]
        case Forgotten():
            members["names"] = [{"field": name.field, "text": name.text} for name in line.names]
    return _encoded(_NAMES[type(line)], members)


def check_header(raw: bytes, target: str, where: str) -> None:
    """Read the first line of a journal.

    :raises JournalError: it is damaged, or for another target or of a newer version.
    """
    name, members = _decoded(raw, where)
    try:
        header = msgspec.convert(members, _Header)
    except ValueError as error:
        raise _damaged(where) from error
    if name != "journal":
        raise _damaged(where)
    if header.version > VERSION:
        what = f"the journal was written by a newer pressync (version {header.version})"
        raise JournalError(what, where=where, todo="upgrade pressync")
    if header.target != target:
        what = f"the journal is of calls to {header.target}, not to {target}; nothing was sent"
        raise JournalError(
            what, where=where, todo="sync that target first, or give this one a site name of its own"
        )


def decode(raw: bytes, where: str) -> Line:
    """Read any other line.

    :raises JournalError: it is damaged.
    """
    name, members = _decoded(raw, where)
    if name not in _READERS:
        raise _damaged(where)
    try:
        return _READERS[name](members)
    except ValueError as error:
        raise _damaged(where) from error


def _done(members: object) -> Done:
    read = msgspec.convert(members, _DoneLine)
    return Done(read.n, tuple(map(codec.from_record, read.entries)))


def _resolved(members: object) -> Resolved:
    read = msgspec.convert(members, _ResolvedLine)
    entry = None if read.entry is None else codec.from_record(read.entry)
    return Resolved(tuple(map(codec.from_doubt, read.doubts)), entry)


def _learned(members: object) -> Learned:
    read = msgspec.convert(members, _LearnedLine)
    return Learned(tuple(map(codec.from_name, read.names)), tuple(map(codec.from_medium, read.media)))


_READERS: Mapping[str, Callable[[object], Line]] = {
    "intent": lambda members: msgspec.convert(members, Intent),
    "done": _done,
    "removed": lambda members: msgspec.convert(members, Removed),
    "not": lambda members: msgspec.convert(members, Withdrawn),
    "resolved": _resolved,
    "learned": _learned,
    "forgotten": lambda members: msgspec.convert(members, Forgotten),
}


def _encoded(name: str, members: Mapping[str, object]) -> bytes:
    text = json.dumps({name: members}, separators=(",", ":"), default=dict).encode()
    return b"%s\t%08x\n" % (text, zlib.crc32(text))


def _decoded(raw: bytes, where: str) -> tuple[str, object]:
    text, _, checksum = raw[:-1].rpartition(b"\t")
    if checksum != b"%08x" % zlib.crc32(text):
        raise _damaged(where)
    try:
        ((name, members),) = json.loads(text).items()
    except (ValueError, AttributeError, RecursionError) as error:
        raise _damaged(where) from error
    return name, members


def _damaged(where: str) -> JournalError:
    return JournalError(
        "the journal is damaged, not merely torn at its end; nothing was sent",
        where=where,
        todo="compare the site with the calls that it names, then move the journal away",
    )
