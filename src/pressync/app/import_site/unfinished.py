"""Remembers that an import writes files of this work tree, until their records are in the manifest.

An import writes thousands of files, and no disk writes them in one step. So the Git directory has the command
of an import that was killed in the middle. Every other command names it, and the same import goes on.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from pressync.state import private_files

if TYPE_CHECKING:
    from pathlib import Path

_WRITING = "writing"


def folder(git_directory: Path) -> Path:
    """Give the folder of everything that an import keeps until it is finished."""
    return git_directory / "pressync" / "import"


def begin(git_directory: Path, command: str) -> None:
    """Note before the first file that this command writes files.

    :raises OSError: the note cannot be written.
    """
    private_files.write(folder(git_directory) / _WRITING, command.encode(errors="replace"))


def end(git_directory: Path) -> None:
    """Forget everything that an import kept: it is finished."""
    shutil.rmtree(folder(git_directory), ignore_errors=True)


def command(git_directory: Path) -> str:
    """Give the command of an import that was stopped while it wrote files; "" if there is none."""
    try:
        return (folder(git_directory) / _WRITING).read_text("utf-8", errors="replace")
    except OSError:
        return ""


def sentence(command: str) -> str:
    """Say what a person should do about such an import; the command is quoted for a shell."""
    return (
        f"An import was stopped while it wrote files, and some of them may be missing. `{command}` goes on."
    )
