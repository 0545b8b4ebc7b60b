"""Finds single records of a manifest by their path, and reads no other record.

`codec` sorts the records by path and begins each on a line of its own. So a search that halves the file
finds one of a million records with twenty looks. `record_stream` must be able to read the file in pieces.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

import msgspec

from pressync.model.errors import ManifestError
from pressync.model.records import Entry
from pressync.state.manifest.record_stream import END, RECORDS, ROW

if TYPE_CHECKING:
    from typing import BinaryIO

_path = msgspec.json.Decoder(str)
_entry = msgspec.json.Decoder(Entry)


class RecordLookup:
    """The records of one manifest by path."""

    def __init__(self, file: BinaryIO, *, where: str) -> None:
        """Open the file, which must not be empty; it may be closed afterwards."""
        self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        before = self._bytes.find(RECORDS)
        self._first = self._bytes.find(ROW, before) if before >= 0 else -1
        self._where = where

    def find(self, path: str) -> Entry | None:
        """Give the record of a path, if there is one.

        :raises ManifestError: the file has something else than records.
        """
        wanted = path.encode(errors="surrogatepass")
        low, high = self._first, len(self._bytes)
        try:
            while 0 <= low < high:
                row = self._bytes.rfind(ROW, low, (low + high) // 2 + len(ROW))
                after = self._bytes.find(ROW, row + 1)
                here = self._path(row).encode(errors="surrogatepass")
                if here == wanted:
                    text = self._bytes[row : after if after > 0 else len(self._bytes)]
                    return _entry.decode(text.removesuffix(END).removesuffix(b","))
                low, high = (after, high) if here < wanted else (low, row)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise ManifestError(f"it has something else than records: {error}", where=self._where) from error
        return None

    def _path(self, row: int) -> str:
        start = row + len(ROW)
        return _path.decode(self._bytes[start : self._bytes.find(b",\n", start)])
