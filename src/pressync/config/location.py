"""Finds and reads the settings of a repository: in its work tree, in what is committed, or in a named file.

A bare repository has no files, so the committed ones count there. Somebody pushed those, so whatever acts on
the settings has to be told.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError
from pressync.repo import run_git
from pressync.repo.discover import SETTINGS, settings_file

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.repo.repository import Repository


# A hook that Git calls for a push sets this to 1 for the commands that it runs. A push may also change a work
# tree (`receive.denyCurrentBranch = updateInstead`), and then the settings there are as much a stranger's.
PUSHED = "PRESSYNC_PUSHED"


@dataclass(frozen=True, slots=True)
class SettingsText:
    """The text of the settings, None if there are none; its name for messages; whether it was pushed here."""

    text: str | None
    where: str
    is_pushed: bool


def find(repository: Repository, file: Path | None) -> SettingsText:
    """Find the settings of a repository; `file` is one that was named instead of its own.

    :raises ConfigError: they cannot be read, or are not UTF-8.
    :raises RepositoryError: it is bare and has no commit.
    """
    if repository.root is None and file is None:
        repository.commit()
    return read(repository.root, repository.common_directory, file)


def read(root: Path | None, common: Path, file: Path | None) -> SettingsText:
    """Read the settings of the repository with this working tree (None: it is bare) and common directory.

    :raises ConfigError: they cannot be read, or are not UTF-8.
    """
    place = settings_file(root, file)
    where = str(file) if file is not None else SETTINGS
    try:
        data = _committed(common) if place is None else _content(place, is_own=file is None)
        text = None if data is None else data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"it cannot be read: {error}", where=where, todo="save it as TOML in UTF-8"
        ) from error
    return SettingsText(text, where, is_pushed=file is None and _is_received(root))


def _is_received(root: Path | None) -> bool:
    return root is None or os.environ.get(PUSHED) == "1"


def _content(place: Path, *, is_own: bool) -> bytes | None:
    return None if is_own and not place.is_file() else place.read_bytes()


def _committed(common: Path) -> bytes | None:
    listed = run_git.run("ls-tree", "--full-tree", "HEAD", "--", SETTINGS, directory=common)
    about, _, _ = listed.text.partition("\t")
    # The mode of a regular file: a symbolic link leads to nothing here.
    if not about.startswith("100"):
        return None
    return run_git.run("cat-file", "blob", about.split(" ")[2], directory=common).out
