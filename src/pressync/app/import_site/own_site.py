"""Binds imported files to the records of the site that they came from, if the repository is synced to it.

An import writes to no service. It only writes into the manifest what the site has, so that a sync sends
nothing before somebody edits a file.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pressync.app.import_site.selection import FORGOTTEN, OTHERS
from pressync.app.revision import Revision
from pressync.client.wordpress.whole_site import READS
from pressync.importers import own_export
from pressync.importers.in_step import KnownFile, OwnSite, keep
from pressync.model.errors import ManifestError, ServiceError
from pressync.plan.history import trace
from pressync.state.manifest_file import read_for
from pressync.sync.trashed import ours

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pressync.app.import_site.account import Account
    from pressync.app.workspace import Workspace
    from pressync.client.retry import Retry
    from pressync.importers.in_step import ImportedEntries
    from pressync.model.interface import Kind


def own_site(workspace: Workspace, retry: Retry = READS) -> OwnSite | None:
    """Give the configured site as a possible source; None for a service that cannot be one."""
    url = workspace.settings.site.url
    if url is None or not workspace.capabilities.read:
        return None

    def known() -> Mapping[tuple[Kind, int], KnownFile]:
        with workspace.reading() as state:
            entries = state.manifest.entries
        content = workspace.content(Revision(worktree=True))
        new = {path: blob for path, blob in content.sources.items() if path not in entries}
        renamed = trace(workspace.repository, content.tree, entries, new, rewind=False).renamed if new else {}
        now = {path: renamed.get(path, path) for path in entries}
        blobs = content.tree.files
        return {
            (entry.kind, entry.id): KnownFile(entry, now[path], blobs[now[path]])
            for path, entry in entries.items()
            if now[path] in blobs
        }

    user = workspace.settings.site.user or ""
    return OwnSite(
        url, lambda: workspace.service(1), known, partial(_not_ours, workspace), user=user, retry=retry
    )


def _not_ours(
    workspace: Workspace, records: Collection[tuple[Kind, int]]
) -> Mapping[tuple[Kind, int], tuple[str, str]]:
    """Say which records have another manifest, or had a file here once: the kind of the reason, and why."""
    with workspace.reading() as state:
        entries = state.manifest.entries
        held = {(entry.kind, entry.id): path for path, entry in entries.items()}
        once = (
            ours(workspace.repository, workspace.settings, state, set(records) - held.keys()) if held else ()
        )
    forgotten = "the manifest had it once; `--forgotten` imports it again"
    removed = {
        record: (FORGOTTEN, f"its file {held[record]} was removed, and the next sync deletes the record")
        for record in records
        if record in held
    }
    return dict.fromkeys(once, (FORGOTTEN, forgotten)) | removed | dict(_elsewhere(workspace, records))


def _elsewhere(
    workspace: Workspace, records: Collection[tuple[Kind, int]]
) -> Iterator[tuple[tuple[Kind, int], tuple[str, str]]]:
    """Give the records that another manifest of this site has, which is a file of this work tree."""
    folder = (workspace.repository.root or workspace.manifest_path.parent) / ".pressync"
    for file in sorted(folder.glob("*.json")):
        # Most of these files are for other sites, or are not manifests.
        with suppress(ManifestError, OSError):
            other = read_for(workspace.settings.site.target, file.read_bytes(), file.name)
            for entry in other.entries.values() if file != workspace.manifest_path else ():
                if (entry.kind, entry.id) in records:
                    yield (entry.kind, entry.id), (OTHERS, f"{file.name} has it for {entry.path}")


def bind(workspace: Workspace, own: OwnSite | None, account: Account) -> ImportedEntries | None:
    """Put the records of imported files into the manifest; None if they came from somewhere else.

    :raises ServiceError: the source is an export, and the site cannot be read.
    """
    if own is None or not own.is_source:
        return None
    try:
        gone = own_export.look_up(own, (file.item for file in account.files))
    except ServiceError as error:
        error.todo = error.todo or "import again: the files are written, and get their records then"
        raise
    if gone is None:
        return None
    paths = {file.item.key: file.path for file in account.files}
    with workspace.state(writable=True) as state:
        settled = keep(
            state,
            own,
            paths,
            workspace.settings.content,
            lambda manifest: workspace.content(Revision(worktree=True), manifest=manifest),
            renew=workspace.settings.site.reference is None,
        )
        state.save(f"Import {len(settled.entries)} from the site")
        held = {(entry.kind, entry.id) for entry in state.manifest.entries.values()}
    bound = sum(
        (file.item.kind, file.item.id) in held and file.path not in settled.unbound for file in account.files
    )
    lost = {paths[item.key]: f"{item.kind} {item.id} is no longer on the site" for item in gone}
    return replace(settled, unbound={**settled.unbound, **lost}, bound=bound)
