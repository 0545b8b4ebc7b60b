"""One record and its file: read, drafted, merged, written, and the manifest told. In this order.

It must not speak to a service. What decided its shape: the file is written, durably, before the manifest
learns of the edit; why not the other way round, `app.pull` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.content import documents
from pressync.model.records import TRASH
from pressync.pull.context import PullContexts
from pressync.pull.draft import draft
from pressync.pull.entry import edited, seen, unlike
from pressync.pull.line_endings import replace_text
from pressync.repo.merge_file import merge
from pressync.repo.work_tree import symlink_on_path
from pressync.state import atomic_files
from pressync.sync.addresses import AddressTracker

if TYPE_CHECKING:
    from pressync.content.content import Content
    from pressync.model.records import Entry, Prepared, Record
    from pressync.plan.build import PlannedRun
    from pressync.pull.draft import Draft
    from pressync.state.state import State

_NOTHING = "nothing was taken over"
# How Git's marks call the three sides.
_SIDES = ("this file", "last synced", "the site")


@dataclass(frozen=True, slots=True)
class Pulled:
    """What became of one record's edits.

    `taken` are the fields that the file now says as the site does, `problems` why others are not. `before`
    and `after` are the file's text; where Git's marks are left in it, `conflicts` counts them.
    """

    path: str
    taken: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    conflicts: int = 0
    before: str = ""
    after: str = ""

    @property
    def settled(self) -> bool:
        """Whether nothing is left for a person to do, but to look at the file and commit it."""
        return not self.problems and not self.conflicts


class Puller:
    """Pulls records into one working tree, and tells the manifest."""

    def __init__(self, state: State, content: Content, drawn: PlannedRun, *, force: bool, look: bool) -> None:
        """`content` is the working tree's. `force` merges into uncommitted work, `look` writes nothing."""
        self._repository = content.repository
        self._state = state
        self._content = content
        self._entries = drawn.entries
        self._former_paths = {new: old for old, new in drawn.renamed.items()}
        self._force = force
        self._look = look
        self._addresses = AddressTracker(state)
        self._committed = self._repository.tree(content.tree.commit).files
        self._neighbourhood = PullContexts(content, drawn.entries, state.manifest)

    def pull(self, entry: Entry, record: Record | None) -> Pulled | None:
        """Pull one record; None if nobody has edited it."""
        if record is None:
            return Pulled(entry.path, problems=(f"its record is no longer on the site; {_NOTHING}",))
        if record.fields.get("status") == TRASH:
            return Pulled(entry.path, problems=(f"its record is in the trash; {_NOTHING}",))
        if entry.path not in self._content.sources:
            return Pulled(entry.path, problems=(f"its file is not here; {_NOTHING}",))
        found = edited(entry, record)
        if entry.fingerprints and not found:
            # What was in conflict was put right on the site.
            self._put(entry, replace(entry, conflict={}))
            return None
        read = self._content.read(entry.path, self._entries)
        if read.prepared is None:
            what = f"its file has problems ({read.problems[0].what}), `pressync check` lists them; {_NOTHING}"
            return Pulled(entry.path, problems=(what,))
        ours = documents.text_of(self._blob(entry.path))
        base, prepared = self._base(entry, ours, read.prepared)
        found = found or unlike(read.prepared.fields, record)
        theirs = draft(base, prepared, found, self._neighbourhood.of(entry.path))
        return self._take(entry, record, ours, base, theirs)

    def _take(self, entry: Entry, record: Record, ours: str, base: str, theirs: Draft) -> Pulled:
        """Merge a draft into the file, write it, and tell the manifest."""
        merged = merge(ours, base, theirs.text, names=_SIDES)
        pulled = Pulled(entry.path, theirs.taken, theirs.problems, merged.conflicts, ours, merged.text)
        if self._look:
            return pulled
        if merged.text != ours and (refusal := self._write(entry.path, ours, merged.text)):
            return Pulled(entry.path, problems=(f"{refusal}; {_NOTHING}",), before=ours, after=ours)
        blob = self._repository.store(replace_text(self._blob(entry.path), ours, theirs.text))
        commit = self._content.tree.commit
        self._put(entry, seen(entry, record, theirs.prepared, taken=theirs.taken, blob=blob, commit=commit))
        return pulled

    def _write(self, path: str, ours: str, text: str) -> str:
        """Write a file's new text, durably; say why not if that would lose anything."""
        if (link := symlink_on_path(Path(self._repository.root or ""), path)) is not None:
            return f"{link} is a link, and pressync writes through none"
        file, committed = Path(self._repository.root or "", path), self._committed.get(path)
        try:
            data = file.read_bytes()
            if documents.text_of(data) != ours:
                return "its file on the disk is not what Git has (a filter, or somebody who writes just now)"
            kept = committed and documents.text_of(self._repository.read(committed)) == ours
            if not kept and not self._force:
                return (
                    "its file has changes that are not committed: commit them, or merge into them by --force"
                )
            atomic_files.replace(file, replace_text(data, ours, text))
        except (OSError, UnicodeDecodeError) as error:
            return f"its file cannot be written ({getattr(error, 'strerror', None) or error})"
        return ""

    def _base(self, entry: Entry, ours: str, prepared: Prepared) -> tuple[str, Prepared]:
        """Give the text that was last synced, and how it reads; that of the file where it is not known."""
        text = self._repository.text(entry.blob)
        if text is None:
            return ours, prepared
        base = documents.text_of(text.encode())
        read = self._content.read(entry.path, self._entries, base.encode())
        return (base, read.prepared) if read.prepared else (ours, prepared)

    def _put(self, entry: Entry, learned: Entry) -> None:
        """Let the manifest learn, under the name that it has for the file; a sync tells it a new one."""
        if self._look or entry == learned:
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
