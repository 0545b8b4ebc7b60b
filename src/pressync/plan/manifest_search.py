"""Searches Git for a manifest of this site that is missing here: in history, upstream and other references.

A sync creates a record a second time if its manifest was deleted, was not pulled, or is on another branch.
Git has most of these manifests without the network, so it is searched before the first create. The search has
a time limit, because a history of 100,000 commits takes longer to search than a sync may wait.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model import bounds
from pressync.model.errors import Code, ManifestError, Problem
from pressync.plan import limits, synced_commits
from pressync.repo import run_git
from pressync.repo.process import OutOfTime
from pressync.state.clone_files import CloneFiles
from pressync.state.manifest import codec
from pressync.state.manifest_ref import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pressync.config.settings import Site
    from pressync.model.changes import Refusal
    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Manifest
    from pressync.repo.repository import Repository

# The time limit of all Git commands together, in seconds.
LIMIT = 2.0
# The search reads this many commits that changed the manifest's file, the newest first.
_COMMITS = 20
_HEADS = ("refs/heads/", "refs/remotes/", "refs/tags/")
# A partial clone would fetch missing objects. The search must not use the network.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1"}


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
    wanted: Callable[[Manifest], bool] = lambda known: bool(known.entries or known.unconfirmed),
) -> Search:
    """Look for a `wanted` manifest of the site's target, by default one that has records.

    `commit` is the one to be synced.
    """
    git = _TimedGit(repository, seconds)
    try:
        for candidates in _places(repository, site, commit, git):
            found = _first(git, candidates, site.target, wanted)
            if found:
                return Search(found)
    except OutOfTime:
        return Search(gap=f"the search for an earlier manifest in Git was stopped after {seconds:g} s")
    if repository.shallow:
        return Search(gap="this clone is shallow, so Git cannot tell whether the site had a manifest before")
    return Search()


def unknown_to_us(
    repository: Repository, site: Site, entries: Iterable[Entry], *, seconds: float = LIMIT
) -> FoundManifest | None:
    """Count the records that the upstream's manifest has and ours does not have, as of the last fetch.

    A record that the manifest had at the merge base is not counted, because it was dropped here on purpose.
    """
    git = _TimedGit(repository, seconds)
    try:
        upstream = _upstream(repository, git)
        if upstream is None:
            return None
        base = git("merge-base", "HEAD", upstream) or ""
        if base == git("rev-parse", "--verify", "--quiet", f"{upstream}^{{commit}}"):
            return None
        names = [f"{commit}:{site.manifest}" for commit in (upstream, base) if commit]
        theirs, before = (_read(git, blob, site.target) for blob in (*_blobs(git, names), "")[:2])
    except OutOfTime:
        return None
    more = _records(theirs) - _records(before) - {(entry.kind, entry.id) for entry in entries}
    if not more:
        return None
    return FoundManifest(synced_commits.short_name(upstream), len(more), synced_commits.bring_in(upstream))


def lost(
    repository: Repository, site: Site, commit: str, *, seconds: float = LIMIT
) -> tuple[list[Refusal], list[Problem]]:
    """Refuse to create if Git has a manifest of this site; warn if the search was not complete."""
    looked, name = search(repository, site, commit, seconds=seconds), site.reference or site.file
    if looked.found:
        return [limits.lost_manifest(name, **asdict(looked.found))], []
    todo = "if other clones synced this site, bring their manifest here first"
    return [], [
        Problem(name, 0, looked.gap, todo, warning=True, code=Code.MANIFEST_SEARCH)
    ] if looked.gap else []


def not_pulled(repository: Repository, site: Site, entries: Iterable[Entry]) -> list[Refusal]:
    """Refuse to create if the upstream's manifest has records that ours does not have."""
    found = unknown_to_us(repository, site, entries)
    if not found:
        return []
    return [limits.not_pulled(found.place, found.records, synced_commits.first(repository, found.command))]


