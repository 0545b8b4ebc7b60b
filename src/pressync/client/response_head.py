"""Makes a connection that breaks inside the head of a response an error.

`http.client` takes the end of the connection for the end of the head. So a response that was cut there
looks like a complete response without a body, and pressync would blame the service for it.
"""

from __future__ import annotations

import http.client
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO


# 101 is the answer to a wish that we never have.
_ANNOUNCING = range(102, 200)


class CutHead(http.client.HTTPException):
    """The connection ended before the blank line that ends a response's head."""


class WholeHead(http.client.HTTPResponse):
    """A response that reads its head up to the blank line, or raises `CutHead`."""

    def begin(self) -> None:
        """Read the status line and the headers; skip responses such as 103, which announce the real one."""
        stream = self.fp
        watched = _Watched(stream)
        self.fp = watched  # type: ignore[assignment]  # the head is read line by line
        try:
            super().begin()
            # `http.client` skips 100 alone, and RFC 9110, 15.2, has a client skip every 1xx.
            while self.status in _ANNOUNCING:
                self.headers = None  # type: ignore[assignment]  # so `begin` reads the next head
                super().begin()
        finally:
            # `http.client` closes the stream where it cannot read the status line.
            if self.fp is not None:
                self.fp = stream
        if not watched.last.endswith(b"\n"):
            raise CutHead("the head of the response is cut off")


class _Watched:
    """The stream of a response; it remembers the last line that was read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.last = b""

    def readline(self, limit: int = -1, /) -> bytes:
        """Read one line, or the rest before the end of the connection."""
        self.last = self._stream.readline(limit)
        return self.last

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()

    def flush(self) -> None:
        """Flush the stream, as closing a response asks."""
        self._stream.flush()
