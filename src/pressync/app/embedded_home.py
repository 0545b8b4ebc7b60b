"""Names the Git directory that has the embedded service of a work tree, and the notes of its syncs.

It is a module beside `embedded_server`: a run with nothing to do needs the notes, and starts no server.
"""

from __future__ import annotations

import os
from pathlib import Path

from pressync.config.keys import EMBEDDED

MANIFEST = f".pressync/{EMBEDDED}.json"


def home(root: Path | None, git: Path, common: Path) -> Path:
    """Choose the Git directory that has the embedded service of a work tree, and the notes of its syncs.

    The manifest of the embedded service is in the work tree and is not committed. So each linked work tree
    has a service of its own. A linked work tree that an earlier version synced to the service of the clone
    keeps that one.
    """
    own = Path(os.path.realpath(git))
    was_shared = root is not None and (root / MANIFEST).is_file() and not (own / "pressync").exists()
    return common if was_shared else own
