"""Records that this clone made and that Git went back behind: neither a file nor the manifest has them.

`git reset --hard` puts files and manifest back together, so the record on the site is left to nobody, and
only the clone's own notes know it. A record that another clone deleted looks the same in these notes. The
commit at which a record was last written tells the two apart: HEAD descends from it unless history was taken
back.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.model.records import Entry
    from pressync.repo.repository import Repository, Tree

# A reset may leave hundreds behind: a plan names so many of them, and counts the others.
_NAMED = 3


def find(repository: Repository, tree: Tree, lost: Mapping[str, Entry]) -> tuple[Entry, ...]:
    """Name the lost records without a file whose commit is not in the tree's history, by path."""
    away = {path: entry for path, entry in lost.items() if path not in tree.files and entry.commit}
    commits = {entry.commit for entry in away.values()}
    if not commits or repository.shallow:
        # Where history is cut off, a commit that is not there may be below the cut.
        return ()
    known = repository.known(commits)
    behind = repository.ancestors(known, tree.commit)
    return tuple(entry for _, entry in sorted(away.items()) if entry.commit not in behind)


def problems(found: Sequence[Entry], *, named: int = _NAMED) -> list[Problem]:
    """Warn of each record with the commands that take it up again or let it go; of many, of the first."""
    warnings = [Problem(entry.path, 0, evidence(entry), todo(entry), warning=True) for entry in found[:named]]
    if len(found) > named:
        rest = f"{len(found) - named} more records that this clone made are left on the site"
        warnings.append(Problem(found[named].path, 0, rest, "`pressync status` lists them", warning=True))
    return warnings


def evidence(entry: Entry) -> str:
    """Say which record it is, and why nobody has it."""
    return (
        f"{entry.kind} {entry.id} ({entry.link}) is left on the site: this clone made it, neither a "
        f"file nor the manifest has it, and HEAD does not descend from commit {entry.commit[:10]}, where it "
        "was last written"
    )


def todo(entry: Entry) -> str:
    """Name the commands that take a record up again, and the one that lets it go."""
    path = quote(entry.path)
    return (
        f"to keep it, `git restore --source={entry.commit[:10]} -- {path}`, commit the file and "
        f"`pressync adopt {path} {entry.id}`; `pressync forget {path}` leaves it to the site"
    )
