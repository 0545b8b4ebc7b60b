"""Remembers that the site's user had all rights that a sync of some kinds needs.

A question for the rights is one request of three that a sync of one edited page costs. The note is a shortcut
only: it is dropped after a run with a failure, and the service still refuses what the user may not do.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from pressync.state import atomic_files, private_files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pressync.model.interface import Kind


class SeenRights:
    """The file of this note, for one target."""

    def __init__(self, path: Path, target: str) -> None:
        self._path = path
        self._target = target

    def cover(self, user: str, kinds: Iterable[Kind]) -> bool:
        """Tell whether this user was seen to have the rights for all these kinds."""
        return {kind.value for kind in kinds} <= self._read(user)

    def add(self, user: str, kinds: Iterable[Kind]) -> None:
        """Note the rights of a user; a failed write does not fail the run."""
        seen = sorted(self._read(user) | {kind.value for kind in kinds})
        text = json.dumps({"target": self._target, "user": user, "kinds": seen})
        with contextlib.suppress(OSError):
            atomic_files.make_folder(self._path.parent, mode=private_files.FOLDER)
            atomic_files.replace(self._path, text.encode(), mode=private_files.FILE)

    def drop(self) -> None:
        """Ask for the rights again before the next run."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _read(self, user: str) -> set[str]:
        try:
            noted = json.loads(self._path.read_bytes())
            return set(noted["kinds"]) if (noted["target"], noted["user"]) == (self._target, user) else set()
        except (OSError, ValueError, KeyError, TypeError):
            return set()
