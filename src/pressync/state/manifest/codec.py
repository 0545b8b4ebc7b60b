"""Reads and writes the manifest: one JSON document, sorted by path. Pure.

People commit the manifest, and Git merges it. So a record has two lines, and the path is alone on the first
of them: branches that touched neighbouring records do not conflict. Every other row has one line. The same
manifest is always the same bytes, and no member changes with every run.

To encode 100,000 records takes twenty times as long as to copy their bytes, and most runs change a few. So
`rewrite` replaces single rows, and gives the text that `pieces` gives. Rows that somebody wrote in another
way stay as they are while their record stays the same; if such text cannot be rewritten in places, `rewrite`
writes all of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import chain
from operator import attrgetter
from shlex import quote
from typing import TYPE_CHECKING, NoReturn, TypeVar

import msgspec

from pressync.model.bounds import is_path
from pressync.model.errors import ManifestError
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.model.records import Entry, Manifest, Medium, NamedId, RolledBack, UnconfirmedCreate
from pressync.state.manifest.rows import VERSION, SortedRows, as_json, beginning, one_line, two_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pressync.model.interface import Kind

    # The manifest that a new text holds, and the pieces of the text.
    Rewriting = tuple[Manifest, Iterable[bytes]]

_names = msgspec.json.Decoder(list[NamedId])
_media = msgspec.json.Decoder(list[Medium])
# The sections in their order. A section without rows is left out, but for the records.
_SECTIONS = ("names", "media", "doubts", "records")
# A member that is there after a rollback only.
_MARK = "rolled_back"
_PIECE = 400
# To find a row takes as long as to encode this many.
_FEW = 16

_RESTORE = "restore it (`git checkout -- FILE`, or `git checkout COMMIT -- FILE` if it is committed so)"
_UPGRADE = "upgrade pressync"

_CONFLICT_MARKER = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$", re.MULTILINE)
_AT_BYTE = re.compile(r"\(byte (\d+)\)$")
_AT_RECORD = re.compile(r"(.*?)(?: - at `\$(?:\[(\d+)\])?\.?(.*)`)?", re.DOTALL)
_ONE_OF = {"names": "name", "media": "file", "doubts": "unconfirmed create", "records": "record"}


def encode(manifest: Manifest) -> str:
    """Write a manifest; equal manifests give equal texts, which end with a newline."""
    return b"".join(pieces(manifest)).decode()


def pieces(manifest: Manifest) -> Iterator[bytes]:
    """Write a manifest as pieces of some hundred records, so that a large text is never held as a whole."""
    entries = sorted(manifest.entries.values(), key=attrgetter("path"))
    piece = head(manifest)
    for first in range(0, len(entries), _PIECE):
        rows = ",".join(map(two_lines, entries[first : first + _PIECE])).encode()
        if first:
            yield piece
            piece = b","
        piece += rows
    # The closing bracket of the records has a line of its own. So a branch that adds a record at the end does
    # not change the line of another record.
    yield piece + (b"\n]}\n" if entries else b"]}\n")


def decode(text: str, *, where: str, types: SiteTypes = DOCUMENTED_TYPES) -> Manifest:
    """Read a manifest of a site with these types; `where` names its file in messages.

    :raises ManifestError: the text is not a manifest that this version can write; nothing is guessed.
    """
    try:
        data = text.encode()
        members = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (ValueError, RecursionError) as error:
        _refuse_syntax(text, error, where)
    _check_head(members, where)
    part = "target"
    try:
        target = msgspec.json.decode(members[part], type=str)
        part = _MARK
        mark = msgspec.json.decode(members.get(part, b"null"), type=RolledBack | None)
        part = "names"
        names = _names.decode(members.get(part, b"[]"))
        part = "media"
        media = _media.decode(members.get(part, b"[]"))
        part = "doubts"
        unconfirmed = _decoded(list[UnconfirmedCreate], members.get(part, b"[]"), types)
        part = "records"
        records = _decoded(list[Entry], members[part], types)
    except msgspec.ValidationError as error:
        _refuse_shape(members, part, str(error), where)
    for create in unconfirmed:
        _check_path(create.path, where)
    ids = {name.key: name.id for name in names}
    creates = {create.key: create for create in unconfirmed}
    files = {medium.blob: medium for medium in media}
    return Manifest(target, _entries(records, where), ids, files, tuple(creates.values()), mark)


_Rows = TypeVar("_Rows")


def _decoded(rows: type[_Rows], data: bytes | msgspec.Raw, types: SiteTypes) -> _Rows:
    return msgspec.json.decode(data, type=rows, dec_hook=types.decoded)


def decode_for(target: str, text: str | None, types: SiteTypes = DOCUMENTED_TYPES) -> Manifest | None:
    """Read a manifest that Git has; None if it cannot be read, or belongs to another target."""
    try:
        manifest = decode(text or "", where="", types=types)
    except ManifestError:
        return None
    return manifest if manifest.target == target else None


def decode_head(text: bytes, *, where: str, types: SiteTypes = DOCUMENTED_TYPES) -> Manifest:
    """Read a manifest without its records; the text ends with their opening bracket.

    :raises ManifestError: as `decode`.
    """
    return decode(text.decode(errors="replace") + "]}", where=where, types=types)


def head(manifest: Manifest) -> bytes:
    """Write everything before the records, and their opening bracket."""
    unconfirmed = sorted(manifest.unconfirmed, key=lambda create: create.key)
    names = [NamedId.of(name, number) for name, number in sorted(manifest.names.items())]
    media = [manifest.media[blob] for blob in sorted(manifest.media)]
    sections = {
        name: [*map(one_line, rows)]
        for name, rows in (("names", names), ("media", media), ("doubts", unconfirmed))
    }
    mark = f',\n "{_MARK}": {as_json(manifest.rolled_back)}' if manifest.rolled_back else ""
    written = "".join(f',\n "{name}": [{",".join(rows)}]' for name, rows in sections.items() if rows)
    return f'{beginning(manifest.target)}{mark}{written},\n "records": ['.encode()


@dataclass(frozen=True, slots=True)
class HeldText:
    """A manifest of a site with these types, and its text in memory; the text is empty if there is none."""

    manifest: Manifest
    text: bytes = b""
    types: SiteTypes = DOCUMENTED_TYPES

    def rewritten(self, manifest: Manifest, changed: Collection[str] | None) -> HeldText:
        """Write another manifest in place of this one; give this one if nothing changes."""
        new = rewrite(self.manifest, manifest, changed if self.text else None, self.rows)
        return replace(self, manifest=new[0], text=b"".join(new[1])) if new else self

    def rows(self) -> SortedRows:
        """Give the rows of the text.

        :raises ManifestError: it is written in another way.
        """
        return SortedRows(BytesIO(self.text), where="manifest", types=self.types)


def rewrite(
    held: Manifest, manifest: Manifest, changed: Collection[str] | None, rows: Callable[[], SortedRows]
) -> Rewriting | None:
    """Write `manifest` in place of `held`, which is the manifest of these rows; None if nothing changes.

    `changed` has all paths at which the two may differ; None says that it is not known.
    """
    if changed is not None and len(changed) * _FEW <= len(held.entries):
        after = {path: manifest.entries.get(path) for path in sorted(changed)}
        try:
            return _in_places(held, manifest, after, rows())
        except ManifestError:
            # Somebody has written the text in another way.
            pass
    new = _snapshot(manifest, dict(manifest.entries.items()))
    return None if new == _snapshot(held, held.entries) else (new, pieces(new))


def _in_places(
    held: Manifest, manifest: Manifest, after: Mapping[str, Entry | None], rows: SortedRows
) -> Rewriting | None:
    entries, edits = dict(held.entries), []
    for path, entry in after.items():
        before = entries.pop(path, None)
        if entry:
            entries[path] = entry
        if before == entry:
            continue
        begin, end = rows.find(path)
        if rows.entry(begin, end) != before:
            raise ManifestError(f"{path} is not at its place")
        edits.append((begin, end, f",{two_lines(entry)}".encode() if entry else b""))
    first = head(manifest)
    if not edits and first == rows.head:
        return None
    return _snapshot(manifest, entries), chain([first], rows.pieces(edits))


def _snapshot(manifest: Manifest, entries: Mapping[str, Entry]) -> Manifest:
    """Copy the parts that change during a run."""
    unconfirmed = tuple(sorted(manifest.unconfirmed, key=lambda create: create.key))
    return replace(
        manifest,
        entries=entries,
        names=dict(manifest.names),
        media=dict(manifest.media),
        unconfirmed=unconfirmed,
    )


def _entries(records: Iterable[Entry], where: str) -> dict[str, Entry]:
    """Give the records by path, and name the first that a manifest cannot have."""
    entries: dict[str, Entry] = {}
    holders: dict[tuple[Kind, int], str] = {}
    parents: set[str | None] = {None}
    for record in records:
        path = record.path
        _check_path(path, where)
        if record.parent_path not in parents:
            if not is_path(record.parent_path or ""):
                problem = f"{path}: its parent {record.parent_path!r} is not a path inside the repository"
                raise ManifestError(problem, where=where, todo=_RESTORE)
            parents.add(record.parent_path)
        if path in entries:
            both = f"{entries[path].kind} {entries[path].id} and {record.kind} {record.id}"
            problem = f"{path} is in it twice, as {both}"
            todo = "keep the record that the site has, and remove the other"
            raise ManifestError(problem, where=where, todo=todo)
        holder = holders.setdefault((record.kind, record.id), path)
        if holder != path:
            problem = f"{record.kind} {record.id} is in it twice, for {holder} and for {path}"
            raise ManifestError(problem, where=where, todo="keep the right one, and remove the other")
        entries[path] = record
    return entries


def _check_path(path: str, where: str) -> None:
    if not is_path(path):
        raise ManifestError(f"{path!r} is not a path inside the repository", where=where, todo=_RESTORE)


# The errors for text that is not a manifest. People and merges also write manifests. A person who broke one
# needs the line and the record, and cannot use the offset of a byte. Nothing here repairs or guesses.


def _check_head(members: Mapping[str, msgspec.Raw], where: str) -> None:
    """Raise ManifestError for a head that is not ours; the version tells first what the rest may mean."""
    try:
        written = msgspec.json.decode(members.get("version", b"null"), type=int)
    except ValueError as error:
        problem = "it has no version, so it is not a manifest"
        raise ManifestError(problem, where=where, todo=_RESTORE) from error
    if written > VERSION:
        raise ManifestError(
            f"it was written by a newer pressync (version {written})", where=where, todo=_UPGRADE
        )
    for name in ("target", "records"):
        if name not in members:
            raise ManifestError(f"it has no '{name}'", where=where, todo=_RESTORE)
    if written < VERSION or members.keys() - {"version", "target", _MARK, *_SECTIONS}:
        raise ManifestError(
            "its head is not one that pressync writes", where=where, todo=f"{_RESTORE} or {_UPGRADE}"
        )


def _refuse_syntax(text: str, error: Exception, where: str) -> NoReturn:
    """Raise ManifestError: say what is wrong with text that is not a JSON object, and on which line."""
    marker = _CONFLICT_MARKER.search(text)
    if marker:
        line = text.count("\n", 0, marker.start()) + 1
        todo = f"`pressync manifest fix {quote(where)}` puts both sides together"
        raise ManifestError(
            "it has the conflict markers of an unfinished merge", where=f"{where}:{line}", todo=todo
        ) from error
    if isinstance(error, msgspec.ValidationError):
        problem = "it is not a JSON object, so it is not a manifest"
        raise ManifestError(problem, where=where, todo=_RESTORE) from error
    raw = text.encode(errors="replace")
    at = _AT_BYTE.search(str(error))
    line = raw.count(b"\n", 0, int(at[1]) if at else len(raw)) + 1
    problem = "it is not valid JSON" if at else "it ends too early, or holds text that is not Unicode"
    raise ManifestError(problem, where=f"{where}:{line}", todo=_RESTORE) from error


def _refuse_shape(members: Mapping[str, msgspec.Raw], part: str, message: str, where: str) -> NoReturn:
    """Raise ManifestError with the row and the member of an error; msgspec gives only their positions."""
    place = _AT_RECORD.fullmatch(message)
    fault, index, member = place.groups() if place else (message, None, "")
    fault = (fault or message).replace("`", "'")
    if index is None:
        raise ManifestError(f"it is not a manifest: {fault}", where=where, todo=_RESTORE)
    name = f"{_ONE_OF[part]} {int(index) + 1}{_path_of(members[part], int(index))}"
    told = f"{name}: {member}: {fault}" if member else f"{name}: {fault}"
    if "unknown field" in fault:
        raise ManifestError(f"{told}; a newer pressync may have written it", where=where, todo=_UPGRADE)
    raise ManifestError(told, where=where, todo=_RESTORE)


def _path_of(records: msgspec.Raw, index: int) -> str:
    try:
        path = msgspec.json.decode(msgspec.json.decode(records, type=list[msgspec.Raw])[index])["path"]
    except (LookupError, TypeError, ValueError, RecursionError):
        return ""
    return f" ({path!r})"
