"""Writes imported files into the work tree, and overwrites nothing that Git does not have.

The reviewer's tool is `git diff`, so a committed file may be overwritten: Git has it. So may a file that is
still exactly as an import wrote it, because people import several times before their first commit. A file
with other changes would be lost, so it stays, and the account says so.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Self

from pressync.model.bounds import UPLOAD
from pressync.model.errors import RepositoryError, StorageError
from pressync.repo.work_tree import symlink_on_path
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.repo.repository import Repository


class WrittenFiles:
    """The notes of one work tree; a file that is not in them counts as somebody's edit."""

    def __init__(self, git_directory: Path, source: str = "") -> None:
        self._file = git_directory / "pressync" / "imported"
        self._source = source
        self._is_new = False

    def has(self, path: str, data: bytes) -> bool:
        """Tell whether the last import of this path wrote exactly these bytes."""
        return self._known.get(path, ("", ""))[0] == _digest(data)

    def note(self, path: str, data: bytes) -> None:
        """Note the bytes that an import has written at a path, or found there."""
        self._known[path] = (_digest(data), self._source)
        self._is_new = True

    def of_source(self) -> list[str]:
        """Give the paths that imports of this source have written, sorted."""
        return sorted(path for path, (_, source) in self._known.items() if source == self._source)

    def close(self) -> None:
        """Write the notes; an import that was killed before has none, and writes the same bytes again."""
        if self._is_new:
            with suppress(OSError):
                lines = (f"{json.dumps((path, *noted))}\n" for path, noted in self._known.items())
                atomic_files.write_private(self._file, "".join(lines).encode())

    @cached_property
    def _known(self) -> dict[str, tuple[str, str]]:
        with suppress(OSError, ValueError, TypeError):
            rows = [json.loads(line) for line in self._file.read_bytes().splitlines()]
            # An earlier version noted no source.
            return {path: (digest, "".join(source)) for path, digest, *source in rows}
        return {}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# The disk has no file of this path, and can have none.
NO_PLACE = "the disk takes no file here"


class FileWriter:
    """Writes files of one work tree, by their paths from its root. A context manager."""

    def __init__(self, repository: Repository, *, source: str = "", dry_run: bool = False) -> None:
        """Open the work tree for files of a source; a `dry_run` only counts what it would write.

        :raises RepositoryError: it is a bare repository.
        """
        self._root = repository.require_root("run it in a clone with a working tree")
        self._repository = repository
        self._written = WrittenFiles(repository.git_directory, source)
        self._dry_run = dry_run
        self.changed = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._written.close()

    def refusal(self, path: str, data: bytes) -> str:
        """Say why a file with this content may not be written; "" if it may."""
        try:
            if link := symlink_on_path(self._root, path):
                return f"{link.relative_to(self._root)} is a symlink, and pressync writes through none"
            present = self._read(path)
        except OSError as error:
            return f"{NO_PLACE} ({error.strerror})"
        if present is None or present == data or self._written.has(path, present):
            return ""
        # A file of the library may be as large as an upload.
        if self._repository.data(self._committed.get(path, ""), UPLOAD) == present:
            return ""
        return "a file that is not committed is here: commit it or remove it, and import again"

    def write(self, path: str, data: bytes) -> None:
        """Write one file, unless it has this content already; the caller asked for a refusal before.

        :raises StorageError: the disk refused.
        """
        is_there = self._present(path) == data
        self.changed += not is_there
        if self._dry_run:
            return
        if not is_there:
            self._replace(path, data)
        # A killed import has no notes. So a file that has this content already is noted, too.
        self._written.note(path, data)

    def _replace(self, path: str, data: bytes) -> None:
        file = self._root / path
        try:
            # Nothing waits for the disk: another import repairs what a power cut took.
            file.parent.mkdir(parents=True, exist_ok=True)
            # A repository can have committed a link at a fixed name.
            temporary = file.with_name(f".{file.name}.new")
            temporary.unlink(missing_ok=True)
            with temporary.open("xb") as opened:
                opened.write(data)
            temporary.replace(file)
        except OSError as error:
            raise StorageError(
                f"cannot be written ({error.strerror})", where=path, todo="make room for it, and import again"
            ) from error

    def differs(self, path: str, data: bytes) -> bool:
        """Tell whether a file is there and has another content."""
        return self._present(path) not in (None, data)

    def has(self, path: str) -> bool:
        """Tell whether there is a file at a path."""
        return (self._root / path).is_file()

    def of_source(self) -> list[str]:
        """Give the paths of the files that imports of this source wrote, and that are still there."""
        return [path for path in self._written.of_source() if self.has(path)]

    def data(self, path: str) -> bytes:
        """Read a file that people may have edited; it is empty if it does not exist."""
        return self._present(path) or b""

    def names(self, folder: str) -> list[str]:
        """Give the names of the folders in a folder, sorted; none if it does not exist."""
        found = self._root / folder
        if not found.is_dir():
            return []
        return sorted(each.name for each in found.iterdir() if each.is_dir() and not each.is_symlink())

    def _read(self, path: str) -> bytes | None:
        """Read what is at a path; None if nothing is.

        :raises OSError: the path is that of a folder or a pipe, is below a file, or is too long for the disk.
        """
        file = self._root / path
        try:
            mode = file.stat().st_mode
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(mode):
            code = errno.EISDIR if stat.S_ISDIR(mode) else errno.ENXIO
            raise OSError(code, os.strerror(code))
        return file.read_bytes()

    def _present(self, path: str) -> bytes | None:
        try:
            return self._read(path)
        except OSError as error:
            raise StorageError(
                f"cannot be read ({error.strerror})", where=path, todo="remove it, and import again"
            ) from error

    @cached_property
    def _committed(self) -> Mapping[str, str]:
        try:
            return self._repository.tree(self._repository.commit()).files
        except RepositoryError:  # There is no commit yet.
            return {}
