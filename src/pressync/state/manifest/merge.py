"""Merges two manifests that grew out of one, record by record; no id is dropped. Pure.

A record is known by its kind and id, so a rename on one branch and an update on the other still concern one
record. If both branches wrote the same field, nobody can say which write came last: commits tell which
descends from which, and not when each was sent. Such a field is marked as unsure, and the next sync sends it
again. A person must choose only if one path, name or file has two ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from pressync.model.errors import ManifestError
from pressync.model.fingerprint import UNSURE, fingerprint, unsure
from pressync.model.records import Entry, Manifest, Medium, Name, NamedId
from pressync.state.manifest.codec import encode
from pressync.state.manifest.rows import one_line, two_lines

if TYPE_CHECKING:
    from pressync.model.interface import Kind

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Clash:
    """A path, name or file that has another id on each side; `ours` and `theirs` are its lines.

    `records` are the entries of both sides, if it is a path.
    """

    what: str
    ours: str
    theirs: str
    records: tuple[Entry, Entry] | None = None


@dataclass(frozen=True, slots=True)
class MergedManifest:
    """The merge of two manifests; for each clash, `manifest` holds our side."""

    manifest: Manifest
    clashes: tuple[Clash, ...] = ()

    @property
    def text(self) -> str:
        """The text of the manifest, with both sides of each clash between conflict markers."""
        text = encode(self.manifest)
        for clash in self.clashes:
            text = _marked(text, clash)
        return text


def merge(base: Manifest | None, ours: Manifest, theirs: Manifest) -> MergedManifest:
    """Merge two manifests whose last common state was `base`; None if that is not known.

    :raises ManifestError: they are for two targets, and an id means another record on each.
    """
    before = base or Manifest("")
    if _both_changed(before.target, ours.target, theirs.target):
        problem = f"one side is for {ours.target} and the other for {theirs.target}, and their ids differ"
        raise ManifestError(problem, todo="keep the side with the address that the site has now")
    target = _merged_value(before.target, ours.target, theirs.target)
    clashes: list[Clash] = []
    names = _by_key(before.names, ours.names, theirs.names, _name_clash, clashes)
    media = _by_key(before.media, ours.media, theirs.media, _medium_clash, clashes)
    entries = _entries(before, ours, theirs, clashes)
    first, mine, there = (
        {create.key: create for create in manifest.unconfirmed} for manifest in (before, ours, theirs)
    )
    # A create that one side has settled is settled.
    settled = first.keys() - (mine.keys() & there.keys())
    unconfirmed = tuple(create for key, create in sorted({**mine, **there}.items()) if key not in settled)
    mark = _merged_value(before.rolled_back, ours.rolled_back, theirs.rolled_back)
    return MergedManifest(Manifest(target, entries, names, media, unconfirmed, mark), tuple(clashes))


def _entries(base: Manifest, ours: Manifest, theirs: Manifest, clashes: list[Clash]) -> dict[str, Entry]:
    before, mine, there = (
        {_record(entry): entry for entry in manifest.entries.values()} for manifest in (base, ours, theirs)
    )
    paths: dict[str, list[Entry]] = defaultdict(list)
    for record in mine.keys() | there.keys():
        entry = _entry(before.get(record), mine.get(record), there.get(record))
        if entry:
            paths[entry.path].append(entry)
    by_path = {}
    for path, entries in sorted(paths.items()):
        # No side has a path twice. So of two entries, one has the path on our side and one on theirs.
        own = ours.entries.get(path)
        first, *others = sorted(entries, key=lambda entry: own is None or _record(entry) != _record(own))
        by_path[path] = first
        for other in others:
            both = f"{first.kind} {first.id} on one side and {other.kind} {other.id} on the other"
            clashes.append(Clash(f"{path} is {both}", two_lines(first), two_lines(other), (first, other)))
    return by_path


def _entry(base: Entry | None, ours: Entry | None, theirs: Entry | None) -> Entry | None:
    if not _both_changed(base, ours, theirs):
        return _merged_value(base, ours, theirs)
    if ours and theirs:
        return _merged_entry(base, ours, theirs)
    # One side removed the record and the other wrote to it. The next write shows whether it exists.
    left = ours or theirs
    if left is None:
        return None
    return replace(left, fingerprints={name: unsure(digest) for name, digest in left.fingerprints.items()})


def _merged_entry(base: Entry | None, ours: Entry, theirs: Entry) -> Entry:
    """Merge what two sides say of one record; a field that both have written is unsure."""
    members: dict[str, Any] = {}
    for name in Entry.__struct_fields__:
        before, mine, there = getattr(base, name, None), getattr(ours, name), getattr(theirs, name)
        if isinstance(mine, Mapping):
            members[name] = _mapping(before or {}, mine, there, are_digests=name == "fingerprints")
        else:
            members[name] = _merged_value(before, mine, there)
    # The entry's commit must have its path. Otherwise Git history cannot show a later removal.
    if ours.path != theirs.path:
        members["commit"] = ours.commit if members["path"] == ours.path else theirs.commit
    # What one side took for the edit of a person, the other side may have sent.
    sent = {*ours.fingerprints.items(), *theirs.fingerprints.items()}
    seen = members["conflict"].items()
    members["conflict"] = {name: text for name, text in seen if (name, fingerprint(text)) not in sent}
    # Neither side has seen the merged entry, so the file must be read again.
    return Entry(**{**members, "blob": ""})


def _mapping(
    base: Mapping[str, str], ours: Mapping[str, str], theirs: Mapping[str, str], *, are_digests: bool
) -> dict[str, str]:
    """Merge key by key. If both sides changed a key, take one side; of digests, keep both as unsure."""
    merged = {}
    for key in sorted(ours.keys() | theirs.keys()):
        before, mine, there = base.get(key), ours.get(key), theirs.get(key)
        value = _merged_value(before, mine, there)
        if are_digests and _both_changed(before, mine, there):
            value = unsure(mine or UNSURE, there or UNSURE)
        if value is not None:
            merged[key] = value
    return merged


def _both_changed(base: object, ours: object, theirs: object) -> bool:
    return ours != theirs and base not in (ours, theirs)


def _merged_value(base: _Value, ours: _Value, theirs: _Value) -> _Value:
    """Take the side that changed. If both did, take the greater value, so that the order does not matter."""
    if _both_changed(base, ours, theirs):
        return max(ours, theirs, key=lambda value: (value is not None, str(value)))
    return theirs if ours == base else ours


def _by_key(
    base: Mapping[_Key, _Value],
    ours: Mapping[_Key, _Value],
    theirs: Mapping[_Key, _Value],
    clash: Callable[[_Key, _Value, _Value], Clash],
    clashes: list[Clash],
) -> dict[_Key, _Value]:
    """Merge row by row; one that a side has forgotten is forgotten, unless the other has learned it again."""
    merged = {}
    for key in ours.keys() | theirs.keys():
        before, mine, there = base.get(key), ours.get(key), theirs.get(key)
        if mine is not None and there is not None and _both_changed(before, mine, there):
            clashes.append(clash(key, mine, there))
            merged[key] = mine
        elif (value := _merged_value(before, mine, there)) is not None:
            merged[key] = value
    return merged


def _record(entry: Entry) -> tuple[Kind, int]:
    return entry.kind, entry.id


def _name_clash(name: Name, ours: int, theirs: int) -> Clash:
    clash = f"{name.field} '{name.text}' is {ours} on one side and {theirs} on the other"
    return Clash(clash, one_line(NamedId.of(name, ours)), one_line(NamedId.of(name, theirs)))


def _medium_clash(_blob: str, ours: Medium, theirs: Medium) -> Clash:
    clash = f"{ours.path} was uploaded on both sides, as media {ours.id} and {theirs.id}"
    return Clash(clash, one_line(ours), one_line(theirs))


def _marked(text: str, clash: Clash) -> str:
    """Replace our lines by both sides between markers; each line begins with its line break."""
    start = text.index(clash.ours)
    end = start + len(clash.ours)
    comma = "," if text[end] == "," else ""
    block = f"\n<<<<<<< ours{clash.ours}{comma}\n======={clash.theirs}{comma}\n>>>>>>> theirs"
    rest = text[end + len(comma) :]
    # The end of a section must not stand on the line of a marker.
    return text[:start] + block + (rest if rest.startswith("\n") else f"\n{rest}")
