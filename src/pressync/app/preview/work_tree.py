"""The working tree at one moment: the stage, the plan and the check of a preview read this one listing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.app.revision import Revision

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.app.workspace import Workspace
    from pressync.repo.repository import Repository, Tree


@dataclass(frozen=True, slots=True)
class WorkTree(Revision):
    """The working tree at one moment, which is listed only once."""

    worktree: bool = True
    listed: Tree | None = None

    @classmethod
    def now(cls, workspace: Workspace) -> WorkTree:
        """List the files of a site's work tree."""
        settings = workspace.settings
        return cls(listed=workspace.repository.worktree([settings.content, settings.templates]))

    def tree(self, repository: Repository, folders: Collection[str]) -> Tree:
        """Give the files as they were listed."""
        return self.listed or repository.worktree(folders)
