"""Makes the manifest's entries of imported files that came from the site which they are synced to.

An imported file says what the site says in other words: Markdown in the place of blocks, names in the place
of ids. So the text of the file counts as sent, and the site's value counts as the service's version of it.
The next plan is empty, and nothing on the site moves before somebody edits a file.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.client.address import parse
from pressync.client.wordpress.whole_site import READS
from pressync.model.errors import ConfigError
from pressync.model.fingerprint import fingerprints
from pressync.model.records import Medium
from pressync.plan.decide import refreshed
from pressync.sync import echo, entries

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from contextlib import AbstractContextManager

    from pressync.client.port import Service
    from pressync.client.retry import Retry
    from pressync.client.wordpress.whole_site import Picture
    from pressync.content.content import Content
    from pressync.importing.sources.media import Uploads
    from pressync.model.interface import Kind
    from pressync.model.records import Desired, Entry, Manifest, Name, Record
    from pressync.state.state import State


# The fields whose fingerprint is that of names.
_BY_NAME = frozenset({"author", "categories", "tags", "featured_media"})
# The ends of the address of the interface, after the address of the site.
_INTERFACES = ("/wp-json", "/?rest_route=/", "/index.php?rest_route=/")


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file of the work tree that has a record: its entry, its path now, and the blob id of its text."""

    entry: Entry
    path: str
    blob: str

    @property
    def is_edited(self) -> bool:
        """Whether somebody has edited or renamed the file since it was synced; no import overwrites it."""
        return self.path != self.entry.path or (not self.is_unsent and self.blob != self.entry.blob)

    @property
    def is_unsent(self) -> bool:
        """Whether no sync has sent the file yet: somebody said that the record is that of the file."""
        return not self.entry.fingerprints

    def is_current(self, record: Record) -> bool:
        """Tell whether the file stays: somebody has edited it, or the site has exactly what was sent."""
        if self.is_edited:
            return True
        entry = self.entry
        is_as_sent = not self.is_unsent and "content" not in entry.changed_by_service
        return is_as_sent and not entry.conflict and not echo.edits(entry, record)

    def conflict(self, record: Record) -> Entry | None:
        """Give the entry with what others edited in the record of a file that somebody edited here."""
        edits = echo.edits(self.entry, record) if self.is_edited else {}
        return replace(self.entry, conflict=edits) if edits else None


@dataclass(frozen=True, slots=True)
class OwnSite:
    """The site that the repository is synced to.

    `connect` opens it with its credentials, if there are any. `known` gives the files that
    have a record already. `not_ours` says of records without a file which ones are not for this repository:
    the kind of the reason, and the reason. `retry` says how a read is repeated.
    """

    url: str
    connect: Callable[[], AbstractContextManager[Service]]
    known: Callable[[], Mapping[tuple[Kind, int], KnownFile]] = dict
    not_ours: Callable[[Collection[tuple[Kind, int]]], Mapping[tuple[Kind, int], tuple[str, str]]] = (
        lambda _records: {}
    )
    retry: Retry = READS

    def is_at(self, url: str) -> bool:
        """Tell whether this is the interface of the site; the scheme and the host decide as well."""
        here, there = _comparable(self.url), _comparable(url)
        return here is not None and here == there

    def is_exported_from(self, home: str) -> bool:
        """Tell whether an export that names this address of a site is one of this site."""
        return bool(home) and any(self.is_at(f"{home.rstrip('/')}{end}") for end in _INTERFACES)


@dataclass(frozen=True, slots=True)
class OwnFacts:
    """An importer yields this if the own site is its source: the facts that it found out about the site.

    `seen` has each record by the key of its item; of its text only the fingerprint is kept. `changed` are the
    records that are newer than their items, whose text is a conflict. `conflicts` are the records whose files
    are edited, too: the entry with what the site has, by the path of the file. `names` are the ids of terms
    and people, and `library` are the files of the site; `uploads` are those that texts ask for.
    """

    seen: Mapping[str, Entry] = field(default_factory=dict)
    changed: Mapping[str, Record] = field(default_factory=dict)
    conflicts: Mapping[str, Entry] = field(default_factory=dict)
    names: Mapping[Name, int] = field(default_factory=dict)
    library: tuple[Picture, ...] = ()
    uploads: Uploads | None = None

    def media(self, folder: str, blobs: Mapping[str, str], known: Mapping[str, Medium]) -> list[Medium]:
        """Give the files of the library that were copied below a folder; `blobs` are the ids by path.

        A file that the manifest knows already stays as it is while the library has it: pressync may have
        uploaded it, or the library has the same bytes twice.
        """
        found: dict[str, Medium] = {}
        here = {picture.id for picture in self.library}
        for picture in self.library if self.uploads else ():
            inner = self.uploads.path_of(picture.link) if self.uploads else None
            path = posixpath.join(folder, inner or "")
            if inner and (blob := blobs.get(path)) and (blob not in known or known[blob].id not in here):
                found.setdefault(blob, Medium(blob, path, picture.id, picture.link, foreign=True))
        return list(found.values())


