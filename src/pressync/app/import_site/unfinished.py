"""Remembers that an import writes files of this work tree, until their records are in the manifest.

An import writes thousands of files, and no disk writes them in one step. So the Git directory has the command
of each import that was killed in the middle. Every other command names it, and the same import goes on.
"""

from __future__ import annotations

import hashlib
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from pressync.state import private_files

if TYPE_CHECKING:
    from pathlib import Path

_WRITING = "writing-"


class ImportNote(NamedTuple):
    """An import as its note names it: the same import has the same key, whatever its other flags are."""

    key: str = ""
    command: str = "pressync import"


NO_NOTE = ImportNote()


def folder(git_directory: Path) -> Path:
    """Give the folder of everything that an import keeps until it is finished."""
    return git_directory / "pressync" / "import"


def begin(git_directory: Path, note: ImportNote) -> None:
    """Note before the first file that this import writes files.

    :raises OSError: the note cannot be written.
    """
    private_files.write(_file(git_directory, note.key), note.command.encode(errors="replace"))


def end(git_directory: Path, key: str) -> None:
    """Forget that this import wrote files; its kept texts stay as long as others need them."""
    with suppress(OSError):
        _file(git_directory, key).unlink()
    if not commands(git_directory):
        shutil.rmtree(folder(git_directory), ignore_errors=True)


def commands(git_directory: Path, besides: str = "") -> list[str]:
    """Give the commands of imports that were stopped while they wrote files, but not that of one key."""
    found = sorted(folder(git_directory).glob(f"{_WRITING}*"))
    own = _file(git_directory, besides)
    with suppress(OSError):
        return [file.read_text("utf-8", errors="replace") for file in found if file != own]
    return []


def _file(git_directory: Path, key: str) -> Path:
    digest = hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()
    return folder(git_directory) / f"{_WRITING}{digest[:16]}"


def sentence(command: str) -> str:
    """Say what a person should do about such an import; the command is quoted for a shell."""
    return (
        f"An import was stopped while it wrote files, and some of them may be missing. `{command}` goes on."
    )
