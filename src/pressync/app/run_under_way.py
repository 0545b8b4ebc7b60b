"""Tells whether another process of this clone is syncing the site now.

Its journal has the creates that are under way, and they look like those of a run that was killed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import LockHeld
from pressync.state.lock import Lock

if TYPE_CHECKING:
    from pressync.app.workspace import Workspace


def holder(workspace: Workspace) -> str | None:
    """Name the run that holds the site's lock; None if the lock is free.

    The lock is tried only if its file names a holder. Without a name, trying could block a run that starts at
    this moment.
    """
    path = workspace.clone_files.lock
    if not path.is_file() or not path.stat().st_size:
        return None
    tried = Lock(path, "a look at the lock")
    try:
        tried.acquire(0, lambda _sentence: None)
    except LockHeld as held:
        return held.what
    tried.release()
    return None
