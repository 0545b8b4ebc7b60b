"""Asks Git whether this site had a manifest that is not here: in history, the upstream and other references.

A record is made a second time when its manifest was deleted, not pulled, or left on another branch. Git knows
most of these manifests without the network, on every service, so it is asked before the first create. The
search has a time limit, because a history of 100,000 commits takes longer to walk than a sync may wait.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.errors import ManifestError, Problem
from pressync.plan import limits
from pressync.repo.process import OutOfTime
from pressync.state.clone_files import CloneFiles
from pressync.state.manifest import codec
from pressync.state.manifest_ref import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pressync.config.settings import Site
    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Manifest
    from pressync.repo.repository import Repository

# How long Git may be asked in all, in seconds.
LIMIT = 2.0
# Of history, so many commits that changed the manifest's file are looked at, the newest first.
_COMMITS = 20
_HEADS = ("refs/heads/", "refs/remotes/", "refs/tags/")
# A partial clone would fetch what it lacks: nothing here may use the network.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1"}


@dataclass(frozen=True, slots=True)
class FoundManifest:
    """A manifest of this site that Git has: where, how many records it knows, the command to have it back."""

    place: str
    records: int
    command: str


@dataclass(frozen=True, slots=True)
class Search:
    """What was found, if anything, and why Git may know more than it told; "" if it told everything."""

    found: FoundManifest | None = None
    gap: str = ""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A place where a manifest may be: `name` is what Git calls the file there, `REVISION:PATH`."""

    name: str
    place: str
    command: str


def search(repository: Repository, site: Site, commit: str, *, seconds: float = LIMIT) -> Search:
    """Look for a manifest of the site's target that has records; `commit` is the one to be synced."""
    asked = _Asked(repository, seconds)
    try:
        for candidates in _places(repository, site, commit, asked):
            found = _first(asked, candidates, site.target)
            if found:
                return Search(found)
    except OutOfTime:
        return Search(
            gap=f"Git was not searched to the end for an earlier manifest ({seconds:g} s were over)"
        )
    if repository.shallow:
        return Search(gap="this clone is shallow, so Git cannot tell whether the site had a manifest before")
    return Search()


def unknown_to_us(
    repository: Repository, site: Site, entries: Iterable[Entry], *, seconds: float = LIMIT
) -> FoundManifest | None:
    """Count the records that the upstream's manifest has and ours does not, as of the last fetch.

    A record that the manifest had where the two parted is not counted: it was dropped here on purpose.
    """
    asked = _Asked(repository, seconds)
    try:
        upstream = _upstream(repository, asked)
        if upstream is None:
            return None
        base = asked("merge-base", "HEAD", upstream) or ""
        if base == asked("rev-parse", "--verify", "--quiet", f"{upstream}^{{commit}}"):
            return None
        theirs = _read(asked, f"{upstream}:{site.manifest}", site.target)
        before = _read(asked, f"{base}:{site.manifest}", site.target) if base and theirs else None
    except OutOfTime:
        return None
    more = _records(theirs) - _records(before) - {(entry.kind, entry.id) for entry in entries}
    if not more:
        return None
    return FoundManifest(_short(upstream), len(more), _bring_in(upstream))


def lost(
    repository: Repository, site: Site, commit: str, *, seconds: float = LIMIT
) -> tuple[list[str], list[Problem]]:
    """Refuse to create where Git has a manifest of this site; warn where Git cannot tell."""
    looked, name = search(repository, site, commit, seconds=seconds), site.reference or site.file
    if looked.found:
        return [limits.lost_manifest(name, **asdict(looked.found))], []
    todo = "if other clones synced this site, bring their manifest here first"
    return [], [Problem(name, 0, looked.gap, todo, warning=True)] if looked.gap else []


def not_pulled(repository: Repository, site: Site, entries: Iterable[Entry]) -> list[str]:
    """Refuse to create where the upstream's manifest knows records that ours does not."""
    found = None if site.reference else unknown_to_us(repository, site, entries)
    return [limits.not_pulled(**asdict(found))] if found else []


