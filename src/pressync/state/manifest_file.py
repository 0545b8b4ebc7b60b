"""The manifest of one site on disk: read once, saved at once, and never over somebody else's edit.

It must not know the journal. What decided its shape: the file is committed, so Git may change it at any
time, and people make of its place what they like: a link, a folder that is not there yet.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pressync import manifest
from pressync.errors import ManifestError
from pressync.model import Manifest
from pressync.state import files

if TYPE_CHECKING:
    from pathlib import Path


class ManifestFile:
    """One manifest file; remembers what was read from it or written to it."""

    def __init__(self, path: Path, target: str) -> None:
        self.path = path
        self._target = target
        self._on_disk = b""

    def read(self) -> Manifest:
        """Read the manifest; one that is not there is empty.

        :raises ManifestError: it cannot be read, or is for another target.
        """
        data = _read(self.path)
        self._on_disk = _digest(data)
        if data is None:
            return Manifest(self._target)
        known = manifest.decode(self._text(data), where=str(self.path))
        if known.target != self._target:
            what = (
                f"it says what is on {known.target}, and this run is for {self._target}, where ids are others"
            )
            todo = "give the other address a site name of its own, or move this file away if the site is new"
            raise ManifestError(what, where=str(self.path), todo=todo)
        return known

    def save(self, known: Manifest) -> None:
        """Replace the file, durably, unless it says the same already.

        :raises ManifestError: the file is no longer what was read; it stays as it is.
        :raises OSError: it cannot be written.
        """
        if _digest(_read(self.path)) != self._on_disk:
            raise ManifestError("it was changed by somebody else meanwhile")
        if not self._on_disk and not known.entries:
            return
        data = manifest.encode(known).encode()
        if _digest(data) != self._on_disk:
            files.make_folder(self.path.parent)
            files.replace(self.path, data)
            self._on_disk = _digest(data)

    def _text(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            where = f"{self.path}:{line}"
            raise ManifestError("it is not UTF-8", where=where, todo="restore it from Git") from error


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        what = f"{path.parent} must be a folder, and it is a file"
        raise ManifestError(what, where=str(path), todo="move that file away") from error
    except OSError as error:
        what = f"it cannot be read ({error.strerror})"
        raise ManifestError(what, where=str(path), todo="make it a readable file") from error


def _digest(data: bytes | None) -> bytes:
    """Tell contents apart without keeping them; no file is no bytes."""
    return b"" if data is None else hashlib.sha256(data).digest()
