"""Shows the edits behind a plan's changes: a unified diff of each file, as last synced and as it is now.

A reviewer reads Markdown, so the diff is of the source, and Git's own objects give both sides. If the older
blob is not in this clone (a shallow one), there is no diff.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from pressync.model.changes import Block, Blocked, Create, Delete, Keep, Update

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.changes import Change
    from pressync.plan.build import PlannedRun
    from pressync.repo.repository import Repository


def diffs(repository: Repository, planned: PlannedRun) -> dict[str, str]:
    """Diff each change whose sides are known; a create or a delete has one empty side."""
    found = {}
    for change in planned.plan.changes:
        before, after = _sides(repository, change)
        if before is not None and after is not None:
            found[change.path] = _unified(before, after, "as last synced", "as it is now")
        elif isinstance(change, Blocked) and change.block is Block.CONFLICT:
            found[change.path] = _conflicts(planned.entries[change.path].conflict)
    return found


def _sides(repository: Repository, change: Change) -> tuple[str | None, str | None]:
    """Read the file of a change as it was and as it is; None where a side is not known."""
    match change:
        case Create(desired=desired):
            return "", repository.text(desired.blob)
        case Update(desired=desired, entry=entry):
            return repository.text(entry.blob), repository.text(desired.blob)
        case Delete(entry=entry):
            return repository.text(entry.blob), ""
        case Keep() | Blocked():
            return None, None


def _conflicts(conflict: Mapping[str, str]) -> str:
    """Show the site's value of each conflicting field; the repository's side is the file itself."""
    parts = []
    for name, value in conflict.items():
        parts.append(f"{name} on the site:")
        parts += [f"+{line}" for line in value.splitlines() or [""]]
    return "\n".join(parts)


def _unified(before: str, after: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm="", n=2)
    return "\n".join(lines)
