"""Remembers the bytes that imports wrote in this work tree, so that another import may write them anew.

People import several times before their first commit, with another option or a mended source. A file that is
still exactly as an import wrote it is nobody's work. The notes lie in the Git directory. A killed import has
them too, because each is written before its file.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from pressync.state import private_files

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO


class WrittenFiles:
    """The notes of one work tree; a file that is not in them counts as somebody's edit."""

    def __init__(self, git_directory: Path) -> None:
        self._file = git_directory / "pressync" / "imported"
        self._open: BinaryIO | None = None

    def has(self, path: str, data: bytes) -> bool:
        """Tell whether an import wrote exactly these bytes at this path."""
        return _digest(data) in self._known.get(path, ())

    def note(self, path: str, data: bytes) -> None:
        """Note the bytes that are about to be written at a path."""
        found = self._known.setdefault(path, [])
        found.append(_digest(data))
        with suppress(OSError):
            if self._open is None:
                private_files.write(self._file, b"".join(_line(*each) for each in self._known.items()))
                self._open = self._file.open("ab", buffering=0)
            else:
                self._open.write(_line(path, found[-1:]))

    def close(self) -> None:
        """Keep the newest note of each path alone."""
        if self._open is not None:
            self._open.close()
            self._open = None
            newest = (_line(path, digests[-1:]) for path, digests in self._known.items())
            with suppress(OSError):
                private_files.write(self._file, b"".join(newest))

    @cached_property
    def _known(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        with suppress(OSError, ValueError, TypeError):
            for line in self._file.read_bytes().splitlines():
                path, *digests = map(str, json.loads(line))
                found.setdefault(path, []).extend(digests)
        return found


def _line(path: str, digests: list[str]) -> bytes:
    return f"{json.dumps([path, *digests])}\n".encode()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
