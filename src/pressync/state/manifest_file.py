"""The manifest of one site in a file: read once, saved in one step, and never over somebody else's edit.

The file is committed, so Git may change it at any time. People may also make its path a link, or a folder
that does not exist yet.

`manifest_ref` keeps a manifest in a reference, with the same members. The state reads once and saves once,
for both alike. Only machines that share a reference must be told, before the first call, which creates a run
is about to send.
"""

from __future__ import annotations

import errno
import hashlib
import os
import posixpath
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.bounds import MANIFEST, FileTooLarge
from pressync.model.changes import Refusal
from pressync.model.errors import ManifestError, SafetyRefusal
from pressync.model.outcomes import KeptManifest
from pressync.model.records import Manifest
from pressync.repo import discover, work_tree
from pressync.state import atomic_files
from pressync.state.manifest import codec
from pressync.state.manifest.rows import SortedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pressync.model.records import UnconfirmedCreate

    Creates = tuple[UnconfirmedCreate, ...]
    from pressync.config.settings import Site
    from pressync.repo.repository import Repository

# The code of a manifest that cannot be saved: it stops only a run that would change something.
UNWRITABLE = "manifest_unwritable"
_PIECE = 1 << 18


class ManifestFile:
    """One manifest file; it remembers the manifest that it last read or wrote, and the digest of the file."""

    # Git and people can put an older manifest back.
    goes_back = True
    # Other machines do not see a claim in a file, so it need not be renewed.
    pulse = 0.0

    def __init__(self, path: Path, target: str, *, is_private: bool = False) -> None:
        """Name the file. A file that `is_private` is for its owner alone; for others the umask decides."""
        self.path, self.where = path, str(path)
        self._is_private = is_private
        self._target = target
        self._held = Manifest(target)
        self._digest = b""
        # Whether the file existed when it was last read or saved.
        self.is_there = False
        self._can_be_saved = False

    @property
    def refusal(self) -> Refusal | None:
        """Say with which sentence a claim would fail, as far as the rights of the folder show it."""
        folder = next(each for each in self.path.parents if each.exists())
        if os.access(folder, os.W_OK | os.X_OK):
            return None
        why = errno.EROFS if os.statvfs(folder).f_flag & os.ST_RDONLY else errno.EACCES
        return Refusal(UNWRITABLE, str(self._cannot_write(os.strerror(why))))

    def read(self, *, writable: bool = True) -> Manifest:
        """Read the manifest; without a file it is empty. Only one that is `writable` can be saved later.

        :raises ManifestError: the file cannot be read, or it is for another target.
        """
        data = _read(self.path)
        self.is_there = data is not None
        known = Manifest(self._target) if data is None else read_for(self._target, data, self.where)
        if writable:
            self._digest, self._held = _digest(data), codec.snapshot(known)
        return known

    def claim(
        self,
        known: Manifest,
        creates: Creates,  # noqa: ARG002 - other machines do not see a file
        about: str,  # noqa: ARG002 - as `creates`
    ) -> None:
        """Save the file as it is, because nothing must be sent if that fails.

        :raises SafetyRefusal: the file cannot be saved.
        """
        if self._can_be_saved:
            return
        try:
            self._check()
            atomic_files.make_folder(self.path.parent)
            if self.is_there:
                with self.path.open("rb") as file:
                    copied = iter(partial(file.read, _PIECE), b"")
                    atomic_files.replace(self.path, self._checked(copied, hashlib.sha256().update))
            else:
                atomic_files.try_to_replace(self.path, codec.pieces(known))
        except ManifestError as error:
            raise self._refusal(error.what, "run again") from error
        except OSError as error:
            raise self._cannot_write(error.strerror or str(error)) from error
        self._can_be_saved = True

    def _cannot_write(self, why: str) -> SafetyRefusal:
        todo = f"make {self.path.parent} a writable folder, see that the disk is not full, and run again"
        return self._refusal(why, todo)

    def _refusal(self, why: str, todo: str) -> SafetyRefusal:
        what = f"the manifest cannot be saved ({why}), so nothing was sent"
        return SafetyRefusal(what, where=str(self.path), todo=todo, code=UNWRITABLE)

    def renew(self, known: Manifest) -> None:
        """Do nothing: other machines do not see the file."""

    def save(self, known: Manifest, about: str = "") -> None:  # noqa: ARG002 - its history is Git's
        """Replace the file, durably, unless it has this content already.

        :raises ManifestError: the file has changed since it was read; it stays as it is.
        :raises OSError: the file cannot be written.
        """
        self._check()
        if not self.is_there and not (known.entries or known.names or known.media or known.unconfirmed):
            return
        new = codec.snapshot(known)
        if new == self._held:
            return
        digest = hashlib.sha256()
        if self._is_private:
            atomic_files.write_private(self.path, self._checked(codec.pieces(new), digest.update))
        else:
            atomic_files.make_folder(self.path.parent)
            atomic_files.replace(self.path, self._checked(codec.pieces(new), digest.update))
        self._held, self._digest, self.is_there = new, digest.digest(), True

    def records(self) -> Iterator[bytes]:
        """Give the text of the records in pieces, with the end of the file.

        :raises ManifestError: the file is written in another way.
        :raises OSError: it cannot be read.
        """
        with self.path.open("rb") as file:
            yield from SortedRows(file, where=self.where).pieces()

    def _check(self) -> None:
        """Raise ManifestError if somebody else has changed the file since it was last read or written."""
        if _digest(_read(self.path)) != self._digest:
            raise ManifestError("somebody else has changed it since it was read")

    def _checked(self, pieces: Iterable[bytes], digested: Callable[[bytes], None]) -> Iterator[bytes]:
        """Give the pieces, also to a digest, and check the file behind the last one."""
        for piece in pieces:
            digested(piece)
            yield piece
        self._check()


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
        return work_tree.read(path, MANIFEST)
    except FileTooLarge as error:
        raise ManifestError(error.what, where=str(path), todo=error.todo) from error
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
    return b"" if data is None else hashlib.sha256(data).digest()


