"""Checks what a sync needs from this clone: settings, a commit, a branch, a history, documents.

Each check is a function of the workspace that yields its findings. None of them asks the site.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.app.doctor.finding import ok, unknown, wrong
from pressync.app.revision import Revision
from pressync.plan import synced_commits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.doctor.finding import Finding
    from pressync.app.workspace import Workspace


def settings(workspace: Workspace) -> Iterator[Finding]:
    """Report which site is chosen, and which setting chose it."""
    found = workspace.settings
    place = f"{found.site.url}, dialect {found.site.dialect}" if found.site.url else "the embedded service"
    yield ok("settings", f"site '{found.site.name}' ({found.origins['site']}): {place}")


def repository(workspace: Workspace) -> Iterator[Finding]:
    """Report where the repository is, and check that it has a commit."""
    place = workspace.repository.root
    shown = str(place) if place else f"{workspace.repository.common_directory}, which is bare"
    yield ok("repository", f"{shown}, at commit {workspace.repository.commit()[:10]}")


def branch(workspace: Workspace) -> Iterator[Finding]:
    """Check that this is the branch that the site is synced from."""
    here, wanted = workspace.repository.branch, workspace.settings.site.branch
    shown = f"'{here}'" if here else "a detached HEAD"
    if not wanted:
        yield ok("branch", f"{shown}; the site is synced from any branch")
    elif here == wanted:
        yield ok("branch", f"{shown}, as `branch` of the site says")
    elif workspace.repository.root is None:
        yield ok("branch", f"{shown}; in a bare repository nothing is checked out")
    else:
        todo = f"`git switch {quote(wanted)}`, or change `branch` in pressync.toml"
        yield wrong("branch", f"{shown}, and the site is synced from '{wanted}' only", todo)


def history(workspace: Workspace) -> Iterator[Finding]:
    """Check that the history is complete, and that HEAD descends from the commits that were synced."""
    repository = workspace.repository
    if repository.shallow:
        yield unknown(
            "history",
            "this clone is shallow: most removed files are not in its history, so no sync deletes them",
            "`git fetch --unshallow`, or `fetch-depth: 0` in a workflow",
        )
        return
    with workspace.reading() as state:
        synced = {entry.commit for entry in state.manifest.entries.values() if entry.commit}
    site = workspace.settings.site
    refusal = synced_commits.lineage(repository, site, synced, repository.commit()).refusal
    if refusal:
        evidence, _, todo = refusal.message.rpartition("; ")
        yield wrong("history", evidence, todo)
    else:
        yield ok("history", "complete, and HEAD has the changes of every commit that the manifest names")


def content(workspace: Workspace) -> Iterator[Finding]:
    """Count the documents, and the files that are not committed."""
    settings = workspace.settings
    folder = f"{settings.content}/" if settings.content else "the root"
    documents = len(workspace.content(Revision()).sources)
    edited, untracked = workspace.repository.uncommitted([settings.content, settings.templates])
    waiting = (
        f"; {edited} edited and {untracked} untracked files are not committed" if edited + untracked else ""
    )
    if documents:
        count = f"{documents} {'document' if documents == 1 else 'documents'}"
        yield ok("content", f"{count} below {folder} in the commit{waiting}")
    else:
        yield wrong(
            "content",
            f"no document below {folder} in the commit{waiting}",
            "commit Markdown there, run `pressync import`, or correct `content` in pressync.toml",
        )
