"""Takes one record's edits over into its file: read, draft, merge, write the file, update the manifest.

The file is written durably before the manifest learns of the edit; `app.pull` explains this order. The record
is handed in, so this module makes no requests.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.content import documents
from pressync.model.records import TRASH
from pressync.pull.context import PullContexts
from pressync.pull.draft import draft
from pressync.pull.entry import after_pull, differing, remote_edits
from pressync.pull.line_endings import replace_text
from pressync.repo.file_list import EMPTY_BLOB
from pressync.repo.merge_file import merge
from pressync.repo.work_tree import symlink_on_path
from pressync.state import atomic_files
from pressync.sync.addresses import AddressTracker

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.content.content import Content
    from pressync.model.records import Entry, Prepared, Record
    from pressync.plan.build import PlannedRun
    from pressync.pull.draft import Draft
    from pressync.state.state import State

_NOTHING = "nothing was taken over"
# The names of the three sides in Git's conflict markers.
_SIDES = ("this file", "last synced", "the site")


@dataclass(frozen=True, slots=True)
class Pulled:
    """The result of pulling one record.

    `taken` are the fields whose site value is in the file now; `problems` tell why others are not. `before`
    and `after` are the file's text, and `conflicts` counts the conflict markers of Git in it.
    """

    path: str
    taken: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    conflicts: int = 0
    before: str = ""
    after: str = ""

    @property
    def settled(self) -> bool:
        """Whether a person only has to review the file and commit it."""
        return not self.problems and not self.conflicts


class Puller:
    """Pulls records into the files of one working tree, and updates the manifest."""

    def __init__(
        self, state: State, content: Content, planned: PlannedRun, *, force: bool, preview: bool
    ) -> None:
        """`content` is the working tree's. `force` merges into uncommitted work, `preview` writes nothing."""
        self._repository = content.repository
        self._state = state
        self._content = content
        self._entries = planned.entries
        self._former_paths = {new: old for old, new in planned.renamed.items()}
        self._force = force
        self._preview = preview
        self._addresses = AddressTracker(state)
        self._committed = self._repository.tree(content.tree.commit).files
        self._contexts = PullContexts(content, planned.entries, state.manifest)

    def pull(self, entry: Entry, record: Record | None, lost: Collection[str] = ()) -> Pulled | None:
        """Pull one record; None if it has no edits.

        Nobody edited the fields that the record `lost`: what they name was deleted on the site.
        """
        if record is None or record.fields.get("status") == TRASH:
            return Pulled(entry.path, problems=(_nothing_there(entry.path, is_trashed=record is not None),))
        if entry.path not in self._content.sources:
            return Pulled(entry.path, problems=(f"its file is not here; {_NOTHING}",))
        edits = remote_edits(entry, record)
        if entry.fingerprints and not edits:
            # Somebody resolved the conflict on the site.
            self._put(entry, replace(entry, conflict={}))
            return None
        read = self._content.read(entry.path, self._entries)
        if read.prepared is None:
            what = f"its file has problems ({read.obstacle}), `pressync check` lists them; {_NOTHING}"
            return Pulled(entry.path, problems=(what,))
        ours = documents.text_of(self._blob(entry.path))
        base, prepared = self._base(entry, ours, read.prepared)
        edits = edits or differing(read.prepared.fields, record)
        if lost and edits.keys() <= set(lost):
            return Pulled(entry.path, problems=(_not_taken(lost, entry.path),))
        kept = {name: value for name, value in edits.items() if name not in lost}
        theirs = draft(base, prepared, kept, self._contexts.for_document(entry.path))
        if lost:
            theirs = dataclasses.replace(theirs, problems=(*theirs.problems, _not_taken(lost, entry.path)))
        return self._take(entry, record, ours, base, theirs)

    def _take(self, entry: Entry, record: Record, ours: str, base: str, theirs: Draft) -> Pulled:
        """Merge a draft into the file, write the file, and update the manifest."""
        merged = merge(ours, base, theirs.text, names=_SIDES)
        pulled = Pulled(entry.path, theirs.taken, theirs.problems, merged.conflicts, ours, merged.text)
        if self._preview:
            return pulled
        if merged.text != ours and (refusal := self._write(entry.path, ours, merged.text)):
            return Pulled(entry.path, problems=(f"{refusal}; {_NOTHING}",), before=ours, after=ours)
        blob = self._repository.store(replace_text(self._blob(entry.path), ours, theirs.text))
        commit = self._content.tree.commit
        updated = after_pull(entry, record, theirs.prepared, taken=theirs.taken, blob=blob, commit=commit)
        self._put(entry, updated)
        return pulled

    def _write(self, path: str, ours: str, text: str) -> str:
        """Write a file's new text durably; give the reason if that would lose anything."""
        if (link := symlink_on_path(Path(self._repository.root or ""), path)) is not None:
            return f"{link} is a symlink, and pressync does not write through symlinks"
        file, committed = Path(self._repository.root or "", path), self._committed.get(path)
        # The page of a folder that has no file gets one.
        is_new = self._content.sources[path] == EMPTY_BLOB and not file.exists()
        try:
            data = b"" if is_new else file.read_bytes()
            if documents.text_of(data) != ours:
                return "its file on the disk differs from Git's (a filter, or another program is writing it)"
            kept = is_new or (committed and documents.text_of(self._repository.read(committed)) == ours)
            if not kept and not self._force:
                return "its file has uncommitted changes: commit them, or merge into them with `--force`"
            atomic_files.replace(file, replace_text(data, ours, text))
        except (OSError, UnicodeDecodeError) as error:
            return f"its file cannot be written ({getattr(error, 'strerror', None) or error})"
        return ""

    def _base(self, entry: Entry, ours: str, prepared: Prepared) -> tuple[str, Prepared]:
        """Give the text that was last synced and its document; if it is not known, those of the file."""
        text = self._repository.text(entry.blob)
        if text is None:
            return ours, prepared
        base = documents.text_of(text.encode())
        read = self._content.read(entry.path, self._entries, base.encode())
        return (base, read.prepared) if read.prepared else (ours, prepared)

    def _put(self, entry: Entry, learned: Entry) -> None:
        """Update the entry under the path that the manifest has for the file; a sync records a new path."""
        if self._preview or entry == learned:
            return
        former = self._former_paths.get(entry.path)
        if former is not None:
            held = self._state.manifest.entries[former]
            learned = replace(learned, path=former, parent_path=held.parent_path, basis="")
        previous = self._state.manifest.entries.get(learned.path)
        self._state.put(learned)
        self._addresses.follow(learned.path, previous, busy=())

    def _blob(self, path: str) -> bytes:
        return self._repository.read(self._content.sources[path])


def _nothing_there(path: str, *, is_trashed: bool) -> str:
    file = quote(path)
    if is_trashed:
        todo = f"restore it there, or `pressync sync --overwrite {file}` brings it back"
        return f"its record is in the trash; {_NOTHING}; {todo}"
    todo = f"remove the file, or `pressync forget {file}` and sync to create a new one"
    return f"its record is no longer on the site; {_NOTHING}; {todo}"


def _not_taken(lost: Collection[str], path: str) -> str:
    return (
        f"{', '.join(lost)}: nobody chose the site's value; what the file names was deleted there, and "
        f"`pressync sync --overwrite {quote(path)}` makes it anew"
    )
