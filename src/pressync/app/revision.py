"""Which state of the repository is meant, and whether a site may be synced from it.

It must not read documents. What decided its shape: a site that names its branch must never get what was
not on it, by whatever name a commit is asked for, so the name and the rule about the branch stand together.
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
    """Which state of the repository is meant: a revision, the working tree with its edits, what is staged."""

    ref: str = "HEAD"
    worktree: bool = False
    staged: bool = False

    @property
    def is_committed(self) -> bool:
        """Whether it is that of a commit, without anything beside it."""
        return not (self.worktree or self.staged)

    def tree(self, repository: Repository, folders: Collection[str]) -> Tree:
        """List its files; of the working tree's edits, those below `folders`.

        :raises RepositoryError: there is no such revision, or no working tree.
        """
        if self.staged:
            return repository.staged()
        if self.worktree:
            return repository.worktree(folders)
        return repository.tree(repository.commit(self.ref))


def refuse_other_branch(revision: Revision, repository: Repository, site: Site) -> None:
    """Refuse what is not on the branch that the site names, if it names one.

    In a bare repository nothing is checked out, and whoever syncs there says what: nothing is refused.

    :raises SafetyRefusal: it is on another branch.
    :raises RepositoryError: there is no such revision.
    """
    wanted, here = site.branch, repository.branch
    if not wanted or repository.root is None or revision.ref in {wanted, f"refs/heads/{wanted}"}:
        return
    if revision.ref == "HEAD":
        is_on_it, what = here == wanted, here or "a detached HEAD"
    else:
        is_on_it, what = repository.is_on_branch(revision.ref, wanted), revision.ref
    if not is_on_it:
        raise SafetyRefusal(
            f"site '{site.name}' is synced from branch '{wanted}' only, and this is '{what}'",
            todo=f"`git switch {wanted}`, or change `branch` in pressync.toml",
        )
