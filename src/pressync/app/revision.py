"""Names a state of the repository, and refuses a state that a site may not be synced from.

A site that names its branch must never get commits of another branch, whatever name they are asked for by. A
rollback changes the site and not the files, so the files still say what the run sent. Its mark in the
manifest reaches every clone, hook and workflow, and holds until the content of HEAD differs.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.config.settings import is_about_commit
from pressync.model.changes import Refusal
from pressync.model.errors import SafetyRefusal
from pressync.plan import limits
from pressync.repo.discover import SETTINGS
from pressync.repo.paths import is_below
from pressync.state.clone_facts import RunRecords

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.config.settings import Settings, Site
    from pressync.content.content import Content
    from pressync.model.records import RolledBack
    from pressync.plan.build import PlanOptions
    from pressync.repo.repository import Repository, Tree
    from pressync.state.state import State


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

    @property
    def place(self) -> str:
        """Where its files are read, as a word for programs: `commit`, `index` or `worktree`."""
        if self.staged:
            return "index"
        return "worktree" if self.worktree else "commit"

    def tree(self, repository: Repository, folders: Collection[str]) -> Tree:
        """List its files; edits of the working tree count below `folders` only.

        :raises RepositoryError: there is no such revision, or no working tree.
        """
        if self.staged:
            return repository.staged()
        if self.worktree:
            if self.needs_commit:
                repository.commit()
            return repository.worktree(folders, merging=not self.needs_commit)
        return repository.tree(repository.commit(self.ref))


def to_check(
    repository: Repository, environ: Mapping[str, str], *, ref: str | None, worktree: bool, staged: bool
) -> Revision:
    """Choose what `check` reads: all that is saved, unless a person names a commit or the index.

    A job and a hook after a push are about a commit, and so is a bare repository.
    """
    if staged or ref is not None:
        return Revision(ref or "HEAD", staged=staged, needs_commit=False)
    is_saved = worktree or not (is_about_commit(environ) or repository.root is None)
    return Revision(worktree=is_saved, needs_commit=False)


def refuse_other_branch(revision: Revision, repository: Repository, site: Site) -> None:
    """Refuse to sync a revision that is not on the branch that the site names, if it names one.

    :raises SafetyRefusal: the revision is on another branch.
    :raises RepositoryError: there is no such revision.
    """
    for refusal in other_branch(revision, repository, site):
        raise SafetyRefusal(refusal.message, code=refusal.code)


def other_branch(revision: Revision, repository: Repository, site: Site) -> tuple[Refusal, ...]:
    """Give the refusal of a revision that is not on the site's branch.

    Nothing is refused in a bare repository: no branch is checked out there, and the caller names a revision.

    :raises RepositoryError: there is no such revision.
    """
    wanted = site.branch
    if not wanted or repository.root is None or revision.ref in {wanted, f"refs/heads/{wanted}"}:
        return ()
    if revision.ref == "HEAD":
        branch = repository.branch
        is_allowed, shown = branch == wanted, branch or "a detached HEAD"
    else:
        is_allowed, shown = repository.is_on_branch(revision.ref, wanted), revision.ref
    if is_allowed:
        return ()
    return (limits.other_branch(site.name, wanted, shown, rebasing=repository.rebasing),)


def with_refusals(
    plan_options: PlanOptions, state: State, content: Content, revision: Revision | None = None
) -> PlanOptions:
    """Add to the options of a plan the refusals with which a sync ends before it builds its plan.

    Without a `revision`, its branch was looked at before.

    :raises RepositoryError: there is no such revision.
    """
    refusals = other_branch(revision, content.repository, content.settings.site) if revision else ()
    refusals += () if plan_options.again else rolled_back(state, content)
    return replace(plan_options, refusals=refusals)


def rolled_back(state: State, content: Content) -> tuple[Refusal, ...]:
    """Give the refusal of a run that was rolled back, while the content is still that of the run."""
    mark = mark_of(state, content)
    if mark is None:
        return ()
    again = "or `pressync sync --again` to send it again"
    made = [record for record in RunRecords(state.log).all() if record.undoes == mark.run]
    # A rollback that was killed has its beginning here, and not its end.
    if made and made[-1].after is None:
        problem = f"the rollback of run {mark.run} was interrupted"
        way = f"`pressync rollback {mark.run}` goes on with it"
    else:
        problem = f"run {mark.run} was rolled back, and the files still say what it sent"
        way = way_back(content.repository, content.settings, mark)
    return (Refusal("rolled_back", f"{problem}; {way}, {again}"),)


def mark_of(state: State, content: Content) -> RolledBack | None:
    """Give the mark of a rollback, as long as the content is that of the run."""
    mark = state.whole.rolled_back
    return mark if mark and mark.content == content_of(content) else None


def way_back(repository: Repository, settings: Settings, mark: RolledBack) -> str:
    """Say how the files get the text of before; a commit that has the manifest too is not reverted."""
    since, last = mark.since, mark.commit
    if repository.history.known(wanted := {since, last}) != wanted:
        # The files of before are in no commit of this clone, as after a first sync.
        return "change or revert the files, and commit"
    files = files_of(settings)
    only = repository.history.single_change(since, last, *files)
    if only and settings.site.file not in repository.history.paths_of(only):
        return f"`git revert {only[:10]}`"
    return "`pressync rollback --files` and commit"


def files_of(settings: Settings) -> tuple[str, ...]:
    """Name the files that decide what is sent, and not the manifest, as patterns for Git."""
    folders, manifest = (settings.content, settings.templates, SETTINGS), settings.site.file
    paths = folders if all(folders) else (".",)
    return (*paths, f":(exclude){manifest}") if is_below(manifest, folders) else paths


def content_of(content: Content) -> str:
    """Digest the files that decide what is sent: content, templates and settings."""
    settings = content.settings
    folders = (settings.content, settings.templates, SETTINGS)
    files = (
        f"{path} {blob}\n"
        for path, blob in sorted(content.tree.files.items())
        # A rollback changes the manifest, and people commit it.
        if is_below(path, folders) and path != settings.site.file
    )
    return hashlib.sha256("".join(files).encode(errors="surrogateescape")).hexdigest()[:20]
