"""Reads the manifest: as it is now, as it was, the runs that changed it, and the mistakes that it may have.

Git already has the history of the manifest's file or reference, so nothing is stored twice. Reading a
manifest already proves that it is well-formed, that it is for this target and that no id is in it twice.
`verify` looks for mistakes that a merge or an edit by hand can make. Nothing is changed.
"""

from __future__ import annotations

from collections import defaultdict
from shlex import quote
from typing import TYPE_CHECKING

from pressync.app.revision import Revision
from pressync.model import bounds
from pressync.model.errors import Code, ConfigError, Problem, RepositoryError
from pressync.model.records import TRASH
from pressync.state import manifest_ref
from pressync.state.manifest_file import read_for
from pressync.sync import echo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pressync.app.workspace import Workspace
    from pressync.client.port import ReadableService
    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Manifest, Record
    from pressync.repo.history import Commit
    from pressync.state.state import State


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
        return workspace.repository.history.commits(head, workspace.settings.site.manifest, limit=limit)
    kept.read(writable=False)
    if kept.reference.tip is None:
        return []
    return workspace.repository.history.commits(kept.reference.name, limit=limit, but=manifest_ref.CLAIMED)


def verify(workspace: Workspace, *, remote: bool) -> tuple[int, list[Problem]]:
    """Count the records of the manifest and list its problems; with `remote`, compare it with the site, too.

    :raises ManifestError: the manifest cannot be read, or is for another target.
    :raises ConfigError: with `remote`, the site's interface shows no reads.
    :raises ServiceError: the site did not answer.
    """
    with workspace.reading() as state:
        entries = dict(state.manifest.entries)
        problems = [*_against_commit(workspace, entries), *_against_clone(state)]
    if remote:
        problems += _against_site(workspace, entries)
    return len(entries), problems


def _against_commit(workspace: Workspace, entries: Mapping[str, Entry]) -> Iterator[Problem]:
    tree = workspace.content(Revision()).tree  # It has the pages of folders, which are not files.
    for path, entry in sorted(entries.items()):
        if path not in tree.files:
            what = f"its file is not in commit {tree.commit[:10]}"
            todo = f"`pressync plan` shows what a sync would do with {entry.kind} {entry.id}"
            yield Problem(path, 0, what, todo, warning=True, code=Code.MANIFEST)
        if entry.parent_path is not None and entry.parent_path not in entries:
            what = f"its parent {entry.parent_path} has no record"
            yield Problem(
                path, 0, what, "the next sync sends the current parent", warning=True, code=Code.MANIFEST
            )


def _against_clone(state: State) -> Iterator[Problem]:
    for path, entry in sorted(state.forgotten_by_manifest.items()):
        what = f"this clone created {entry.kind} {entry.id} for this path, and the manifest does not have it"
        yield Problem(
            path,
            0,
            what,
            f"`pressync adopt {quote(path)} {entry.id}`, or `pressync forget {quote(path)}`",
            code=Code.MANIFEST,
        )
    for path, create in sorted(state.unconfirmed.items()):
        what = f"a create was sent at {create.time} and got no response"
        todo = f"`pressync resolve {quote(path)} --id N`, or `pressync resolve {quote(path)} --not-created`"
        yield Problem(path, 0, what, todo, warning=True, code=Code.MANIFEST)


def _against_site(workspace: Workspace, entries: Mapping[str, Entry]) -> Iterator[Problem]:
    kinds: dict[Kind, dict[int, Entry]] = defaultdict(dict)
    for entry in entries.values():
        kinds[entry.kind][entry.id] = entry
    with workspace.service(1) as service:
        reading = service.readable
        if reading is None:
            what = f"the {service.name} interface shows no way to read a record"
            raise ConfigError(what, where="--remote", todo="leave it out, and check the site yourself")
        for kind, known in sorted(kinds.items()):
            yield from _compared(reading, kind, known)


def _compared(service: ReadableService, kind: Kind, known: Mapping[int, Entry]) -> Iterator[Problem]:
    found = service.records(kind, known.keys())
    for number, entry in known.items():
        what = _difference(entry, found.get(number))
        if what:
            yield Problem(
                entry.path, 0, f"{kind} {number} {what}", "look at it on the site", code=Code.MANIFEST
            )


def _difference(entry: Entry, record: Record | None) -> str:
    if record is None:
        return "is not on the site"
    if record.fields.get("status") == TRASH:
        return "is in the trash of the site"
    if "status" in echo.edits(entry, record):
        return f"has the status '{record.fields['status']}' on the site, and nobody sent that"
    if entry.slug and record.slug != entry.slug:
        return f"has the slug '{record.slug}' on the site, and '{entry.slug}' in the manifest"
    return ""
