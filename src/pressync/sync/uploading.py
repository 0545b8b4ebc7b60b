"""Hands the uploads of a run to its connections, beside the records that do not need them.

The first upload goes alone, because it makes WordPress create the folder of the month. If two uploads create
it at once, one is refused ("Unable to create directory", measured on all three versions).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future, ThreadPoolExecutor

    from pressync.sync.media import FileUploads


class Uploading:
    """The uploads that are under way and those that are left. Only the deciding thread may use it."""

    def __init__(self, pool: ThreadPoolExecutor, uploads: FileUploads | None, at_a_time: int) -> None:
        self.under_way: dict[Future[str], str] = {}
        self._pool = pool
        self._uploads = uploads
        self._left = list(reversed(uploads.blobs)) if uploads else []
        self._at_a_time = at_a_time

    def begin(self) -> tuple[str, ...]:
        """Begin the first upload; gives the blob ids of all that are left."""
        if self._uploads is None or not self._left:
            return ()
        self._uploads.announce()
        blobs = tuple(self._left)
        self._send()
        return blobs

    def take(self, future: Future[str], halted: str) -> Iterator[str]:
        """Take in an upload that has ended, and begin the next ones; gives the blob ids that have ended.

        `halted` says why nothing more is sent, or is "".

        :raises StorageError: the journal could not be written.
        """
        if self._uploads is None:
            raise ValueError("this run has no uploads")
        blob = self.under_way.pop(future)
        self._uploads.end(blob, future.result())
        yield blob
        while self._left and halted:
            self._uploads.leave(self._left[-1], halted)
            yield self._left.pop()
        while self._left and len(self.under_way) < self._at_a_time:
            self._send()

    def _send(self) -> None:
        if self._uploads is not None:
            blob = self._left.pop()
            self.under_way[self._pool.submit(self._uploads.send, blob)] = blob
