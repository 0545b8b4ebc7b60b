"""Reads what a plan needs from one tree and one manifest, and gives the situation of each path.

The survey reads and never decides. It reads a file only if something that goes into its fields has changed
since the last sync: its blob, its parent's id, an address that it links to, its template or its defaults. The
entry's `basis` is a digest of all of these but the blob.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from pressync.content.basis import BARE, FORMER
from pressync.model.changes import Change, Delete, Keep, Refusal, Update
from pressync.model.errors import Code, Problem
from pressync.model.fingerprint import UNSURE
from pressync.model.records import Desired, Entry, RolledBack, UnconfirmedCreate
from pressync.model.visibility import is_deleted
from pressync.plan import pulls
from pressync.plan.blocks import Held, block_writes
from pressync.plan.history import renamed_entries, trace
from pressync.plan.situations import Facts, Situation

if TYPE_CHECKING:
    from pressync.client.dialects import UserRights
    from pressync.content.content import Content
    from pressync.model.reason import Reason
    from pressync.model.records import RecordKey
    from pressync.plan.pulls import PulledElsewhere
    from pressync.state.clone_facts import RunRecords
    from pressync.state.clone_log import Bond
    from pressync.state.state import State

# It is called with the number of files that were read, and of all files to read.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class SiteFindings:
    """The results of a look at the site, by path.

    `gone` are paths whose record the site no longer has. `in_trash` are paths of parents whose record is in
    the trash. `unverified` says why a record does not verify its entry. `taken` says why a document cannot be
    created at its address; it is None if nobody has looked. `compared` tells that every record of the plan
    was read, and `lost` which deleted terms explain its edits. `rights` are those of the site's user; None if
    nobody has asked. The others go by kind and id. `held` has the owner of each record that was read, and
    `notes` the number of its notes of editors. `stored` has the fields that are there in another form than
    pressync sends. `texts` has the text of some records. `unread` says why a record could not be compared.

    `edited` are the entries whose `conflict` differs from the manifest's. `moved` are those of records that
    have another address, although nobody edited what their address is made of: the site's settings did it, or
    a page above them.
    """

    gone: frozenset[str] = frozenset()
    unverified: Mapping[str, Reason] = field(default_factory=dict)
    taken: Mapping[str, Reason] | None = None
    in_trash: frozenset[str] = frozenset()
    compared: bool = False
    lost: Mapping[str, Reason] = field(default_factory=dict)
    rights: UserRights | None = None
    held: Mapping[RecordKey, Held] = field(default_factory=dict, compare=False)
    unread: Mapping[RecordKey, Reason] = field(default_factory=dict, compare=False)
    stored: Mapping[RecordKey, frozenset[str]] = field(default_factory=dict, compare=False)
    texts: Mapping[RecordKey, str] = field(default_factory=dict, compare=False)
    notes: Mapping[RecordKey, int] = field(default_factory=dict, compare=False)
    edited: tuple[Entry, ...] = ()
    moved: tuple[Entry, ...] = ()

    @property
    def has_news(self) -> bool:
        """Whether anything was found that is not in the manifest."""
        return bool(self.edited or self.gone or self.unverified or self.in_trash or self.moved)

    @property
    def learned(self) -> tuple[Entry, ...]:
        """The entries that the manifest has to learn; an edited record that moved is edited last."""
        return (*self.moved, *self.edited)

    def joined(self, later: SiteFindings) -> SiteFindings:
        """Add what a later look has read of records."""
        return replace(
            self,
            gone=self.gone | later.gone,
            unverified={**self.unverified, **later.unverified},
            in_trash=self.in_trash | later.in_trash,
            held={**self.held, **later.held},
            unread={**self.unread, **later.unread},
            stored={**self.stored, **later.stored},
            texts={**self.texts, **later.texts},
        )


# Nobody has looked at the site.
NO_FINDINGS = SiteFindings()


@dataclass(frozen=True, slots=True)
class Known:
    """The knowledge of this clone about the site: entries, unconfirmed creates, forgotten records.

    `lost` reads the records that the manifest has forgotten from a file of this clone, on demand. `vouched`
    reads the records that this clone's notes verify, and is called only before an overwrite or a delete.
    `manifest` is false where there is no manifest, and None where nobody has looked. `refusal` says why the
    manifest cannot be written. `runs` are the records of this clone's runs, and `rolled_back` is the one that
    was rolled back last, if no sync has run since.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    unconfirmed: Mapping[str, UnconfirmedCreate] = field(default_factory=dict)
    lost: Callable[[], Mapping[str, Entry]] = dict
    manifest: bool | None = None
    vouched: Callable[[], Mapping[str, Bond]] = dict
    findings: SiteFindings = NO_FINDINGS
    refusal: Refusal | None = None
    runs: RunRecords | None = None
    rolled_back: RolledBack | None = None


