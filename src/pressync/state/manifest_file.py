"""The manifest of one site in a file: read once, saved in one step, and never over somebody else's edit.

The file is committed, so Git may change it at any time. People may also make its path a link, or a folder
that does not exist yet. A large file is not read again to see whether it has changed: its size, times and
inode tell that, as they tell Git. They cannot tell it if the file was written in the moment before it was
read.

`manifest_ref` keeps a manifest in a reference, with the same members. The state reads once and saves once,
for both alike. Only machines that share a reference must be told, before the first call, which creates a run
is about to send. `changed` has all paths at which a manifest may differ from what was read last. None says
that nobody knows them, and then the whole manifest is encoded again.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import posixpath
import time
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.bounds import MANIFEST, FileTooLarge
from pressync.model.changes import Refusal
from pressync.model.errors import ManifestError, SafetyRefusal
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.model.outcomes import KeptManifest
from pressync.model.records import Manifest, UnconfirmedCreate
from pressync.repo import discover, work_tree
from pressync.state import atomic_files
from pressync.state.manifest import codec
from pressync.state.manifest.rows import SortedRows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import BinaryIO

    Creates = tuple[UnconfirmedCreate, ...]
    from pressync.config.settings import Site
    from pressync.repo.repository import Repository

# The code of a manifest that cannot be saved: it stops only a run that would change something.
UNWRITABLE = "manifest_unwritable"
# A file that was written less than this many nanoseconds ago may change again and keep its time.
_MOMENT = 3_000_000_000
_PIECE = 1 << 18
_CHANGED = "somebody else has changed it since it was read"


class ManifestFile:
    """One manifest file; it remembers the manifest that it last read or wrote, and the facts of the file."""

    # Git and people can put an older manifest back.
    goes_back = True
    # Other machines do not see a claim in a file, so it need not be renewed.
    pulse = 0.0

    def __init__(
        self, path: Path, target: str, types: SiteTypes = DOCUMENTED_TYPES, *, is_private: bool = False
    ) -> None:
        """Name the file. A file that `is_private` is for its owner alone; for others the umask decides."""
        self.path, self.where = path, str(path)
        self._is_private = is_private
        self._target, self._types = target, types
        self._held = Manifest(target)
        self._facts: tuple[int, ...] = ()
        # True if each later change gives the file other facts.
        self._is_settled = False
        # The digest of a file that was not settled when it was read.
        self._digest = b""
        # Whether the file existed when it was last read or saved.
        self.is_there = False
        self._can_be_saved = False

    @property
    def refusal(self) -> Refusal | None:
        """Say with which sentence a claim would fail, as far as the rights of the folder show it."""
        folder = next(parent for parent in self.path.parents if parent.exists())
        if os.access(folder, os.W_OK | os.X_OK):
            return None
        why = errno.EROFS if os.statvfs(folder).f_flag & os.ST_RDONLY else errno.EACCES
        return Refusal(UNWRITABLE, str(self._cannot_write(os.strerror(why))))

    def read(self, *, writable: bool = True) -> Manifest:
        """Read the manifest; without a file it is empty. Only one that is `writable` can be saved later.

        :raises ManifestError: the file cannot be read, or it is for another target.
        """
        facts, now = _facts(self.path), time.time_ns()
        data = _read(self.path)
        self._facts, self.is_there = facts, data is not None
        if data is None:
            return Manifest(self._target)
        if writable:
            self._is_settled = facts == _facts(self.path) and _is_old(facts, now)
            self._digest = b"" if self._is_settled else hashlib.sha256(data).digest()
        manifest = read_for(self._target, data, self.where, self._types)
        if writable:
            self._held = manifest
        return manifest

    def claim(
        self,
        manifest: Manifest,
        creates: Creates,  # noqa: ARG002 - other machines do not see a file
        about: str,  # noqa: ARG002 - as `creates`
        changed: Collection[str] | None = None,  # noqa: ARG002 - the file is saved as it is
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
                    # The content keeps its time. So a change within this moment gives the file another one.
                    atomic_files.replace(self.path, self._checked(copied), time=self._facts[0])
                self._facts = _facts(self.path)
            else:
                atomic_files.try_to_replace(self.path, codec.pieces(manifest))
        except ManifestError as error:
            raise self._refusal(error.what, "run again") from error
        except OSError as error:
            raise self._cannot_write(error.strerror or str(error)) from error
        self._can_be_saved = True

    def _cannot_write(self, why: str) -> SafetyRefusal:
        todo = f"make {self.path.parent} a writable folder, see that the disk is not full, and run again"
        return self._refusal(why, todo)

    def _refusal(self, why: str, todo: str) -> SafetyRefusal:
        problem = f"the manifest cannot be saved ({why}), so nothing was sent"
        return SafetyRefusal(problem, where=str(self.path), todo=todo, code=UNWRITABLE)

    def renew(self, manifest: Manifest, changed: Collection[str] | None = None) -> None:
        """Do nothing: other machines do not see the file."""

    def save(self, manifest: Manifest, about: str = "", changed: Collection[str] | None = None) -> None:  # noqa: ARG002 - its history is Git's
        """Replace the file, durably, unless it has this content already.

        `changed` has all paths whose entries may differ from what was read; None says that it is not known.

        :raises ManifestError: the file has changed since it was read; it stays as it is.
        :raises OSError: the file cannot be written.
        """
        self._check()
        if not self.is_there and not (
            manifest.entries or manifest.names or manifest.media or manifest.unconfirmed
        ):
            return
        with self.path.open("rb") if self.is_there else io.BytesIO() as file:
            new = codec.rewrite(self._held, manifest, changed, lambda: self._rows(file))
            if new is None:
                return
            held, pieces = new
            if self._is_private:
                atomic_files.write_private(self.path, self._checked(pieces))
            else:
                atomic_files.make_folder(self.path.parent)
                atomic_files.replace(self.path, self._checked(pieces))
        self._held, self._facts, self.is_there = held, _facts(self.path), True
        self._is_settled, self._digest = False, b""

    def records(self) -> Iterator[bytes]:
        """Give the text of the records in pieces, with the end of the file.

        :raises ManifestError: the file is written in another way, or somebody else has changed it.
        :raises OSError: it cannot be read.
        """
        with self.path.open("rb") as file:
            yield from self._checked(self._rows(file).pieces())

    def _rows(self, file: BinaryIO) -> SortedRows:
        return SortedRows(file, where=self.where, types=self._types)

    def _check(self) -> None:
        """Raise ManifestError if somebody else has changed the file since it was last read or written."""
        facts, now = _facts(self.path), time.time_ns()
        if self._is_settled and facts == self._facts:
            return
        data = _read(self.path)
        if data is None or not self.is_there:
            is_same = (data is not None) == self.is_there
        elif self._digest:
            is_same = hashlib.sha256(data).digest() == self._digest
        else:
            is_same = read_for(self._target, data, self.where, self._types) == self._held
        if not is_same:
            raise ManifestError(_CHANGED)
        self._facts, self._is_settled = facts, _is_old(facts, now)

    def _checked(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Give the pieces, and check the file behind the last one: they may be copied from it."""
        yield from pieces
        if _facts(self.path) != self._facts:
            raise ManifestError(_CHANGED)


