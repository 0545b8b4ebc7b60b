"""The log of what this clone knows of one site beside the manifest: its runs, and what it did to records.

| fact | who writes it, and when | who reads it |
|---|---|---|
| `run`, `images` | a run, before its first call | a rollback; a plan looks for taken back commits |
| `ended` | a run, when it has saved the manifest | the same |
| `bonds` | each save, and a person who binds a record | a plan that overwrites or deletes something |
| `removed` | each save that follows a removal | a plan that meets a record in the trash |
| `rights`, `notes`, `noted` | a look at the site | the next sync, and `status` |
| `claim` | a run, before it claims a manifest in a reference | the next run that meets a claim |

Facts are only appended, and a later line counts more than an earlier one. A line is written as in the
journal, and its checksum begins with the target: ids mean other records at another address. No line of the
log decides alone that something is sent. So a line that is torn, damaged or for another target is left out.
A run writes the log anew when half of it is outdated, or when it has texts of other people for too long.
"""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from functools import cached_property
from io import BytesIO
from itertools import chain, islice
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar

import msgspec
from msgspec.json import Decoder, Encoder

from pressync.client.dialects import UserRights
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes, encoded
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pressync.model.records import Entry, RecordKey
    from pressync.state.clone_files import CloneFiles

    Facts = Iterable[tuple[str, bytes | Iterable[bytes]]]

_Type = TypeVar("_Type")

# At most this many runs are kept.
KEPT = 20
# The texts of other people are kept for this many days.
DAYS = 30
# The log is written anew if it has grown by this many bytes more than it had then.
_ROOM = 1 << 18
# So many rows are in one line: the bonds of a large site take megabytes.
_ROWS = 400
# The facts that a plan reads. Texts of other people, which may be large, are not among them.
_OF_PLANS = ("bonds", "removed", "run", "ended")
# A long line is read in parts. Its run and its commit stand in the first part.
_BEGINNING, _PART = 1 << 12, 1 << 16
_NAME = re.compile(rb'\{"([a-z]+)":')
_RUN = re.compile(rb'"run":"([0-9]{8}-[0-9]{6}-[a-z0-9]{5})"')
# The commit comes before the records. The address of the site is before it.
_COMMIT = re.compile(rb'"commit":"([0-9a-f]+)"')


encode = Encoder(enc_hook=encoded).encode


