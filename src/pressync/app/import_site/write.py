"""Writes imported files into the work tree, and overwrites nothing that Git does not have.

The reviewer's tool is `git diff`, so a committed file may be overwritten: Git has it. So may a file that is
still as an import wrote it. A file with other changes would be lost, so it stays, and the account says so.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pressync.app.import_site import unfinished
from pressync.app.import_site.unfinished import NO_NOTE
from pressync.app.import_site.written_files import WrittenFiles
from pressync.model.errors import RepositoryError, StorageError
from pressync.repo.work_tree import symlink_on_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.app.import_site.unfinished import ImportNote
    from pressync.repo.repository import Repository


class FileWriter:
    """Writes files of one work tree, by their paths from its root."""

    def __init__(self, repository: Repository, note: ImportNote = NO_NOTE, *, dry_run: bool = False) -> None:
        """Open the work tree for an import with this note; a `dry_run` only counts what it would write.

        :raises RepositoryError: it is a bare repository.
        """
        if repository.root is None:
            raise RepositoryError(
                "a bare repository has no files to write to", todo="run it in a clone with a working tree"
            )
        self._repository = repository
        self._root: Path = repository.root
        self._written = WrittenFiles(repository.git_directory)
        self._note = note
        self._dry_run = dry_run
        self.changed = 0

    def refusal(self, path: str, data: bytes) -> str:
        """Say why a file with this content may not be written; "" if it may."""
        if link := symlink_on_path(self._root, path):
            return f"{link.relative_to(self._root)} is a symlink, and pressync writes through none"
        present = self._present(path)
        if present is None or present == data or self._is_committed(path, present):
            return ""
        if self._written.has(path, present):
            return ""
        return "a file that is not committed is here: commit it or remove it, and import again"

    def write(self, path: str, data: bytes) -> None:
        """Write one file, unless it has this content already; the caller asked for a refusal before.

        :raises StorageError: the disk refused.
        """
        if self._present(path) == data:
            return
        self.changed += 1
        if self._dry_run:
            return
        file = self._root / path
        try:
            if self.changed == 1:
                unfinished.begin(self._repository.git_directory, self._note)
            self._written.note(path, data)
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

    def close(self) -> None:
        """End the import: each file is written."""
        self._written.close()

    def differs(self, path: str, data: bytes) -> bool:
        """Tell whether a file is there and has another content."""
        return self._present(path) not in (None, data)

    def has(self, path: str) -> bool:
        """Tell whether there is a file at a path."""
        return (self._root / path).is_file()

    def data(self, path: str) -> bytes:
        """Read a file that people may have edited; it is empty if it does not exist."""
        return self._present(path) or b""

    def names(self, folder: str) -> list[str]:
        """Give the names of the folders in a folder, sorted; none if it does not exist."""
        found = self._root / folder
        return (
            sorted(each.name for each in found.iterdir() if each.is_dir() and not each.is_symlink())
            if found.is_dir()
            else []
        )

    def _present(self, path: str) -> bytes | None:
        file = self._root / path
        try:
            return file.read_bytes() if file.exists() else None
        except OSError as error:
            raise StorageError(
                f"cannot be read ({error.strerror})", where=path, todo="remove it, and import again"
            ) from error

    def _is_committed(self, path: str, present: bytes) -> bool:
        blob = self._committed.get(path)
        return blob is not None and self._repository.read(blob) == present

    @cached_property
    def _committed(self) -> Mapping[str, str]:
        try:
            return self._repository.tree(self._repository.commit()).files
        except RepositoryError:  # There is no commit yet.
            return {}
