"""Keeps values by their keys in a private file, until the import that made them is finished.

Reading a large site and turning it into Markdown takes minutes, and an import may be killed at any moment. So
each value is a line of JSON that is appended at once. A line that was cut off is not read.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from pressync.state import atomic_files, private_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import BinaryIO

# Plugins add things to shown texts, and these change without a trace.
_OLDEST = 24 * 60 * 60
_LARGEST = 1 << 30


class KeptLines:
    """Values by key; a key has no blank. A context manager; without a file it keeps nothing."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._open: BinaryIO | None = None
        # The place of each value in the file.
        self._places: dict[str, int] = {}

    def __enter__(self) -> Self:
        if self._file is not None:
            # A disk that is full makes the next import slower, and nothing else.
            with suppress(OSError):
                self._begin(self._file)
        return self

    def __exit__(self, *_: object) -> None:
        if self._open is not None:
            with suppress(OSError):
                self._open.close()

    def has_any(self, beginning: str) -> bool:
        """Tell whether a kept key begins like this."""
        return any(key.startswith(beginning) for key in self._places)

    def get(self, key: str) -> object:
        """Give the value that was kept before this import; None if there is none."""
        place = self._places.get(key)
        if place is None or self._open is None:
            return None
        # A power cut may have left other bytes.
        with suppress(OSError, ValueError):
            self._open.seek(place)
            value: object = json.loads(self._open.readline())
            return value
        return None

    def keep(self, values: Mapping[str, object]) -> None:
        """Append values."""
        with suppress(OSError):
            if self._open is not None and self._open.seek(0, os.SEEK_END) < _LARGEST:
                lines = (f"{key} {json.dumps(value)}\n" for key, value in values.items())
                self._open.write("".join(lines).encode())
                self._open.flush()

    def _begin(self, file: Path) -> None:
        atomic_files.make_folder(file.parent, mode=private_files.FOLDER)
        with suppress(FileNotFoundError):
            if time.time() - file.stat().st_mtime > _OLDEST:
                file.unlink()
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        self._open = os.fdopen(os.open(file, flags, private_files.FILE), "a+b")
        self._open.seek(0)
        place = 0
        for line in self._open:
            key, _, value = line.partition(b" ")
            if value.endswith(b"\n"):
                self._places[key.decode("latin-1")] = place + len(line) - len(value)
            place += len(line)
        # A killed import may have left half a line.
        self._open.write(b"\n")
