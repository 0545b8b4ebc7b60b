"""What this clone remembers of the site: the manifest, the journal, and who writes them just now.

It must not ask the site. Each look is a function of the workspace that yields its findings.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.app.doctor.finding import ok, unknown, wrong
from pressync.config.settings_file import EMBEDDED
from pressync.model.errors import LockHeld
from pressync.plan import manifest_search, orphans
from pressync.state.lock import Lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pressync.app.doctor.finding import Finding
    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry
    from pressync.state.manifest_ref import ManifestRef

# Of many paths, so many are named.
_FEW = 3


def lock(workspace: Workspace) -> Iterator[Finding]:
    """Find whether another run is under way."""
    holder = _holder(workspace)
    if holder:
        yield unknown("lock", holder, "look again when it is done")
    else:
        yield ok("lock", "free: no other run is under way in this clone")


def manifest(workspace: Workspace) -> Iterator[Finding]:
    """Find what the manifest holds, and whether other clones will have it."""
    with workspace.reading() as state:
        entries, there = state.manifest.entries, state.has_manifest
        tree = workspace.repository.tree(workspace.repository.commit())
        lost = len(state.forgotten_by_manifest.keys() & tree.files.keys())
    records = len(entries)
    kept, path = workspace.manifest_reference, workspace.manifest_path
    count = f"{records} {'record' if records == 1 else 'records'} on {workspace.settings.site.target}"
    elsewhere = _elsewhere(workspace, entries.values(), there=there)
    if elsewhere:
        yield elsewhere
    elif lost:
        yield unknown(
            "manifest",
            f"{workspace.manifest_place}: {count}, and {lost} that this clone made are missing from it",
            "restore it with Git if that was not meant; `pressync plan` says what a sync would do",
        )
    elif kept is not None:
        yield _shared(kept, count)
    elif not path.exists():
        yield ok("manifest", f"{path} is not there; {count}")
    else:
        yield _kept(workspace, path, count)


def left_behind(workspace: Workspace) -> Iterator[Finding]:
    """Find records that this clone made and that neither a file nor the manifest has any more."""
    repository = workspace.repository
    with workspace.reading() as state:
        found = orphans.find(repository, repository.tree(repository.commit()), state.forgotten_by_manifest)
    if found:
        more = f"; and {len(found) - 1} more, which `pressync status` lists" if len(found) > 1 else ""
        yield unknown(
            "orphans", f"{found[0].path}: {orphans.evidence(found[0])}{more}", orphans.todo(found[0])
        )


def journal(workspace: Workspace) -> Iterator[Finding]:
    """Find whether anything is in doubt."""
    with workspace.reading() as state:
        doubts = sorted(state.doubts)
    if not doubts:
        yield ok("journal", "nothing is in doubt")
        return
    more = f" and {len(doubts) - _FEW} more" if len(doubts) > _FEW else ""
    evidence = f"no answer came to the create of {', '.join(doubts[:_FEW])}{more}"
    if _holder(workspace):
        yield unknown("journal", evidence, "another run is under way, and may be waiting for it")
    elif workspace.capabilities.read:
        yield unknown("journal", evidence, "the next `pressync sync` looks it up on the site")
    else:
        todo = f"look on the site, then `pressync resolve {quote(doubts[0])} --id N` or `--not-created`"
        yield wrong("journal", evidence, todo)


def _elsewhere(workspace: Workspace, entries: Iterable[Entry], *, there: bool) -> Finding | None:
    """Find what Git knows of this site's records and the manifest here does not."""
    repository, site = workspace.repository, workspace.settings.site
    if site.url is None:
        return None
    if not there:
        looked = manifest_search.search(repository, site, repository.commit())
        if looked.found is None:
            return (
                unknown("manifest", f"{workspace.manifest_place} is not there; {looked.gap}")
                if looked.gap
                else None
            )
        what = f"{workspace.manifest_place} is not there, and {looked.found.place} has it with "
        what += f"{looked.found.records} {'record' if looked.found.records == 1 else 'records'}"
        return wrong("manifest", what, f"`{looked.found.command}` brings it back")
    more = None if site.reference else manifest_search.unknown_to_us(repository, site, entries)
    if more is None:
        return None
    count = f"{more.records} {'record' if more.records == 1 else 'records'} more"
    return wrong(
        "manifest", f"{more.place} knows {count} than {workspace.manifest_place}", f"`{more.command}`"
    )


def _shared(kept: ManifestRef, count: str) -> Finding:
    """Ask the remote that shares the manifest whether it can be reached, and written to.

    :raises RepositoryError: it cannot be reached.
    """
    kept.reference.fetch()
    refusal = kept.reference.refusal()
    if refusal:
        todo = f"allow pushes to {kept.reference.name} (in a workflow: `permissions: contents: write`)"
        return wrong("manifest", f"{kept.where}: {count}; a push is refused: {refusal}", todo)
    if kept.holder:
        todo = "look again when it is done; if it died, the next sync takes over after some minutes"
        return unknown("manifest", f"{kept.where}: {count}; {kept.holder}, is at this site", todo)
    return ok("manifest", f"{kept.where}: {count}; it can be read and written")


def _kept(workspace: Workspace, path: Path, count: str) -> Finding:
    """Judge by what Git says of the file whether another clone will know what this one did."""
    repository = workspace.repository
    if repository.root is None:
        return ok("manifest", f"{path}: {count}; in a bare repository it is kept in the Git directory")
    if workspace.settings.site.name == EMBEDDED:
        return ok("manifest", f"{path}: {count}; not for Git, as the embedded service is this clone's own")
    name = workspace.settings.site.manifest
    tracked = name in repository.tree(repository.commit()).files
    if any(repository.uncommitted([name])):
        state = "has changes that are" if tracked else "is"
        todo = f"`git add {name}` and commit it, so that other clones know the records"
        return ok("manifest", f"{path}: {count}; it {state} not committed", todo)
    if tracked:
        return ok("manifest", f"{path}: {count}; committed")
    return wrong(
        "manifest",
        f"{path}: {count}; ignored by Git, so another clone would make every page again",
        "take it out of .gitignore and commit it",
    )


def _holder(workspace: Workspace) -> str | None:
    """Name who holds the site's lock; None if it is free.

    Only a file with a name in it is tried: where nobody has written one, a look must not get in the way
    of a run that starts just now.
    """
    path = workspace.clone_files.lock
    if not path.is_file() or not path.stat().st_size:
        return None
    tried = Lock(path, "pressync doctor")
    try:
        tried.acquire(0, lambda _sentence: None)
    except LockHeld as held:
        return held.what
    tried.release()
    return None
