"""What became of files that the manifest knows and the tree does not have: renamed, removed, or unknown.

It decides nothing: it brings witnesses. What decided its shape: a record may only be deleted when Git
shows that a commit removed its file, so "it is not there" is never an answer here without "and this
history says why"; and a file that went on under another name must never look like a new one, so every
way to find that name comes before the word "removed".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.model.changes import Absence
from pressync.repo.parse import Departures

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.model.records import Entry
    from pressync.repo.repository import Repository, Tree


@dataclass(frozen=True, slots=True)
class Trace:
    """Old path -> new path of renamed files; why each other missing file is missing.

    `untraceable` are the missing files of which this clone lacks the history: any new file may be one
    of them under another name.
    """

    renamed: Mapping[str, str] = field(default_factory=dict)
    absences: Mapping[str, Absence] = field(default_factory=dict)
    untraceable: tuple[str, ...] = ()


def trace(
    repository: Repository, tree: Tree, entries: Mapping[str, Entry], new: Mapping[str, str], *, rewind: bool
) -> Trace:
    """Trace every entry whose path is not in the tree.

    `new` are the documents without an entry, path -> blob: only these can be a renamed file. `rewind`
    accepts a commit that HEAD does not descend from as a witness.
    """
    missing = [entry for path, entry in entries.items() if path not in tree.files]
    if not missing:
        return Trace()
    finder = _Finder(repository, tree, new)
    passages = _passages(repository, tree, missing, rewind=rewind)
    # Those with the better witness first: a new file is given to one entry only.
    missing.sort(key=lambda entry: (entry.commit not in passages, entry.path))
    unsettled = [entry for entry in missing if not finder.compared(entry, passages.get(entry.commit))]
    fates = _fates(repository, tree.commit, finder.at_head, [entry.path for entry in unsettled])
    for entry in unsettled:
        finder.followed(entry, passages.get(entry.commit), fates)
    return Trace(finder.renamed, finder.absences, tuple(finder.untraceable))


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
        if here := renamed.get(path):
            commit = tree.commit if tree.committed else entry.commit
            moved = structs.replace(moved, path=here, commit=commit, basis="")
        result[moved.path] = moved
    return result


def _passages(
    repository: Repository, tree: Tree, missing: Iterable[Entry], *, rewind: bool
) -> dict[str, Departures]:
    """Compare the tree with every commit that may witness: commit -> what happened since."""
    known = repository.known({entry.commit for entry in missing if entry.commit})
    witnesses = known if rewind else repository.ancestors(known, tree.commit)
    return {commit: repository.departures_between(commit, tree) for commit in witnesses}


def _fates(repository: Repository, head: str, at_head: Collection[str], paths: Collection[str]) -> Departures:
    """Follow paths through the history of `head`, over any number of renames, to where they are or end.

    Two trees that are far apart do not show that a file was renamed if it was rewritten as well; the
    commits between them do.
    """
    now = {path: path for path in paths}
    removed: dict[str, str] = {}
    followed: set[str] = set()
    while wanted := {name for name in now.values() if name not in at_head} - followed:
        followed |= wanted
        step = repository.last_departures(wanted, head)
        removed.update({path: step.removed[name] for path, name in now.items() if name in step.removed})
        now = {path: step.renamed.get(name, name) for path, name in now.items()}
    return Departures({path: name for path, name in now.items() if name in at_head}, removed)


class _Finder:
    """Places missing entries one by one; a new file is given to one entry only."""

    def __init__(self, repository: Repository, tree: Tree, new: Mapping[str, str]) -> None:
        self._tree = tree
        self._free = dict(new)
        self.at_head: Collection[str] = tree.files
        self._since_head: Mapping[str, str] = {}
        if not tree.committed:
            self.at_head = repository.tree(tree.commit).files
            self._since_head = repository.departures_between(tree.commit, tree).renamed
        self.renamed: dict[str, str] = {}
        self.absences: dict[str, Absence] = {}
        self.untraceable: list[str] = []

    def compared(self, entry: Entry, passage: Departures | None) -> bool:
        """Place an entry if a look at the trees is enough; tell whether it was."""
        path = entry.path
        renamed = passage.renamed if passage else self._since_head
        if self._take(path, renamed.get(path)):
            return True
        if path in self._tree.others:
            # A symbolic link or a submodule has taken its place: nobody removed the page.
            self.absences[path] = Absence.OUTSIDE
        elif path in self.at_head:
            # Gone from the working tree only.
            self.absences[path] = Absence.UNCOMMITTED
        return path in self.absences

    def followed(self, entry: Entry, passage: Departures | None, fates: Departures) -> None:
        """Place an entry by what history says of its path."""
        path = entry.path
        here = fates.renamed.get(path)
        if self._take(path, self._since_head.get(here, here) if here else None):
            return
        if not passage and self._take(path, self._same_blob(entry.blob)):
            # Without the commit that was synced, equal bytes are the only mark of a rename.
            return
        if here and here not in self._tree.files:
            # Renamed by a commit, and the new name is gone from the working tree only.
            self.absences[path] = Absence.UNCOMMITTED
        elif passage and (path in passage.removed or path in passage.renamed):
            # It was in the commit that was synced and went on the way here, or into a file with a record
            # of its own, or out of the content folder.
            self.absences[path] = Absence.REMOVED
        elif entry.blob and fates.removed.get(path) == entry.blob:
            # The commit that was synced is not here, but the one that removed the very bytes that were sent.
            self.absences[path] = Absence.REMOVED
        else:
            self.absences[path] = Absence.UNWITNESSED
            self.untraceable.append(path)

    def _take(self, path: str, target: str | None) -> bool:
        if target is None or self._free.pop(target, None) is None:
            return False
        self.renamed[path] = target
        return True

    def _same_blob(self, blob: str) -> str | None:
        found = [path for path, candidate in self._free.items() if candidate == blob]
        return found[0] if len(found) == 1 else None
