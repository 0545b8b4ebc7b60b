"""What became of files that the manifest knows and the tree does not have: renamed, removed, or unknown.

It decides nothing: it brings witnesses. What decided its shape: a record may only be deleted when Git
shows that a commit removed its file, so "it is not there" is never an answer here without "and this
history says why".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pressync.model import Absence, Entry
from pressync.repo import Passage, Repository, Tree


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
    known = repository.known(entry.commit for entry in missing if entry.commit)
    strays = frozenset() if rewind else repository.strays(known, tree.commit)
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in missing:
        groups[entry.commit if entry.commit in known - strays else ""].append(entry)
    committed = tree.files if tree.committed else repository.tree(tree.commit).files
    finder = _Finder(repository, tree, new, committed)
    for commit, group in sorted(groups.items()):
        passage = repository.passage(commit, tree) if commit else None
        for entry in group:
            finder.place(entry, passage)
    return Trace(finder.renamed, finder.absences, tuple(finder.untraceable))


class _Finder:
    """Places missing entries one by one; a new file is given to one entry only."""

    def __init__(
        self, repository: Repository, tree: Tree, new: Mapping[str, str], committed: Collection[str]
    ) -> None:
        self._repository = repository
        self._head = tree.commit
        self._free = dict(new)
        self._committed = committed
        self.renamed: dict[str, str] = {}
        self.absences: dict[str, Absence] = {}
        self.untraceable: list[str] = []

    def place(self, entry: Entry, passage: Passage | None) -> None:
        path = entry.path
        target = passage.renamed.get(path) if passage else self._same_blob(entry.blob)
        if target is not None and target in self._free:
            # Git shows the file under another name: the same record.
            del self._free[target]
            self.renamed[path] = target
        elif path in self._committed:
            # Gone from the working tree only.
            self.absences[path] = Absence.UNCOMMITTED
        elif passage and (path in passage.removed or path in passage.renamed):
            # Gone on the way from the commit that was synced; or merged into a file with its own record.
            self.absences[path] = Absence.REMOVED
        elif entry.commit and self._repository.removal(path, self._head):
            # Synced from a commit that this clone lacks, but the removal itself is in its history.
            self.absences[path] = Absence.REMOVED
        else:
            self.absences[path] = Absence.UNWITNESSED
            self.untraceable.append(path)

    def _same_blob(self, blob: str) -> str | None:
        # Without history only equal bytes are a rename, and only if no other new file has them too.
        found = [path for path, candidate in self._free.items() if candidate == blob]
        return found[0] if len(found) == 1 else None
