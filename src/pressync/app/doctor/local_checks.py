"""What this clone gives a sync to work with: settings, a commit, a branch, a history, documents.

It must not know the site. Each look is a function of the workspace that yields its findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.doctor.finding import ok, unknown, wrong
from pressync.app.revision import Revision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.doctor.finding import Finding
    from pressync.app.workspace import Workspace


def settings(workspace: Workspace) -> Iterator[Finding]:
    """Find which site is meant, and where that is written."""
    found = workspace.settings
    place = f"{found.site.url}, dialect {found.site.dialect}" if found.site.url else "the embedded service"
    yield ok("settings", f"site '{found.site.name}' ({found.origins['site']}): {place}")


def repository(workspace: Workspace) -> Iterator[Finding]:
    """Find where the repository is, and whether it has a commit."""
    place = workspace.repository.root
    shown = str(place) if place else f"{workspace.repository.common_directory}, which is bare"
    yield ok("repository", f"{shown}, at commit {workspace.repository.commit()[:10]}")


def branch(workspace: Workspace) -> Iterator[Finding]:
    """Find whether this is the branch that the site is synced from."""
    here, wanted = workspace.repository.branch, workspace.settings.site.branch
    shown = f"'{here}'" if here else "a detached HEAD"
    if not wanted:
        yield ok("branch", f"{shown}; the site takes any")
    elif here == wanted:
        yield ok("branch", f"{shown}, as `branch` of the site says")
    elif workspace.repository.root is None:
        yield ok("branch", f"{shown}; in a bare repository nothing is checked out")
    else:
        todo = f"`git switch {wanted}`, or change `branch` in pressync.toml"
        yield wrong("branch", f"{shown}, and the site is synced from '{wanted}' only", todo)


def history(workspace: Workspace) -> Iterator[Finding]:
    """Find whether history is whole, and HEAD descends from what was synced last."""
    repository = workspace.repository
    if repository.shallow:
        yield unknown(
            "history",
            "this clone is shallow, so most removed files have no witness and are not deleted on the site",
            "`git fetch --unshallow`, or `fetch-depth: 0` in a workflow",
        )
        return
    with workspace.reading() as state:
        synced = {entry.commit for entry in state.manifest.entries.values() if entry.commit}
    known = repository.known(synced)
    strays = repository.strays(known, repository.commit())
    if strays:
        yield wrong(
            "history",
            f"HEAD does not descend from {min(strays)[:10]}, which was synced",
            "`git pull`; or `pressync sync --allow-rewind` if that is meant",
        )
    elif synced - known:
        yield unknown(
            "history",
            f"this clone lacks commit {min(synced - known)[:10]}, which was synced",
            "`git fetch` the branch that it was on",
        )
    else:
        yield ok("history", "whole, and HEAD descends from every commit that was synced")


def content(workspace: Workspace) -> Iterator[Finding]:
    """Count the documents, and what is not committed yet."""
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
            "commit Markdown there, or correct `content` in pressync.toml",
        )