class _Asked:
    """Asks Git until the time is over; None where Git has no answer."""

    def __init__(self, repository: Repository, seconds: float) -> None:
        self._repository = repository
        self._deadline = time.monotonic() + seconds

    def __call__(self, *arguments: str, given: str = "") -> str | None:
        """Ask Git.

        :raises OutOfTime: the time is over.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise OutOfTime("the time for the search is over")
        status, said, _ = self._repository.ask(*arguments, given=given, env=_OFFLINE, seconds=left)
        return None if status else said


def _places(repository: Repository, site: Site, commit: str, asked: _Asked) -> Iterator[Iterable[_Candidate]]:
    """Name the places, those first that are cheap to ask and whose command does most."""
    back = _Back(repository, site)
    upstream = _upstream(repository, asked)
    if upstream is not None and not asked("ls-tree", _base(asked, upstream), "--", site.file):
        # Where the two parted there was none yet, so a merge brings it; else it was deleted here.
        tip = asked("rev-parse", "--verify", "--quiet", f"{upstream}^{{commit}}") or ""
        place = f"{_short(upstream)} ({tip[:10]})"
        yield [_Candidate(f"{upstream}:{site.file}", place, _bring_in(upstream))]
    yield _in_history(asked, site, commit, back)
    yield _in_references(asked, site, back)


def _in_history(asked: _Asked, site: Site, commit: str, back: _Back) -> list[_Candidate]:
    """Name the manifests of history: as each commit left it, and as it was before that commit."""
    # Whole history: simplified, a merge that dropped the file hides the side that had it.
    heads = {commit, asked("rev-parse", "--verify", "--quiet", "HEAD") or commit}
    walk = ("log", "--full-history", f"--max-count={_COMMITS}", "--format=%H %P", *heads)
    rows = (asked(*walk, "--", site.file) or "").splitlines()
    revisions = dict.fromkeys(revision for row in rows for revision in row.split())
    return [
        _Candidate(f"{each}:{site.file}", f"commit {each[:10]}", back.file(each[:10])) for each in revisions
    ]


def _in_references(asked: _Asked, site: Site, back: _Back) -> list[_Candidate]:
    """Name the manifests of branches, tags and of references like those of `manifest = "ref"`."""
    listing = ("for-each-ref", "--sort=-committerdate", "--format=%(refname) %(refname:short) %(objectname)")
    rows = (asked(*listing, *(each.rstrip("/") for each in _HEADS), "refs/pressync") or "").splitlines()
    found = []
    for name, short, tip in (row.split(" ") for row in rows):
        place = f"{short} ({tip[:10]})"
        if "/pressync/" in name:
            found.append(_Candidate(f"{name}:{MANIFEST}", place, back.reference(name)))
        if name.startswith(_HEADS):
            found.append(_Candidate(f"{name}:{site.file}", place, back.file(short)))
    return found


@dataclass(frozen=True, slots=True)
class _Back:
    """Words the commands that bring a manifest back to where the next sync looks for it."""

    repository: Repository
    site: Site

    def file(self, revision: str) -> str:
        """Bring back a file that a revision has."""
        if self.repository.root is None:
            return self._written(f"{revision}:{self.site.file}")
        command = f"git restore --source={quote(revision)} -- {quote(self.site.file)}"
        return (
            f"{command} && git add {quote(self.site.file)} && git commit" if self.site.reference else command
        )

    def reference(self, name: str) -> str:
        """Bring back what a reference has."""
        if self.site.reference:
            return f"git update-ref {self.site.reference} {name}"
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


def _first(asked: _Asked, candidates: Iterable[_Candidate], target: str) -> FoundManifest | None:
    """Read the candidates in turn, equal ones once, until one has records of the target."""
    named = list(candidates)
    if not named:
        return None
    question = "".join(f"{each.name}\n" for each in named)
    said = asked("cat-file", "--batch-check=%(objectname) %(objecttype)", given=question) or ""
    read = set()
    for candidate, row in zip(named, said.splitlines(), strict=False):
        blob, _, kind = row.partition(" ")
        if kind != "blob" or blob in read:
            continue
        read.add(blob)
        known = _read(asked, blob, target)
        if known and (known.entries or known.doubts):
            return FoundManifest(candidate.place, len(known.entries), candidate.command)
    return None


def _read(asked: _Asked, name: str, target: str) -> Manifest | None:
    """Read a manifest out of Git; one of another target, or that cannot be read, says nothing."""
    text = asked("cat-file", "blob", name)
    try:
        known = codec.decode(text, where=name) if text else None
    except ManifestError:
        return None
    return known if known and known.target == target else None


def _records(known: Manifest | None) -> set[tuple[Kind, int]]:
    return {(entry.kind, entry.id) for entry in known.entries.values()} if known else set()


def _upstream(repository: Repository, asked: _Asked) -> str | None:
    """Name the branch that HEAD's branch follows, in full; None if it follows none."""
    if repository.root is None:
        return None
    return asked("rev-parse", "--verify", "--quiet", "--symbolic-full-name", "@{upstream}") or None


def _base(asked: _Asked, upstream: str) -> str:
    """Name the commit where HEAD and the upstream parted; the empty tree's name if they never met."""
    return asked("merge-base", "HEAD", upstream) or asked("hash-object", "-t", "tree", "--stdin") or ""


def _short(reference: str) -> str:
    return reference.removeprefix("refs/remotes/").removeprefix("refs/heads/")


def _bring_in(upstream: str) -> str:
    is_remote = upstream.startswith("refs/remotes/")
    return "git pull" if is_remote else f"git merge {quote(_short(upstream))}"