class Bond(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The record that a path had, and the commit at which this clone knew it; id 0 is a deleted record."""

    kind: str
    id: int
    commit: str

    def holds(self, entry: Entry) -> bool:
        """Whether an entry still has this record."""
        return (self.kind, self.id) == (str(entry.kind), entry.id)


class Rights(msgspec.Struct, frozen=True):
    """The rights that a user was seen to lack; `id` is the user's, 0 if nobody knows."""

    user: str = ""
    id: int = 0
    lacking: tuple[str, ...] = ()


NOBODY = UserRights(0)


class EditorNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """An open note of an editor: its id, who wrote it and when, the words that it is about, and its text.

    `line` is that of the words in the file; 1 if they are not there. A plan names the commit by which a
    sync resolves it.
    """

    id: int
    path: str
    line: int
    author: str
    date: str
    quoted: str
    text: str
    resolved_by: str = ""


_bonds = Decoder(dict[str, list[tuple[str, Bond]]])
_removed = Decoder(dict[str, list[tuple[str, int]]])
_notes = Decoder(dict[str, list[tuple[str, int, int]]])
_noted = Decoder(dict[str, tuple[EditorNote, ...]])
_rights = Decoder(dict[str, Rights])
_claim = Decoder(dict[str, str])


class LogLine(NamedTuple):
    """The place of a line. `run` and `commit` are those of a run's line, as it says itself."""

    begin: int
    size: int
    run: str
    commit: str


class CloneLog:
    """The log of one site, for one target. Only `rights` and `notes` may be appended without the lock."""

    def __init__(self, files: CloneFiles, target: str, types: SiteTypes = DOCUMENTED_TYPES) -> None:
        self._files, self.types = files, types
        self.path = files.log
        self.target = target
        self._seen: tuple[int, ...] = ()
        self._lines: dict[str, list[LogLine]] = {}

    def append(self, facts: Facts) -> None:
        """Write facts, each a name and its JSON in one piece or in more; they are durable then.

        :raises OSError: they cannot be written.
        """
        atomic_files.make_folder(self._files.directory, mode=atomic_files.PRIVATE_FOLDER)
        lines = chain.from_iterable(sealed(self.target, *fact) for fact in facts)
        atomic_files.append(self.path, lines, mode=atomic_files.PRIVATE_FILE)

    def take_in_earlier(self) -> None:
        """Write down what an earlier version left in files of its own, and remove these files."""
        if self._earlier:
            with contextlib.suppress(OSError):
                atomic_files.append(self.path, [self._earlier], mode=atomic_files.PRIVATE_FILE)
                remove_earlier(self._files)
            del self._earlier

    def bonds(
        self, more: Iterable[tuple[str, Bond]] = (), only: Container[str] | None = None
    ) -> dict[str, Bond]:
        """Give the bonds by path, with `more` of them after those of the log, of all paths or `only` of some.

        A record belongs to the last path that had it. A path whose record was deleted keeps its bond.
        """
        rows = [*self._rows("bonds", _bonds), *more]
        if only is not None:
            records = {(bond.kind, bond.id) for path, bond in rows if path in only}
            rows = [row for row in rows if row[0] in only or (row[1].kind, row[1].id) in records]
        latest: dict[str, Bond] = {}
        paths: dict[tuple[str, int], str] = {}
        for path, bond in rows:
            if not bond.id:
                before = latest.get(path, bond)
                latest[path] = Bond(before.kind, 0, before.commit)
                continue
            record = bond.kind, bond.id
            other = paths.get(record, path)
            if other != path and other in latest and (latest[other].kind, latest[other].id) == record:
                del latest[other]
            paths[record] = path
            latest[path] = bond
        latest = {path: bond for path, bond in latest.items() if bond.kind}
        return latest if only is None else {path: latest[path] for path in latest if path in only}

    def removed(self) -> set[tuple[str, int]]:
        """Give the records, by kind and id, that this clone has deleted or dropped."""
        return set(self._rows("removed", _removed))

    def notes(self) -> dict[tuple[str, int], int]:
        """Give the number of editors' notes by record, for records that have any; people alone see it."""
        counts = {(kind, number): count for kind, number, count in self._rows("notes", _notes)}
        return {record: count for record, count in counts.items() if count}

    def see_notes(self, seen: Mapping[RecordKey, int]) -> None:
        """Note the numbers of notes of the records that were read; a failed write does not fail the run."""
        before = self.notes()
        changed = [(*key, count) for key, count in sorted(seen.items()) if count != before.get(key, 0)]
        if changed:
            with contextlib.suppress(OSError):
                self.append([("notes", encode(changed))])

    def editor_notes(self) -> tuple[EditorNote, ...]:
        """Give the open notes of editors, as the last look at them saw them; people alone see them."""
        return self._last("noted", _noted) or ()

    def see_editor_notes(self, notes: Sequence[EditorNote]) -> None:
        """Note the open notes; a failed write does not fail the run."""
        if tuple(notes) != self.editor_notes():
            with contextlib.suppress(OSError):
                self.append([("noted", encode(notes))])

    def rights(self) -> Rights:
        """Give the rights that were seen last."""
        return self._last("rights", _rights) or Rights()

    # A question for the rights is one request of three that a sync of one page costs. This is only a
    # shortcut: the service still refuses what the user may not do.
    def rights_of(self, user: str) -> UserRights | None:
        """Give the rights that this user was seen to lack; None if nobody has asked."""
        seen = self.rights()
        return UserRights(seen.id, frozenset(seen.lacking)) if seen.id and seen.user == user else None

    def note_rights(self, user: str = "", rights: UserRights = NOBODY) -> None:
        """Note the rights that a user lacks; without any, the next run asks for them again."""
        noted = Rights(user, rights.user, tuple(sorted(rights.lacking)))
        if noted != self.rights():
            with contextlib.suppress(OSError):
                self.append([("rights", encode(noted))])

    def claim(self) -> str:
        """Give the id of the last claim of this clone."""
        return self._last("claim", _claim) or ""

    def runs(self) -> dict[str, LogLine]:
        """Give the line of each run, the oldest run first: the clock of a run may have been wrong."""
        return dict(list(self.of_runs("run").items())[-KEPT:])

    def of_runs(self, name: str) -> dict[str, LogLine]:
        """Give the last line of this name of each run."""
        with self._reading():
            return {line.run: line for line in self._lines.get(name, ()) if line.run}

    def commits(self) -> dict[str, str]:
        """Give the commit from which each run sent something, the oldest run first.

        A plan asks for them each time, and the line of a run with many pages is large. So it is not decoded.
        """
        return {run: line.commit for run, line in self.runs().items() if line.commit}

    def read(self, line: LogLine | None, decoder: Decoder[dict[str, _Type]]) -> _Type | None:
        """Read what a line says; None if there is none, or if it is damaged or for another target."""
        with self._reading() as file:
            return self._read(file, line, decoder) if line else None

    def prune(self) -> None:
        """Write the log anew, if much of it is outdated or texts of other people are too old."""
        with contextlib.suppress(OSError), self._reading() as file:
            oldest, runs = (datetime.now(UTC) - timedelta(days=DAYS)).strftime("%Y%m%d"), self.runs()
            images, ended = self.of_runs("images"), self.of_runs("ended")
            kept = [images[run] for run in runs if run in images and run[: len(oldest)] >= oldest]
            anew = self._lines.get("anew")
            grown_by = self._seen[0] - 2 * (anew[0].begin if anew else 0)
            if grown_by <= _ROOM and len(kept) == len(self._lines.get("images", ())):
                return
            lines = chain(kept, runs.values(), (ended[run] for run in runs if run in ended))
            facts = chain.from_iterable(sealed(self.target, *fact) for fact in self._folded())
            end = sealed(self.target, "anew", b"null")
            atomic_files.write_private(self.path, chain(facts, _copied(file, lines), end))

    def copy(self, other: CloneFiles) -> None:
        """Copy what a plan reads into another folder: facts, the journal, and the copy of created records.

        :raises OSError: it cannot be read or written.
        """
        import shutil  # noqa: PLC0415 - it loads three compressions; a plan without a cache needs none

        for name in ("journal", "made"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(getattr(self._files, name), getattr(other, name))
        with self._reading() as file:
            lines = chain.from_iterable(self._lines.get(name, ()) for name in _OF_PLANS)
            atomic_files.write_private(other.log, _copied(file, lines))

    def _folded(self) -> Facts:
        yield from bond_facts(self.bonds().items())
        yield "removed", encode(sorted(self.removed()))
        yield "notes", encode([(*record, count) for record, count in sorted(self.notes().items())])
        if noted := self.editor_notes():
            yield "noted", encode(noted)
        yield "rights", encode(self.rights())
        yield "claim", encode(self.claim())

    def _last(self, name: str, decoder: Decoder[dict[str, _Type]]) -> _Type | None:
        facts = list(self._facts(name, decoder))
        return facts[-1] if facts else None

    def _rows(self, name: str, decoder: Decoder[dict[str, list[_Type]]]) -> Iterator[_Type]:
        for rows in self._facts(name, decoder):
            yield from rows

    def _facts(self, name: str, decoder: Decoder[dict[str, _Type]]) -> Iterator[_Type]:
        with self._reading() as file:
            for line in self._lines.get(name, ()):
                fact = self._read(file, line, decoder)
                if fact is not None:
                    yield fact

    def _read(self, file: BinaryIO, line: LogLine, decoder: Decoder[dict[str, _Type]]) -> _Type | None:
        file.seek(line.begin)
        text, _, checksum = file.read(line.size).rstrip(b"\n").rpartition(b"\t")
        if checksum != b"%08x" % _checksum(text, self.target):
            return None
        try:
            (fact,) = decoder.decode(text).values()
        except (ValueError, RecursionError):
            return None
        return fact

    @contextlib.contextmanager
    def _reading(self) -> Iterator[BinaryIO]:
        """Open the log, with what an earlier version left behind its end; `_lines` are those of this file."""
        with contextlib.ExitStack() as opened:
            try:
                file: BinaryIO = opened.enter_context(self.path.open("rb"))
                status = os.fstat(file.fileno())
                seen = (status.st_size, status.st_ino, len(self._earlier))
            except OSError:
                file, seen = BytesIO(), (0, 0, len(self._earlier))
            if self._earlier:
                file = BytesIO(file.read() + b"\n" + self._earlier)
            if seen != self._seen:
                self._lines, self._seen = _lines(file), seen
            yield file

    @cached_property
    def _earlier(self) -> bytes:
        facts = earlier_facts(self._files, self.target)
        return b"".join(chain.from_iterable(sealed(*fact) for fact in facts))


def bond_facts(bonds: Iterable[tuple[str, Bond]]) -> Facts:
    """Give the facts of bonds, some hundred in one line."""
    rows = iter(bonds)
    while some := list(islice(rows, _ROWS)):
        yield "bonds", encode(some)


def sealed(target: str, name: str, members: bytes | Iterable[bytes]) -> Iterator[bytes]:
    """Write a line, in pieces, with the checksum that shows whether it is damaged."""
    head = b'{"%b":' % name.encode()
    checksum = _checksum(head, target)
    yield head
    for piece in chain([members] if isinstance(members, bytes) else members, [b"}"]):
        checksum = zlib.crc32(piece, checksum)
        yield piece
    yield b"\t%08x\n" % checksum


def _checksum(text: bytes, target: str) -> int:
    return zlib.crc32(text, zlib.crc32(target.encode()))


def _lines(file: BinaryIO) -> dict[str, list[LogLine]]:
    """Find the lines by the names of their facts."""
    lines = defaultdict(list)
    file.seek(0)
    begin = 0
    while part := file.readline(_BEGINNING):
        head = part
        while part and not part.endswith(b"\n"):
            part = file.readline(_PART)
        end = file.tell()
        if name := _NAME.match(head):
            run, commit = _RUN.search(head), _COMMIT.search(head)
            text = (run[1].decode() if run else "", commit[1].decode() if commit else "")
            lines[name[1].decode()].append(LogLine(begin, end - begin, *text))
        begin = end
    return lines


def _copied(file: BinaryIO, lines: Iterable[LogLine]) -> Iterator[bytes]:
    for line in lines:
        file.seek(line.begin)
        rest = line.size
        while rest and (part := file.read(min(rest, _PART))):
            rest -= len(part)
            yield part
        if not part.endswith(b"\n"):
            yield b"\n"


_VOUCHED, _REMOVED, _NOTES, _CLAIM, _EARLIER_RUNS = ".vouched", ".made.removed", ".notes", ".claim", ".runs"

# A version before `.notes` wrote it. Nothing reads it any more.
_RIGHTS = ".rights"


class _EarlierFile(msgspec.Struct):
    """The members of all these files; each file has some of them."""

    target: str
    records: msgspec.Raw = msgspec.Raw(b"[]")
    rights: msgspec.Raw = msgspec.Raw(b"{}")
    notes: msgspec.Raw = msgspec.Raw(b"[]")


_rows_of_bonds = msgspec.json.Decoder(list[tuple[str, str, int, str]])


# Earlier versions noted each of these in a file of its own. A file that cannot be read says nothing, and that
# of the claim does not name its target.
def earlier_facts(files: CloneFiles, target: str) -> Iterator[tuple[str, str, bytes | Iterable[bytes]]]:
    """Give each fact with its target and its name; the runs come in their order."""
    if bonds := _read_earlier(_earlier_file(files, _VOUCHED)):
        with contextlib.suppress(ValueError):
            rows = _rows_of_bonds.decode(bonds.records)
            yield bonds.target, "bonds", encode([(path, bond) for path, *bond in rows])
    if removed := _read_earlier(_earlier_file(files, _REMOVED)):
        yield removed.target, "removed", bytes(removed.records)
    if notes := _read_earlier(_earlier_file(files, _NOTES)):
        yield notes.target, "rights", bytes(notes.rights)
        yield notes.target, "notes", bytes(notes.notes)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        yield target, "claim", encode(_earlier_file(files, _CLAIM).read_text(encoding="utf-8"))
    for file in sorted(_earlier_file(files, _EARLIER_RUNS).glob("*.run")):
        if run := _read_earlier(file):
            with contextlib.suppress(OSError):
                images = file.with_suffix(".images").read_bytes()
                yield run.target, "images", [b'{"run":"%b","values":' % file.stem.encode(), images, b"}"]
            yield run.target, "run", file.read_bytes()


def remove_earlier(files: CloneFiles) -> None:
    """Remove the files, durably: one that came back later would say again what was long ago.

    :raises OSError: one of them cannot be removed.
    """
    import shutil  # noqa: PLC0415 - as above

    shutil.rmtree(_earlier_file(files, _EARLIER_RUNS), ignore_errors=True)
    for ending in (_VOUCHED, _REMOVED, _NOTES, _CLAIM, _RIGHTS):
        _earlier_file(files, ending).unlink(missing_ok=True)
    atomic_files.sync_folder(files.directory)


def _earlier_file(files: CloneFiles, ending: str) -> Path:
    return files.directory / f"{files.site}{ending}"


def _read_earlier(file: Path) -> _EarlierFile | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_EarlierFile)
    except (OSError, ValueError, RecursionError):
        return None
