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
from typing import Literal

import msgspec

from pressync import manifest
from pressync.errors import JournalError
from pressync.interface import Kind  # noqa: TC001 - the same
from pressync.model import Entry  # noqa: TC001 - the same

VERSION = 1

Action = Literal["create", "update", "delete"]


@dataclass(frozen=True, slots=True)
class Intent:
    """A call that is about to be sent; `id` is None for a create, `time` is ISO 8601 in UTC."""

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

    def __str__(self) -> str:
        return f"{self.action} of {self.path}" + ("" if self.id is None else f" ({self.kind} {self.id})")


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


Line = Intent | Done | Removed | Withdrawn

_NAMES: dict[type[Line], str] = {Intent: "intent", Done: "done", Removed: "removed", Withdrawn: "not"}


class _Header(msgspec.Struct):
    version: int
    target: str


class _Done(msgspec.Struct):
    n: int
    entries: list[dict[str, object]]


def encode_header(target: str) -> bytes:
    """Write the first line of a journal."""
    return _encoded("journal", {"version": VERSION, "target": target})


def encode(line: Line) -> bytes:
    """Write any other line."""
    members = {name: getattr(line, name) for name in line.__slots__}
    if isinstance(line, Done):
        members["entries"] = [manifest.to_record(entry) for entry in line.entries]
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
    try:
        match name:
            case "intent":
                return msgspec.convert(members, Intent)
            case "done":
                done = msgspec.convert(members, _Done)
                return Done(done.n, tuple(map(manifest.from_record, done.entries)))
            case "removed":
                return msgspec.convert(members, Removed)
            case "not":
                return msgspec.convert(members, Withdrawn)
            case _:
                raise _damaged(where)
    except ValueError as error:
        raise _damaged(where) from error


def _encoded(name: str, members: Mapping[str, object]) -> bytes:
    text = json.dumps({name: members}, separators=(",", ":"), default=dict).encode()
    return b"%s\t%08x\n" % (text, zlib.crc32(text))


def _decoded(raw: bytes, where: str) -> tuple[str, object]:
    text, _, checksum = raw[:-1].rpartition(b"\t")
    if checksum != b"%08x" % zlib.crc32(text):
        raise _damaged(where)
    try:
        ((name, members),) = json.loads(text).items()
    except (ValueError, AttributeError) as error:
        raise _damaged(where) from error
    return name, members


def _damaged(where: str) -> JournalError:
    return JournalError(
        "the journal is damaged, not merely torn at its end; nothing was sent",
        where=where,
        todo="compare the site with the calls that it names, then move the journal away",
    )
