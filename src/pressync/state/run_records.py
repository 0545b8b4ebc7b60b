"""The records of this clone's runs: what each run was about to change, and how it left it.

A rollback needs the manifest as it was before a run, and the values that the run took from other people. Both
are gone after the first call, so they are written before it. They lie in the log of the clone and are never
committed: the texts of other people may be private. So they are kept for a limited time, and a limited size.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from pressync.model.errors import StorageError
from pressync.model.fingerprint import from_text, to_text
from pressync.model.interface import Kind  # noqa: TC001 - the same
from pressync.model.records import Entry  # noqa: TC001 - the same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pressync.model.records import Fields
    from pressync.state.clone_log import CloneLog

VERSION = 1
# At most this many characters of other people's texts are kept for one run.
_LARGEST = 32_000_000
# A plan does not read the line of a larger run, because that takes longer than the plan. Such a run has
# thousands of changes, and nobody rolls it back for one page.
LARGEST_FOR_PLANS = 4_000_000
# A line is written in pieces of so many rows, because that of a large run takes megabytes.
_PIECE = 400


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
    """The values that a record had in fields which were not ours, as text."""

    kind: Kind
    id: int
    fields: Mapping[str, str]

    @classmethod
    def of(cls, kind: Kind, number: int, fields: Fields) -> Image:
        """Keep some values of a record."""
        return cls(kind, number, {name: to_text(value) for name, value in fields.items()})

    @property
    def values(self) -> Fields:
        """The values as they are sent."""
        return {name: from_text(self.kind, name, text) for name, text in self.fields.items()}


class _Ended(msgspec.Struct, frozen=True):
    run: str
    after: Mapping[str, RecordAfter]
    finished: bool


class _Images(msgspec.Struct, frozen=True):
    run: str
    values: list[Image]


_run = msgspec.json.Decoder(dict[str, RunRecord])
_ended = msgspec.json.Decoder(dict[str, _Ended])
_images = msgspec.json.Decoder(dict[str, _Images])


def record_after(entry: Entry) -> RecordAfter:
    """Note how an entry is now."""
    return RecordAfter(entry.id, digest(entry))


def digest(entry: Entry) -> str:
    """Digest what an entry says of its record; a page above it may move without a change of the record."""
    known = (entry.kind, entry.id, entry.path, sorted(entry.fingerprints.items()))
    return hashlib.sha256(msgspec.json.encode(known)).hexdigest()[:20]


class RunRecords:
    """The runs in the log of one site; the caller holds the site's lock to write."""

    def __init__(self, log: CloneLog) -> None:
        self.log = log
        self.target = log.target

    def ids(self) -> list[str]:
        """List the runs, the oldest first."""
        return list(self.log.runs())

    def read(self, run: str) -> RunRecord | None:
        """Read the record of a run; None if this clone has none of it for this target."""
        found = self.log.read(self.log.runs().get(run), _run)
        if found is None or (found.version, found.target) != (VERSION, self.target):
            return None
        ended = self.log.read(self.log.of_runs("ended").get(run), _ended)
        return replace(found, after=ended.after, finished=ended.finished) if ended else found

    def all(self, *, largest: int | None = None) -> list[RunRecord]:
        """Read the records of all runs, the oldest first; those of more than `largest` bytes are left out."""
        runs = [run for run, line in self.log.runs().items() if largest is None or line.size <= largest]
        return [record for run in runs if (record := self.read(run))]

    def images(self, run: str) -> dict[tuple[Kind, int], Fields]:
        """Read the values that a run took from other people, by record; none if they are not here."""
        found = self.log.read(self.log.of_runs("images").get(run), _images)
        return {(image.kind, image.id): image.values for image in found.values} if found else {}

    def begin(self, record: RunRecord, images: Iterable[Image]) -> None:
        """Write down what a run is about to change, durably; the records of old runs are removed.

        :raises StorageError: it cannot be written, so nothing must be sent.
        """
        kept = _bounded(images)
        facts = [("images", msgspec.json.encode(_Images(record.run, kept)))] if kept else []
        try:
            bare = replace(record, touched=(), after=None)
            self.log.append([*facts, ("run", _pieces(bare, b'"touched":[', record.touched))])
        except OSError as error:
            what = f"the record of this run cannot be written ({error.strerror}), so nothing was sent"
            todo = "free some space or make the folder writable, and run again"
            raise StorageError(what, where=str(self.log.path), todo=todo) from error
        self.log.prune()

    def end(self, record: RunRecord, after: Iterable[tuple[str, RecordAfter]]) -> None:
        """Write down how a run left its records, by path; without it, the run counts as killed."""
        with contextlib.suppress(OSError):
            ended = _Ended(record.run, {}, record.finished)
            self.log.append([("ended", _pieces(ended, b'"after":{', after))])


def _pieces(bare: object, opening: bytes, rows: Iterable[Any]) -> Iterator[bytes]:
    """Write a fact whose empty list or mapping opens so with its rows, in pieces of some hundred."""
    begin, _, end = msgspec.json.encode(bare).partition(opening)
    yield begin + opening
    left, more = iter(rows), b""
    while some := list(islice(left, _PIECE)):
        yield more + msgspec.json.encode(some if opening.endswith(b"[") else dict(some))[1:-1]
        more = b","
    yield end


def _bounded(images: Iterable[Image]) -> list[Image]:
    """Keep the images that fit into the size; a rollback leaves the records of the others, and says so."""
    kept, size = [], 0
    for image in images:
        size += sum(map(len, image.fields.values()))
        if size <= _LARGEST:
            kept.append(image)
    return kept
