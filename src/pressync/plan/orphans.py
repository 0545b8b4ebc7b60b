"""Finds records that this clone made and that neither a file nor the manifest has any more.

`git reset --hard` takes back files and manifest together. The record stays on the site, and only the notes of
this clone know it. A record that another clone deleted looks the same in these notes. The commit of the last
write tells them apart: HEAD descends from it unless history was taken back.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.model.records import Entry
    from pressync.repo.repository import Repository, Tree

# A reset may leave hundreds of records. A plan names this many, and counts the others.
_NAMED = 3


def find(repository: Repository, tree: Tree, lost: Mapping[str, Entry]) -> tuple[Entry, ...]:
    """Give, by path, the lost records that have no file and whose commit is not in the tree's history."""
    away = {path: entry for path, entry in lost.items() if path not in tree.files and entry.commit}
    commits = {entry.commit for entry in away.values()}
    if not commits or repository.shallow:
        # In a shallow clone, a commit that is not in history may be below the cut.
        return ()
    known = repository.known(commits)
    behind = repository.ancestors(known, tree.commit)
    return tuple(entry for _, entry in sorted(away.items()) if entry.commit not in behind)


def problems(found: Sequence[Entry], *, named: int = _NAMED) -> list[Problem]:
    """Warn of the first records, with the commands that keep or drop each of them, and count the others."""
    warnings = [
        Problem(entry.path, 0, evidence(entry), todo(entry), warning=True, code=Code.ORPHANED_RECORD)
        for entry in found[:named]
    ]
    if len(found) > named:
        rest = f"{len(found) - named} more records that this clone made are left on the site"
        warnings.append(
            Problem(
                found[named].path,
                0,
                rest,
                "`pressync status` lists them",
                warning=True,
                code=Code.ORPHANED_RECORD,
            )
        )
    return warnings


def evidence(entry: Entry) -> str:
    """Say which record it is, and why nothing refers to it."""
    return (
        f"{entry.kind} {entry.id} ({entry.link}) is left on the site: this clone made it, neither a "
        f"file nor the manifest has it, and HEAD does not descend from commit {entry.commit[:10]}, where it "
        "was last written"
    )


def todo(entry: Entry) -> str:
    """Name the commands that bring a record back, and the command that drops it."""
    path = quote(entry.path)
    return (
        f"to keep it, `git restore --source={entry.commit[:10]} -- {path}`, commit the file and "
        f"`pressync adopt {path} {entry.id}`; `pressync forget {path}` leaves it on the site for good"
    )
