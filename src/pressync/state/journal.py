"""The journal of one site on disk: what is about to be sent, and how it ended.

It must not know what its lines mean together; that is recovery. What decided its shape: a crash can
tear only what was not synced, and that is always the end. So a torn end is cut and forgotten, damage
anywhere else stops everything, and space for outcomes is reserved before anything is sent. What is
reserved but not written holds NULs, which no line does.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.errors import JournalError, StorageError
from pressync.state import atomic_files, journal_lines
from pressync.state.journal_lines import Intent

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pressync.state.journal_lines import Line

# One NUL can be a flipped bit. Two in a row are a place that was reserved and never written.
_UNWRITTEN = b"\0\0"
# What is kept free for the outcome of each call under way, in bytes: many times the usual.
_ROOM = 16 * 1024


@dataclass(frozen=True, slots=True)
class _WholeLines:
    """The whole lines of a journal, and the byte behind the last of them; 0 if there is none."""

    lines: tuple[Line, ...]
    end: int


def _read(path: Path, target: str) -> _WholeLines:
    lines: list[Line] = []
    end = 0
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                if not raw.endswith(b"\n") or _UNWRITTEN in raw:
                    # What comes behind was not synced either, so nothing was sent on the strength of it.
                    break
                place = f"{path}:{number}"
                if number == 1:
                    journal_lines.check_header(raw, target, place)
                else:
                    lines.append(journal_lines.decode(raw, place))
                end += len(raw)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise JournalError(
            f"the journal cannot be read ({error.strerror})", where=str(path), todo="make it readable"
        ) from error
    return _WholeLines(tuple(lines), end)


class Journal:
    """The journal as it is written. The file is made with the first line; threads may share it.

    Only one process may write: the caller holds the lock.
    """

    def __init__(self, path: Path, target: str) -> None:
        self.path = path
        self._target = target
        self._file: atomic_files.AppendFile | None = None
        self._failure = ""
        self._written = 0
        self._synced = 0
        self._writing = threading.Lock()
        self._syncing = threading.Lock()

    @property
    def broken(self) -> bool:
        """Whether a line could not be written: then it does not hold all that was done."""
        return bool(self._failure)

    def read(self) -> tuple[Line, ...]:
        """Read all lines up to the torn end, if there is one; no file is no lines.

        :raises JournalError: a line elsewhere is damaged, or the journal is for another target.
        """
        return _read(self.path, self._target).lines

    def write(self, line: Line, *, under_way: int = 0) -> int:
        """Append a line, and return its ticket: `sync` of it makes the line durable.

        For an intent, room for its outcome and that of the calls `under_way` is reserved first.

        :raises StorageError: it was not written; nothing more will be.
        """
        data = journal_lines.encode(line)
        with self._writing:
            self._check(line)
            try:
                file = self._opened()
                if isinstance(line, Intent):
                    file.reserve(len(data) + _ROOM * (under_way + 1))
                file.append(data)
            except OSError as error:
                raise self._failed(error, line) from error
            self._written += 1
            return self._written

    def sync(self, ticket: int, line: Line) -> None:
        """Return when the line with this ticket is on the disk.

        Threads queue here. The first syncs for all who wrote before it got in, so most of those behind
        it find their work done.

        :raises StorageError: it may not be; a failed sync is final, for the system may have dropped
            what it could not write, and a second one would succeed without it.
        """
        with self._syncing:
            self._check(line)
            if self._synced >= ticket or self._file is None:
                return
            covers = self._written
            try:
                self._file.sync()
            except OSError as error:
                raise self._failed(error, line) from error
            self._synced = covers

    def compact(self, intents: Iterable[Intent]) -> None:
        """Keep these intents only, for the manifest holds the rest; with none, remove the journal.

        A failure is no harm: everything is read once more, to the same end.
        """
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
        """Close the file; the journal stays as it is."""
        with self._syncing, self._writing:
            self._close()

    def _opened(self) -> atomic_files.AppendFile:
        if self._file is None:
            end = _read(self.path, self._target).end
            self._file = atomic_files.AppendFile(self.path, end=end)
            if end == 0:
                self._file.append(journal_lines.encode_header(self._target))
        return self._file

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _check(self, line: Line) -> None:
        if self._failure:
            raise self._refusal(line)

    def _failed(self, error: OSError, line: Line) -> StorageError:
        self._failure = error.strerror or str(error)
        return self._refusal(line)

    def _refusal(self, line: Line) -> StorageError:
        what = f"the journal cannot be written ({self._failure})"
        if isinstance(line, Intent):
            what += f", so this was not sent: {line}"
            todo = "make room, or make it writable, and sync again"
        else:
            what += f"; what it should say is: {line}"
            todo = "note it, for it may be written nowhere else"
        return StorageError(what, where=str(self.path), todo=todo)
