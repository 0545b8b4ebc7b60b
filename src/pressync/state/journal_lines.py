"""The lines of a journal, as data and as text that shows whether it is damaged. Pure.

A line is JSON, a tab, the CRC-32 of the JSON in hexadecimal, and a newline. The first line has the version
and the target. The text is ASCII, because a lone surrogate in a response must never stop a line from being
written.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from typing import Literal, TypeVar

import msgspec

from pressync.model.errors import JournalError
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes, encoded
from pressync.model.records import Entry, Medium, Name, NamedId, RolledBack, UnconfirmedCreate

VERSION = 1

Action = Literal["create", "update", "delete"]


class Intent(msgspec.Struct, frozen=True):
    """A call that is about to be sent; `id` is None for a create, `time` is in ISO 8601 and UTC.

    `told` says that a manifest was saved since then, with this create among its unconfirmed creates.
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
    def create(self) -> UnconfirmedCreate | None:
        """The unconfirmed create that this is until it has an outcome; None for an update or delete."""
        if self.action != "create":
            return None
        return UnconfirmedCreate(self.path, self.kind, self.slug, self.time, self.commit, self.fingerprints)


class Done(msgspec.Struct, frozen=True):
    """The manifest has these entries from now on; `n` is the number of the call, 0 without a call."""

    n: int
    entries: tuple[Entry, ...]

    def __str__(self) -> str:
        return ", ".join(f"{entry.path} is {entry.kind} {entry.id}" for entry in self.entries)


class Removed(msgspec.Struct, frozen=True):
    """The manifest no longer has this record; `n` is the number of the call, 0 without a call."""

    n: int
    path: str
    kind: Kind
    id: int

    def __str__(self) -> str:
        return f"{self.path} no longer has {self.kind} {self.id}"


class Withdrawn(msgspec.Struct, frozen=True):
    """The call was certainly not carried out."""

    n: int
    why: str

    def __str__(self) -> str:
        return f"call {self.n} was not carried out ({self.why})"


class Resolved(msgspec.Struct, frozen=True):
    """These creates are settled: they made the record of this entry, or (None) nothing."""

    unconfirmed: tuple[UnconfirmedCreate, ...] = msgspec.field(name="doubts")
    entry: Entry | None = None

    def __str__(self) -> str:
        paths = ", ".join(sorted({create.path for create in self.unconfirmed}))
        entry = self.entry
        return f"{paths} is {entry.kind} {entry.id}" if entry else f"{paths} was not created"


class Learned(msgspec.Struct, frozen=True):
    """The ids of names on the site, and the files that are there, from now on."""

    names: tuple[NamedId, ...] = ()
    media: tuple[Medium, ...] = ()

    def __str__(self) -> str:
        names = (f"{known.field} '{known.name}' is {known.id}" for known in self.names)
        return ", ".join((*names, *(f"{medium.path} is media {medium.id}" for medium in self.media)))


class Forgotten(msgspec.Struct, frozen=True):
    """The manifest no longer has these names and files; files are given by their blob ids."""

    names: tuple[Name, ...] = ()
    media: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{len(self.names)} names and {len(self.media)} files are forgotten"


class Marked(msgspec.Struct, frozen=True):
    """The manifest has this mark of a rollback from now on, or (None) no mark."""

    mark: RolledBack | None

    def __str__(self) -> str:
        return f"run {self.mark.run} is rolled back" if self.mark else "no run is rolled back any more"


Line = Intent | Done | Removed | Withdrawn | Resolved | Learned | Forgotten | Marked

_NAMES: dict[type[Line], str] = {
    Intent: "intent",
    Done: "done",
    Removed: "removed",
    Withdrawn: "not",
    Resolved: "resolved",
    Learned: "learned",
    Forgotten: "forgotten",
    Marked: "rolled_back",
}
_TYPES = {name: line for line, name in _NAMES.items()}


_Line = TypeVar("_Line")


class _Header(msgspec.Struct):
    version: int
    target: str


def encode_header(target: str) -> bytes:
    """Write the first line of a journal."""
    return _encoded("journal", {"version": VERSION, "target": target})


def encode(line: Line) -> bytes:
    """Write any other line."""
    return _encoded(_NAMES[type(line)], line)


def check_header(raw: bytes, target: str, where: str) -> None:
    """Read the first line of a journal.

    :raises JournalError: the line is damaged, or it is for another target, or a newer version wrote it.
    """
    header = _decoded(raw, where, {"journal": _Header})
    if header.version > VERSION:
        what = f"the journal was written by a newer pressync (version {header.version})"
        raise JournalError(what, where=where, todo="upgrade pressync")
    if header.target != target:
        what = f"the journal has calls to {header.target}, not to {target}; nothing was sent"
        todo = "sync that target first, or give this one a site name of its own"
        raise JournalError(what, where=where, todo=todo)


def decode(raw: bytes, where: str, types: SiteTypes = DOCUMENTED_TYPES) -> Line:
    """Read any other line; the site has these types.

    :raises JournalError: the line is damaged.
    """
    return _decoded(raw, where, _TYPES, types)


def _encoded(name: str, members: Line | Mapping[str, object]) -> bytes:
    try:
        text = msgspec.json.encode({name: members}, enc_hook=encoded)
    except UnicodeEncodeError:
        # Half of a character, as in an error message, can only be escaped.
        text = json.dumps(
            {name: msgspec.to_builtins(members, enc_hook=encoded)}, separators=(",", ":")
        ).encode()
    return b"%s\t%08x\n" % (text, zlib.crc32(text))


def _decoded(
    raw: bytes, where: str, lines: Mapping[str, type[_Line]], types: SiteTypes = DOCUMENTED_TYPES
) -> _Line:
    text, _, checksum = raw[:-1].rpartition(b"\t")
    if checksum != b"%08x" % zlib.crc32(text):
        raise _damaged(where)
    try:
        ((name, members),) = json.loads(text).items()
        return msgspec.convert(members, lines[name], dec_hook=types.decoded)
    except (ValueError, LookupError, AttributeError, RecursionError) as error:
        raise _damaged(where) from error


def _damaged(where: str) -> JournalError:
    return JournalError(
        "the journal is damaged before its end, which a crash cannot cause; nothing was sent",
        where=where,
        todo="compare the site with the calls that the journal names, then move the journal away",
    )
