"""The manifest of one site in a file: read once, saved in one step, and never over somebody else's edit.

The file is committed, so Git may change it at any time. People may also make its path a link, or a folder
that does not exist yet.
"""

from __future__ import annotations

import errno
import hashlib
import os
from typing import TYPE_CHECKING

from pressync.model.changes import Refusal
from pressync.model.errors import ManifestError, SafetyRefusal
from pressync.model.records import Manifest
from pressync.state import atomic_files, private_files
from pressync.state.manifest import codec

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.model.records import Doubt

# The code of a manifest that cannot be saved: it stops only a run that would change something.
UNWRITABLE = "manifest_unwritable"


class ManifestFile:
    """One manifest file; it remembers the digest of the content that was last read or written."""

    def __init__(self, path: Path, target: str, *, is_private: bool = False) -> None:
        """Name the file. A file that `is_private` is for its owner alone; for others the umask decides."""
        self.path = path
        self._is_private = is_private
        self._target = target
        self._on_disk = b""
        self._is_there = False
        self._can_be_saved = False

    @property
    def where(self) -> str:
        """Its path."""
        return str(self.path)

    @property
    def goes_back(self) -> bool:
        """Git and people can put an older manifest back."""
        return True

    @property
    def refusal(self) -> Refusal | None:
        """Say with which sentence a claim would fail, as far as the rights of the folder show it."""
        folder = next(each for each in self.path.parents if each.exists())
        if os.access(folder, os.W_OK | os.X_OK):
            return None
        why = errno.EROFS if os.statvfs(folder).f_flag & os.ST_RDONLY else errno.EACCES
        return Refusal(UNWRITABLE, str(self._cannot_write(os.strerror(why))))

    @property
    def is_there(self) -> bool:
        """Whether the file existed when it was last read or saved."""
        return self._is_there

    def read(self, *, writable: bool = True) -> Manifest:
        """Read the manifest; without a file it is empty. Only one that is `writable` can be saved later.

        :raises ManifestError: the file cannot be read, or it is for another target.
        """
        data = _read(self.path)
        self._is_there = data is not None
        self._on_disk = _digest(data) if writable else b""
        if data is None:
            return Manifest(self._target)
        return read_for(self._target, data, str(self.path))

    def claim(self, known: Manifest, creates: tuple[Doubt, ...], about: str) -> None:  # noqa: ARG002
        """Save the file as it is, because nothing must be sent if that fails. Other machines do not see it.

        :raises SafetyRefusal: the file cannot be saved.
        """
        if self._can_be_saved:
            return
        try:
            data = _read(self.path)
            if _digest(data) != self._on_disk:
                raise self._refusal("somebody else has changed it since it was read", "run again")
            atomic_files.make_folder(self.path.parent)
            if data is None:
                atomic_files.try_to_replace(self.path, codec.encode(known).encode())
            else:
                atomic_files.replace(self.path, data)
        except OSError as error:
            raise self._cannot_write(error.strerror or str(error)) from error
        self._can_be_saved = True

    def _cannot_write(self, why: str) -> SafetyRefusal:
        todo = f"make {self.path.parent} a writable folder, see that the disk is not full, and run again"
        return self._refusal(why, todo)

    def _refusal(self, why: str, todo: str) -> SafetyRefusal:
        what = f"the manifest cannot be saved ({why}), so nothing was sent"
        return SafetyRefusal(what, where=str(self.path), todo=todo, code=UNWRITABLE)

    @property
    def pulse(self) -> float:
        """0, because other machines do not see a claim in a file."""
        return 0.0

    def renew(self, known: Manifest) -> None:
        """Do nothing: other machines do not see the file."""

    def save(self, known: Manifest, about: str = "") -> None:  # noqa: ARG002 - its history is Git's
        """Replace the file, durably, unless it has this content already.

        :raises ManifestError: the file has changed since it was read; it stays as it is.
        :raises OSError: the file cannot be written.
        """
        if _digest(_read(self.path)) != self._on_disk:
            raise ManifestError("somebody else has changed it since it was read")
        if not self._on_disk and not (known.entries or known.names or known.media or known.doubts):
            return
        data = codec.encode(known).encode()
        digest = _digest(data)
        if digest != self._on_disk:
            if self._is_private:
                private_files.write(self.path, data)
            else:
                atomic_files.make_folder(self.path.parent)
                atomic_files.replace(self.path, data)
            self._on_disk, self._is_there = digest, True


def read_for(target: str, data: bytes, where: str) -> Manifest:
    """Read the bytes of a manifest that must be for this target; `where` names their place in messages.

    :raises ManifestError: the bytes are not a manifest, or the manifest is for another target.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ManifestError("it is not UTF-8", where=f"{where}:{line}", todo="restore it from Git") from error
    known = codec.decode(text, where=where)
    if known.target != target:
        what = f"it is for {known.target}, and this run is for {target}, where the ids differ"
        todo = "give the other address a site name of its own, or remove this manifest if the site is new"
        raise ManifestError(what, where=where, todo=todo)
    return known


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        what = f"{path.parent} must be a folder, but it is a file, so the manifest cannot be saved"
        todo = "move that file away"
        raise SafetyRefusal(what, where=str(path), todo=todo, code=UNWRITABLE) from error
    except OSError as error:
        what = f"it cannot be read ({error.strerror})"
        raise ManifestError(what, where=str(path), todo="make it a readable file") from error


def _digest(data: bytes | None) -> bytes:
    """Digest the content, to see a change without keeping the bytes; without a file the digest is empty."""
    return b"" if data is None else hashlib.sha256(data).digest()
