"""Manifest <-> text: one JSON document, sorted by path, two lines a record. Pure.

It must not know disks or journals. What decided its shape: it is committed and merged. A line of its
own for the path keeps branches that touched neighbouring records from conflicting, the same manifest
is always the same bytes, and nothing in it changes with every run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, NoReturn

import msgspec
from msgspec.json import Encoder
from msgspec.json import format as spaced

from pressync.errors import ManifestError
from pressync.interface import Kind  # noqa: TC001 - msgspec reads the annotations of _Record
from pressync.model import Entry, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable

VERSION = 1

# Left out of a record where they hold nothing.
_OPTIONAL = ("links", "basis", "layout", "bent", "conflict", "protect", "aliases", "former")

_RESTORE = "restore it (`git checkout -- FILE`)"
_UPGRADE = "upgrade pressync"

# Relative, without empty segments, and without characters that no terminal and no line should be given.
_PATH = re.compile(r"[^/\x00-\x1f\x7f-\x9f\ud800-\udfff]+(?:/[^/\x00-\x1f\x7f-\x9f\ud800-\udfff]+)*")
_DOTS = frozenset({".", ".."})
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONFLICT_MARKER = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$", re.MULTILINE)
_AT_BYTE = re.compile(r"\(byte (\d+)\)$")
_AT_RECORD = re.compile(r"(.*?)(?: - at `\$(?:\[(\d+)\])?\.?(.*)`)?", re.DOTALL)

_encode = Encoder().encode


class _Record(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One record as it is written; the order of the members is the order of `Entry`'s."""

    path: str
    kind: Kind
    id: Annotated[int, msgspec.Meta(gt=0)]
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


_records = msgspec.json.Decoder(list[_Record])


def encode(manifest: Manifest) -> str:
    """Write a manifest; equal manifests are equal texts, which end with a newline.

    A lone surrogate (half a character, which an answer's JSON can hold) becomes U+FFFD: UTF-8 has no
    place for it.
    """
    head = f'{{"version": {VERSION},\n "target": {_json(manifest.target)},\n "records": ['
    entries = sorted(manifest.entries.values(), key=lambda entry: entry.path.encode(errors="surrogatepass"))
    return (
        ",".join([head + _lines(entries[0]), *map(_lines, entries[1:])]) + "\n]}\n"
        if entries
        else head + "]}\n"
    )


def decode(text: str, *, where: str) -> Manifest:
    """Read a manifest; `where` is the name of its file, for messages.

    :raises ManifestError: the text is no manifest that this version wrote; nothing is guessed.
    """
    try:
        data = text.encode()
        members = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (ValueError, RecursionError) as error:
        _refuse_syntax(text, error, where)
    _check_head(members, where)
    try:
        target = msgspec.json.decode(members["target"], type=str)
        records = _records.decode(members["records"])
    except msgspec.ValidationError as error:
        _refuse_shape(members, str(error), where)
    except (ValueError, RecursionError) as error:
        _refuse_syntax(text, error, where)
    return Manifest(target, _entries(records, where))


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


def from_record(members: object) -> Entry:
    """One entry from the members that `to_record` gave, with the types that JSON has.

    :raises ValueError: a member is missing, unknown or of another type.
    """
    return _entry(msgspec.convert(members, _Record))


def is_path(text: str) -> bool:
    """Tell whether a manifest can hold the path: relative, inside the tree, and text."""
    return _PATH.fullmatch(text) is not None and _DOTS.isdisjoint(text.split("/"))


def _lines(entry: Entry) -> str:
    record = to_record(entry)
    return f'\n{{"path": {_json(record.pop("path"))},\n {_json(record)[1:]}'


def _json(value: object) -> str:
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