class _TimedGit:
    """Runs Git commands until the time is over; gives None if a command fails."""

    def __init__(self, repository: Repository, seconds: float) -> None:
        self._repository = repository
        self._deadline = time.monotonic() + seconds

    def __call__(self, *arguments: str, given: str = "") -> str | None:
        """Run a Git command and give its output.

        :raises OutOfTime: the time is over.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise OutOfTime("the time for the search is over")
        status, output, _ = self._repository.ask(*arguments, given=given, env=_OFFLINE, seconds=left)
        return None if status else output

    def manifest(self, blob: str) -> str | None:
        """Read a manifest that this clone has; None if it is larger than one can be.

        :raises OutOfTime: the time is over.
        """
        if time.monotonic() > self._deadline:
            raise OutOfTime("the time for the search is over")
        return self._repository.text(blob, bounds.MANIFEST)


def _places(
    repository: Repository, site: Site, commit: str, git: _TimedGit
) -> Iterator[Iterable[_Candidate]]:
    """Name the places to search, the cheapest and most useful first."""
    restore = _RestoreCommand(repository, site)
    upstream = _upstream(repository, git)
    if upstream is not None and not git("ls-tree", _base(git, upstream), "--", site.file):
        # The merge base has no manifest, so a merge brings it. Otherwise it was deleted here.
        tip = git("rev-parse", "--verify", "--quiet", f"{upstream}^{{commit}}") or ""
        place = f"{synced_commits.short_name(upstream)} ({tip[:10]})"
        yield [_Candidate(f"{upstream}:{site.file}", place, synced_commits.bring_in(upstream))]
    yield _in_history(git, site, commit, restore)
    yield _in_references(git, site, restore)


def _in_history(git: _TimedGit, site: Site, commit: str, restore: _RestoreCommand) -> list[_Candidate]:
    """Name the manifests of history: after each commit, and before it."""
    # The full history: in simplified history, a merge that dropped the file hides the side that had it.
    heads = {commit, git("rev-parse", "--verify", "--quiet", "HEAD") or commit}
    walk = ("log", "--full-history", f"--max-count={_COMMITS}", "--format=%H %P", *heads)
    revisions = dict.fromkeys((git(*walk, "--", site.file) or "").split())
    return [
        _Candidate(f"{each}:{site.file}", f"commit {each[:10]}", restore.file(each[:10]))
        for each in revisions
    ]


def _in_references(git: _TimedGit, site: Site, restore: _RestoreCommand) -> list[_Candidate]:
    """Name the manifests of branches, tags and of references like those of `manifest = "ref"`."""
    listing = ("for-each-ref", "--sort=-committerdate", "--format=%(refname) %(refname:short) %(objectname)")
    rows = run_git.rows(git(*listing, *(each.rstrip("/") for each in _HEADS), "refs/pressync") or "")
    found = []
    for name, short, tip in (row.split(" ") for row in rows):
        place = f"{short} ({tip[:10]})"
        if "/pressync/" in name:
            found.append(_Candidate(f"{name}:{MANIFEST}", place, restore.reference(name)))
        if name.startswith(_HEADS):
            found.append(_Candidate(f"{name}:{site.file}", place, restore.file(short)))
    return found


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
    git: _TimedGit, candidates: Iterable[_Candidate], target: str, wanted: Callable[[Manifest], bool]
) -> FoundManifest | None:
    """Read the candidates in turn until one of the target is wanted; equal ones are read once."""
    named = list(candidates)
    if not named:
        return None
    read = {""}
    for candidate, blob in zip(named, _blobs(git, [each.name for each in named]), strict=False):
        if blob in read:
            continue
        read.add(blob)
        known = _read(git, blob, target)
        if known and wanted(known):
            return FoundManifest(candidate.place, len(known.entries), candidate.command)
    return None


def _blobs(git: _TimedGit, names: Iterable[str]) -> list[str]:
    """Give the blob of each name; "" if this clone does not have it, or it is too large for a manifest."""
    asked = "".join(f"{name}\n" for name in names)
    listed = git("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", given=asked) or ""
    rows = [(*row.rsplit(" ", 2), "", "") for row in run_git.rows(listed)]
    return [row[0] if row[1] == "blob" and int(row[2]) <= bounds.MANIFEST.most else "" for row in rows]


def _read(git: _TimedGit, blob: str, target: str) -> Manifest | None:
    """Read a manifest from Git; None if it cannot be read or belongs to another target."""
    text = git.manifest(blob)
    try:
        known = codec.decode(text, where=blob) if text else None
    except ManifestError:
        return None
    return known if known and known.target == target else None


def _records(known: Manifest | None) -> set[tuple[Kind, int]]:
    return {(entry.kind, entry.id) for entry in known.entries.values()} if known else set()


def _upstream(repository: Repository, git: _TimedGit) -> str | None:
    """Give the full name of the upstream of HEAD's branch; None if it has none."""
    if repository.root is None:
        return None
    return git("rev-parse", "--verify", "--quiet", "--symbolic-full-name", "@{upstream}") or None


def _base(git: _TimedGit, upstream: str) -> str:
    """Name the merge base of HEAD and the upstream; the empty tree's name if they have none."""
    return git("merge-base", "HEAD", upstream) or git("hash-object", "-t", "tree", "--stdin") or ""
