"""Keeps the items of a source in a temporary file, because links need all addresses before the first file.

An export of 200 MB does not fit into memory twice, and a site should be read once. So an import reads the
source once, keeps everything but the bodies in memory, and reads the bodies from such a file in a second
pass. It keeps the finished files in another one until all of them are finished.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_LENGTH = 8
Value = TypeVar("Value")


class Spool(Generic[Value]):
    """Values of one type in the order in which they came. A context manager."""

    def __init__(self, kind: type[Value]) -> None:
        self._file = tempfile.TemporaryFile(prefix="pressync-import-")  # noqa: SIM115 - `__exit__` closes it
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(kind)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, value: Value) -> None:
        """Keep one value."""
        data = self._encoder.encode(value)
        self._file.write(len(data).to_bytes(_LENGTH, "big"))
        self._file.write(data)

    def values(self) -> Iterator[Value]:
        """Give all values in the same order."""
        self._file.seek(0)
        while length := self._file.read(_LENGTH):
            yield self._decoder.decode(self._file.read(int.from_bytes(length, "big")))
