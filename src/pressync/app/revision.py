"""Names a state of the repository, and refuses a state that a site may not be synced from.

A site that names its branch must never get commits of another branch, whatever name they are asked for by. So
the name of a state and the rule about the branch are in one module.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.model.errors import SafetyRefusal
from pressync.plan import limits

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.config.settings import Site
    from pressync.model.changes import Refusal
    from pressync.plan.build import PlanOptions
    from pressync.repo.repository import Repository, Tree


@dataclass(frozen=True, slots=True)
class Revision:
    """A state of the repository: a revision, the working tree with its edits, or the staged files.

    A run `needs_commit`, because the manifest names it. The files alone can be read before the first commit.
    """

    ref: str = "HEAD"
    worktree: bool = False
    staged: bool = False
    needs_commit: bool = True

    @property
    def is_committed(self) -> bool:
        """Whether it is the state of a commit, without edits."""
        return not (self.worktree or self.staged)

    def tree(self, repository: Repository, folders: Collection[str]) -> Tree:
        """List its files; edits of the working tree count below `folders` only.

        :raises RepositoryError: there is no such revision, or no working tree.
        """
        if self.staged:
            return repository.staged()
        if self.worktree:
            if self.needs_commit:
                repository.commit()
            return repository.worktree(folders)
        return repository.tree(repository.commit(self.ref))


def refuse_other_branch(revision: Revision, repository: Repository, site: Site) -> None:
    """Refuse to sync a revision that is not on the branch that the site names, if it names one.

    :raises SafetyRefusal: the revision is on another branch.
    :raises RepositoryError: there is no such revision.
    """
    for refusal in other_branch(revision, repository, site):
        raise SafetyRefusal(refusal.message, code=refusal.code)


def with_refusal(
    revision: Revision, repository: Repository, site: Site, plan_options: PlanOptions
) -> PlanOptions:
    """Add to the options of a plan the refusal with which a sync ends before it builds its plan.

    :raises RepositoryError: there is no such revision.
    """
    return replace(plan_options, refusals=other_branch(revision, repository, site))


def other_branch(revision: Revision, repository: Repository, site: Site) -> tuple[Refusal, ...]:
    """Give the refusal of a revision that is not on the site's branch.

    Nothing is refused in a bare repository: no branch is checked out there, and the caller names a revision.

    :raises RepositoryError: there is no such revision.
    """
    wanted = site.branch
    if not wanted or repository.root is None or revision.ref in {wanted, f"refs/heads/{wanted}"}:
        return ()
    if revision.ref == "HEAD":
        here = repository.branch
        is_allowed, what = here == wanted, here or "a detached HEAD"
    else:
        is_allowed, what = repository.is_on_branch(revision.ref, wanted), revision.ref
    return () if is_allowed else (limits.other_branch(site.name, wanted, what),)
