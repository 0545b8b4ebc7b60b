"""Keeps the items of a source in a temporary file, because links need all addresses before the first file.

An export of 200 MB does not fit into memory twice, and a site should be read once. So an import reads the
source once, keeps everything but the bodies in memory, and reads the bodies from this file in a second pass.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import msgspec

from pressync.importers.item import Item

if TYPE_CHECKING:
    from collections.abc import Iterator

_LENGTH = 8


class Spool:
    """Items in the order in which they came. `stubs` has each of them without its body. A context manager."""

    def __init__(self) -> None:
        self.stubs: list[Item] = []
        self._file = tempfile.TemporaryFile(prefix="pressync-import-")  # noqa: SIM115 - `__exit__` closes it
        self._encoder = msgspec.msgpack.Encoder()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, item: Item) -> None:
        """Keep one item."""
        data = self._encoder.encode(item)
        self._file.write(len(data).to_bytes(_LENGTH, "big"))
        self._file.write(data)
        self.stubs.append(replace(item, body="", excerpt="", remainders=()))

    def items(self) -> Iterator[Item]:
        """Give all items with their bodies, in the same order."""
        decoder = msgspec.msgpack.Decoder(Item)
        self._file.seek(0)
        while length := self._file.read(_LENGTH):
            yield decoder.decode(self._file.read(int.from_bytes(length, "big")))
