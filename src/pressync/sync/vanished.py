"""Forgets the terms, files and users that somebody deleted on the site, so that the same run looks for them.

WordPress accepts the id of a term or a picture that does not exist, and drops it without an error. Nothing
shows that a text has the address of a deleted file. So a run asks whether the site still has these, before it
sends them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.client.port import Library, Reads, read_some
from pressync.model.changes import Plan, desired_of
from pressync.model.fingerprint import fingerprint, from_text
from pressync.model.printable import listed
from pressync.plan import reasons
from pressync.sync.prerequisites import AUTHOR, FILE_FIELD, singular

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pressync.content.content import Content
    from pressync.model.interface import Kind
    from pressync.model.reason import Reason
    from pressync.model.records import Entry, Fields, Manifest, Record, Value
    from pressync.state.state import State

# A record is compared with what it was before it lost any of this many terms: 255 comparisons.
_MOST = 8


@dataclass(frozen=True, slots=True)
class OpenSite:
    """The open site beside the memory that a run compares with it; `say` hears of the differences."""

    reads: Reads
    library: Library | None
    state: State
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Vanished:
    """The ids of deleted terms, files and users, by the field that holds them."""

    ids: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def as_left(self, entry: Entry, record: Record) -> Entry:
        """Give the entry of a record that lost deleted terms, its picture or its author.

        The entry says what the record holds now, and has no blob. So the loss is not somebody's edit, and the
        next plan reads the file and gives the record back what it says.
        """
        left = {name: fingerprint(record.fields[name]) for name in self.explain(entry, record.fields)}
        if not left:
            return entry
        return replace(
            entry,
            blob="",
            fingerprints={**entry.fingerprints, **left},
            changed_by_service={n: d for n, d in entry.changed_by_service.items() if n not in left},
            conflict={name: text for name, text in entry.conflict.items() if name not in left},
        )

    def explain(self, entry: Entry, fields: Fields) -> dict[str, frozenset[int]]:
        """Give the deleted ids that explain what a record holds in some fields, by field."""
        found = {}
        for name, ids in self.ids.items():
            # The field was sent by name, so the manifest has the ids that came back.
            value, stored = fields.get(name), entry.changed_by_service.get(name)
            if value is not None and stored is not None:
                before = (some for held, some in _before(name, value, ids) if fingerprint(held) == stored)
                if lost := frozenset(next(before, ())):
                    found[name] = lost
        return found

    def named(self, manifest: Manifest, ids: Mapping[str, Collection[int]]) -> list[str]:
        """Name deleted things for people; `ids` are theirs, by field."""
        terms = (
            f"{singular(name.field)} '{name.text}'"
            for name, number in manifest.names.items()
            if number in ids.get(name.field, ())
        )
        files = (medium.path for medium in manifest.media.values() if medium.id in ids.get(FILE_FIELD, ()))
        return sorted((*terms, *files))


def look(service: Library, manifest: Manifest, fields: Collection[str]) -> Vanished:
    """Ask which of the known terms, files and users of these fields the site has no longer.

    :raises ServiceError: the service cannot be read.
    """
    wanted: dict[str, set[int]] = defaultdict(set)
    for name, number in manifest.names.items():
        if name.field in fields:
            wanted[name.field].add(number)
    if FILE_FIELD in fields and manifest.media:
        wanted[FILE_FIELD] = {medium.id for medium in manifest.media.values()}
    return _gone(service, wanted)


def reasons_of_edits(vanished: Vanished, manifest: Manifest, entries: Iterable[Entry]) -> dict[str, Reason]:
    """Say, by path, which deleted things explain all edits of a record."""
    found = {}
    for entry in entries:
        edits = {name: from_text(entry.kind, name, text) for name, text in entry.conflict.items()}
        ids = vanished.explain(entry, edits)
        if edits and ids.keys() == edits.keys():
            found[entry.path] = reasons.lost(sorted(ids), vanished.named(manifest, ids), entry.path)
    return found


def needed(service: Library, manifest: Manifest, content: Content, plan: Plan) -> Vanished:
    """Ask which of what the pending changes of a plan need the site has no longer.

    :raises ServiceError: the service cannot be read.
    """
    wanted: dict[str, set[int]] = defaultdict(set)
    files = content.tree.files
    for desired in desired_of(plan.changes):
        for name in (name for mention in desired.mentions for name in mention.names):
            if name in manifest.names:
                wanted[name.field].add(manifest.names[name])
        for path in desired.links:
            if medium := manifest.media.get(files.get(path, "")):
                wanted[FILE_FIELD].add(medium.id)
    return _gone(service, wanted)


def _gone(service: Library, wanted: Mapping[str, set[int]]) -> Vanished:
    gone = {name: frozenset(ids - service.present(name, ids)) for name, ids in wanted.items()}
    return Vanished({name: ids for name, ids in gone.items() if ids})


def forget(site: OpenSite, vanished: Vanished) -> bool:
    """Forget deleted things, and note which records lost something; false if there is nothing.

    :raises ServiceError: the service cannot be read.
    """
    gone, manifest = vanished.ids, site.state.manifest
    if not gone:
        return False
    _note_losses(site.reads, site.state, vanished)
    names = [name for name, number in manifest.names.items() if number in gone.get(name.field, ())]
    media = [blob for blob, medium in manifest.media.items() if medium.id in gone.get(FILE_FIELD, ())]
    told = vanished.named(manifest, gone)
    site.state.unlearn(names=names, media=media)
    site.say(
        f"Somebody deleted these on the site: {listed(told)}. The sync looks for them, and makes "
        "missing terms and files again."
    )
    return True


def _note_losses(reads: Reads, state: State, vanished: Vanished) -> None:
    """Read every record that may have lost something."""
    known: dict[Kind, dict[int, Entry]] = defaultdict(dict)
    for entry in state.manifest.entries.values():
        if vanished.ids.keys() & entry.changed_by_service.keys():
            known[entry.kind][entry.id] = entry
    for kind, entries in known.items():
        # No change of this user can overwrite a record that this user may not read.
        found, _ = read_some(reads, kind, entries.keys())
        left = {number: vanished.as_left(entries[number], record) for number, record in found.items()}
        state.put(*(entry for number, entry in left.items() if entry is not entries[number]))


def _before(name: str, value: Value, ids: frozenset[int]) -> Iterator[tuple[Value, tuple[int, ...]]]:
    """Give the values that a field may have had before some of these ids were deleted, and these ids."""
    if value == 0 or name == AUTHOR:
        # The records of a deleted user belong to another one now.
        yield from ((number, (number,)) for number in ids)
    if not isinstance(value, tuple):
        return
    several = sorted(ids)[:_MOST]
    for count in range(1, len(several) + 1):
        for some in combinations(several, count):
            yield tuple(sorted({*value, *some})), some
            if len(value) == 1:
                # A post that loses its last category comes into the site's default one.
                yield some, some