def known(state: State, findings: SiteFindings = NO_FINDINGS, runs: RunRecords | None = None) -> Known:
    """Collect for a plan what this clone knows, and what a look at the site has shown."""
    return Known(
        state.manifest.entries,
        state.unconfirmed,
        lambda: state.forgotten_by_manifest,
        state.has_manifest,
        state.vouched.bonds,
        findings,
        state.refusal,
        runs,
        state.whole.rolled_back,
    )


@dataclass(frozen=True, slots=True)
class Survey:
    """A situation for each path that needs a decision, and the entries that are up to date and unread.

    `entries` are the manifest's; those of renamed files have the new path. `renamed` gives the new path of
    each of them by its old path. `documents` is the number of documents in the tree. `in_trash` are the
    entries of parents in the trash, `deleted` those whose record the site no longer has.
    """

    situations: tuple[Situation, ...]
    unread: tuple[Entry, ...]
    entries: Mapping[str, Entry]
    documents: int
    renamed: Mapping[str, str]
    in_trash: tuple[Entry, ...] = ()
    deleted: tuple[Entry, ...] = ()


class Surveyor:
    """Surveys one tree."""

    def __init__(self, content: Content, progress: Progress | None = None) -> None:
        self.content = content
        self._progress = progress or (lambda _done, _total: None)
        # A dictionary keeps the order and drops repetitions: the problem of a default comes with every file,
        # and the problem of a file comes each time that the file is read.
        self._problems: dict[Problem, None] = {}
        self._broken: dict[str, Problem] = {}
        self._left_out: set[str] = set()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems of the files that were read, each of them once."""
        return tuple(self._problems)

    def survey(self, known: Known, *, rewind: bool, read_all: bool) -> Survey:
        """Give the situations of all documents and all entries."""
        tree, sources, before = self.content.tree, self.content.sources, dict(known.entries.items())
        # 1. Ask Git first where missing files went, because entries and creates follow their files.
        new = {path: blob for path, blob in sources.items() if path not in before}
        sent = {path: _entry_of(create) for path, create in known.unconfirmed.items()}
        traced = trace(self.content.repository, tree, {**sent, **before}, new, rewind=rewind)
        renamed = {old: path for old, path in traced.renamed.items() if old in before}
        came_from = {path: old for old, path in renamed.items()}
        entries = renamed_entries(before, renamed, tree)
        unconfirmed = {traced.renamed.get(path, path): create for path, create in known.unconfirmed.items()}
        deleted = {renamed.get(path, path) for path in known.findings.gone}
        # 2. Read the files whose fields may have changed.
        concerned = came_from.keys() | unconfirmed.keys() | deleted
        unread, to_read = self._split(entries, concerned, read_all=read_all)
        desired = self._read(to_read, entries, renamed)
        # 3. Give each path its situation.
        forgotten = known.lost() if desired.keys() - entries.keys() else {}
        bonds = known.vouched() if forgotten else {}
        unverified = {path for path, e in forgotten.items() if path not in bonds or not bonds[path].holds(e)}
        facts = Facts(
            desired=desired,
            entries=entries,
            unconfirmed=unconfirmed,
            problems=self._broken,
            came_from=came_from,
            absences=traced.absences,
            untraceable=traced.untraceable,
            shallow=traced.shallow,
            forgotten=forgotten,
            unverified=unverified,
            taken=known.findings.taken or {},
            types=self.content.settings.types,
            owners=_owners(desired.values(), entries),
            deleted=deleted,
            committed=tree.files.keys(),
            left_out=self._left_out.union(filter(self.content.excludes, entries.keys() - sources.keys())),
        )
        paths = sorted({*to_read, *unconfirmed, *(entries.keys() - sources.keys())})
        situations = tuple(situation for path in paths if (situation := facts.situation(path)))
        in_trash = tuple(entries[renamed.get(path, path)] for path in known.findings.in_trash)
        noted = {path for path in to_read if path in entries and is_deleted(entries[path])}
        gone = tuple(entries[path] for path in deleted | noted)
        return Survey(situations, unread, entries, len(sources), renamed, in_trash, gone)

    def linking(
        self, changes: Iterable[Change], survey: Survey, moving: frozenset[str]
    ) -> dict[str, Desired]:
        """Read the up-to-date documents that link to a page whose address this run may change."""
        kept = (change.entry for change in changes if isinstance(change, Keep))
        paths = {e.path for e in chain(kept, survey.unread) if e.links and moving.intersection(e.links)}
        return self._read(sorted(paths), survey.entries, survey.renamed)

    def block_pulled(
        self, changes: list[Change], survey: Survey, known: Known
    ) -> tuple[list[Change], PulledElsewhere]:
        """Block the updates that would undo a pull whose file is not committed, here or in another clone.

        If this clone knows another record at the path, the manifest is wrong, and nobody has pulled anything.
        """
        content = self.content
        blocked = pulls.uncommitted(content, changes, survey.renamed)
        updated = {change.path: change.entry for change in changes if isinstance(change, Update | Delete)}
        bonds = known.vouched() if updated else {}
        ours = {
            path: entry for path, entry in updated.items() if path not in bonds or bonds[path].holds(entry)
        }
        elsewhere = pulls.elsewhere(content, ours, survey.renamed, known.runs)
        return block_writes(changes, elsewhere.reasons(changes) | blocked), elsewhere

    def _split(
        self, entries: Mapping[str, Entry], concerned: Collection[str], *, read_all: bool
    ) -> tuple[tuple[Entry, ...], list[str]]:
        sources, basis = self.content.sources, self.content.basis
        # An edit of a README may make it the parent of the pages beside it.
        same_paths = not (concerned or self.content.readmes) and entries.keys() == sources.keys()
        unread: list[Entry] = []
        to_read: list[str] = []
        # Siblings without links have the same basis, and most records have siblings.
        readmes = self.content.folder_readmes(entries)
        common = cache(lambda layout, parent: basis(layout, parent, (), entries))
        for path, blob in sources.items():
            entry = entries.get(path)
            if (
                entry is not None
                and not read_all
                and entry.blob == blob
                and path not in concerned
                and not entry.conflict
                and UNSURE not in "".join(entry.fingerprints.values())
                and (same_paths or self._same_parent(entry, readmes))
                and not (self.content.renew and FORMER in entry.basis)
                and entry.basis[:BARE]
                == (
                    basis(entry.layout, entry.parent_path, entry.links, entries)
                    if entry.links
                    else common(entry.layout, entry.parent_path)
                )
            ):
                unread.append(entry)
            else:
                to_read.append(path)
        return tuple(unread), to_read

    def _same_parent(self, entry: Entry, readmes: Container[str]) -> bool:
        if not entry.kind.row.hierarchical:
            return True
        return self.content.folder_parent(entry.path, readmes) == entry.parent_path

    def _read(
        self, paths: Iterable[str], entries: Mapping[str, Entry], renamed: Mapping[str, str]
    ) -> dict[str, Desired]:
        paths = list(paths)
        desired: dict[str, Desired] = {}
        for number, path in enumerate(paths, 1):
            read = self.content.read_for_plan(path, entries, renamed)
            self._problems.update(dict.fromkeys(read.problems))
            if read.prepared:
                desired[path] = read.prepared.desired
            elif read.left_out:
                self._left_out.add(path)
            else:
                # A file that is neither a page nor a post has a warning only. It is not a document.
                for problem in read.problems:
                    if not problem.warning:
                        self._broken.setdefault(path, problem)
            self._progress(number, len(paths))
        for problem in parent_cycles(desired, entries):
            self._problems[problem] = None
            self._broken[problem.path] = problem
            del desired[problem.path]
        return desired


def _entry_of(create: UnconfirmedCreate) -> Entry:
    """Make an entry of an unconfirmed create, so that `trace` can follow its file."""
    return Entry(create.path, create.kind, 0, create.slug, "", "", "", "", create.commit, {})


def _owners(desired: Iterable[Desired], entries: Mapping[str, Entry]) -> dict[str, str]:
    """Give, by path, the other path that already has the record which `id:` in front matter names."""
    bound = [document for document in desired if document.bound_id is not None]
    if not bound:
        return {}
    holders = {(entry.kind, entry.id): entry.path for entry in entries.values()}
    owners: dict[str, str] = {}
    for document in bound:
        holder = holders.setdefault((document.kind, document.bound_id or 0), document.path)
        if holder != document.path:
            owners[document.path] = holder
    return owners


def parent_cycles(desired: Mapping[str, Desired], entries: Mapping[str, Entry]) -> list[Problem]:
    """Give a problem for each document that is its own ancestor."""
    if not desired:
        return []

    def parent(path: str) -> str | None:
        page = desired.get(path) or entries.get(path)
        return page.parent_path if page else None

    problems = []
    for path in desired:
        seen = {path}
        above = parent(path)
        while above is not None and above not in seen:
            seen.add(above)
            above = parent(above)
        if above == path:
            problem, todo = "it is its own ancestor", "correct `parent:` in one of the pages"
            problems.append(Problem(path, 0, problem, todo, code=Code.PARENT_CYCLE))
    return problems
