"""Names a state of the repository, and refuses a state that a site may not be synced from.

A site that names its branch must never get commits of another branch, whatever name they are asked for by. So
the name of a state and the rule about the branch are in one module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.errors import SafetyRefusal

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.config.settings import Site
    from pressync.repo.repository import Repository, Tree


@dataclass(frozen=True, slots=True)
class Revision:
    """A state of the repository: a revision, the working tree with its edits, or the staged files."""

    ref: str = "HEAD"
    worktree: bool = False
    staged: bool = False

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
            return repository.worktree(folders)
        return repository.tree(repository.commit(self.ref))


def refuse_other_branch(revision: Revision, repository: Repository, site: Site) -> None:
    """Refuse a revision that is not on the branch that the site names, if it names one.

    Nothing is refused in a bare repository: no branch is checked out there, and the caller names a revision.

    :raises SafetyRefusal: the revision is on another branch.
    :raises RepositoryError: there is no such revision.
    """
    wanted, here = site.branch, repository.branch
    if not wanted or repository.root is None or revision.ref in {wanted, f"refs/heads/{wanted}"}:
        return
    if revision.ref == "HEAD":
        is_allowed, what = here == wanted, here or "a detached HEAD"
    else:
        is_allowed, what = repository.is_on_branch(revision.ref, wanted), revision.ref
    if not is_allowed:
        raise SafetyRefusal(
            f"site '{site.name}' is synced from branch '{wanted}' only, and this is '{what}'",
            todo=f"`git switch {wanted}`, or change `branch` in pressync.toml",
        )