# The check prevents two accidents. Somebody can commit a symlink at the path, and pressync would write to
# its target. A sparse checkout can leave the file out; pressync would read an empty manifest and create
# every page a second time.
def check(repository: Repository, name: str) -> None:
    """Raise ManifestError if the manifest leads out of the work tree, or is committed and not on the disk."""
    if repository.root is not None:
        _refuse_outside(repository.root, name)
        if not (repository.root / name).exists():
            _refuse_left_out(repository, name)


def kept(repository: Repository, site: Site) -> KeptManifest | None:
    """Ask Git whether other clones can get the manifest as it is now; None if nobody has to commit it."""
    if site.url is None:
        return None
    if site.reference:
        return KeptManifest(site.reference, committed=True)
    if repository.root is None:
        return None
    return judged(site.manifest, discover.file_status(repository.root, site.manifest))


def judged(name: str, said: str) -> KeptManifest:
    """Judge by Git's status of the manifest of this name."""
    return KeptManifest(name, committed=not said, ignored=said.startswith("!!"))


def _refuse_outside(root: Path, name: str) -> None:
    place, top = Path(os.path.realpath(root / name)), Path(os.path.realpath(root))
    if not place.is_relative_to(top) or ".git" in place.relative_to(top).parts:
        what = f"it is a symlink to {place}, which is outside the work tree"
        raise ManifestError(what, where=str(root / name), todo="make it a file of the repository")


def _refuse_left_out(repository: Repository, name: str) -> None:
    if repository.port.resolve(f"HEAD:{name}"):
        folder, file = quote(posixpath.dirname(name)), quote(name)
        todo = f"`git sparse-checkout add {folder}` or `git checkout -- {file}`; or commit its removal"
        raise ManifestError("it is committed, but it is not in this work tree", where=name, todo=todo)
