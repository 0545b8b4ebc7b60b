"""A place beside a repository: a copy of its index, and a folder for new objects.

It must not run Git. It exists because the working tree is made into a tree object only to be read once,
and looking at a repository must leave no trace in it.
"""

from __future__ import annotations

import os
from pathlib import Path

# An index that is a copy must not share its rows with the original, and starts no watcher of files.
OPTIONS = ("-c", "core.splitIndex=false", "-c", "core.fsmonitor=false")

_ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"


class ScratchObjects:
    """The place, there until `remove` is called."""

    def __init__(self) -> None:
        import tempfile  # noqa: PLC0415 - 4 ms, and who reads commits needs no place aside

        self._directory = tempfile.TemporaryDirectory(prefix="pressync-")
        self._index = Path(self._directory.name, "index")
        self._objects = Path(self._directory.name, "objects")
        self._objects.mkdir()

    def writing(self, index: Path, objects: Path) -> dict[str, str]:
        """Copy the index; give the environment in which Git writes here and reads the repository."""
        import shutil  # noqa: PLC0415 - the same

        if index.exists():
            # With its time: Git looks again at files that are no older than their index.
            shutil.copy2(index, self._index)
        return {
            "GIT_INDEX_FILE": str(self._index),
            "GIT_OBJECT_DIRECTORY": str(self._objects),
            **_alternates(objects),
        }

    def reading(self) -> dict[str, str]:
        """Give the environment in which Git reads the objects here beside the repository's own."""
        return _alternates(self._objects)

    def remove(self) -> None:
        """Remove the place with all that is in it."""
        self._directory.cleanup()


def without_scratch_objects() -> dict[str, str]:
    """Give the environment in which Git sees no such place: what Git sees, it does not write again."""
    return {_ALTERNATES: os.environ.get(_ALTERNATES, "")}


def _alternates(objects: Path) -> dict[str, str]:
    # Quoted, because a colon would end a bare name; a push that is being received has alternates already.
    name = str(objects).replace("\\", "\\\\").replace('"', '\\"')
    return {_ALTERNATES: f'"{name}":{os.environ.get(_ALTERNATES, "")}'}
