"""Looks at one tree beside one manifest and gathers what each path's decision needs. Reads, never decides.

It must not know the service. What decided its shape: a file is read only if something that goes into
its fields is not what it was when it was last sent, namely its blob, its parent's id, an address it
links to, its template or its defaults. The digest of all but the blob is the entry's `basis`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.model.changes import Absence, Keep
from pressync.model.errors import Problem
from pressync.model.fingerprint import is_unsure
from pressync.model.interface import Kind
from pressync.model.records import Entry
from pressync.plan.decide import Situation
from pressync.plan.dependents import linked_update
from pressync.plan.history import trace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.content.content import Content
    from pressync.model.changes import Change, Update
    from pressync.model.records import Desired, Doubt
    from pressync.plan.history import Trace
    from pressync.repo.repository import Tree
    from pressync.state.state import State
    from pressync.state.vouched import Bond

# How many files were read, of how many.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class SiteFindings:
    """A look at the site: paths of records that it does not have, and why it speaks against entries.

    `taken` says why documents cannot be made at addresses that were looked up; None if nobody has looked.
    """

    gone: frozenset[str] = frozenset()
    disbelieved: Mapping[str, str] = field(default_factory=dict)
    taken: Mapping[str, str] | None = None

    def with_missing(self, gone: frozenset[str], disbelieved: Mapping[str, str]) -> SiteFindings:
        """Add what another look has shown."""
        return replace(self, gone=self.gone | gone, disbelieved={**self.disbelieved, **disbelieved})

    def with_taken(self, taken: Mapping[str, str]) -> SiteFindings:
        """Add why documents cannot be made, as a look at their addresses has shown."""
        return replace(self, taken={**(self.taken or {}), **taken})


# Nobody has looked.
NO_FINDINGS = SiteFindings()


@dataclass(frozen=True, slots=True)
class Known:
    """What this clone knows of the site: the manifest's entries, creates in doubt, records it has lost.

    `lost` reads a file of this clone when it is asked for. `manifest` is false where there is none; None
    where nobody asked for one. `vouched` are the bonds that its notes know, asked for only when something is
    to be overwritten or deleted. `findings` is what a look at the site has shown.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    doubts: Mapping[str, Doubt] = field(default_factory=dict)
    lost: Callable[[], Mapping[str, Entry]] = dict
    manifest: bool | None = None
    vouched: Callable[[], Mapping[str, Bond]] = dict
    findings: SiteFindings = NO_FINDINGS


