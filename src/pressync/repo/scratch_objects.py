"""A temporary folder for the objects of uncommitted work, and how Git reads and writes there.

All content is read from Git objects, so that a bare repository, a hook and a sparse checkout read the same
bytes. The working tree and the index become tree objects too, only to be read once. Reading a repository must
not leave a trace in it, so the folder has a copy of the index, and the new objects.
"""

from __future__ import annotations

import os
from pathlib import Path

INDEX, _ALTERNATES = "GIT_INDEX_FILE", "GIT_ALTERNATE_OBJECT_DIRECTORIES"


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
        return {INDEX: str(self._index), "GIT_OBJECT_DIRECTORY": str(self._objects), **_alternates(objects)}

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
