"""Reads the manifest's history: the runs that changed it, and its content after each of them.

Git already has the history of the manifest's file or reference, so nothing is stored twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model import bounds
from pressync.model.errors import RepositoryError
from pressync.repo.ref import history
from pressync.state import manifest_ref
from pressync.state.manifest_file import read_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.app.workspace import Workspace
    from pressync.model.records import Manifest
    from pressync.repo.ref import Commit


def manifest_now(workspace: Workspace) -> Manifest:
    """Read the manifest as this clone knows it, with the changes in the journal."""
    with workspace.reading() as state:
        return state.whole


def manifest_at(workspace: Workspace, revision: str) -> Manifest:
    """Read the manifest as it was committed at a revision.

    :raises RepositoryError: there is no such commit, or no manifest in it.
    :raises ManifestError: the manifest cannot be read, or is for another target.
    """
    repository, site = workspace.repository, workspace.settings.site
    name = manifest_ref.MANIFEST if site.reference else site.manifest
    commit = repository.commit(revision)
    data = repository.blob_at(repository.tree(commit), name, bounds.MANIFEST)
    if data is None:
        what = f"commit {commit[:10]} has no {name}"
        raise RepositoryError(what, todo="`pressync manifest log` lists the commits that have it")
    return read_for(site.target, data, f"{name} ({commit[:10]})")


def runs(workspace: Workspace, limit: int) -> Sequence[Commit]:
    """List the last runs that changed the manifest, the newest first; a commit of a claim is not listed.

    :raises RepositoryError: there is no commit yet.
    """
    kept = workspace.manifest_reference
    if kept is None:
        head = workspace.repository.commit()
        return history(workspace.repository, head, limit=limit, path=workspace.settings.site.manifest)
    kept.read(writable=False)
    if kept.reference.tip is None:
        return []
    return history(workspace.repository, kept.reference.name, limit=limit, but=manifest_ref.CLAIMED)
