"""Runs the checks of `pressync doctor`, and has those of this clone; nothing is changed anywhere.

People run it when something is broken. So each check runs alone, and a check that fails is a finding. The
checks of this clone do not ask the site: settings, repository, branch, history, documents, lock, manifest and
journal.
"""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from pressync.app.doctor import site_checks
from pressync.app.doctor.site_checks import Finding, Verdict, failed, ok, unknown, wrong
from pressync.app.revision import Revision
from pressync.app.site import SyncedSite
from pressync.model.errors import Code, PressyncError, RepositoryError, StorageError
from pressync.model.printable import counted, listed
from pressync.plan import limits, manifest_search, synced_commits
from pressync.state import manifest_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry
    from pressync.state.manifest_ref import ManifestRef


def settings(workspace: Workspace) -> Iterator[Finding]:
    """Report which site is chosen, and which setting chose it."""
    chosen = workspace.settings
    place = f"{chosen.site.url}, dialect {chosen.site.dialect}" if chosen.site.url else "the embedded service"
    yield ok("settings", f"site '{chosen.site.name}' ({chosen.origins['site']}): {place}")


def repository(workspace: Workspace) -> Iterator[Finding]:
    """Report where the repository is, and check that it has a commit."""
    place = workspace.repository.root
    shown = str(place) if place else f"{workspace.repository.common_directory}, which is bare"
    yield ok("repository", f"{shown}, at commit {workspace.repository.commit()[:10]}")


def branch(workspace: Workspace) -> Iterator[Finding]:
    """Check that this is the branch that the site is synced from."""
    current, wanted = workspace.repository.branch, workspace.settings.site.branch
    shown = f"'{current}'" if current else "a detached HEAD"
    if not wanted:
        yield ok("branch", f"{shown}; the site is synced from any branch")
    elif current == wanted:
        yield ok("branch", f"{shown}, as `branch` of the site says")
    elif workspace.repository.root is None:
        yield ok("branch", f"{shown}; in a bare repository nothing is checked out")
    else:
        todo = limits.to_branch(wanted, rebasing=workspace.repository.rebasing)
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
    refusal = synced_commits.lineage(repository, workspace.settings.site, synced, repository.commit()).refusal
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
    edited, untracked = workspace.uncommitted()
    waiting = (
        f"; {len(edited)} edited and {len(untracked)} untracked files are not committed"
        if edited or untracked
        else ""
    )
    if documents:
        yield ok("content", f"{counted(documents, 'document')} below {folder} in the commit{waiting}")
    else:
        yield wrong(
            "content",
            f"no document below {folder} in the commit{waiting}",
            "commit Markdown there, run `pressync import`, or correct `content` in pressync.toml",
        )


def lock(workspace: Workspace) -> Iterator[Finding]:
    """Check whether another run is under way."""
    held = workspace.run_under_way()
    if held:
        yield unknown("lock", held, "look again when it is done")
    else:
        yield ok("lock", "free: no other run is under way in this clone")


def manifest(workspace: Workspace) -> Iterator[Finding]:
    """Check the records of the manifest, and whether other clones will have them."""
    with workspace.reading() as state:
        entries, there = state.manifest.entries, state.has_manifest
        tree = workspace.repository.tree(workspace.repository.commit())
        lost = len(state.forgotten_by_manifest.keys() & tree.files.keys())
    kept, path = workspace.manifest_reference, workspace.manifest_path
    count = f"{counted(len(entries), 'record')} on {workspace.settings.site.target}"
    elsewhere = _elsewhere(workspace, entries.values(), there=there)
    if elsewhere:
        yield elsewhere
    elif lost:
        yield unknown(
            "manifest",
            f"{workspace.manifest_place}: {count}; {lost} that this clone created are missing from it",
            "restore it with Git if that was not meant; `pressync plan` says what a sync would do",
        )
    elif kept is not None:
        yield _shared(kept, count)
    elif not path.exists():
        yield ok("manifest", f"{path} does not exist yet; {count}")
    else:
        yield _kept(workspace, path, count)


# The names of two findings, and the codes of their warnings.
_LEFT_BEHIND = {"orphans": Code.ORPHANED_RECORD, "taken-back": Code.TAKEN_BACK}


def left_behind(workspace: Workspace) -> Iterator[Finding]:
    """Find records that this clone made or changed from a commit which history no longer has."""
    told = SyncedSite(workspace).left_behind("HEAD")
    for check, code in _LEFT_BEHIND.items():
        alike = [problem for problem in told if problem.code is code]
        more = f"; and {len(alike) - 1} more, which `pressync status` lists" if alike[1:] else ""
        for first in alike[:1]:
            yield unknown(check, f"{first.path}: {first.what}{more}", first.todo)


