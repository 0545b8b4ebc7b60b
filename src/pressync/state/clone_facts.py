"""The facts on its records that this clone keeps beside the manifest, which decides; each may be missing.

| fact | why the manifest is not enough |
|---|---|
| the records that this clone put on the site | people and Git put an older manifest back |
| the record of each path that this clone wrote or a person bound | others push manifests with other ids |
| what each run was about to change, and how it left it | the manifest forgets it with the first call |

A document whose entry was lost must not be created a second time: that is what the copy is for. The bonds are
read only if a plan overwrites or deletes something. A failed write of these does not fail the run.

A rollback needs the manifest as it was before a run, and the values that the run took from other people. So
a run writes both before its first call. They are never committed, because the texts of other people may be
private. They are kept for a limited time, and up to a limited size.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from pressync.model.errors import ManifestError, storing
from pressync.model.fingerprint import from_text, to_text
from pressync.model.interface import Kind  # noqa: TC001 - msgspec reads the annotations
from pressync.model.records import Entry, Manifest, keys_of
from pressync.state import atomic_files
from pressync.state.clone_log import Bond, bond_facts, encode
from pressync.state.journal_lines import Done, Intent, Removed, Resolved
from pressync.state.manifest import codec
from pressync.state.manifest.rows import SortedRows
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from pathlib import Path

    from pressync.model.records import Fields, RecordKey, Value
    from pressync.state.clone_log import CloneLog
    from pressync.state.journal_lines import Line

# The first line of each record, which has its path alone.
_PATH = re.compile(rb'^\{"path": (".*"),$', re.MULTILINE)
# The record of a path was deleted.
_DELETED = Bond("", 0, "")

VERSION = 1
# At most this many characters of other people's texts are kept for one run.
_LARGEST = 32_000_000
# A plan does not read the line of a larger run, because that takes longer than the plan. Such a run has
# thousands of changes, and nobody rolls it back for one page.
LARGEST_FOR_PLANS = 4_000_000
# A line is written in pieces of so many rows, because that of a large run takes megabytes.
_PIECE = 400


class CreatedCopy:
    """The file of the copy; a record that the journal's `lines` remove does not count as forgotten."""

    def __init__(self, path: Path, log: CloneLog, lines: Iterable[Line]) -> None:
        self._path = path
        self._log = log
        self._target = log.target
        # True if the file is known to hold the same entries as the manifest.
        self.is_current = False
        self._removed: set[RecordKey] = set()
        for line in lines:
            self.take(line)

    def take(self, line: Line) -> None:
        """Note the record that a line of the journal removes, if it removes one."""
        if isinstance(line, Removed):
            self._removed.add((line.kind, line.id))

    def removed(self) -> frozenset[tuple[str, int]]:
        """Return the records that this clone deleted or dropped: it saves a person a look at the trash."""
        return frozenset(self._log.removed() | self._removed)

    def forgotten_by_manifest(
        self,
        entries: Mapping[str, Entry],
        *,
        to_read: bool = False,
        records: Callable[[], Iterable[bytes]] | None = None,
    ) -> dict[str, Entry]:
        """Return the records of the copy that are neither among these entries nor removed, by path.

        `records` is the text of these entries, if they are as the manifest has them. Usually the copy has the
        same text, so nothing has to be decoded. A state that is opened `to_read` asks this for each plan. So
        the paths are compared then: for 25,000 records that takes a fifth of the time.
        """
        if records is not None and self._has(records):
            self.is_current = True
            return {}
        if to_read and not self._has_other_paths(entries):
            return {}
        try:
            copied = ManifestFile(self._path, self._target, self._log.types).read(writable=False).entries
        except ManifestError:
            # The file is for another target, or unreadable, so it says nothing about this target.
            return {}
        self.is_current = copied == dict(entries.items())
        held = keys_of(entries.values()) | self._removed
        return {
            path: entry
            for path, entry in copied.items()
            if path not in entries and (entry.kind, entry.id) not in held
        }

    def _has(self, records: Callable[[], Iterable[bytes]]) -> bool:
        with contextlib.suppress(OSError, ManifestError), self._path.open("rb") as file:
            rows = SortedRows(file, where=str(self._path), types=self._log.types)
            return rows.is_plain(self._target) and all(
                one == other for one, other in zip_longest(records(), rows.pieces())
            )
        return False

    def _has_other_paths(self, entries: Mapping[str, Entry]) -> bool:
        try:
            paths = _PATH.findall(self._path.read_bytes())
            return not entries.keys() >= set(json.loads(b"[" + b",".join(paths) + b"]"))
        except FileNotFoundError:
            return False
        except (OSError, ValueError):
            return True

    def save(
        self,
        entries: Mapping[str, Entry],
        forgotten: Mapping[str, Entry],
        records: Callable[[], Iterable[bytes]] | None = None,
    ) -> None:
        """Keep these entries, of which `records` may be the text, and those that are still forgotten."""
        held = keys_of(entries.values()) if forgotten else set()
        still = {path: entry for path, entry in forgotten.items() if (entry.kind, entry.id) not in held}
        with contextlib.suppress(OSError):
            if not self.is_current and (entries or still or self._path.exists()):
                self._write(
                    Manifest(self._target, {**still, **dict(entries.items())}), None if still else records
                )
        if self._removed:
            with contextlib.suppress(OSError):
                self._log.append([("removed", encode(sorted(self._removed)))])

    def _write(self, manifest: Manifest, records: Callable[[], Iterable[bytes]] | None) -> None:
        if records is not None:
            with contextlib.suppress(ManifestError, OSError):
                atomic_files.write_private(self._path, chain([codec.head(Manifest(self._target))], records()))
                return
        atomic_files.write_private(self._path, codec.pieces(manifest))