def known(state: State, findings: SiteFindings = NO_FINDINGS) -> Known:
    """Tell a plan what this clone knows, and what a look at the site has shown."""
    return Known(
        state.manifest.entries,
        state.doubts,
        lambda: state.forgotten_by_manifest,
        state.has_manifest,
        state.vouched.bonds,
        findings,
    )


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found: a situation for each path that needs a decision, and the entries in step unread.

    `entries` are the manifest's, renamed files under their new path. `documents` counts the content.
    """

    situations: tuple[Situation, ...]
    unread: tuple[Entry, ...]
    entries: Mapping[str, Entry]
    documents: int
    trace: Trace


class Surveyor:
    """Surveys one tree."""

    def __init__(self, content: Content, progress: Progress | None = None) -> None:
        self._content = content
        self._progress = progress or (lambda _done, _total: None)
        # In the order in which they were found, and none twice: the problem of a default comes back with
        # every file, and that of a file with every reading of it.
        self._problems: dict[Problem, None] = {}
        self._broken: dict[str, Problem] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong in the files read so far, each thing once."""
        return tuple(self._problems)

    def survey(self, known: Known, *, rewind: bool, read_all: bool) -> Survey:
        """Gather the situations of all documents and all entries."""
        entries, doubts = known.entries, known.doubts
        sources = self._content.sources
        new = {path: blob for path, blob in sources.items() if path not in entries}
        traceable = {path: _shadow(doubt) for path, doubt in doubts.items()} | dict(entries.items())
        traced = trace(self._content.repository, self._content.tree, traceable, new, rewind=rewind)
        # A create in doubt stays in doubt under its file's new name.
        doubts = {traced.renamed.get(path, path): doubt for path, doubt in doubts.items()}
        traced = replace(traced, renamed={p: n for p, n in traced.renamed.items() if p in entries})
        came_from = {target: path for path, target in traced.renamed.items()}
        entries = _renamed(entries, traced.renamed, self._content.tree)
        gone = {traced.renamed.get(path, path) for path in known.findings.gone}
        suspect = came_from.keys() | doubts.keys() | gone
        unread, to_read = self._sorted_out(entries, suspect, read_all=read_all)
        desired = self._read(to_read, entries)
        owners = _owners(desired.values(), entries)
        lost = known.lost() if desired.keys() - entries.keys() else {}
        paths = sorted({*to_read, *doubts, *(path for path in entries if path not in sources)})
        situations = tuple(
            Situation(
                path=path,
                desired=desired.get(path),
                entry=entries.get(path),
                came_from=came_from.get(path),
                absence=traced.absences.get(path) or self._outside(path),
                problem=self._broken.get(path),
                kind=entries[path].kind if path in entries else self._kind(path),
                doubt=doubts.get(path),
                maybe_renamed_from=_maybe_renamed_from(path, traced) if path not in entries else None,
                lost=lost.get(path),
                taken=known.findings.taken.get(path) if known.findings.taken else None,
                bound_elsewhere=owners.get(path),
                gone=path in gone,
            )
            for path in paths
            if desired.get(path) or path in entries or path in doubts or path in self._broken
        )
        return Survey(situations, unread, entries, len(sources), traced)

    def link_updates(
        self, changes: Iterable[Change], survey: Survey, moving: frozenset[str]
    ) -> dict[str, Update]:
        """Find the updates of records in step that link to a page whose address this run may change."""
        links = {change.path: change.entry.links for change in changes if isinstance(change, Keep)}
        links.update({entry.path: entry.links for entry in survey.unread})
        found = [path for path, targets in links.items() if moving.intersection(targets)]
        desired = self._read(sorted(found), survey.entries)
        return {
            path: linked_update(document, survey.entries[path], moving.intersection(document.links))
            for path, document in desired.items()
        }

    def _sorted_out(
        self, entries: Mapping[str, Entry], suspect: Collection[str], *, read_all: bool
    ) -> tuple[tuple[Entry, ...], list[str]]:
        sources = self._content.sources
        same_paths = not suspect and entries.keys() == sources.keys()
        unread: list[Entry] = []
        to_read: list[str] = []
        for path, blob in sources.items():
            entry = entries.get(path)
            if (
                entry is not None
                and not read_all
                and entry.blob == blob
                and path not in suspect
                and not entry.conflict
                and not any(map(is_unsure, entry.fingerprints.values()))
                and (same_paths or self._same_parent(entry))
                and entry.basis == self._content.basis(entry.layout, entry.parent_path, entry.links, entries)
            ):
                unread.append(entry)
            else:
                to_read.append(path)
        return tuple(unread), to_read

    def _same_parent(self, entry: Entry) -> bool:
        return entry.kind is Kind.POST or self._content.folder_parent(entry.path) == entry.parent_path

    def _read(self, paths: Iterable[str], entries: Mapping[str, Entry]) -> dict[str, Desired]:
        paths = list(paths)
        found: dict[str, Desired] = {}
        for number, path in enumerate(paths, 1):
            read = self._content.read(path, entries)
            self._problems.update(dict.fromkeys(read.problems))
            if read.prepared:
                found[path] = read.prepared.desired
            else:
                # A file that is neither a page nor a post has a warning only, and is simply no document.
                for problem in read.problems:
                    if not problem.warning:
                        self._broken.setdefault(path, problem)
            self._progress(number, len(paths))
        for problem in _in_circles(found, entries):
            self._problems[problem] = None
            self._broken[problem.path] = problem
            del found[problem.path]
        return found

    def _outside(self, path: str) -> Absence | None:
        return Absence.OUTSIDE if path in self._content.tree.files else None

    def _kind(self, path: str) -> Kind:
        return Kind.POST if "/posts/" in f"/{path}" else Kind.PAGE


