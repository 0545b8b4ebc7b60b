"""Keeps texts outside of the memory: in a temporary file that has no name and ends with the process.

A run prepares thousands of pages before it sends the first. Their texts are most of what it knows of them,
and nothing needs them in between. The texts may be private, and only this process can open the file. If the
disk is full, a text is not kept, and its reader makes it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from io import FileIO

# At most this many bytes are kept.
_MOST = 64_000_000


class TextPlace(NamedTuple):
    """The place of a text in the file."""

    begin: int
    size: int


class KeptTexts:
    """The texts of one tree. Only one thread may use it."""

    def __init__(self) -> None:
        self._file: FileIO | None = None
        self._end = 0

    def keep(self, text: str) -> TextPlace | None:
        """Write a text; None if there is no room for it."""
        data = text.encode(errors="surrogatepass")
        if self._end + len(data) > _MOST:
            return None
        place = TextPlace(self._end, len(data))
        try:
            file = self._opened()
            file.seek(place.begin)
            written = file.write(data)
        except OSError:
            return None
        if written != place.size:
            return None
        self._end += place.size
        return place

    def read(self, place: TextPlace) -> str | None:
        """Read a text that was kept; None if the disk does not give it."""
        try:
            file = self._opened()
            file.seek(place.begin)
            data = file.read(place.size)
        except OSError:
            return None
        return data.decode(errors="surrogatepass") if len(data) == place.size else None

    def _opened(self) -> FileIO:
        if self._file is None:
            from tempfile import TemporaryFile  # noqa: PLC0415 - few runs read a file

            self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - closed with this object
        return self._file

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()
