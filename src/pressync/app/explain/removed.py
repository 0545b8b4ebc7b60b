"""Explains a path whose file is no longer in the repository: the commit that removed it, and what a run did.

Neither the commit nor the manifest has such a path, so Git's history and the records of the runs are asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.rollback import records_of
from pressync.repo.paths import WorkingPlace, candidates

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.app.workspace import Workspace


def path_of(workspace: Workspace, directory: Path, typed: str) -> str | None:
    """Give the path from the root of a file that a commit has removed; None if there never was one."""
    place = WorkingPlace(directory, workspace.repository.root, workspace.settings.content)
    found = (path for path in candidates(typed, place) if path and _was_removed(workspace, path))
    return next(found, None)


def why_gone(workspace: Workspace, path: str) -> str:
    """Say that a commit removed the file, and which run of this clone deleted its record; "" if none did."""
    if not _was_removed(workspace, path) or workspace.repository.port.resolve(f"HEAD:{path}"):
        return ""
    gone = "its file was removed or renamed"
    for run in reversed(records_of(workspace).all()):
        touched = next((each for each in run.touched if each.path == path and each.before), None)
        if touched and touched.before and run.after is not None and path not in run.after:
            return f"{gone}; run {run.run} deleted its {touched.kind} {touched.before.id}"
    return gone


def _was_removed(workspace: Workspace, path: str) -> bool:
    """Whether a commit removed a file, and not a folder, at a path."""
    log = ("log", "--max-count=1", "--diff-filter=D", "--no-renames", "--format=", "--name-only", "-z")
    status, said, _ = workspace.repository.ask("--literal-pathspecs", *log, "HEAD", "--", path)
    return not status and path in said.split("\0")
