"""Finds and reads the settings of a repository: in its work tree, in HEAD, or in a named file.

A bare repository has no files, so its settings are those of HEAD. Somebody pushed these, so the result says
whether the settings were pushed here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pressync.model.errors import ConfigError
from pressync.repo import run_git
from pressync.repo.discover import SETTINGS, settings_file

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.repo.repository import Repository


# A hook that Git calls for a push sets this variable to 1 for the commands that it runs. A push may also
# change a work tree (`receive.denyCurrentBranch = updateInstead`), with settings that a stranger wrote.
PUSHED = "PRESSYNC_PUSHED"


class SettingsText(NamedTuple):
    """The text of the settings (None without a file), its name for messages, whether it was pushed here.

    `is_own` tells that it is the repository's own file, and not one that the command line names.
    """

    text: str | None
    where: str
    is_pushed: bool
    is_own: bool = True


def find(repository: Repository, file: Path | None) -> SettingsText:
    """Find the settings of a repository; `file` is named on the command line and replaces its own file.

    :raises ConfigError: they cannot be read, or are not UTF-8.
    :raises RepositoryError: the repository is bare and has no commit.
    """
    if repository.root is None and file is None:
        repository.commit()
    return read(repository.root, repository.common_directory, file)


def read(root: Path | None, common: Path, file: Path | None) -> SettingsText:
    """Read the settings of the repository with this working tree (None if bare) and common directory.

    :raises ConfigError: they cannot be read, or are not UTF-8.
    """
    path = settings_file(root, file)
    where = str(file) if file is not None else SETTINGS
    try:
        data = _committed(common) if path is None else _content(path, is_own=file is None)
        text = None if data is None else data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"the file cannot be read: {error}", where=where, todo="save it as TOML in UTF-8"
        ) from error
    return SettingsText(text, where, is_pushed=file is None and _is_received(root), is_own=file is None)


def _is_received(root: Path | None) -> bool:
    return root is None or os.environ.get(PUSHED) == "1"


def _content(path: Path, *, is_own: bool) -> bytes | None:
    return None if is_own and not path.is_file() else path.read_bytes()


def _committed(common: Path) -> bytes | None:
    listed = run_git.run("ls-tree", "--full-tree", "HEAD", "--", SETTINGS, directory=common)
    about, _, _ = listed.text.partition("\t")
    # Modes of regular files begin with 100. A symbolic link has no target in a bare repository.
    if not about.startswith("100"):
        return None
    return run_git.run("cat-file", "blob", about.split(" ")[2], directory=common).out
