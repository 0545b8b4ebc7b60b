"""Asks Git what happened to files that the manifest has and the tree does not have, and who names notes.

A record may be deleted only if Git shows a commit that removed its file. So a missing file counts as removed
only with that proof. A renamed file must never look like a new one, so this module tries every way to find
the new name before it calls a file removed. A commit that says `Resolves-Note: 12` in its message names a
note of an editor, which a sync then resolves.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from pressync.content.sources import pages_of
from pressync.content.vault import alike
from pressync.model.changes import Absence, Delete, Update
from pressync.model.printable import listed
from pressync.model.reason import Reason, ReasonCode
from pressync.repo.discover import EMPTY_BLOB
from pressync.repo.history import Departures

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pressync.client.dialects import Capabilities
    from pressync.model.changes import Change
    from pressync.model.reason import Fact
    from pressync.model.records import Entry
    from pressync.repo.history import History
    from pressync.repo.repository import Repository, Tree


# Git finds the commits of at most this many paths at once without reading every commit.
_LOOKED_UP = 100


@dataclass(frozen=True, slots=True)
class Trace:
    """The new path of each renamed file by its old path, and the absence of each other missing file.

    `untraceable` are missing files whose history HEAD does not have. Any new file may be one of them under
    another name. `shallow` tells that their history was cut off when the clone was made.
    """

    renamed: Mapping[str, str] = field(default_factory=dict)
    absences: Mapping[str, Absence] = field(default_factory=dict)
    untraceable: tuple[str, ...] = ()
    shallow: bool = False


def trace(
    repository: Repository, tree: Tree, entries: Mapping[str, Entry], new: Mapping[str, str], *, rewind: bool
) -> Trace:
    """Trace every entry whose path is not in the tree.

    `new` gives the blob of each document without an entry: only such a document can be a renamed file.
    `rewind` accepts a commit that HEAD does not descend from as proof.
    """
    missing = [entries[path] for path in entries.keys() - tree.files.keys()]
    if not missing:
        return Trace()
    finder = _Finder(repository, tree, new)
    # Compare the tree with the commit of each entry.
    synced = repository.history.known({entry.commit for entry in missing if entry.commit})
    synced = synced if rewind else repository.history.ancestors(synced, tree.commit)
    departures = {commit: repository.history.departures_between(commit, tree.id) for commit in synced}
    # Entries whose commit is known come first, because a new file is given to one entry only.
    missing.sort(key=lambda entry: (entry.commit not in departures, entry.path))
    unsettled = [entry for entry in missing if not finder.found_by_trees(entry, departures.get(entry.commit))]
    fates = _fates(repository, tree.commit, finder.at_head, [entry.path for entry in unsettled])
    for entry in unsettled:
        finder.find_by_history(entry, departures.get(entry.commit), fates)
    # Git does not know the page of a folder that has no file.
    for entry in [e for e in unsettled if e.blob == EMPTY_BLOB and e.path in finder.untraceable]:
        finder.find_by_folder(entry, departures.get(entry.commit))
    finder.find_committed_later(repository, [entry for entry in unsettled if entry.commit in departures])
    finder.keep_folders()
    shallow = bool(finder.untraceable) and repository.shallow
    return Trace(finder.renamed, finder.absences, tuple(finder.untraceable), shallow)


def renamed_entries(entries: Mapping[str, Entry], renamed: Mapping[str, str], tree: Tree) -> dict[str, Entry]:
    """Give all entries, those of renamed files under the new path; paths of parents are renamed as well.

    A renamed entry gets the commit that has the new name: the commit of an entry must contain its path, or a
    later removal cannot be proved. It also loses its basis: the same bytes give another slug or parent at
    another path, so the file must be read again until a sync has sent it.
    """
    if not renamed:
        return dict(entries.items())
    result = {}
    for path, entry in entries.items():
        parent = renamed.get(entry.parent_path or "", entry.parent_path)
        moved = structs.replace(entry, parent_path=parent)
        if new_path := renamed.get(path):
            commit = tree.commit if tree.committed else entry.commit
            moved = structs.replace(moved, path=new_path, commit=commit, basis="")
        result[moved.path] = moved
    return result


def _any_below(folder: str, paths: Iterable[str]) -> bool:
    return any(path.startswith(folder) for path in paths)


def names_now(
    repository: Repository, tree: Tree, paths: Collection[str], *, vault: str | None
) -> dict[str, str]:
    """Give the new path of each renamed file by its old path; of many missing files, only of the first.

    In the folder of a vault, a missing path stands for all files of its name.
    """
    missing = sorted(set(paths) - tree.files.keys())
    if not missing or not tree.commit:
        return {}
    at_head, since = _head(repository, tree)
    if vault is not None:
        lost = {*repository.history.removed_below(vault, tree.commit), *at_head} - tree.files.keys()
        missing = list(dict.fromkeys((*sorted(alike(lost, missing)), *missing)))
    missing = missing[:_LOOKED_UP]
    renamed = _fates(repository, tree.commit, at_head, missing).renamed
    names = {path: since.get(name, name) for path in missing if (name := renamed.get(path, path))}
    return {path: name for path, name in names.items() if name in tree.files}


def _head(repository: Repository, tree: Tree) -> tuple[Collection[str], Mapping[str, str]]:
    """Give the paths of HEAD, and the new path of each file that the working tree has renamed since."""
    if tree.committed:
        return tree.files, {}
    since = repository.history.departures_between(tree.commit, tree.id)
    return repository.tree(tree.commit).files, since.renamed


def _fates(repository: Repository, head: str, at_head: Collection[str], paths: Collection[str]) -> Departures:
    """Follow paths through the history of `head`, over any number of renames, to their last name.

    A comparison of two distant trees does not show the rename of a file that was also rewritten. The
    commits between them show it.
    """
    now = {path: path for path in paths}
    removed: dict[str, str] = {}
    followed: set[str] = set()
    while wanted := {name for name in now.values() if name not in at_head} - followed:
        followed |= wanted
        step = repository.history.last_departures(wanted, head)
        removed.update({path: step.removed[name] for path, name in now.items() if name in step.removed})
        now = {path: step.renamed.get(name, name) for path, name in now.items()}
    return Departures({path: name for path, name in now.items() if name in at_head}, removed)


class _Finder:
    """Finds the fate of missing entries one by one; a new file is given to one entry only."""

    def __init__(self, repository: Repository, tree: Tree, new: Mapping[str, str]) -> None:
        self._tree = tree
        self._free = dict(new)
        self.at_head, self._since_head = _head(repository, tree)
        self.renamed: dict[str, str] = {}
        self.absences: dict[str, Absence] = {}
        self.untraceable: list[str] = []

    def found_by_trees(self, entry: Entry, since: Departures | None) -> bool:
        """Find an entry's fate by a comparison of trees; tell whether that was enough."""
        path = entry.path
        # The commit of an imported file is older than the file, so only HEAD shows the old name.
        if self._take(path, (since.renamed if since else {}).get(path) or self._since_head.get(path)):
            return True
        if self._tree.is_other(path):
            # A symbolic link or a submodule has replaced the file. Nobody removed the page.
            self.absences[path] = Absence.OUTSIDE
        elif path in self.at_head:
            # The file is missing in the working tree only.
            self.absences[path] = Absence.UNCOMMITTED
        return path in self.absences

    def find_by_history(self, entry: Entry, since: Departures | None, fates: Departures) -> None:
        """Find an entry's fate by the history of its path."""
        path = entry.path
        new_path = fates.renamed.get(path)
        if self._take(path, self._since_head.get(new_path, new_path) if new_path else None):
            return
        if not since and entry.blob != EMPTY_BLOB:
            # This clone lacks the commit that was synced, so equal bytes are the only sign of a rename.
            same = [new for new, blob in self._free.items() if blob == entry.blob]
            if len(same) == 1 and self._take(path, same[0]):
                return
        if new_path and new_path not in self._tree.files:
            # A commit renamed the file, and the new name is missing in the working tree only.
            self.absences[path] = Absence.UNCOMMITTED
        elif since and (path in since.removed or path in since.renamed):
            # The commit that was synced has the file. A later commit removed it, or renamed it to a file that
            # has its own record or is outside the content folder.
            self.absences[path] = Absence.REMOVED
        elif entry.blob and fates.removed.get(path) == entry.blob:
            # This clone lacks the commit that was synced, but has the one that removed the sent bytes.
            self.absences[path] = Absence.REMOVED
        else:
            self.absences[path] = Absence.UNWITNESSED
            self.untraceable.append(path)

    def find_by_folder(self, entry: Entry, since: Departures | None) -> None:
        """Find the fate of a folder's page by the files of the folder."""
        path, folder = entry.path, f"{posixpath.dirname(entry.path)}/"
        own = next((page for page in pages_of(folder[:-1]) if page in self._free), None)
        renamed = since.renamed.items() if since else ()
        inner = ((old.removeprefix(folder), new) for old, new in renamed if old.startswith(folder))
        moved = (f"{new.removesuffix(name)}index.md" for name, new in inner if new.endswith(f"/{name}"))
        if self._take(path, own or next((page for page in moved if page in self._free), None)):
            del self.absences[path]
        elif since is None:
            return
        elif _any_below(folder, self._tree.files):
            # The folder is there, and the settings no longer give it a page.
            self.absences[path] = Absence.LEFT_OUT
        elif _any_below(folder, self.at_head):
            self.absences[path] = Absence.UNCOMMITTED
        elif _any_below(folder, (*since.removed, *since.renamed)):
            self.absences[path] = Absence.REMOVED
        else:
            return
        self.untraceable.remove(path)

    def find_committed_later(self, repository: Repository, entries: Iterable[Entry]) -> None:
        """Find the removal of files that were committed after the commit that their entries name.

        An import writes files and their entries, and people commit both later. So the commit of such an entry
        does not have the file, and the history since then must show the bytes of the entry.
        """
        by_commit: dict[str, dict[str, str]] = {}
        for entry in entries:
            if entry.blob and entry.path in self.untraceable:
                by_commit.setdefault(entry.commit, {})[entry.path] = entry.blob
        for commit, blobs in by_commit.items():
            had = repository.history.blobs_ever(f"{commit}..{self._tree.commit}", blobs.keys())
            for path in [path for path, blob in blobs.items() if blob in had.get(path, ())]:
                self.absences[path] = Absence.REMOVED
                self.untraceable.remove(path)

    def keep_folders(self) -> None:
        """Give the record of a folder's removed page to the page without a file that comes after it."""
        for page in [page for page, blob in self._free.items() if blob == EMPTY_BLOB]:
            owners = pages_of(posixpath.dirname(page))
            former = next((own for own in owners if self.absences.get(own) is Absence.REMOVED), None)
            if former and self._take(former, page):
                del self.absences[former]

    def _take(self, path: str, target: str | None) -> bool:
        if target is None or self._free.pop(target, None) is None:
            return False
        self.renamed[path] = target
        return True