def read_for(target: str, data: bytes, where: str, types: SiteTypes = DOCUMENTED_TYPES) -> Manifest:
    """Read the bytes of a manifest that must be for this target; `where` names their place in messages.

    :raises ManifestError: the bytes are not a manifest, or the manifest is for another target.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ManifestError("it is not UTF-8", where=f"{where}:{line}", todo="restore it from Git") from error
    manifest = codec.decode(text, where=where, types=types)
    if manifest.target != target:
        problem = f"it is for {manifest.target}, and this run is for {target}, where the ids differ"
        todo = "give the other address a site name of its own, or remove this manifest if the site is new"
        raise ManifestError(problem, where=where, todo=todo)
    return manifest


def _read(path: Path) -> bytes | None:
    try:
        return work_tree.read(path, MANIFEST)
    except FileTooLarge as error:
        raise ManifestError(error.what, where=str(path), todo=error.todo) from error
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        problem = f"{path.parent} must be a folder, but it is a file, so the manifest cannot be saved"
        todo = "move that file away"
        raise SafetyRefusal(problem, where=str(path), todo=todo, code=UNWRITABLE) from error
    except OSError as error:
        problem = f"it cannot be read ({error.strerror})"
        raise ManifestError(problem, where=str(path), todo="make it a readable file") from error


def _facts(path: Path) -> tuple[int, ...]:
    """Give the facts of a file that a change changes, first the time of its content; none without a file."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev


def _is_old(facts: tuple[int, ...], now: int) -> bool:
    return bool(facts) and facts[0] < now - _MOMENT


# The check prevents two accidents. Somebody can commit a symlink at the path, and pressync would write to
# its target. A sparse checkout can leave the file out; pressync would read an empty manifest and create
# every page a second time.
def check(repository: Repository, name: str) -> None:
    """Raise ManifestError if the manifest leads out of the work tree, or is committed and not on the disk."""
    if repository.root is None:
        return
    file = repository.root / name
    place, top = Path(os.path.realpath(file)), Path(os.path.realpath(repository.root))
    if not place.is_relative_to(top) or ".git" in place.relative_to(top).parts:
        problem = f"it is a symlink to {place}, which is outside the work tree"
        raise ManifestError(problem, where=str(file), todo="make it a file of the repository")
    if not file.exists() and repository.port.resolve(f"HEAD:{name}"):
        folder = quote(posixpath.dirname(name))
        todo = f"`git sparse-checkout add {folder}` or `git checkout -- {quote(name)}`; or commit its removal"
        raise ManifestError("it is committed, but it is not in this work tree", where=name, todo=todo)


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
