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
from functools import cached_property
from shlex import quote
from typing import TYPE_CHECKING

from pressync.content.former import FormerTexts
from pressync.content.markdown_text import unresolved
from pressync.model.bounds import PAGE, FileTooLarge
from pressync.model.changes import Change, Delete, Update
from pressync.model.fingerprint import is_unsure
from pressync.model.printable import one_line
from pressync.model.reason import NO_REASON, Reason, ReasonCode
from pressync.model.records import Take
from pressync.plan import match, reasons
from pressync.repo import merge_file, work_tree
from pressync.repo.discover import EMPTY_BLOB
from pressync.repo.kept_takes import KeptTakes, root_of
from pressync.repo.push import OURS
from pressync.repo.repository import KEPT
from pressync.state import clone_facts, manifest_ref

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pressync.content.content import Content
    from pressync.model.records import Entry, Fields, Prepared, Record
    from pressync.repo.history import Commit
    from pressync.repo.kept_takes import KeptTake
    from pressync.repo.repository import Repository
    from pressync.state.clone_facts import RunRecords

# Up to this many paths are given to Git. A command line has a limit.
_FEW = 100
_CONTENT, _PULLED = "content", "pulled it into another clone"


def uncommitted(content: Content, changes: Iterable[Change], renamed: Mapping[str, str]) -> dict[str, Reason]:
    """Give the reason to block each update over an uncommitted pull of this clone, by path.

    `renamed` gives new paths by old. Most updates come from a commit that left the file clean, so `git
    status` answers for them. This clone has the blob of a pull, and no commit since the pull has its text.
    Older commits do not count, because an editor may restore an older text.
    """
    repository, tree = content.repository, content.tree
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
    takes = _Takes(content)
    files = takes.at_sync(dirty, renamed)
    synced = {blob for file in files.values() for blob in file.bases.values()}
    pulled = {
        path: file
        for path, file in files.items()
        if file.entry.blob not in synced
        and not file.proposed
        and repository.text(file.entry.blob) is not None
    }
    later = takes.later(pulled.values())
    return {
        path: reasons.pulled(path, _conflict(repository.root / path))
        for path, file in pulled.items()
        if file.blobs.isdisjoint(later[path])
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

    `base` is the blob that was last sent, and `sent` its document; "" and None where this clone lacks them.
    `noted` is the commit that brought the text into the manifest, None if the manifest is not committed here.
    `held` names a branch that has the text. A person here `may_be_merged` it with other edits, if this clone
    lacks the text itself. A `proposed` text was never in the file of a person.
    """

    then: Mapping[str, str]
    base: str
    sent: Prepared | None
    noted: Commit | None
    held: str
    may_be_merged: bool
    proposed: bool

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
        did = "proposed it" if self.proposed else did
        when = f"{one_line(noted.who)} {did} on {noted.time}" if noted else f"somebody {did}"
        first = "`pressync propose` makes its branch" if self.proposed else "`git pull` when it is pushed"
        first = f"merge {self.held}, which has it" if self.held else first
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
        """Give the reason to block an update if its file has not the edit of the record."""
        edit = self.texts.get(path)
        if edit is None or edit.sent is None:
            return NO_REASON
        read = self.content.read(path, self.entries, check=False).prepared
        ours: Fields = read.fields if read else {}
        sent, by_words = edit.sent.fields, not edit.proposed
        is_merged = all(
            match.has_edit(str(ours.get(name, "")), str(sent.get(name, "")), record, by_words=by_words)
            if name == _CONTENT
            else match.has_value(
                ours.get(name), sent.get(name), record.fields.get(name, ours.get(name)), by_words=by_words
            )
            for name in edit.then
        )
        return NO_REASON if is_merged else edit.reason(path)


def elsewhere(
    content: Content, entries: Mapping[str, Entry], renamed: Mapping[str, str], runs: RunRecords | None
) -> PulledElsewhere:
    """Find the texts that HEAD lacks among entries by their path; `renamed` gives new paths by old."""
    # The page that a folder has without a file has no text that anybody could have taken.
    differing = {
        path: entry
        for path, entry in entries.items()
        if entry.commit and entry.blob not in {"", EMPTY_BLOB, content.sources.get(path)}
    }
    takes = _Takes(content)
    files = takes.at_sync(differing, renamed)
    # The manifest may know the new path of a file already, which its last sync did not have.
    moved = {path: file.entry for path, file in files.items() if not file.bases and path in content.sources}
    if moved:
        files |= takes.at_sync(moved, _renamed_since(content, moved))
    taken = {path: file for path, file in files.items() if file.bases or file.entry.take}
    updates = {path: file for path, file in taken.items() if file.entry.blob not in file.bases.values()}
    texts = dict(_elsewhere(takes, updates, runs)) if updates else {}
    return PulledElsewhere(content, entries, texts)


@dataclass(frozen=True, slots=True)
class _AtSync:
    """A file at its last sync: `names` are of then and now, `bases` the blobs of that commit by name.

    `take` is the other half of the edit that was taken since; None if a former version took it. `kept` is
    the note of this clone of the same take.
    """

    path: str
    entry: Entry
    bases: Mapping[str, str]
    names: frozenset[str]
    take: Take | None
    kept: KeptTake | None

    @property
    def base(self) -> str:
        """The blob that was last sent; "" if this clone lacks its commit."""
        return self.bases[min(self.bases)] if self.bases else ""

    @property
    def blobs(self) -> frozenset[str]:
        """The two identities of the text: before the merge, and after it."""
        return frozenset({self.entry.blob, self.take.written if self.take else self.entry.blob})

    @property
    def proposed(self) -> bool:
        """Whether the text went on a branch, and into the file of nobody."""
        return bool(self.take and self.take.proposed)


def _renamed_since(content: Content, entries: Mapping[str, Entry]) -> dict[str, str]:
    """Give new paths by old for files that were renamed since their last sync."""
    repository, names = content.repository, dict[str, str]()
    # A pull reads the work tree, which has no id of its own.
    head = repository.tree(content.tree.commit)
    for commit in repository.history.known({entry.commit for entry in entries.values()}):
        renamed = repository.history.departures_between(commit, head.id).renamed
        names |= {
            old: new for old, new in renamed.items() if new in entries and entries[new].commit == commit
        }
    return names


@dataclass(frozen=True)
class _Takes:
    """Asks Git about the files whose text was taken from the site."""

    content: Content

    @cached_property
    def kept(self) -> Mapping[str, KeptTake]:
        """The takes that this clone keeps."""
        return KeptTakes(self.content.repository, self.content.settings.site.name).read()

    def at_sync(self, entries: Mapping[str, Entry], renamed: Mapping[str, str]) -> dict[str, _AtSync]:
        """Look at files as their last sync had them."""
        came_from = {new: old for old, new in renamed.items()}
        names = {path: frozenset({path, came_from.get(path, path)}) for path in entries}
        wanted = {(entry.commit, name) for path, entry in entries.items() for name in names[path]}
        synced = self.content.repository.history.blobs_at(wanted)
        files = {}
        for path, entry in entries.items():
            pairs = {name: (entry.commit, name) for name in sorted(names[path])}
            bases = {name: synced[pair] for name, pair in pairs.items() if pair in synced}
            is_taken = entry.blob not in bases.values()
            kept = self._kept(entry, names[path]) if is_taken else None
            take = entry.take or (Take(kept.written, kept.commit, kept.proposed) if kept else None)
            files[path] = _AtSync(path, entry, bases, names[path], take, kept)
        return files

    def _kept(self, entry: Entry, names: frozenset[str]) -> KeptTake | None:
        notes = (self.kept.get(name) for name in names)
        return next((note for note in notes if note and note.taken in {"", entry.blob}), None)

    def later(self, files: Iterable[_AtSync]) -> dict[str, frozenset[str]]:
        """Give, by path, the blobs that each file has had since its text was taken, and has now."""
        files, history, head = list(files), self.content.repository.history, self.content.tree.commit
        commits = history.known({file.take.commit for file in files if file.take and file.take.commit})
        of_range: dict[str, list[_AtSync]] = defaultdict(list)
        for file in files:
            since = file.take.commit if file.take and file.take.commit in commits else file.entry.commit
            # Without a note of the take, any commit may have brought the text of a file that was renamed.
            is_old = file.take is None and len(file.names) > 1
            of_range[head if is_old else f"{since}..{head}"].append(file)
        had: dict[str, frozenset[str]] = {}
        for between, together in of_range.items():
            names = frozenset[str]().union(*(file.names for file in together))
            blobs = history.blobs_ever(between, names)
            for file in together:
                now = {self.content.sources.get(name, "") for name in file.names}
                had[file.path] = frozenset(now).union(*(blobs.get(name, ()) for name in file.names))
        return had

    def has_nothing_new(self, file: _AtSync) -> bool:
        """Whether a merge of the text into the file changes nothing; false if a text is not here."""
        from pressync.content import documents  # noqa: PLC0415 - 25 ms, and most runs read no file

        blobs = (self.content.sources.get(file.path, ""), file.base, file.entry.blob)
        texts = [self.content.repository.data(blob) for blob in blobs]
        if any(text is None for text in texts):
            return False
        ours, base, theirs = (documents.text_of(text or b"") for text in texts)
        merged = merge_file.merge(ours, base, theirs)
        return not merged.conflicts and merged.text == ours

    def is_put_back(self, file: _AtSync) -> bool:
        """Whether a person of this work tree took the text into the file, and then decided against it.

        The file is as the commit has it, so the person has undone the pull, or changed its text and committed
        that. A text that another reference has, such as a stash, waits.
        """
        repository, kept = self.content.repository, file.kept
        if kept is None or file.proposed or kept.root != root_of(repository):
            return False
        if self.content.tree.committed and repository.edited(sorted(file.names)) & file.names:
            return False
        return not self.holder(file)

    def holder(self, file: _AtSync) -> str:
        """Name a reference that has the text, and HEAD has not; "" if there is none."""
        repository, head = self.content.repository, self.content.tree.commit
        blobs = [blob for blob in sorted(file.blobs) if repository.text(blob) is not None]
        return repository.history.holder(blobs, head, KEPT)

    def noted(self, blob: str) -> Commit | None:
        """Give the commit that brought a text into the manifest; None if the manifest is not committed."""
        site, head = self.content.settings.site, self.content.tree.commit
        place = (site.reference, manifest_ref.MANIFEST) if site.reference else (head, site.manifest)
        history = self.content.repository.history
        return history.bringing(blob, *place) if site.url is not None else None

    def may_be_merged(self, file: _AtSync, noted: Commit | None) -> bool:
        """Whether a person may have merged a text that is not here; a look at the record then tells."""
        repository, head = self.content.repository, self.content.tree.commit
        is_edited = self.content.sources.get(file.path) not in {None, *file.bases.values()}
        if not file.bases or not is_edited or repository.text(file.entry.blob) is not None:
            return False
        between, entry = f"{file.entry.commit}..{head}", file.entry
        if noted is None or _is_committed(repository, between, sorted(file.names), noted):
            return True
        # A squash of the branch has other blobs, and still our line.
        ours = f"{OURS}: {entry.kind} {entry.id} {file.take.written}" if file.take else ""
        return bool(ours and repository.history.last_with_subject(ours, between))


def _elsewhere(
    takes: _Takes, updates: Mapping[str, _AtSync], runs: RunRecords | None
) -> Iterator[tuple[str, PullElsewhere]]:
    content = takes.content
    repository, head, manifest = content.repository, content.tree.commit, content.references.manifest
    later = takes.later(updates.values())
    wanted = [file.entry for file in updates.values()]
    texts = FormerTexts(repository, content.settings, manifest.entries, wanted, manifest)
    left = _left_by_runs(runs)
    for path, file in updates.items():
        entry = file.entry
        if not file.blobs.isdisjoint(later[path]):
            continue
        sent = texts.at(entry.commit, min(file.bases)) if file.bases else None
        if sent is None and file.take is None:
            continue
        then = _differing(entry, sent)
        # A run of this clone may have sent work that was not committed.
        if not then or left.get(path) == clone_facts.digest(entry):
            continue
        # If HEAD has had the text of a former version, it is that of before a rename: a run that was killed
        # notes the new path and the commit with that text.
        if file.take is None and repository.history.has_had(entry.blob, head):
            continue
        if takes.has_nothing_new(file) or takes.is_put_back(file):
            continue
        noted = takes.noted(entry.blob)
        merged = takes.may_be_merged(file, noted)
        yield path, PullElsewhere(then, file.base, sent, noted, takes.holder(file), merged, file.proposed)


def _differing(entry: Entry, sent: Prepared | None) -> dict[str, str]:
    """Give the digests of the fields that the file of the last sync did not have as the manifest has them."""
    had = {**sent.desired.create_only, **sent.desired.fingerprints} if sent else {}
    digests = entry.fingerprints.items()
    return {n: had.get(n, "") for n, digest in digests if not is_unsure(digest) and had.get(n) != digest}


def _left_by_runs(runs: RunRecords | None) -> dict[str, str]:
    """Give the digest of each entry as the last run of this clone that sent it left it."""
    read = runs.all(largest=clone_facts.LARGEST_FOR_PLANS) if runs else ()
    # A run also notes a record whose new path is all that it has learned.
    sent = (
        (run.after or {}, record)
        for run in read
        for record in run.touched
        if record.fields or record.before is None
    )
    return {touched.path: after[touched.path].digest for after, touched in sent if touched.path in after}


def _is_committed(repository: Repository, between: str, names: list[str], noted: Commit) -> bool:
    """Tell whether the person who pulled has committed the file since."""
    return any(
        seconds >= noted.seconds and not people.isdisjoint((noted.who, noted.address))
        for seconds, people in repository.history.authors(between, names)
    )
