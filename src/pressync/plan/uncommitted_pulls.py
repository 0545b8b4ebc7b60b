"""Finds updates that would send the committed text of a file over a pull that is not committed yet.

A pull writes the site's text into the file and into the entry's blob. Until somebody commits the file, the
commit has the older text, so it looks like a change of the repository. The entry's blob shows the difference:
this clone has it, and no commit since the last sync has it. Older commits do not count, because an editor may
restore an older text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Update
from pressync.plan import reasons
from pressync.repo import parse, versions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.model.changes import Change
    from pressync.repo.repository import Repository, Tree

# Up to this many paths are given to Git. A command line has a limit.
_FEW = 100


def find(
    repository: Repository, tree: Tree, changes: Iterable[Change], renamed: Mapping[str, str]
) -> dict[str, str]:
    """Give the reason to block each such update, by path; `renamed` gives new paths by old.

    Most updates come from a commit that left the file clean, so `git status` answers for them.
    """
    if repository.root is None or not tree.committed:
        return {}
    sent = {
        change.path: change.entry
        for change in changes
        if isinstance(change, Update) and change.entry.blob not in ("", change.desired.blob)
    }
    paths = sorted(sent) if len(sent) <= _FEW else ["."]
    rows = repository.ask(*parse.STATUS, "--no-renames", "--", *paths)[1] if sent else ""
    dirty = {path: sent[path] for path in sorted({row[3:] for row in rows.split("\0")} & sent.keys())}
    if not dirty:
        return {}
    came_from = {new: old for old, new in renamed.items()}
    names = {path: {path, came_from.get(path, path)} for path in dirty}
    at_sync = {(entry.commit, name) for path, entry in dirty.items() for name in names[path]}
    synced = set(versions.at_commits(repository, at_sync).values())
    return {
        path: reasons.pulled(path)
        for path, entry in dirty.items()
        if entry.blob not in synced
        and repository.text(entry.blob) is not None
        and entry.blob not in _since(repository, entry.commit, tree.commit, names[path])
    }


def _since(repository: Repository, synced: str, head: str, names: Collection[str]) -> frozenset[str]:
    """Give the blobs that a file has had since its last sync; a sync of equal fields notes a later blob."""
    return frozenset().union(*versions.ever(repository, f"{synced}..{head}", names).values())
