"""Makes a tree object of uncommitted work in a temporary folder, and says how Git reads and writes there.

All content is read from Git objects, so that a bare repository, a hook and a sparse checkout read the same
bytes. The working tree and the index become tree objects too, only to be read once. Reading a repository must
not leave a trace in it, so the folder has a copy of the index, and the new objects.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.errors import RepositoryError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

# A copied index must not share its rows with the original, and must not start a file watcher.
_OPTIONS = ("-c", "core.splitIndex=false", "-c", "core.fsmonitor=false")

_INDEX, _ALTERNATES = "GIT_INDEX_FILE", "GIT_ALTERNATE_OBJECT_DIRECTORIES"


class ScratchObjects:
    """The folder. It exists until `remove` is called."""

    def __init__(self) -> None:
        import tempfile  # noqa: PLC0415 - 4 ms, and a run that reads commits does not need it

        self._directory = tempfile.TemporaryDirectory(prefix="pressync-")
        self._index = Path(self._directory.name, "index")
        self._objects = Path(self._directory.name, "objects")
        self._objects.mkdir()

    def writing(self, index: Path, objects: Path) -> dict[str, str]:
        """Copy the index, and give the environment in which Git writes here and reads the repository."""
        import shutil  # noqa: PLC0415 - the same

        if index.exists():
            # `copy2` keeps the time of the index: Git reads files again that are not older than the index.
            shutil.copy2(index, self._index)
        return {_INDEX: str(self._index), "GIT_OBJECT_DIRECTORY": str(self._objects), **_alternates(objects)}

    def reading(self) -> dict[str, str]:
        """Give the environment in which Git reads these objects and those of the repository."""
        return _alternates(self._objects)

    def remove(self) -> None:
        """Remove the folder with everything in it."""
        self._directory.cleanup()


def without_scratch_objects() -> dict[str, str]:
    """Give the environment without scratch objects: Git does not write an object again that it sees."""
    return {_ALTERNATES: os.environ.get(_ALTERNATES, "")}


def _alternates(objects: Path) -> dict[str, str]:
    # The name is quoted because a colon would end it. While Git receives a push, alternates are set already.
    name = str(objects).replace("\\", "\\\\").replace('"', '\\"')
    return {_ALTERNATES: f'"{name}":{os.environ.get(_ALTERNATES, "")}'}


def of_working_tree(
    run: Callable[..., str], root: Path, folders: Collection[str], env: Mapping[str, str]
) -> str:
    """Give the id of the tree that a commit of everything below `folders` would have, untracked files too.

    `run` runs Git and gives its output; `env` names the scratch folder and the copy of the index.

    :raises RepositoryError: a merge is not finished.
    """
    if run("ls-files", "-z", "--unmerged", env=env):
        raise RepositoryError("a merge is not finished", todo="resolve its conflicts and commit first")
    listed = ("ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard", "--")
    edited = run(*_OPTIONS, *listed, *pathspecs(folders), env=env).split("\0")
    files = "".join(f"{path}\0" for path in edited if path and not Path(root, path).is_dir())
    run(*_OPTIONS, "update-index", "-z", "--add", "--remove", "--replace", "--stdin", given=files, env=env)
    return run(*_OPTIONS, "write-tree", env=env)


def of_index(run: Callable[..., str], env: Mapping[str, str]) -> str:
    """Give the id of the tree of the next commit.

    :raises RepositoryError: a merge is not finished.
    """
    # In a hook of `git commit FILE`, Git names an index for this commit alone, by a path from where it runs.
    if _INDEX in os.environ:
        env = {**env, _INDEX: str(Path(os.environ[_INDEX]).absolute())}
    return run("write-tree", env=env)


def pathspecs(folders: Collection[str]) -> list[str]:
    """Write folders as Git wants them; the root is a dot."""
    return [folder or "." for folder in sorted(folders)]