TRAILER = "Resolves-Note"
# The records of a run were last sent by other syncs. The commits since these many are looked at.
_MOST_SYNCS = 50


class NamedNote(NamedTuple):
    """A note that a commit names, with the ids of the records that the commit changed, by path."""

    number: int
    commit: str
    records: Mapping[str, int]


def _named_notes(history: History, changes: Iterable[Change], newer: str) -> list[NamedNote]:
    """Give the notes that the commits up to `newer` name, which changed records since they were last sent."""
    sent: dict[str, dict[str, int]] = defaultdict(dict)
    for change in changes:
        if isinstance(change, Update | Delete) and change.entry.commit:
            sent[change.entry.commit][change.path] = change.id
    named: dict[int, NamedNote] = {}
    for older, records in sorted(sent.items())[:_MOST_SYNCS]:
        for commit, values in history.trailers(TRAILER, older, newer):
            own = {path: records[path] for path in history.paths_of(commit) & records.keys()}
            numbers = [int(value) for value in values if value.isdecimal() and value.isascii()]
            for number in numbers if own else ():
                # Another sync may have sent other records of the same commit.
                before = named[number].records if number in named else {}
                named[number] = NamedNote(number, commit, {**before, **own})
    return sorted(named.values())


def resolved_notes(
    history: History, changes: Iterable[Change], newer: str, capabilities: Capabilities
) -> Iterator[Reason]:
    """Say before a sync which notes it resolves; only the site knows whether such a note is open."""
    for note in _named_notes(history, changes, newer) if capabilities.read else ():
        paths = sorted(note.records)
        facts: dict[str, Fact] = {"note": note.number, "commit": note.commit, "paths": tuple(paths)}
        sentence = f"A sync resolves note {note.number} on {listed(paths)} if it is open"
        yield Reason(ReasonCode.RESOLVES_NOTE, facts, f"{sentence}: commit {note.commit[:10]} names it.")
