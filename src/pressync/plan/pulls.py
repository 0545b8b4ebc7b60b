"""Finds updates that would send an older text over a pull that no commit has here, and maybe none anywhere.

A pull writes the site's text into the file and into the entry's blob. Until a commit here has that text, the
committed text looks like a change of the repository, and a sync would send it over the words of the browser.

Either this working tree has the text, and somebody has to commit it (`uncommitted`). Or another clone has it,
and the manifest reached this clone before the file did (`elsewhere`). Such a record agrees with the manifest,
and the notes of this clone verify the entry, so nobody seems to have edited it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from pressync.content.former import FormerTexts
from pressync.content.markdown_text import unresolved
from pressync.model.bounds import PAGE, FileTooLarge
from pressync.model.changes import Change, Delete, Update
from pressync.model.fingerprint import is_unsure
from pressync.model.printable import one_line
from pressync.model.reason import NO_REASON, Reason, ReasonCode
from pressync.plan import match, reasons
from pressync.repo import work_tree
from pressync.state import clone_facts, manifest_ref

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pressync.content.content import Content
    from pressync.model.records import Entry, Prepared, Record
    from pressync.repo.history import Commit
    from pressync.repo.repository import Repository, Tree
    from pressync.state.clone_facts import RunRecords

# Up to this many paths are given to Git. A command line has a limit.
_FEW = 100
_CONTENT, _PULLED = "content", "pulled it into another clone"


def uncommitted(
    repository: Repository, tree: Tree, changes: Iterable[Change], renamed: Mapping[str, str]
) -> dict[str, Reason]:
    """Give the reason to block each update over an uncommitted pull of this clone, by path.

    `renamed` gives new paths by old. Most updates come from a commit that left the file clean, so `git
    status` answers for them. This clone has the blob of a pull, and no commit since the last sync has it.
    Older commits do not count, because an editor may restore an older text.
    """
    if repository.root is None or not tree.committed:
        return {}
    sent = {
        change.path: change.entry
        for change in changes
        if isinstance(change, Update) and change.entry.blob not in ("", change.desired.blob)
    }
    paths = sorted(sent) if len(sent) <= _FEW else ["."]
    edited = repository.edited(paths) if sent else frozenset[str]()
    dirty = {path: sent[path] for path in sorted(edited & sent.keys())}
    if not dirty:
        return {}
    files = _at_sync(repository, dirty, renamed)
    synced = {blob for each in files.values() for blob in each.bases.values()}
    pulled = {
        path: each
        for path, each in files.items()
        if each.entry.blob not in synced and repository.text(each.entry.blob) is not None
    }
    later = _had(repository, ((each, f"{each.entry.commit}..{tree.commit}") for each in pulled.values()))
    return {
        path: reasons.pulled(path, _conflict(repository.root / path))
        for path, each in pulled.items()
        if each.entry.blob not in later[path]
    }


def _conflict(file: Path) -> int:
    """Give the line on which a conflict begins in a file of the working tree; 0 if there is none."""
    try:
        # Somebody may have removed the file, or have put a pipe in its place.
        data = work_tree.read(file, PAGE) if file.is_file() else b""
    except (OSError, FileTooLarge):
        return 0
    problem = unresolved(file.name, data.decode(errors="replace"))
    return problem.line or 0 if problem else 0


@dataclass(frozen=True, slots=True)
class PullElsewhere:
    """A text that HEAD does not have: `then` has the digest of each field that differs from the last sync.

    `base` is the blob that was last sent, and `sent` its document. `noted` is the commit that brought the
    text into the manifest, None if the manifest is not committed here. `held` names a branch that has the
    text, which `may_be_merged` with other edits if the person who pulled it has committed the file since.
    """

    then: Mapping[str, str]
    base: str
    sent: Prepared
    noted: Commit | None
    held: str
    may_be_merged: bool

    def is_lost(self, change: Update | Delete) -> bool:
        """Tell whether a change sends an older value, or one of a person who may not know of the pull."""
        if isinstance(change, Delete):
            return True
        sent = {**change.desired.create_only, **change.desired.fingerprints}
        changed = self.then.keys() & set(change.fields)
        return any(not self.may_be_merged or sent.get(name, "") == self.then[name] for name in changed)

    def reason(self, path: str) -> Reason:
        """Say who has a text of the site that no commit here has, and the ways to go on."""
        file, noted = quote(path), self.noted
        did = "sent it from another clone" if noted and noted.subject.startswith("Sync") else _PULLED
        when = f"{one_line(noted.who)} {did} on {noted.time}" if noted else f"somebody {did}"
        first = f"merge {self.held}, which has it" if self.held else "`git pull` when it is pushed"
        return Reason(
            ReasonCode.PULLED_ELSEWHERE,
            {"when": when, "held": self.held},
            f"the site has a text of this file that HEAD does not have: {when}; {first}, or "
            f"`pressync pull {file}` takes it from the site, or `pressync sync --overwrite {file}` sends the "
            "committed text over it",
        )


@dataclass(frozen=True)
class PulledElsewhere:
    """All such texts of a plan, by the path in the tree."""

    content: Content
    entries: Mapping[str, Entry]
    texts: Mapping[str, PullElsewhere]

    def reasons(self, changes: Iterable[Change]) -> dict[str, Reason]:
        """Give the reason to block each change that would overwrite or delete such a text."""
        return {
            change.path: self.texts[change.path].reason(change.path)
            for change in changes
            if isinstance(change, Update | Delete)
            and change.path in self.texts
            and self.texts[change.path].is_lost(change)
        }

    def unmerged(self, path: str, record: Record) -> Reason:
        """Give the reason to block an update if its text has not the edit of the record."""
        found = self.texts.get(path)
        if found is None or _CONTENT not in found.then:
            return NO_REASON
        read = self.content.read(path, self.entries, check=False).prepared
        before, there, here = (
            frozenset(match.words(str(fields.get(_CONTENT, ""))))
            for fields in (found.sent.fields, record.fields, read.fields if read else {})
        )
        new, gone = there - before, before - there
        # The service may leave words out itself, so those that are gone count only if none is new.
        is_merged = new <= here if new else not gone or bool(gone - here)
        return NO_REASON if is_merged else found.reason(path)


def elsewhere(
    content: Content, entries: Mapping[str, Entry], renamed: Mapping[str, str], runs: RunRecords | None
) -> PulledElsewhere:
    """Find the texts from other clones among entries by their path; `renamed` gives new paths by old."""
    differing = {
        path: entry
        for path, entry in entries.items()
        if entry.commit and entry.blob not in ("", content.sources.get(path))
    }
    files = _at_sync(content.repository, differing, renamed)
    # The manifest may know the new path of a file already, which its last sync did not have.
    moved = {path: each.entry for path, each in files.items() if not each.bases and path in content.sources}
    if moved:
        files |= _at_sync(content.repository, moved, _renamed_since(content, moved))
    updates = {
        path: each
        for path, each in files.items()
        if each.bases and each.entry.blob not in each.bases.values()
    }
    found = dict(_elsewhere(content, updates, runs)) if updates else {}
    return PulledElsewhere(content, entries, found)


@dataclass(frozen=True, slots=True)
class _AtSync:
    """A file at its last sync: `names` are of then and now, `bases` the blobs of that commit by name."""

    path: str
    entry: Entry
    bases: Mapping[str, str]
    names: frozenset[str]


def _renamed_since(content: Content, entries: Mapping[str, Entry]) -> dict[str, str]:
    """Give new paths by old for files that were renamed since their last sync."""
    repository, found = content.repository, dict[str, str]()
    # A pull reads the work tree, which has no id of its own.
    head = repository.tree(content.tree.commit)
    for commit in repository.history.known({entry.commit for entry in entries.values()}):
        renamed = repository.history.departures_between(commit, head.id).renamed
        found |= {
            old: new for old, new in renamed.items() if new in entries and entries[new].commit == commit
        }
    return found


def _at_sync(
    repository: Repository, entries: Mapping[str, Entry], renamed: Mapping[str, str]
) -> dict[str, _AtSync]:
    came_from = {new: old for old, new in renamed.items()}
    names = {path: frozenset({path, came_from.get(path, path)}) for path in entries}
    wanted = {(entry.commit, name) for path, entry in entries.items() for name in names[path]}
    synced = repository.history.blobs_at(wanted)
    files = {}
    for path, entry in entries.items():
        pairs = {name: (entry.commit, name) for name in sorted(names[path])}
        bases = {name: synced[pair] for name, pair in pairs.items() if pair in synced}
        files[path] = _AtSync(path, entry, bases, names[path])
    return files


def _had(repository: Repository, files: Iterable[tuple[_AtSync, str]]) -> dict[str, frozenset[str]]:
    """Give, by path, the blobs that each file has had in a range. A sync of equal fields notes such a one."""
    of_range: dict[str, list[_AtSync]] = defaultdict(list)
    for each, between in files:
        of_range[between].append(each)
    found: dict[str, frozenset[str]] = {}
    for between, together in of_range.items():
        names = frozenset[str]().union(*(each.names for each in together))
        blobs = repository.history.blobs_ever(between, names)
        for each in together:
            found[each.path] = frozenset[str]().union(*(blobs.get(name, ()) for name in each.names))
    return found


def _elsewhere(
    content: Content, updates: Mapping[str, _AtSync], runs: RunRecords | None
) -> Iterator[tuple[str, PullElsewhere]]:
    repository, head, known = content.repository, content.tree.commit, content.references.manifest
    history, site = repository.history, content.settings.site
    # Commits since the last sync may have brought the blob, or any commit that of a file which was renamed.
    ranges = ((e, f"{e.entry.commit}..{head}" if len(e.names) == 1 else head) for e in updates.values())
    later = _had(repository, ranges)
    wanted = [each.entry for each in updates.values()]
    texts = FormerTexts(repository, content.settings, known.entries, wanted, known)
    left = _left_by_runs(runs)
    for path, each in updates.items():
        entry = each.entry
        if entry.blob in later[path]:
            continue
        if (sent := texts.at(entry.commit, min(each.bases))) is None:
            continue
        # The digests of the fields that the file of the last sync did not have as the manifest has them.
        had = {**sent.desired.create_only, **sent.desired.fingerprints}
        digests = entry.fingerprints.items()
        then = {n: had.get(n, "") for n, digest in digests if not is_unsure(digest) and had.get(n) != digest}
        # A run of this clone may have sent work that was not committed.
        if not then or left.get(path) == clone_facts.digest(entry):
            continue
        # If no branch has it, a person here has pulled it and put the file back. If HEAD has had it, it is
        # the text of before a rename: a run that was killed notes the new path and the commit with that text.
        is_here = repository.text(entry.blob) is not None
        if (held := history.holder_elsewhere(entry.blob, head) if is_here else "") is None:
            continue
        place = (site.reference, manifest_ref.MANIFEST) if site.reference else (head, site.manifest)
        noted = history.bringing(entry.blob, *place) if site.url is not None else None
        is_edited = content.sources.get(path) not in {None, *each.bases.values()}
        between = f"{entry.commit}..{head}"
        merged = is_edited and (
            noted is None or _is_committed(repository, between, sorted(each.names), noted)
        )
        yield path, PullElsewhere(then, each.bases[min(each.bases)], sent, noted, held, merged)


def _left_by_runs(runs: RunRecords | None) -> dict[str, str]:
    """Give the digest of each entry as the last run of this clone that sent it left it."""
    read = runs.all(largest=clone_facts.LARGEST_FOR_PLANS) if runs else ()
    # A run also notes a record whose new path is all that it has learned.
    return {
        touched.path: run.after[touched.path].digest
        for run in read
        for touched in run.touched
        if (touched.fields or touched.before is None) and run.after and touched.path in run.after
    }


def _is_committed(repository: Repository, between: str, names: list[str], noted: Commit) -> bool:
    """Tell whether the person who pulled has committed the file since."""
    return any(
        seconds >= noted.seconds and not people.isdisjoint((noted.who, noted.address))
        for seconds, people in repository.history.authors(between, names)
    )