def journal(workspace: Workspace) -> Iterator[Finding]:
    """Check whether a create is unconfirmed."""
    with workspace.reading() as state:
        unconfirmed = sorted(state.unconfirmed)
    if not unconfirmed:
        yield ok("journal", "no create is unconfirmed")
        return
    evidence = f"the create of {listed(unconfirmed)} got no response"
    if workspace.run_under_way():
        yield unknown("journal", evidence, "another run is under way, and it may be waiting for the response")
    elif workspace.capabilities.read:
        yield unknown("journal", evidence, "the next `pressync sync` looks it up on the site")
    else:
        todo = f"look on the site, then `pressync resolve {quote(unconfirmed[0])} --id N` or `--not-created`"
        yield wrong("journal", evidence, todo)


def _elsewhere(workspace: Workspace, entries: Iterable[Entry], *, there: bool) -> Finding | None:
    """Check whether Git knows records of this site that the manifest here does not have."""
    repository, site = workspace.repository, workspace.settings.site
    if site.url is None:
        return None
    if not there:
        searched = manifest_search.search(repository, site, repository.commit())
        if searched.found is None:
            missing = f"{workspace.manifest_place} is missing; {searched.gap}"
            return unknown("manifest", missing) if searched.gap else None
        records = counted(searched.found.records, "record")
        problem = f"{workspace.manifest_place} is missing, and {searched.found.place} has it with {records}"
        return wrong("manifest", problem, f"`{searched.found.command}` brings it back")
    more = None if site.reference else manifest_search.unknown_to_us(repository, site, entries)
    if more is None:
        return None
    problem = f"{more.place} knows {counted(more.records, 'record')} more than {workspace.manifest_place}"
    return wrong("manifest", problem, f"`{more.command}`")


def _shared(kept: ManifestRef, count: str) -> Finding:
    """Check that the remote that shares the manifest can be reached and written to.

    :raises RepositoryError: the remote cannot be reached.
    """
    kept.reference.fetch()
    if kept.refusal:
        evidence, _, todo = kept.refusal.message.partition("; ")
        return wrong("manifest", evidence, todo)
    refusal = kept.reference.refusal()
    if refusal:
        todo = f"allow pushes to {kept.reference.name} (in a workflow: `permissions: contents: write`)"
        return wrong("manifest", f"{kept.where}: {count}; a push is refused: {refusal}", todo)
    if kept.holder:
        todo = "look again when it is done; if it died, the next sync takes over after some minutes"
        return unknown("manifest", f"{kept.where}: {count}; {kept.holder}, is syncing this site", todo)
    return ok("manifest", f"{kept.where}: {count}; it can be read and written")


def _kept(workspace: Workspace, path: Path, count: str) -> Finding:
    """Judge by Git's status of the file whether other clones will have these records."""
    repository, name = workspace.repository, workspace.settings.site.manifest
    kept = manifest_file.kept(repository, workspace.settings.site)
    if kept is None:
        embedded = "not for Git, because the embedded service belongs to this clone"
        bare = "in a bare repository it is kept in the Git directory"
        return ok("manifest", f"{path}: {count}; {bare if repository.root is None else embedded}")
    if kept.committed:
        return ok("manifest", f"{path}: {count}; committed")
    if kept.ignored:
        problem = f"{path}: {count}; ignored by Git, so another clone would create every page again"
        return wrong("manifest", problem, "remove it from .gitignore and commit it")
    state = "has changes that are" if name in repository.tree(repository.commit()).files else "is"
    todo = f"`git add {quote(name)}` and commit it, so that other clones know the records"
    return ok("manifest", f"{path}: {count}; it {state} not committed", todo)


# Each check needs the ones before it: a site that answers is of no use without a commit.
_CHECKS: tuple[Callable[[Workspace], Iterator[Finding]], ...] = (
    *(settings, repository, branch, history, content, lock, manifest, left_behind, journal),
    site_checks.service,
    site_checks.agent,
)


def examine(opening: Callable[[], Workspace]) -> Iterator[Finding]:
    """Check a workspace; if it cannot be opened, the reason is the only finding."""
    try:
        workspace = opening()
    except RepositoryError as error:
        yield failed("repository", error)
        return
    except PressyncError as error:
        yield failed("settings", error)
        return
    lacking: set[str] = set()
    with workspace:
        for check in _CHECKS:
            name = check.__name__.replace("_", "-")
            try:
                yield from check(workspace)
            except RepositoryError as error:
                # Without a commit, the checks of its content cannot tell anything.
                finding = failed(name, error)
                yield replace(finding, verdict=Verdict.UNKNOWN) if str(error) in lacking else finding
                lacking.add(str(error))
            except PressyncError as error:
                yield failed(name, error)
            except OSError as error:
                yield failed(
                    name, StorageError(error.strerror or str(error), where=str(error.filename or ""))
                )