def _entries(records: Iterable[_Record], where: str) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    holders: dict[tuple[Kind, int], str] = {}
    for record in records:
        path = record.path
        if not is_path(path):
            raise ManifestError(f"{path!r} is no path inside the repository", where=where, todo=_RESTORE)
        if record.parent is not None and not is_path(record.parent):
            what = f"{path}: its parent {record.parent!r} is no path inside the repository"
            raise ManifestError(what, where=where, todo=_RESTORE)
        if path in entries:
            both = f"{entries[path].kind} {entries[path].id} and {record.kind} {record.id}"
            what = f"{path} is there twice, as {both}"
            raise ManifestError(
                what, where=where, todo="keep the record that the site has, and remove the other"
            )
        holder = holders.setdefault((record.kind, record.id), path)
        if holder != path:
            what = f"{record.kind} {record.id} is there twice, for {holder} and for {path}"
            raise ManifestError(what, where=where, todo="keep the one that is right, and remove the other")
        entries[path] = _entry(record)
    return entries


def _entry(record: _Record) -> Entry:
    return Entry(
        record.path,
        record.kind,
        record.id,
        record.slug,
        record.link,
        record.modified,
        record.modified_gmt,
        record.blob,
        record.commit,
        record.fingerprints,
        record.parent,
        record.basis,
        record.layout,
        record.links,
        record.bent,
        record.conflict,
        record.protect,
        record.aliases,
        record.former,
    )


def _check_head(members: Mapping[str, msgspec.Raw], where: str) -> None:
    """Judge the version first: what a newer one means by its other members is not ours to judge."""
    try:
        version = msgspec.json.decode(members.get("version", b"null"), type=int)
    except ValueError as error:
        raise ManifestError("it has no version, so it is no manifest", where=where, todo=_RESTORE) from error
    if version > VERSION:
        raise ManifestError(
            f"it was written by a newer pressync (version {version})", where=where, todo=_UPGRADE
        )
    for name in ("target", "records"):
        if name not in members:
            raise ManifestError(f"it has no '{name}'", where=where, todo=_RESTORE)
    if version < VERSION or len(members) > 3:  # noqa: PLR2004 - version, target and records
        raise ManifestError(
            "its head is not what any pressync wrote", where=where, todo=f"{_RESTORE} or {_UPGRADE}"
        )


def _refuse_syntax(text: str, error: Exception, where: str) -> NoReturn:
    marker = _CONFLICT_MARKER.search(text)
    if marker:
        line = text.count("\n", 0, marker.start()) + 1
        todo = "keep the record that the site has of each pair, and remove the markers"
        raise ManifestError(
            "it has the conflict markers of an unfinished merge", where=f"{where}:{line}", todo=todo
        ) from error
    if isinstance(error, msgspec.ValidationError):
        raise ManifestError(
            "it is no JSON object, so it is no manifest", where=where, todo=_RESTORE
        ) from error
    raw = text.encode(errors="replace")
    at = _AT_BYTE.search(_fault(raw))
    line = raw.count(b"\n", 0, int(at[1]) if at else len(raw)) + 1
    what = "it is no valid JSON" if at else "it ends too early, or holds text that is no Unicode"
    raise ManifestError(what, where=f"{where}:{line}", todo=_RESTORE) from error


def _fault(data: bytes) -> str:
    """Say what is wrong and at which byte of the whole; a part's error counts from the part's start."""
    try:
        msgspec.json.decode(data)
    except (ValueError, RecursionError) as error:
        return str(error)
    return ""


def _refuse_shape(members: Mapping[str, msgspec.Raw], message: str, where: str) -> NoReturn:
    """Name the record and the member that msgspec names by their places."""
    found = _AT_RECORD.fullmatch(message)
    what, index, member = found.groups() if found else (message, None, "")
    what = (what or message).replace("`", "'")
    if index is None:
        raise ManifestError(f"it is no manifest: {what}", where=where, todo=_RESTORE)
    name = f"record {int(index) + 1}{_path_of(members['records'], int(index))}"
    told = f"{name}: {member}: {what}" if member else f"{name}: {what}"
    if "unknown field" in what:
        raise ManifestError(f"{told}; a newer pressync may have written it", where=where, todo=_UPGRADE)
    raise ManifestError(told, where=where, todo=_RESTORE)


def _path_of(records: msgspec.Raw, index: int) -> str:
    try:
        path = msgspec.json.decode(msgspec.json.decode(records, type=list[msgspec.Raw])[index])["path"]
    except (LookupError, TypeError, ValueError, RecursionError):
        return ""
    return f" ({path!r})"
