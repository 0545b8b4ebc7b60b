"""The journal of one site on disk: each call before it is sent, and its outcome.

A crash can tear only bytes that were not synced, and those are always at the end. So a torn end is cut off,
and damage anywhere else stops the run. Space for the outcomes is reserved before anything is sent. Reserved
space that is not yet written holds NULs, and no line holds a NUL. `replay` tells what the lines mean
together.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from pressync.model.errors import JournalError, StorageError
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.state import atomic_files, journal_lines
from pressync.state.journal_lines import Intent, Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


# One NUL can be a flipped bit. Two in a row are space that was reserved and never written.
_UNWRITTEN = b"\0\0"
# Bytes that are reserved for the outcome of each call under way: many times the usual size.
_ROOM = 16 * 1024


def _read(path: Path, target: str, types: SiteTypes) -> tuple[tuple[Line, ...], int]:
    """Read the whole lines of a journal, and the offset behind the last of them; 0 if there is none."""
    lines: list[Line] = []
    end = 0
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                if not raw.endswith(b"\n") or _UNWRITTEN in raw:
                    # The lines after it were not synced either, so no call was sent because of them.
                    break
                place = f"{path}:{number}"
                if number == 1:
                    journal_lines.check_header(raw, target, place)
                else:
                    lines.append(journal_lines.decode(raw, place, types))
                end += len(raw)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise JournalError(
            f"the journal cannot be read ({error.strerror})", where=str(path), todo="make it readable"
        ) from error
    return tuple(lines), end


class Journal:
    """The journal of one site; threads share it, the caller holds the lock, and the first line creates it."""

    def __init__(self, path: Path, target: str, types: SiteTypes = DOCUMENTED_TYPES) -> None:
        self.path = path
        self._target, self._types = target, types
        self._file: atomic_files.AppendFile | None = None
        self._failure = ""
        self._written = 0
        self._synced = 0
        self._writing = threading.Lock()
        self._syncing = threading.Lock()
        self._together = threading.local()

    @property
    def broken(self) -> bool:
        """Whether a line could not be written; the journal then lacks something that was done."""
        return bool(self._failure)

    def read(self) -> tuple[Line, ...]:
        """Read all lines before the torn end; without a file there are none.

        :raises JournalError: a line before the end is damaged, or the journal is for another target.
        """
        return _read(self.path, self._target, self._types)[0]

    def write(self, line: Line, *, under_way: int = 0) -> int:
        """Append a line and return its ticket; `sync` with the ticket makes the line durable.

        Before an intent is written, space is reserved for its outcome and those of the calls `under_way`.

        :raises StorageError: the line was not written, and the journal will write no other line.
        """
        data = journal_lines.encode(line)
        with self._writing, self._noticing_failures(line):
            if self._file is None:
                _, end = _read(self.path, self._target, self._types)
                self._file = atomic_files.AppendFile(self.path, end=end)
                if end == 0:
                    self._file.append(journal_lines.encode_header(self._target))
            if isinstance(line, Intent):
                self._file.reserve(len(data) + _ROOM * (under_way + 1))
            self._file.append(data)
            self._written += 1
            return self._written

    def sync(self, ticket: int, line: Line) -> None:
        """Return when the line with this ticket is on the disk.

        Threads wait here for each other. One sync covers all lines that were written before it began, so most
        threads find that their line is already synced.

        :raises StorageError: the line may not be on the disk. A failed sync is final: the system may have
            dropped the data, and a second sync would succeed without it.
        """
        waiting: list[tuple[int, Line]] | None = getattr(self._together, "waiting", None)
        if waiting is not None:
            waiting.append((ticket, line))
            return
        with self._syncing, self._noticing_failures(line):
            if self._synced < ticket and self._file is not None:
                covers = self._written
                self._file.sync()
                self._synced = covers

    @contextlib.contextmanager
    def one_sync(self) -> Iterator[None]:
        """Put off the syncs that this thread asks for: at the end, one sync makes all its lines durable.

        :raises StorageError: as `sync`; the message names every line that may not be on the disk.
        """
        waiting: list[tuple[int, Line]] = []
        self._together.waiting = waiting
        try:
            yield
        finally:
            self._together.waiting = None
        broken: list[StorageError] = []
        for ticket, line in waiting:
            try:
                self.sync(ticket, line)
            except StorageError as error:
                broken.append(error)
        if broken:
            raise StorageError.joined(broken)

    def compact(self, intents: Iterable[Intent]) -> None:
        """Keep only these intents, as the manifest holds the rest; if that fails, the next run reads all."""
        with self._syncing, self._writing:
            kept = [journal_lines.encode(intent) for intent in intents]
            self._close()
            with contextlib.suppress(OSError):
                if kept:
                    atomic_files.replace(
                        self.path, b"".join([journal_lines.encode_header(self._target), *kept]), mode=0o600
                    )
                else:
                    atomic_files.remove(self.path)

    def close(self) -> None:
        """Close the file; its content stays as it is."""
        with self._syncing, self._writing:
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    @contextlib.contextmanager
    def _noticing_failures(self, line: Line) -> Iterator[None]:
        """Raise StorageError if the block fails, and after a failure: the file lacks a line then."""
        if self._failure:
            raise self._refusal(line)
        try:
            yield
        except OSError as error:
            self._failure = error.strerror or str(error)
            raise self._refusal(line) from error

    def _refusal(self, line: Line) -> StorageError:
        problem = f"the journal cannot be written ({self._failure})"
        if isinstance(line, Intent):
            problem += f", so this was not sent: {line}"
            todo = "free some space or make the file writable, and run `pressync sync` again"
        else:
            problem += f"; it lacks this: {line}"
            todo = "keep this message: this may be written nowhere else"
        return StorageError(problem, where=str(self.path), todo=todo)
