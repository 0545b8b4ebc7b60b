"""Searches Git for a manifest of this site that is missing here: in history, upstream and other references.

A sync creates a record a second time if its manifest was deleted, was not pulled, or is on another branch.
Git has most of these manifests without the network, so it is searched before the first create. The search has
a time limit, because a history of 100,000 commits takes longer to search than a sync may wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model import bounds
from pressync.model.changes import Refusal
from pressync.model.errors import Code, Problem
from pressync.model.printable import counted
from pressync.model.reason import ReasonCode
from pressync.model.records import Entry, Manifest, keys_of
from pressync.plan import synced_commits
from pressync.plan.reasons import because
from pressync.repo.port import OutOfTime
from pressync.state.clone_files import CloneFiles
from pressync.state.manifest import codec
from pressync.state.manifest_ref import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pressync.config.settings import Site
    from pressync.model.changes import Blocked
    from pressync.model.reason import Reason
    from pressync.model.records import RecordKey
    from pressync.repo.history import History
    from pressync.repo.repository import Repository

# The time limit of all questions together, in seconds.
LIMIT = 2.0
# The search reads this many commits that changed the manifest's file, the newest first.
_COMMITS = 20
_HEADS = ("refs/heads/", "refs/remotes/", "refs/tags/")


@dataclass(frozen=True, slots=True)
class FoundManifest:
    """A manifest of this site in Git: its place, its number of records, the command to restore it."""

    place: str
    records: int
    command: str


@dataclass(frozen=True, slots=True)
class Search:
    """The manifest that was found, if any; `gap` says why the search was not complete, "" if it was."""

    found: FoundManifest | None = None
    gap: str = ""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A place where a manifest may be; `name` is the file's name for Git, `REVISION:PATH`."""

    name: str
    place: str
    command: str


def search(
    repository: Repository,
    site: Site,
    commit: str,
    *,
    seconds: float = LIMIT,
    wanted: Callable[[Manifest], bool] = lambda manifest: bool(manifest.entries or manifest.unconfirmed),
) -> Search:
    """Look for a `wanted` manifest of the site's target, by default one that has records."""
    past = repository.offline(seconds)
    try:
        for candidates in _places(repository, site, commit, past):
            first = _first(past, candidates, site.target, wanted)
            if first:
                return Search(first)
    except OutOfTime:
        return Search(gap=f"the search for an earlier manifest in Git was stopped after {seconds:g} s")
    if repository.shallow:
        return Search(gap="this clone is shallow, so Git cannot tell whether the site had a manifest before")
    return Search()


@dataclass(frozen=True, slots=True)
class _Unpulled:
    """The manifest of the fetched upstream that HEAD does not have, and that of the merge base."""

    upstream: str
    theirs: Mapping[RecordKey, Entry]
    before: Mapping[RecordKey, Entry]


def _unpulled(repository: Repository, site: Site) -> _Unpulled | None:
    """Read the manifest of the fetched upstream; None if HEAD has its commits, or Git takes too long."""
    past = repository.offline(LIMIT)
    try:
        upstream = _upstream(repository, past)
        if not upstream:
            return None
        base = past.merge_base("HEAD", upstream)
        if base == past.commit(upstream):
            return None
        names = [f"{commit}:{site.manifest}" for commit in (upstream, base) if commit]
        blobs = past.blobs_named(names, bounds.MANIFEST.most)
        read = [codec.decode_for(site.target, past.text(blob, bounds.MANIFEST)) for blob in (*blobs, "")[:2]]
    except OutOfTime:
        return None
    entries = ([*manifest.entries.values()] if manifest else [] for manifest in read)
    theirs, before = ({(entry.kind, entry.id): entry for entry in side} for side in entries)
    return _Unpulled(upstream, theirs, before)


def unknown_to_us(repository: Repository, site: Site, entries: Iterable[Entry]) -> FoundManifest | None:
    """Count the records of the fetched upstream's manifest that neither ours nor the merge base has."""
    unpulled = _unpulled(repository, site)
    more = unpulled.theirs.keys() - unpulled.before.keys() - keys_of(entries) if unpulled else None
    if not unpulled or not more:
        return None
    upstream = unpulled.upstream
    return FoundManifest(synced_commits.short_name(upstream), len(more), synced_commits.bring_in(upstream))


def synced_upstream(
    repository: Repository, site: Site, conflicts: Mapping[str, tuple[Blocked, Entry]]
) -> dict[str, Reason]:
    """Say to pull first for each conflict that a sync made which the fetched upstream has, and HEAD not."""
    unpulled = _unpulled(repository, site) if conflicts and not site.reference else None
    if not unpulled:
        return {}
    todo = synced_commits.first(repository, synced_commits.bring_in(unpulled.upstream))
    upstream, said = synced_commits.short_name(unpulled.upstream), {}
    for path, (change, ours) in conflicts.items():
        key = (ours.kind, ours.id)
        theirs, before = unpulled.theirs.get(key), unpulled.before.get(key)
        if theirs is None and before is None:
            continue
        # A sync that deleted the record took its row out.
        sent = theirs.fingerprints if theirs else {}
        if all(sent.get(name) != ours.fingerprints.get(name) for name in ours.conflict):
            fields = change.fields or tuple(ours.conflict)
            said[path] = because(
                ReasonCode.SYNCED_UPSTREAM, path, fields=fields, upstream=upstream, todo=todo
            )
    return said


