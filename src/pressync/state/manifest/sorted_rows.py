"""Finds and replaces single records in the text of a manifest, and decodes no others. Pure.

`codec` writes each record on lines of its own, sorted by path, and no JSON string holds a line break. So
bisection finds a record among 100,000 with about 20 short reads. Text that somebody wrote in another way may
not be sorted, so the caller must compare what is found with what the whole manifest says.

To encode 100,000 records takes twenty times as long as to copy their bytes, and most runs change a few. The
new text is the same as `codec` gives. Rows that somebody wrote in another way stay as they are while their
record stays the same; if such text cannot be rewritten in places, `codec` writes all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import SEEK_END, BytesIO
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from pressync.model.errors import ManifestError
from pressync.model.records import Entry
from pressync.state.manifest import codec
from pressync.state.manifest.rows import END, RECORDS, ROW, through_head, two_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import BinaryIO

    from pressync.model.records import Manifest

# Each row begins with the comma, or with the opening bracket, that stands before its line break.
_EMPTY = b"]}\n"
# How many bytes are read to find the next row, to look through the last rows of a search, and to copy.
_STEP, _NEAR, _PIECE = 1 << 12, 1 << 12, 1 << 18

# To find a row takes as long as to encode this many.
_FEW = 16

_decode = msgspec.json.Decoder(Entry).decode
_path = msgspec.json.Decoder(str).decode


class SortedRows:
    """The text of one manifest; `head` is everything before its records, with their opening bracket."""

    def __init__(self, file: BinaryIO, *, where: str) -> None:
        """Read the head and the last row.

        :raises ManifestError: the text does not begin or end as `codec` begins and ends it.
        """
        self._file = file
        self._where = where
        size, held = file.seek(0, SEEK_END), through_head(lambda at: self._read(_PIECE, at))
        if not held:
            raise self._unlike("no records")
        self.head = held[: held.index(RECORDS) + len(RECORDS)]
        self._begin = self._end = len(self.head) - 1
        if self._read(len(END), len(self.head)) == _EMPTY:
            return
        self._end = size - len(END)
        if self._read(len(END), self._end) != END:
            raise self._unlike("another end")
        # A section behind the records would be a part of the last row.
        self.entry(self._last_row(), self._end)

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
            elif (found := self._path_at(row)) == path:
                return row, self._next(row + 1, self._end)
            elif found < path:
                low = row
            else:
                high = upper = row
        while low < high and (found := self._path_at(low)) <= path:
            end = self._next(low + 1, high)
            if found == path:
                return low, end
            low = end
        return low, low

    def entry(self, begin: int, end: int) -> Entry | None:
        """Return the record of a row that `find` has found; None if it has found none.

        :raises ManifestError: something else than a record is there.
        """
        if begin == end:
            return None
        try:
            return _decode(self._read(end - begin - 1, begin + 1))
        except (ValueError, RecursionError) as error:
            raise self._unlike("a row that is not a record") from error

    def named(self, path: str) -> Entry | None:
        """Return the record of a path, if there is one.

        :raises ManifestError: as `find` and `entry`.
        """
        return self.entry(*self.find(path))

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
                part = self._read(min(_PIECE, begin - at), at)
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
            found = text.find(ROW, 1)
            if found > 0:
                return min(at + found - 1, end)
            if len(text) < _STEP:
                return end
            at += _STEP - len(ROW)
        return end

    def _last_row(self) -> int:
        size = _STEP
        while True:
            begin = max(self._begin, self._end - size)
            found = self._read(self._end - begin, begin).rfind(ROW)
            if found > 0:
                return begin + found - 1
            if begin == self._begin:
                raise self._unlike("records in another form")
            size *= 2

    def _path_at(self, row: int) -> str:
        size = _STEP
        while True:
            line, end, _ = self._read(size, row + 1 + len(ROW)).partition(b",\n")
            if end or len(line) < size:
                break
            size *= 2
        try:
            return _path(line)
        except ValueError as error:
            raise self._unlike("a row without a path") from error

    def _read(self, size: int, at: int) -> bytes:
        self._file.seek(at)
        return self._file.read(size)

    def _unlike(self, what: str) -> ManifestError:
        return ManifestError(f"it has {what}, so its records cannot be found one by one", where=self._where)


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The pieces of a new text, and the manifest that it holds."""

    pieces: Iterable[bytes]
    held: Manifest


@dataclass(frozen=True, slots=True)
class HeldText:
    """A manifest and its text in memory; the text is empty if there is none."""

    manifest: Manifest
    text: bytes = b""

    def rewritten(self, known: Manifest, changed: Collection[str] | None) -> HeldText:
        """Write another manifest in place of this one; give this one if nothing changes."""
        new = rewrite(self.manifest, known, changed if self.text else None, self.rows)
        return HeldText(new.held, b"".join(new.pieces)) if new else self

    def rows(self) -> SortedRows:
        """Give the rows of the text.

        :raises ManifestError: it is written in another way.
        """
        return SortedRows(BytesIO(self.text), where="manifest")


def rewrite(
    held: Manifest, known: Manifest, changed: Collection[str] | None, rows: Callable[[], SortedRows]
) -> Rewriting | None:
    """Write `known` in place of `held`, which is the manifest of these rows; None if nothing changes.

    `changed` has all paths at which the two may differ; None says that it is not known.
    """
    if changed is not None and len(changed) * _FEW <= len(held.entries):
        after = {path: known.entries.get(path) for path in sorted(changed)}
        try:
            return _in_places(held, known, after, rows())
        except ManifestError:
            # Somebody has written the text in another way.
            pass
    new = _snapshot(known, dict(known.entries.items()))
    return None if new == _snapshot(held, held.entries) else Rewriting(codec.pieces(new), new)


def _in_places(
    held: Manifest, known: Manifest, after: Mapping[str, Entry | None], rows: SortedRows
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
    head = codec.head(known)
    if not edits and head == rows.head:
        return None
    return Rewriting(chain([head], rows.pieces(edits)), _snapshot(known, entries))


def _snapshot(known: Manifest, entries: Mapping[str, Entry]) -> Manifest:
    """Copy the parts that change during a run."""
    unconfirmed = tuple(sorted(known.unconfirmed, key=lambda create: create.key))
    return replace(
        known, entries=entries, names=dict(known.names), media=dict(known.media), unconfirmed=unconfirmed
    )