def _shadow(doubt: Doubt) -> Entry:
    """Make an entry of a create in doubt, for its file's history alone."""
    return Entry(doubt.path, doubt.kind, 0, doubt.slug, "", "", "", "", doubt.commit, {})


def _renamed(entries: Mapping[str, Entry], renamed: Mapping[str, str], tree: Tree) -> dict[str, Entry]:
    """Entries under their files' new names; what they say of other files is renamed as well.

    An entry's commit must hold its path, or a later removal has no witness: a renamed one gets the
    commit that has the new name. And it loses its basis: the same bytes say another slug or parent at
    another path, so until that is sent, however the run ends, the file must be read again.
    """
    if not renamed:
        return dict(entries.items())
    result = {}
    for path, entry in entries.items():
        parent = renamed.get(entry.parent_path or "", entry.parent_path)
        moved = replace(entry, parent_path=parent)
        if here := renamed.get(path):
            commit = tree.commit if tree.committed else entry.commit
            moved = replace(moved, path=here, commit=commit, basis="")
        result[moved.path] = moved
    return result


def _owners(desired: Iterable[Desired], entries: Mapping[str, Entry]) -> dict[str, str]:
    """Path -> the other path that already holds the id which its front matter names."""
    bound = [document for document in desired if document.bound_id is not None]
    if not bound:
        return {}
    holders = {(entry.kind, entry.id): entry.path for entry in entries.values()}
    found: dict[str, str] = {}
    for document in bound:
        holder = holders.setdefault((document.kind, document.bound_id or 0), document.path)
        if holder != document.path:
            found[document.path] = holder
    return found


def _maybe_renamed_from(path: str, traced: Trace) -> str | None:
    name = path.rpartition("/")[2]
    for old in traced.untraceable:
        if old.rpartition("/")[2] == name:
            return old
    return traced.untraceable[0] if traced.untraceable else None


def _in_circles(found: Mapping[str, Desired], entries: Mapping[str, Entry]) -> list[Problem]:
    """Find a problem for each document that is, over its parents, its own ancestor."""
    if not found:
        return []
    parents = {path: entry.parent_path for path, entry in entries.items()}
    parents.update({path: desired.parent_path for path, desired in found.items()})
    problems = []
    for path in found:
        seen = {path}
        here = parents.get(path)
        while here is not None and here not in seen:
            seen.add(here)
            here = parents.get(here)
        if here == path:
            problems.append(
                Problem(path, 0, "it is its own ancestor", "correct `parent:` in one of the pages")
            )
    return problems


def same_address(desired: Iterable[Desired], entries: Mapping[str, Entry]) -> list[Problem]:
    """Warn of documents that want one slug under one parent: the service will bend all but one."""
    wanted: dict[tuple[Kind, str | None, str], list[str]] = defaultdict(list)
    paths = set()
    for document in desired:
        paths.add(document.path)
        wanted[document.kind, document.parent_path, document.slug].append(document.path)
    for entry in entries.values() if wanted else ():
        key = (entry.kind, entry.parent_path, entry.slug)
        if entry.path not in paths and key in wanted:
            wanted[key].append(entry.path)
    return [
        Problem(
            group[0],
            0,
            f"it wants the same address as {', '.join(group[1:3])}",
            "give one of them another `slug:`, or the service will add a number",
            warning=True,
        )
        for group in wanted.values()
        if len(group) > 1
    ]