def lost(
    repository: Repository, site: Site, commit: str, *, seconds: float = LIMIT
) -> tuple[list[Refusal], list[Problem]]:
    """Refuse to create if Git has a manifest of this site; warn if the search was not complete."""
    looked, name = search(repository, site, commit, seconds=seconds), site.reference or site.file
    if manifest := looked.found:
        has_it = f"{manifest.place} has it with {counted(manifest.records, 'record')}"
        said = (
            f"the manifest {name} is not here, and {has_it}: a sync would create them again; "
            f"`{manifest.command}` restores it, `pressync sync --new-manifest` starts a new one"
        )
        return [Refusal("lost_manifest", said)], []
    todo = "if other clones synced this site, bring their manifest here first"
    return [], [
        Problem(name, 0, looked.gap, todo, warning=True, code=Code.MANIFEST_SEARCH)
    ] if looked.gap else []


def not_pulled(repository: Repository, site: Site, entries: Iterable[Entry]) -> list[Refusal]:
    """Refuse to create if the upstream's manifest has records that ours does not have."""
    manifest = unknown_to_us(repository, site, entries)
    if not manifest:
        return []
    more = counted(manifest.records, "more record")
    todo = synced_commits.first(repository, manifest.command)
    return [Refusal(synced_commits.NOT_PULLED, f"the manifest on {manifest.place} has {more}; {todo}")]


def _places(repository: Repository, site: Site, commit: str, past: History) -> Iterator[Iterable[_Candidate]]:
    """Name the places to search, the cheapest and most useful first."""
    restore = _RestoreCommand(repository, site)
    upstream = _upstream(repository, past)
    base = past.merge_base("HEAD", upstream) if upstream else ""
    if upstream and not (base and past.has(base, site.file)):
        # The merge base has no manifest, so a merge brings it. Otherwise it was deleted here.
        place = f"{synced_commits.short_name(upstream)} ({past.commit(upstream)[:10]})"
        yield [_Candidate(f"{upstream}:{site.file}", place, synced_commits.bring_in(upstream))]
    # The manifests of history: after each commit, and before it.
    heads = {commit, past.commit("HEAD") or commit}
    yield [
        _Candidate(f"{revision}:{site.file}", f"commit {revision[:10]}", restore.file(revision[:10]))
        for revision in past.before_and_after(heads, site.file, _COMMITS)
    ]
    # Those of branches, of tags, and of references like those of `manifest = "ref"`.
    candidates = []
    for name, short, tip in past.heads(*(prefix.rstrip("/") for prefix in _HEADS), "refs/pressync"):
        place = f"{short} ({tip[:10]})"
        if "/pressync/" in name:
            candidates.append(_Candidate(f"{name}:{MANIFEST}", place, restore.reference(name)))
        if name.startswith(_HEADS):
            candidates.append(_Candidate(f"{name}:{site.file}", place, restore.file(short)))
    yield candidates


@dataclass(frozen=True, slots=True)
class _RestoreCommand:
    """Makes the commands that restore a manifest to the place where the next sync reads it."""

    repository: Repository
    site: Site

    def file(self, revision: str) -> str:
        """Give the command that restores a file of a revision."""
        if self.repository.root is None:
            return self._written(f"{revision}:{self.site.file}")
        command = f"git restore --source={quote(revision)} -- {quote(self.site.file)}"
        return (
            f"{command} && git add {quote(self.site.file)} && git commit" if self.site.reference else command
        )

    def reference(self, name: str) -> str:
        """Give the command that restores the manifest of a reference."""
        if self.site.reference:
            return f"git update-ref {quote(self.site.reference)} {quote(name)}"
        return self._written(f"{name}:{MANIFEST}")

    def _written(self, name: str) -> str:
        folder, _, file = self.site.file.rpartition("/")
        if self.repository.root is None:
            path = CloneFiles.of(self.repository.common_directory, self.site.name).manifest
            folder, file = str(path.parent), str(path)
        else:
            file = self.site.file
        made = f"mkdir -p {quote(folder)} && " if folder else ""
        return f"{made}git show {quote(name)} > {quote(file)}"


def _first(
    past: History, candidates: Iterable[_Candidate], target: str, wanted: Callable[[Manifest], bool]
) -> FoundManifest | None:
    """Read the candidates in turn until one of the target is wanted; equal ones are read once."""
    named = list(candidates)
    if not named:
        return None
    read = {""}
    blobs = past.blobs_named([place.name for place in named], bounds.MANIFEST.most)
    for candidate, blob in zip(named, blobs, strict=False):
        if blob in read:
            continue
        read.add(blob)
        manifest = codec.decode_for(target, past.text(blob, bounds.MANIFEST))
        if manifest and wanted(manifest):
            return FoundManifest(candidate.place, len(manifest.entries), candidate.command)
    return None


def _upstream(repository: Repository, past: History) -> str:
    """Give the full name of the upstream of HEAD's branch; "" if it has none."""
    return "" if repository.root is None else past.upstream()
