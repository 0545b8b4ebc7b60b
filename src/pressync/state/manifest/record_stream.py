"""Reads the records of a manifest in pieces, so that a million of them need little memory.

`codec` writes each record on lines of its own, sorted by path. So a piece ends where a line with a path
begins, and a text in JSON cannot hold such a line. The pieces of a file that is written in another way cannot
be decoded. Then only `codec`, which reads the file as a whole, can say what is wrong with it. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pressync.model.errors import ManifestError
from pressync.model.records import Entry
from pressync.state.manifest import codec
from pressync.state.manifest.lines import as_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import BinaryIO

    from pressync.model.records import Manifest

_PIECE = 1 << 20
_RECORDS = b',\n "records": ['
_ROW = b'\n{"path": '
_BETWEEN = b"," + _ROW
_END = b"\n]}\n"

_decode = msgspec.json.Decoder(list[Entry]).decode


class RecordStream:
    """One manifest: `head` is everything but its records, which `pieces` gives in their order."""

    def __init__(self, file: BinaryIO, *, where: str) -> None:
        """Read the head.

        :raises ManifestError: it is not a head that `codec` writes.
        """
        self._file = file
        self._where = where
        held = b""
        while _RECORDS not in held:
            more = file.read(_PIECE)
            if not more:
                raise ManifestError("it has no records that can be read in pieces", where=where)
            held += more
        head, _, self._held = held.partition(_RECORDS)
        empty = (head + _RECORDS).decode(errors="replace") + "]}"
        self.head: Manifest = codec.decode(empty, where=where)

    def read(self, size: int) -> bytes:
        """Read the next bytes of the records as they are written."""
        part, self._held = self._held[:size], self._held[size:]
        return part + self._file.read(size - len(part))

    def pieces(self) -> Iterator[bytes]:
        """Give the records as pieces of some thousand rows; each begins with the line break of its first row.

        :raises ManifestError: the file does not end as `codec` ends it.
        """
        held = b""
        while more := self.read(_PIECE):
            held += more
            whole, end, rest = held.rpartition(_BETWEEN)
            if end:
                yield whole
                held = end[1:] + rest
        if held == b"]}\n":
            return
        if not held.endswith(_END):
            raise ManifestError("its records do not end as they should", where=self._where)
        yield held.removesuffix(_END)

    def entries(self, piece: bytes) -> list[Entry]:
        """Decode the records of a piece.

        :raises ManifestError: they are not records as `codec` writes them.
        """
        try:
            return _decode(b"[%b]" % piece)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise ManifestError(f"it has something else than records: {error}", where=self._where) from error

    def named(self, paths: Collection[str]) -> Iterator[Entry]:
        """Give the records of these paths, and decode no other.

        :raises ManifestError: as `pieces` and `entries`.
        """
        wanted = {as_json(path).encode() for path in paths}
        for piece in self.pieces():
            for row in piece.split(_ROW):
                if row[: row.find(b",\n")] in wanted:
                    yield from self.entries(_ROW + row.removesuffix(b","))


def same_records(one: RecordStream, other: RecordStream) -> bool:
    """Tell whether two manifests of one target have the same records; the rest of both may differ."""
    while (piece := one.read(_PIECE)) == other.read(_PIECE):
        if not piece:
            return one.head.target == other.head.target
    return False
