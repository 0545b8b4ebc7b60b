"""Records in the manifest what a sync learns without a call: renamed files, and corrected kept entries.

All renames go into one line of the journal, because half of a chain of renames would lose a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.changes import Keep

if TYPE_CHECKING:
    from pressync.plan.build import PlannedRun
    from pressync.repo.repository import Repository
    from pressync.state.state import State


def carry_over(state: State, planned: PlannedRun, repository: Repository, *, rewind: bool) -> None:
    """Record what a plan found and no response will show.

    After a rebase or an accepted rewind, this history lacks the commits of some kept entries. These entries
    get the plan's commit, so that no later sync is refused, also in another clone.

    :raises StorageError: the journal cannot be written.
    """
    # These include the children of a page whose file was renamed.
    before = state.manifest.entries
    renamed = [entry for path, entry in planned.entries.items() if before.get(path) != entry]
    if renamed:
        state.put(*renamed)
    unknown = _unknown_commits(planned, repository) if rewind else planned.plan.replaced
    for change in planned.plan.changes:
        if isinstance(change, Keep):
            entry = change.entry
            if entry.commit in unknown:
                entry = replace(entry, commit=planned.plan.commit)
            if state.manifest.entries.get(entry.path) != entry:
                state.put(entry)


def _unknown_commits(planned: PlannedRun, repository: Repository) -> frozenset[str]:
    """List the manifest's commits that are missing here, or that the plan's commit does not descend from."""
    commits = {entry.commit for entry in planned.entries.values() if entry.commit}
    known = repository.known(commits)
    return repository.non_ancestors(known, planned.plan.commit) | (commits - known)