class Vouched:
    """The bonds between paths and records for which this clone vouches."""

    def __init__(self, log: CloneLog, lines: Iterable[Line] = ()) -> None:
        """Take the bonds of the log; `lines` are those of the journal, which a killed run left."""
        self._log = log
        # An entry of this run is in the memory already, and needs no bond before the bonds are asked for.
        self._new: dict[str, Entry | Bond] = {}
        self._deleted: set[str] = set()
        for line in lines:
            self.take(line)

    def take(self, line: Line) -> None:
        """Note what a line of the journal says of a call of this clone, or of an unconfirmed create.

        An update is sent only to a record that the plan believed in. So its intent is enough: if the run is
        killed, the record may already have a text that no commit of the manifest knows. A line without a call
        notes an entry that came with the manifest, so it vouches for nothing.
        """
        match line:
            case Intent(action="update", path=path, kind=kind, id=int() as number, commit=commit):
                self._new[path] = Bond(str(kind), number, commit)
                self._deleted.discard(path)
            case Done(n=number, entries=entries) if number:
                for entry in entries:
                    self.add(entry)
            case Removed(n=number, path=path) if number:
                self.end(path)
            case Resolved(entry=Entry() as entry):
                self.add(entry)

    def add(self, entry: Entry) -> None:
        """Vouch for an entry: this run wrote its record, or a person has bound it."""
        self._new[entry.path] = entry
        self._deleted.discard(entry.path)

    def end(self, path: str) -> None:
        """Note that a path's record was deleted; if the path comes back, it has another record."""
        self._deleted.add(path)

    def bonds(self, only: Container[str] | None = None) -> dict[str, Bond]:
        """Return the bonds by path, of all paths or only of some; an empty log vouches for nothing."""
        return self._log.bonds(self._rows(), only)

    def save(self) -> None:
        """Save the new bonds; a failed write does not fail the run.

        Bonds that the manifest contradicts or has forgotten are kept, because they show a forged id.
        """
        if self._new or self._deleted:
            with contextlib.suppress(OSError):
                self._log.append(bond_facts(self._rows()))
            self._new.clear()
            self._deleted.clear()

    def _rows(self) -> Iterator[tuple[str, Bond]]:
        for path, new in self._new.items():
            yield path, new if isinstance(new, Bond) else Bond(str(new.kind), new.id, new.commit)
        for path in self._deleted:
            yield path, _DELETED


class TouchedRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A record that a run was about to change; `before` is its entry, None for a new one.

    `id` is that of a record that was on the site before, also where the run itself bound it. `fields` are
    those that the run was about to send.
    """

    path: str
    kind: Kind
    id: int | None = None
    before: Entry | None = None
    fields: tuple[str, ...] = ()


class RecordAfter(msgspec.Struct, frozen=True):
    """The id of a record when a run ended, and a digest of its entry; id 0 is an unconfirmed create."""

    id: int
    digest: str


class RunRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One run. `after` tells how the run left its records, by path; None if the run was killed.

    `undoes` is the run that it rolled back, "" for a sync. A `permanent` run deleted without the trash.
    `finished` tells that a rollback left nothing.
    """

    version: int
    run: str
    target: str
    commit: str
    touched: tuple[TouchedRecord, ...]
    permanent: bool = False
    undoes: str = ""
    after: Mapping[str, RecordAfter] | None = None
    finished: bool = False


