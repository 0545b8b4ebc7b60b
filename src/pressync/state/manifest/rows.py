"""The rows of a manifest as text: how each is written, read in pieces, and found by its path. Pure.

The manifest and the journal write the same members for the same noun, so the nouns are structs of msgspec.
msgspec reads them strictly: it refuses a member of another type or name.

`codec` writes each record on lines of its own, sorted by path. So a group ends where a line with a path
begins, and a text in JSON cannot hold such a line: a million records need little memory. The groups of a file
that is written in another way cannot be decoded. Then only `codec`, which reads the file as a whole, can say
what is wrong with it.

Bisection finds a record among 100,000 with about 20 short reads. Text that somebody wrote in another way may
not be sorted, so the caller must compare what is found with what the whole manifest says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from io import SEEK_END
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec
from msgspec.json import format as spaced

from pressync.model.bounds import MIB
from pressync.model.errors import ManifestError
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes, encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import BinaryIO

    from pressync.model.records import Entry

VERSION = 1
_encode = msgspec.json.Encoder(enc_hook=encoded).encode
# The C library maps memory anew for a larger piece, which does not stay in the processor's cache either.
_PIECE = 1 << 16
RECORDS = b',\n "records": ['
ROW = b'\n{"path": '
_BETWEEN = b"," + ROW
END = b"\n]}\n"
# A head has a row for each uploaded file, and a row has a record. Larger ones are not read in pieces.
_LARGEST_HEAD, _LONGEST_ROW = 64 * MIB, 8 * MIB
# Each row begins with the comma, or with the opening bracket, that stands before its line break.
_EMPTY = b"]}\n"
# How many bytes are read to find the next row, to look through the last rows of a search, and to copy.
_STEP, _NEAR, _COPIED = 1 << 12, 1 << 12, 1 << 18

_Row = TypeVar("_Row", "Entry", "RecordOutline")


def beginning(target: str) -> str:
    """Write the first two members of a manifest, which each one has."""
    return f'{{"version": {VERSION},\n "target": {as_json(target)}'


def one_line(row: object) -> str:
    """Write a row as one line; the text begins with the line break."""
    return f"\n{as_json(row)}"


def two_lines(entry: Entry) -> str:
    """Write an entry as two lines: its path, and everything else."""
    # JSON escapes a quote inside of the path, so these four characters are not found before its end.
    path, _, rest = as_json(entry).partition('", "')
    return f'\n{path}",\n "{rest}'


def as_json(value: object) -> str:
    """Write a value as JSON on one line; a lone surrogate becomes U+FFFD, because UTF-8 cannot hold it."""
    try:
        return spaced(_encode(value), indent=0).decode()
    except UnicodeEncodeError:
        return spaced(_encode(_whole(msgspec.to_builtins(value, enc_hook=encoded))), indent=0).decode()


def _whole(value: object) -> object:
    """Copy a value without lone surrogates."""
    match value:
        case str():
            return re.sub("[\ud800-\udfff]", "\ufffd", value)
        case dict():
            return {_whole(name): _whole(member) for name, member in value.items()}
        case tuple():
            return tuple(map(_whole, value))
        case _:
            return value


class FrontPageDigest(msgspec.Struct, frozen=True, gc=False):
    """The one fingerprint of a record that concerns other records; "" if the record has none."""

    front_page: str = ""


class RecordOutline(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A record as `Entry` has it, without its fingerprints, which are most of the cost of decoding it."""

    path: str
    kind: Kind
    id: Annotated[int, msgspec.Meta(gt=0)]
    slug: str
    link: str
    modified: str
    modified_gmt: str
    blob: str
    commit: str
    fingerprints: FrontPageDigest
    parent_path: str | None = msgspec.field(default=None, name="parent")
    links: tuple[str, ...] = ()
    basis: str = ""
    layout: str = ""
    changed_by_service: Mapping[str, str] | None = msgspec.field(default=None, name="bent")
    conflict: Mapping[str, str] | None = None
    protect: bool = False
    aliases: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    take: Mapping[str, str | bool] | None = None


_decode_path = msgspec.json.Decoder(str).decode


