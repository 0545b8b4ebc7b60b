"""One record, name, file or doubt of a manifest <-> the members and the lines that are written for it. Pure.

It must not know the whole document. What decided its shape: journal and manifest write the same members
for the same noun, and msgspec reads both, strictly: what has another type or another name is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec.json import Encoder
from msgspec.json import format as spaced
from msgspec.structs import astuple

from pressync.model.interface import Kind  # noqa: TC001 - msgspec reads the annotations of Record
from pressync.model.records import Doubt, Entry, Medium, Name

# Left out of a record where they hold nothing.
_OPTIONAL = ("links", "basis", "layout", "bent", "conflict", "protect", "aliases", "former")

_SURROGATE = re.compile("[\ud800-\udfff]")

_encode = Encoder().encode

_Id = Annotated[int, msgspec.Meta(gt=0)]


class RecordLines(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One record as it is written; the order of the members is the order of `Entry`'s."""

    path: str
    kind: Kind
    id: _Id
    slug: str
    link: str
    modified: str
    modified_gmt: str
    blob: str
    commit: str
    fingerprints: dict[str, str]
    parent: str | None = None
    basis: str = ""
    layout: str = ""
    links: tuple[str, ...] = ()
    bent: dict[str, str] = {}
    conflict: dict[str, str] = {}
    protect: bool = False
    aliases: tuple[str, ...] = ()
    former: tuple[str, ...] = ()


class NameLine(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One name that front matter gives and the id that it stands for."""

    field: Literal["author", "categories", "tags"]
    name: str
    id: _Id


class MediumLine(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One uploaded file."""

    blob: str
    path: str
    id: _Id
    link: str


class DoubtLine(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One create that was sent and never settled."""

    path: str
    kind: Kind
    slug: str
    time: str
    commit: str
    fingerprints: dict[str, str]


def to_record(entry: Entry) -> dict[str, object]:
    """One entry as the members that are written for it, `path` first."""
    record: dict[str, object] = {
        "path": entry.path,
        "kind": entry.kind.value,
        "id": entry.id,
        "slug": entry.slug,
        "link": entry.link,
        "modified": entry.modified,
        "modified_gmt": entry.modified_gmt,
        "blob": entry.blob,
        "commit": entry.commit,
        "fingerprints": dict(entry.fingerprints),
    }
    if entry.parent_path is not None:
        record["parent"] = entry.parent_path
    for name in _OPTIONAL:
        value = getattr(entry, name)
        if value:
            record[name] = dict(value) if isinstance(value, Mapping) else value
    return record


def to_name(name: Name, number: int) -> dict[str, object]:
    """One name as the members that are written for it."""
    return {"field": name.field, "name": name.text, "id": number}


def to_medium(medium: Medium) -> dict[str, object]:
    """One uploaded file as the members that are written for it."""
    return {"blob": medium.blob, "path": medium.path, "id": medium.id, "link": medium.link}


def to_doubt(doubt: Doubt) -> dict[str, object]:
    """One create in doubt as the members that are written for it."""
    return {
        "path": doubt.path,
        "kind": doubt.kind.value,
        "slug": doubt.slug,
        "time": doubt.time,
        "commit": doubt.commit,
        "fingerprints": dict(doubt.fingerprints),
    }


def from_record(members: object) -> Entry:
    """One entry from the members that `to_record` gave, with the types that JSON has.

    :raises ValueError: a member is missing, unknown or of another type.
    """
    return entry_of(msgspec.convert(members, RecordLines))


def from_name(members: object) -> tuple[Name, int]:
    """One name from the members that `to_name` gave; ValueError if they are not such."""
    known = msgspec.convert(members, NameLine)
    return Name(known.field, known.name), known.id


def from_medium(members: object) -> Medium:
    """One uploaded file from the members that `to_medium` gave; ValueError if they are not such."""
    known = msgspec.convert(members, MediumLine)
    return Medium(known.blob, known.path, known.id, known.link)


def from_doubt(members: object) -> Doubt:
    """One create in doubt from the members that `to_doubt` gave; ValueError if they are not such."""
    return doubt_of(msgspec.convert(members, DoubtLine))


def entry_of(record: RecordLines) -> Entry:
    """Make the entry of a record as it was written."""
    return Entry(*astuple(record))


def doubt_of(line: DoubtLine) -> Doubt:
    """Make the doubt of a line as it was written."""
    return Doubt(line.path, line.kind, line.slug, line.time, line.commit, line.fingerprints)


def one_line(members: Mapping[str, object]) -> str:
    """Write members as one line, which begins with its line break."""
    return f"\n{as_json(members)}"


def two_lines(entry: Entry) -> str:
    """Write an entry as two lines: its path, and the rest."""
    record = to_record(entry)
    return f'\n{{"path": {as_json(record.pop("path"))},\n {as_json(record)[1:]}'


def as_json(value: object) -> str:
    """Write a value as JSON on one line; a lone surrogate becomes U+FFFD, for UTF-8 has no place for it."""
    try:
        return spaced(_encode(value), indent=0).decode()
    except UnicodeEncodeError:
        return spaced(_encode(_whole(value)), indent=0).decode()


def _whole(value: object) -> object:
    """Copy a value without lone surrogates."""
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value)
        case Mapping():
            return {_whole(name): _whole(member) for name, member in value.items()}
        case tuple():
            return tuple(map(_whole, value))
        case _:
            return value
