"""The lines of a journal, as text that shows whether it is damaged, and what they make of a manifest. Pure.

A line is JSON, a tab, the CRC-32 of the JSON in hexadecimal, and a newline. The first line has the version
and the target. The text is ASCII, because a lone surrogate in a response must never stop a line from being
written. A run and a replay apply each line to the same ledger. So a replay after a crash cannot read a line
in another way than the run meant it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Literal, TypeVar

import msgspec
from msgspec.structs import replace

from pressync.model.errors import JournalError
from pressync.model.fingerprint import UNSURE, unsure
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes, encoded
from pressync.model.records import Entry, Manifest, Medium, Name, NamedId, RolledBack, UnconfirmedCreate

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
        names = (f"{name.field} '{name.name}' is {name.id}" for name in self.names)
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
        problem = f"the journal was written by a newer pressync (version {header.version})"
        raise JournalError(problem, where=where, todo="upgrade pressync")
    if header.target != target:
        problem = f"the journal has calls to {header.target}, not to {target}; nothing was sent"
        todo = "sync that target first, or give this one a site name of its own"
        raise JournalError(problem, where=where, todo=todo)


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


# The trash changes these fields of a record (WordPress adds `__trashed` to the slug).
_TRASHED = frozenset({"slug", "status"})


def recover(manifest: Manifest, lines: Iterable[Line], *, goes_back: bool = True) -> Ledger:
    """Replay a journal over a manifest; the manifest may already have the effects of some lines.

    A create without an outcome stays open: it is unconfirmed, like those that the manifest names. The fields
    of open updates and all fields of open deletes are marked as unsure, so that the next plan sends them
    again. `goes_back` tells whether the manifest may be older than the one that was last saved.
    """
    ledger = Ledger(manifest)
    for line in lines:
        ledger.take(line)
    ledger.mark()
    ledger.close_settled_creates(goes_back=goes_back)
    return ledger


def by_path(unconfirmed: Iterable[UnconfirmedCreate]) -> dict[str, UnconfirmedCreate]:
    """Give the unconfirmed creates by path.

    A merge can bring together several for one path. Then the latest stands, with the fingerprints that all of
    them share. So a look-up accepts a record only if it fits each of them.
    """
    creates: dict[str, UnconfirmedCreate] = {}
    for create in sorted(unconfirmed, key=lambda create: create.time):
        other = creates.get(create.path)
        if other is None:
            creates[create.path] = create
        else:
            common = dict(create.fingerprints.items() & other.fingerprints.items())
            creates[create.path] = replace(create, fingerprints=common)
    return creates


class Ledger:
    """The result of the lines so far: entries by path, open intents by number, ids by name, files by blob."""

    def __init__(self, manifest: Manifest) -> None:
        self.names = dict(manifest.names)
        self.media = dict(manifest.media)
        self.rolled_back = manifest.rolled_back
        # Usually each record has one path. Then the entries need not be placed one by one.
        self._entries: dict[str, Entry] = dict(manifest.entries)
        self._paths = {(entry.kind, entry.id): path for path, entry in self._entries.items()}
        self._unconfirmed = {create.key: create for create in manifest.unconfirmed}
        # The paths whose entries may differ from the manifest's.
        self.changed: set[str] = set()
        self._open: dict[int, Intent] = {}
        self._last = 0
        if len(self._paths) < len(self._entries):
            self._entries, self._paths = {}, {}
            for entry in manifest.entries.values():
                self._place(entry)
        # A live view: a thread may read and walk it while others write.
        self.entries: Mapping[str, Entry] = _Live(self._entries)

    @property
    def open(self) -> tuple[Intent, ...]:
        """The intents that have no outcome, oldest first."""
        return tuple(self._open.values())

    @property
    def next_number(self) -> int:
        """A number that no intent in the journal has."""
        return self._last + 1

    @property
    def unconfirmed(self) -> tuple[UnconfirmedCreate, ...]:
        """The unconfirmed creates of the manifest and of the journal, each once."""
        creates = dict(self._unconfirmed)
        creates.update((create.key, create) for intent in self.open if (create := intent.create))
        return tuple(creates[key] for key in sorted(creates))

    def holder(self, kind: Kind, number: int) -> str | None:
        """Return the path that has this record."""
        return self._paths.get((kind, number))

    def removal(self, number: int, path: str) -> Removed | Withdrawn:
        """Make the line which says that a delete was carried out."""
        intent, entry = self._open.get(number), self._entries.get(path)
        if intent is not None and intent.id is not None:
            return Removed(number, path, intent.kind, intent.id)
        if entry is not None:
            return Removed(number, path, entry.kind, entry.id)
        return Withdrawn(number, "there is no such record")

    def take(self, line: Line) -> None:
        """Apply one line. Applying the same lines again, in their order, gives the same state."""
        match line:
            case Intent():
                self._open[line.n] = line
                self._last = max(self._last, line.n)
            case Done():
                for entry in line.entries:
                    self._place(entry)
                    self._supersede(line.n, (entry.kind, entry.id))
                self._close(line.n)
            case Removed():
                self._remove((line.kind, line.id))
                self._supersede(line.n, (line.kind, line.id))
                self._close(line.n)
            case Withdrawn():
                self._close(line.n)
            case Resolved():
                if line.entry:
                    self._place(line.entry)
                self._drop(line.unconfirmed)
            case Learned() | Forgotten():
                self._know(line)
            case Marked():
                self.rolled_back = line.mark

    def _know(self, line: Learned | Forgotten) -> None:
        match line:
            case Learned():
                self.names.update((named.key, named.id) for named in line.names)
                self.media.update({medium.blob: medium for medium in line.media})
            case Forgotten():
                for name in line.names:
                    self.names.pop(name, None)
                for blob in line.media:
                    self.media.pop(blob, None)

    def mark(self) -> None:
        """Mark the fields that open updates and deletes may have changed, and close these intents."""
        for intent in self.open:
            if intent.action == "create":
                continue
            del self._open[intent.n]
            path = self._paths.get((intent.kind, intent.id or 0))
            if path is not None:
                entry = self._entries[path]
                self.changed.add(path)
                self._entries[path] = replace(entry, fingerprints=_marked(entry.fingerprints, intent))

    def close_settled_creates(self, *, goes_back: bool) -> None:
        """Close our unconfirmed creates that a saved manifest once named and this one does not name.

        Somebody may have settled such a create in another clone. Or Git may have put an older manifest back
        (`goes_back`); then only an entry at the path shows that the create was settled.
        """
        for intent in self.open:
            create = intent.create
            settled = intent.path in self._entries or not goes_back
            if create and intent.told and create.key not in self._unconfirmed and settled:
                del self._open[intent.n]

    def _close(self, number: int) -> None:
        intent = self._open.pop(number, None)
        if intent and intent.create:
            # The manifest may have been saved while the intent was open.
            self._unconfirmed.pop(intent.create.key, None)

    def _drop(self, unconfirmed: Iterable[UnconfirmedCreate]) -> None:
        keys = {create.key for create in unconfirmed}
        self._unconfirmed = {key: create for key, create in self._unconfirmed.items() if key not in keys}
        for intent in self.open:
            if intent.create and intent.create.key in keys:
                del self._open[intent.n]

    def _place(self, entry: Entry) -> None:
        """Put an entry at its path; remove the record's entry at another path, and another record's here."""
        record = (entry.kind, entry.id)
        if self._paths.get(record) != entry.path:
            self._remove(record)
        displaced = self._entries.get(entry.path)
        if displaced is not None and (displaced.kind, displaced.id) != record:
            del self._paths[displaced.kind, displaced.id]
        self.changed.add(entry.path)
        self._entries[entry.path] = entry
        self._paths[record] = entry.path

    def _remove(self, record: tuple[Kind, int]) -> None:
        path = self._paths.pop(record, None)
        if path is not None:
            self.changed.add(path)
            del self._entries[path]

    def _supersede(self, number: int, record: tuple[Kind, int]) -> None:
        """Close earlier calls to a record if a later call covers all of their fields."""
        later = self._open.get(number)
        if later is None:
            return
        for intent in self.open:
            earlier = intent.n < number and (intent.kind, intent.id) == record
            if earlier and (
                later.action == "delete" or intent.fingerprints.keys() <= later.fingerprints.keys()
            ):
                del self._open[intent.n]


def _marked(digests: Mapping[str, str], intent: Intent) -> dict[str, str]:
    """Mark the fields that a call may have changed: each holds its known value or the value that was sent."""
    if intent.action == "delete":
        # The trash changes the slug and the status of a record, and no other field.
        return {name: UNSURE if name in _TRASHED else unsure(digest) for name, digest in digests.items()}
    sent = intent.fingerprints
    return {**digests, **{name: unsure(digests.get(name, UNSURE), digest) for name, digest in sent.items()}}


class _Live(Mapping[str, Entry]):
    """A mapping that may change while a thread walks it: each walk is over a copy, each look-up is not."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        self._entries = entries

    def __getitem__(self, path: str) -> Entry:
        return self._entries[path]

    def __contains__(self, path: object) -> bool:
        return path in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries.copy())

    def keys(self) -> KeysView[str]:
        return self._entries.copy().keys()

    def values(self) -> ValuesView[Entry]:
        return self._entries.copy().values()

    def items(self) -> ItemsView[str, Entry]:
        return self._entries.copy().items()
