"""Where the settings of a repository are: in its work tree, in what is committed, or in a file that is named.

It must not know what they say. What decided its shape: a bare repository has no files, so what is committed
counts there; and that is what somebody pushed, so whoever acts on the settings has to be told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.config import FILE_NAME
from pressync.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.repo import Repository


@dataclass(frozen=True, slots=True)
class Found:
    """The text of the settings, None if there are none; its name for messages; whether it was pushed here."""

    text: str | None
    where: str
    is_pushed: bool


def find(repository: Repository, file: Path | None) -> Found:
    """Find the settings of a repository; `file` is one that was named instead of its own.

    :raises ConfigError: they cannot be read, or are not UTF-8.
    :raises RepositoryError: it is bare and has no commit.
    """
    where = str(file) if file is not None else FILE_NAME
    try:
        data = file.read_bytes() if file is not None else _own(repository)
        text = None if data is None else data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"it cannot be read: {error}", where=where, todo="save it as TOML in UTF-8"
        ) from error
    return Found(text, where, is_pushed=repository.root is None and file is None)


def _own(repository: Repository) -> bytes | None:
    if repository.root is None:
        return repository.blob_at(repository.tree(repository.commit()), FILE_NAME)
    path = repository.root / FILE_NAME
    return path.read_bytes() if path.is_file() else None