class SortedRows:
    """The text of one manifest; `head` is everything before its records, with their opening bracket."""

    def __init__(self, file: BinaryIO, *, where: str, types: SiteTypes = DOCUMENTED_TYPES) -> None:
        """Read the head and the last row.

        :raises ManifestError: the text does not begin or end as `codec` begins and ends it.
        """
        self._file, self._where, self._types = file, where, types
        self._decode_outlines = msgspec.json.Decoder(list[RecordOutline], dec_hook=types.decoded).decode
        size, self.head = file.seek(0, SEEK_END), self._head()
        self._begin = self._end = len(self.head) - 1
        if self._read(len(END), len(self.head)) == _EMPTY:
            return
        self._end = size - len(END)
        if self._read(len(END), self._end) != END:
            raise self._unlike("another end")
        # A section behind the records would be a part of the last row.
        last = self._last_row() + 1
        self.outlines(self._read(self._end - last, last))

    def is_plain(self, target: str) -> bool:
        """Tell whether the head names this target and nothing else."""
        return self.head == beginning(target).encode() + RECORDS

    def has_same(self, other: SortedRows) -> bool:
        """Tell whether a manifest of the same target has the same records; the rest of both may differ."""
        # The version and the target are on the first two lines.
        heads = [rows.head.split(b",\n")[:2] for rows in (self, other)]
        both = zip_longest(self.pieces(), other.pieces())
        return heads[0] == heads[1] and all(ours == theirs for ours, theirs in both)

    def groups(self) -> Iterator[bytes]:
        """Give the records in groups of some hundred rows; each begins with the line break of its first row.

        :raises ManifestError: something else than rows is there.
        """
        at, held = self._begin + 1, b""
        while at < self._end:
            more = self._read(min(_PIECE, self._end - at), at)
            at += len(more)
            whole, between, rest = (held + more).rpartition(_BETWEEN)
            if whole:
                yield whole
            held = between[1:] + rest
            if len(held) > _LONGEST_ROW or not more:
                raise self._unlike("something else than records")
        if held:
            yield held

    def entries(self, group: bytes) -> list[Entry]:
        """Decode the records of a group.

        :raises ManifestError: they are not records as `codec` writes them.
        """
        from pressync.model.records import Entry  # noqa: PLC0415 - the nouns take 5 ms to load, and outlines need none

        decode = msgspec.json.Decoder(list[Entry], dec_hook=self._types.decoded).decode
        return self._decoded(decode, group)

    def outlines(self, group: bytes) -> list[RecordOutline]:
        """Decode the outlines of the records of a group.

        :raises ManifestError: as `entries`.
        """
        return self._decoded(self._decode_outlines, group)

    def outlines_of(self, paths: Collection[str]) -> Iterator[RecordOutline]:
        """Give the outlines of the records of these paths, and decode no other.

        :raises ManifestError: as `groups` and `outlines`.
        """
        wanted = {as_json(path).encode() for path in paths}
        for group in self.groups():
            for row in group.split(ROW):
                if row[: row.find(b",\n")] in wanted:
                    yield from self.outlines(ROW + row.removesuffix(b","))

    def find(self, path: str) -> tuple[int, int]:
        """Return where the row of a path begins and ends; without such a row, twice where it would begin.

        :raises ManifestError: something else than a row is there.
        """
        low, high = self._begin, self._end
        # Rows before that at `low` are smaller, and those from `high` on are greater. No row begins between
        # `upper` and `high`.
        upper = high
        while upper - low > _NEAR:
            middle = (low + upper) // 2
            row = self._next(middle, upper)
            if row == upper:
                upper = middle
            elif self._path_at(row) <= path:
                low = row
            else:
                high = upper = row
        while low < high and (there := self._path_at(low)) <= path:
            end = self._next(low + 1, high)
            if there == path:
                return low, end
            low = end
        return low, low

    def entry(self, begin: int, end: int) -> Entry | None:
        """Return the record of a row that `find` has found; None if it has found none.

        :raises ManifestError: something else than a record is there.
        """
        entries = self.entries(self._read(end - begin - 1, begin + 1)) if begin < end else []
        if len(entries) > 1:
            raise self._unlike("several records in one row")
        return entries[0] if entries else None

    def pieces(self, edits: Sequence[tuple[int, int, bytes]] = ()) -> Iterator[bytes]:
        """Give the records with some parts replaced, and the end; an edit is a begin, an end and a new text.

        The edits must be in the order of their places, and begin and end where rows do. Each row of a new
        text begins with a comma.
        """
        # The first row must not begin with a comma: the head ends with the bracket.
        is_first = True
        for part in self._parts(edits):
            yield part[is_first:]
            is_first = False
        yield _EMPTY if is_first else END

    def _parts(self, edits: Sequence[tuple[int, int, bytes]]) -> Iterator[bytes]:
        at = self._begin
        for begin, end, text in (*edits, (self._end, self._end, b"")):
            while at < begin:
                part = self._read(min(_COPIED, begin - at), at)
                if not part:
                    raise self._unlike("fewer bytes than before")
                # The bracket before the first row is a part of the head.
                yield b"," + part[1:] if at == self._begin else part
                at += len(part)
            if text:
                yield text
            at = end

    def _next(self, start: int, end: int) -> int:
        """Return where the first row from `start` on begins; `end` if none begins before it."""
        at = start
        while at < end:
            text = self._read(_STEP, at)
            place = text.find(ROW, 1)
            if place > 0:
                return min(at + place - 1, end)
            if len(text) < _STEP:
                return end
            at += _STEP - len(ROW)
        return end

    def _head(self) -> bytes:
        held, looked_at = bytearray(), 0
        while len(held) < _LARGEST_HEAD and (more := self._read(_PIECE, len(held))):
            held += more
            if (place := held.find(RECORDS, looked_at)) >= 0:
                return bytes(held[: place + len(RECORDS)])
            looked_at = max(0, len(held) - len(RECORDS))
        raise self._unlike("no records")

    def _last_row(self) -> int:
        size = _STEP
        while size <= _LONGEST_ROW:
            begin = max(self._begin, self._end - size)
            place = self._read(self._end - begin, begin).rfind(ROW)
            if place > 0:
                return begin + place - 1
            size *= 2
        raise self._unlike("records in another form")

    def _path_at(self, row: int) -> str:
        size, begin = _STEP, row + 1 + len(ROW)
        while len(line := self._read(size, begin).partition(b",\n")[0]) == size:
            size *= 2
        try:
            return _decode_path(line)
        except ValueError as error:
            raise self._unlike("a row without a path") from error

    def _read(self, size: int, at: int) -> bytes:
        self._file.seek(at)
        return self._file.read(size)

    def _decoded(self, decode: Callable[[bytes], list[_Row]], group: bytes) -> list[_Row]:
        try:
            return decode(b"[%b]" % group)
        except (ValueError, RecursionError) as error:
            raise self._unlike(f"something else than records ({error})") from error

    def _unlike(self, fault: str) -> ManifestError:
        return ManifestError(f"it has {fault}, so its records cannot be found one by one", where=self._where)
