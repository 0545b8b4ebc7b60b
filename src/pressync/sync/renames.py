"""What the manifest learns from a sync without a call: new names of files, and what kept records should say.

It must not speak to a service. What decided its shape: all new names go down in one line of the journal,
because half a chain of renames would lose a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.changes import Keep

if TYPE_CHECKING:
    from pressync.plan.build import PlannedRun
    from pressync.repo.repository import Repository
    from pressync.state.state import State


def carry_over(state: State, drawn: PlannedRun, repository: Repository, *, rewind: bool) -> None:
    """Write down what a plan found out and no call will tell.

    After an accepted rewind, kept records whose commit this history does not have get the plan's commit:
    the next sync must not be refused again.

    :raises StorageError: the journal cannot be written.
    """
    # Children whose parent's file was renamed are among them.
    before = state.manifest.entries
    renamed = [entry for path, entry in drawn.entries.items() if before.get(path) != entry]
    if renamed:
        state.put(*renamed)
    strange = _strange_commits(drawn, repository) if rewind else frozenset()
    for change in drawn.plan.changes:
        if isinstance(change, Keep):
            entry = change.entry
            if entry.commit in strange:
                entry = replace(entry, commit=drawn.plan.commit)
            if state.manifest.entries.get(entry.path) != entry:
                state.put(entry)


def _strange_commits(drawn: PlannedRun, repository: Repository) -> frozenset[str]:
    """Name the commits of the manifest that the plan's commit does not descend from, or that are not here."""
    commits = {entry.commit for entry in drawn.entries.values() if entry.commit}
    known = repository.known(commits)
    return repository.non_ancestors(known, drawn.plan.commit) | (commits - known)