class Image(msgspec.Struct, frozen=True):
    """The values that a record had in fields which were not ours, as text.

    `stored` has those that the service stored in another form than a call would send them in, in that form.
    An earlier version did not keep that form; then it is None.
    """

    kind: Kind
    id: int
    fields: Mapping[str, str]
    stored: Mapping[str, str] | None = None

    @classmethod
    def of(cls, kind: Kind, number: int, fields: Fields, raw: Fields) -> Image:
        """Keep some values of a record; `raw` is as in `Record`."""
        kept = {name: to_text(value) for name, value in raw.items() if name in fields}
        return cls(kind, number, {name: to_text(value) for name, value in fields.items()}, kept)

    @property
    def values(self) -> Fields:
        """The values whose form on the service is known."""
        return {name: value for name, value in self._values(self.fields).items() if name not in self.unclear}

    @property
    def raw(self) -> Fields:
        """The values that are sent as the service stored them."""
        return self._values(self.stored or {})

    @property
    def unclear(self) -> frozenset[str]:
        """The fields whose form on the service an earlier version did not keep, and nobody can guess.

        A text without a block may be one of the classic editor, or ours in a block.
        """
        if self.stored is not None:
            return frozenset()
        title, content = self.fields.get("title", ""), self.fields.get("content", "")
        has_blocks = "<!-- wp:" in content and not content.startswith("<!-- wp:html")
        forms = {"title": bool({"<", "&"}.intersection(title)), "content": bool(content) and not has_blocks}
        return frozenset(name for name, is_unclear in forms.items() if is_unclear)

    def _values(self, texts: Mapping[str, str]) -> dict[str, Value]:
        return {name: from_text(self.kind, name, text) for name, text in texts.items()}


class _Ended(msgspec.Struct, frozen=True):
    run: str
    after: Mapping[str, RecordAfter]
    finished: bool


class _Images(msgspec.Struct, frozen=True):
    run: str
    values: list[Image]


_ended = msgspec.json.Decoder(dict[str, _Ended])


def record_after(entry: Entry) -> RecordAfter:
    """Note how an entry is now."""
    return RecordAfter(entry.id, digest(entry))


def digest(entry: Entry) -> str:
    """Digest what an entry says of its record; a page above it may move without a change of the record."""
    settled = (entry.kind, entry.id, entry.path, sorted(entry.fingerprints.items()))
    return hashlib.sha256(encode(settled)).hexdigest()[:20]


class RunRecords:
    """The runs in the log of one site; the caller holds the site's lock to write."""

    def __init__(self, log: CloneLog) -> None:
        self.log = log
        self.target = log.target
        hook = log.types.decoded
        self._run = msgspec.json.Decoder(dict[str, RunRecord], dec_hook=hook)
        self._images = msgspec.json.Decoder(dict[str, _Images], dec_hook=hook)

    def ids(self) -> list[str]:
        """List the runs, the oldest first."""
        return list(self.log.runs())

    def read(self, run: str) -> RunRecord | None:
        """Read the record of a run; None if this clone has none of it for this target."""
        record = self.log.read(self.log.runs().get(run), self._run)
        if record is None or (record.version, record.target) != (VERSION, self.target):
            return None
        ended = self.log.read(self.log.of_runs("ended").get(run), _ended)
        return replace(record, after=ended.after, finished=ended.finished) if ended else record

    def all(self, *, largest: int | None = None) -> list[RunRecord]:
        """Read the records of all runs, the oldest first; those of more than `largest` bytes are left out."""
        runs = [run for run, line in self.log.runs().items() if largest is None or line.size <= largest]
        return [record for run in runs if (record := self.read(run))]

    def images(self, run: str) -> dict[tuple[Kind, int], Image]:
        """Read the values that a run took from other people, by record; none if they are not here."""
        fact = self.log.read(self.log.of_runs("images").get(run), self._images)
        return {(image.kind, image.id): image for image in fact.values} if fact else {}

    def begin(self, record: RunRecord, images: Iterable[Image]) -> None:
        """Write down what a run is about to change, durably; the records of old runs are removed.

        :raises StorageError: it cannot be written, so nothing must be sent.
        """
        kept, size = [], 0
        for image in images:
            # A rollback leaves the records whose images are not kept, and says so.
            size += sum(map(len, (*image.fields.values(), *(image.stored or {}).values())))
            if size <= _LARGEST:
                kept.append(image)
        facts = [("images", encode(_Images(record.run, kept)))] if kept else []
        bare = replace(record, touched=(), after=None)
        problem = "the record of this run cannot be written"
        todo = "free some space or make the folder writable, and run again"
        with storing(self.log.path, problem, todo, so=", so nothing was sent"):
            self.log.append([*facts, ("run", _pieces(bare, b'"touched":[', record.touched))])
        self.log.prune()

    def end(self, record: RunRecord, after: Iterable[tuple[str, RecordAfter]]) -> None:
        """Write down how a run left its records, by path; without it, the run counts as killed."""
        with contextlib.suppress(OSError):
            ended = _Ended(record.run, {}, record.finished)
            self.log.append([("ended", _pieces(ended, b'"after":{', after))])


def _pieces(bare: object, opening: bytes, rows: Iterable[Any]) -> Iterator[bytes]:
    """Write a fact whose empty list or mapping opens so with its rows, in pieces of some hundred."""
    begin, _, end = encode(bare).partition(opening)
    yield begin + opening
    left, more = iter(rows), b""
    while some := list(islice(left, _PIECE)):
        yield more + encode(some if opening.endswith(b"[") else dict(some))[1:-1]
        more = b","
    yield end
