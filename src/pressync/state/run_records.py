"""The records of this clone's runs: what each run was about to change, and how it left it.

A rollback needs the manifest as it was before a run, and the values that the run took from other people. Both
are gone after the first call, so they are written before it. They lie in the Git directory and are never
committed: the texts of other people may be private. So they are kept for a limited time, and a limited size.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from pressync.model.errors import StorageError
from pressync.model.fingerprint import from_text, to_text
from pressync.model.interface import Kind  # noqa: TC001 - the same
from pressync.model.records import Entry  # noqa: TC001 - the same
from pressync.model.run_marks import is_id
from pressync.state import private_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pressync.model.records import Fields

VERSION = 1
# At most this many runs are kept.
KEPT = 20
# The texts of other people are kept for this many days, and at most this many characters of them for one run.
DAYS = 30
_LARGEST = 32_000_000
# A file is written in pieces of so many rows, because that of a large run takes megabytes.
_PIECE = 400

_RECORD, _IMAGES, _REPORT = ".run", ".images", ".json"


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
        return {name: from_text(name, text) for name, text in self.fields.items()}


_run = msgspec.json.Decoder(RunRecord)
_images = msgspec.json.Decoder(tuple[Image, ...])


def record_after(entry: Entry) -> RecordAfter:
    """Note how an entry is now."""
    return RecordAfter(entry.id, digest(entry))


def digest(entry: Entry) -> str:
    """Digest what an entry says of its record; a page above it may move without a change of the record."""
    known = (entry.kind, entry.id, entry.path, sorted(entry.fingerprints.items()))
    return hashlib.sha256(msgspec.json.encode(known)).hexdigest()[:20]


class RunRecords:
    """The folder of the records of one site; the caller holds the site's lock to write."""

    def __init__(self, folder: Path, target: str) -> None:
        self.folder = folder
        self.target = target

    def ids(self) -> list[str]:
        """List the runs, the oldest first."""
        found = (file.name.removesuffix(_RECORD) for file in self.folder.glob(f"*{_RECORD}"))
        return sorted(run for run in found if is_id(run))

    def read(self, run: str) -> RunRecord | None:
        """Read the record of a run; None if this clone has none of it for this target."""
        try:
            found = _run.decode(self._file(run, _RECORD).read_bytes()) if is_id(run) else None
        except (OSError, ValueError):
            return None
        return found if found and found.version == VERSION and found.target == self.target else None

    def all(self, *, largest: int | None = None) -> list[RunRecord]:
        """Read the records of all runs, the oldest first; those of more than `largest` bytes are left out."""
        runs = [run for run in self.ids() if largest is None or self._size(run) <= largest]
        return [record for run in runs if (record := self.read(run))]

    def images(self, run: str) -> dict[tuple[Kind, int], Fields]:
        """Read the values that a run took from other people, by record; none if they are not here."""
        try:
            found = _images.decode(self._file(run, _IMAGES).read_bytes())
        except (OSError, ValueError):
            return {}
        return {(image.kind, image.id): image.values for image in found}

    def begin(self, record: RunRecord, images: Iterable[Image]) -> None:
        """Write down what a run is about to change, durably; the records of old runs are removed.

        :raises StorageError: it cannot be written, so nothing must be sent.
        """
        try:
            kept = _bounded(images)
            if kept:
                private_files.write(self._file(record.run, _IMAGES), msgspec.json.encode(kept))
            self._write(record)
        except OSError as error:
            what = f"the record of this run cannot be written ({error.strerror}), so nothing was sent"
            todo = "free some space or make the folder writable, and run again"
            raise StorageError(what, where=str(self.folder), todo=todo) from error
        self._prune()

    def end(self, record: RunRecord, after: Iterable[tuple[str, RecordAfter]]) -> None:
        """Write down how a run left its records, by path; without it, the run counts as killed."""
        with contextlib.suppress(OSError):
            self._write(record, after)

    def report(self, run: str, text: str) -> None:
        """Keep the report of a run; it is removed with the record of the run."""
        with contextlib.suppress(OSError):
            private_files.write(self._file(run, _REPORT), text.encode())

    def reports(self) -> list[dict[str, Any]]:
        """Read the reports of the runs, the newest first; one that cannot be read is left out."""
        found = []
        for run in reversed(self.ids()):
            with contextlib.suppress(OSError, ValueError):
                found.append(msgspec.json.decode(self._file(run, _REPORT).read_bytes(), type=dict[str, Any]))
        return found

    def _size(self, run: str) -> int:
        with contextlib.suppress(OSError):
            return self._file(run, _RECORD).stat().st_size
        return 0

    def _write(self, record: RunRecord, after: Iterable[tuple[str, RecordAfter]] | None = None) -> None:
        private_files.write(self._file(record.run, _RECORD), _pieces(record, after))

    def _prune(self) -> None:
        oldest = (datetime.now(UTC) - timedelta(days=DAYS)).strftime("%Y%m%d")
        with contextlib.suppress(OSError):
            for run in self.ids()[:-KEPT]:
                for file in self.folder.glob(f"{run}.*"):
                    file.unlink()
            for file in self.folder.glob(f"*{_IMAGES}"):
                if file.name[: len(oldest)] < oldest:
                    file.unlink()

    def _file(self, run: str, ending: str) -> Path:
        return self.folder / f"{run}{ending}"


def _pieces(record: RunRecord, after: Iterable[tuple[str, RecordAfter]] | None) -> Iterator[bytes]:
    """Write a record with `after` as pieces of some hundred rows."""
    bare = msgspec.structs.replace(record, touched=(), after=None if after is None else {})
    text, opening = msgspec.json.encode(bare), b'"touched":['
    begin, _, end = text.partition(opening)
    yield begin + opening
    touched, more = iter(record.touched), b""
    while rows := list(islice(touched, _PIECE)):
        yield more + msgspec.json.encode(rows)[1:-1]
        more = b","
    if after is not None:
        opening = b'"after":{'
        begin, _, end = end.partition(opening)
        yield begin + opening
        left_as, more = iter(after), b""
        while found := dict(islice(left_as, _PIECE)):
            yield more + msgspec.json.encode(found)[1:-1]
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
