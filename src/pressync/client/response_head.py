"""A response whose head was received whole: a connection that breaks inside the head is an error.

`http.client` takes the end of the connection for the end of the head. A response cut there looks like a
complete one without a body, and the service would be blamed for it.
"""

from __future__ import annotations

import http.client
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO


class CutHead(http.client.HTTPException):
    """The connection ended before the blank line that ends a response's head."""


class WholeHead(http.client.HTTPResponse):
    """A response that reads its head to the blank line, or raises `CutHead`."""

    def begin(self) -> None:
        """Read the status line and the headers."""
        stream = self.fp
        watched = _Watched(stream)
        self.fp = watched  # type: ignore[assignment]  # the head is read line by line
        try:
            super().begin()
        finally:
            # A status line that cannot be read has closed the stream.
            if self.fp is not None:
                self.fp = stream
        if not watched.last.endswith(b"\n"):
            raise CutHead("the head of the response is cut off")


class _Watched:
    """The stream of a response that remembers the last line read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.last = b""

    def readline(self, limit: int = -1, /) -> bytes:
        """Read one line, or what is left of it where the connection ends."""
        self.last = self._stream.readline(limit)
        return self.last

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()

    def flush(self) -> None:
        """Do what closing a response asks of its stream."""
        self._stream.flush()