def seen(record: Record) -> Entry:
    """Give what the site has for an item, without a path."""
    return entries.of_record("", record, "", fingerprints(record.fields))


def _comparable(url: str) -> tuple[object, ...] | None:
    try:
        address = parse(url)
    except ConfigError:
        return None
    return address.origin, address.path.rstrip("/"), address.query


@dataclass(frozen=True, slots=True)
class ImportedEntries:
    """The entries that were put into the manifest, and why files have none, by path.

    `conflicts` are the files that stay as people edited them, although their records were edited as well.
    `bound` counts the files of this import that have their records, with those that had them before.
    """

    entries: tuple[Entry, ...]
    unbound: Mapping[str, str]
    conflicts: tuple[str, ...] = ()
    bound: int = 0


def keep(
    state: State,
    own: OwnFacts,
    written: Mapping[str, str],
    folder: str,
    open_content: Callable[[Manifest], Content],
    *,
    renew: bool,
) -> ImportedEntries:
    """Put the records of imported files into the manifest; `written` has the path of each item by its key.

    Pictures were copied below `folder`. `open_content` opens the working tree. Only with `renew` an entry
    that exists is replaced: a manifest in a reference is shared by all branches, and another branch does not
    have the file's new text. The state is not saved.
    """
    content = open_content(state.manifest)
    state.learn(names=own.names, media=own.media(folder, content.tree.files, state.manifest.media))
    content = open_content(state.manifest)
    seen = {path: replace(own.seen[key], path=path) for key, path in written.items() if key in own.seen}
    unbound = dict(_taken(state, seen))
    held = unbound.keys() if renew else unbound.keys() | state.manifest.entries.keys()
    seen = {path: entry for path, entry in seen.items() if path not in held}
    known = {**state.manifest.entries, **seen}
    made: list[Entry] = []
    changed = {written[key]: record for key, record in own.changed.items() if key in written}
    for path, entry in seen.items():
        read = content.read(path, known)
        if read.prepared is None:
            unbound[path] = read.problems[0].message if read.problems else "it is not a page or a post"
        else:
            agreed = as_agreed(read.prepared.desired, entry, content.tree.commit)
            made.append(in_conflict(agreed, changed[path]) if path in changed else agreed)
    _put(state, made)
    _put_conflicts(state, own)
    return ImportedEntries(tuple(made), unbound, tuple(sorted(own.conflicts)))


def as_agreed(desired: Desired, there: Entry, commit: str) -> Entry:
    """Make the entry of a file and a record that say the same; `there` has the fingerprints of the record."""
    ours = {**desired.create_only, **desired.fingerprints}
    by_name = {mention.field for mention in desired.mentions}
    stored = {
        name: digest
        for name, digest in there.fingerprints.items()
        if name in ours and (name in by_name or digest != ours[name])
    }
    agreed = replace(there, commit=commit, fingerprints=ours, changed_by_service=stored)
    return refreshed(agreed, desired)


def in_conflict(agreed: Entry, record: Record) -> Entry:
    """Make the entry of a file that is older than its record: whatever differs there is somebody's edit."""
    by_name = {name: digest for name, digest in agreed.changed_by_service.items() if name in _BY_NAME}
    entry = replace(agreed, changed_by_service=by_name)
    return replace(entry, conflict=echo.edits(entry, record))


def _taken(state: State, seen: Mapping[str, Entry]) -> Iterable[tuple[str, str]]:
    """Give the files whose record, or whose path, the manifest has for something else."""
    for path, entry in seen.items():
        holder, held = state.holder(entry.kind, entry.id), state.manifest.entries.get(path)
        if holder not in (None, path):
            yield path, f"{entry.kind} {entry.id} belongs to {holder}"
        elif held is not None and (held.kind, held.id) != (entry.kind, entry.id):
            yield path, f"the manifest has {held.kind} {held.id} for this file"


def _put_conflicts(state: State, own: OwnFacts) -> None:
    """Note the edits of the site in the entries of files that somebody has edited, too."""
    held = state.manifest.entries
    if new := [entry for entry in own.conflicts.values() if entry != held.get(entry.path)]:
        state.put(*new)


def _put(state: State, made: list[Entry]) -> None:
    """Put entries into the manifest, except those that it has: only their commit differs."""
    held = state.manifest.entries
    changed = []
    for entry in made:
        former = held.get(entry.path)
        new = replace(entry, former=entries.former(former, entry.link)) if former else entry
        if former is None or replace(new, commit=former.commit) != former:
            changed.append(new)
    if changed:
        state.put(*changed)
        for entry in changed:
            state.vouched.add(entry)
        state.vouched.save()
