"""Takes one record's edits over into its file: read, draft, merge, write the file, update the manifest.

The file is written durably before the manifest learns of the edit. A pulled field fits the form of an entry:
the file's text counts as sent, and the value on the site counts as the service's version of it. So the next
plan is empty until the file changes, and our markup does not replace an editor's markup without need.
"""

from __future__ import annotations

import codecs
import dataclasses
import re
from collections import Counter
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.content import documents
from pressync.html.converted import with_languages, without_empty
from pressync.html.editor_spelling import footnotes, with_footnotes, with_words
from pressync.html.normalize import canonical, ids_of_headings, normalized
from pressync.html.notes import notes_of
from pressync.html.paragraphs import paragraphs
from pressync.html.pieces import Forms, cut, is_footnotes
from pressync.html.shortcodes import unescape_shortcodes
from pressync.html.tree import TooDeepError, parse
from pressync.model.bounds import PAGE
from pressync.model.fingerprint import fingerprint, is_unsure, to_text
from pressync.model.records import Take
from pressync.plan.decide import difference, refreshed
from pressync.pull.bounded_diff import matcher
from pressync.pull.draft import Draft, PullContexts, draft
from pressync.repo import work_tree
from pressync.repo.discover import EMPTY_BLOB
from pressync.repo.kept_takes import KeptTake, KeptTakes, root_of
from pressync.repo.merge_file import merge
from pressync.repo.work_tree import symlink_on_path
from pressync.state import atomic_files
from pressync.sync import echo, field_comparison
from pressync.sync.addresses import AddressTracker

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pressync.content.content import Content
    from pressync.html.tree import Node
    from pressync.model.records import Entry, Fields, Name, Prepared, Record, Value
    from pressync.plan.build import PlannedRun
    from pressync.plan.pulls import PullElsewhere
    from pressync.state.state import State


_NOTHING = "nothing was taken over"
_SHALLOW = "the text of the last sync is not in this shallow clone"
_DEEPEN = "`git fetch --unshallow` brings it, or pull in a clone with the history"
# The names of the three sides in Git's conflict markers.
_SIDES = ("this file", "last synced", "the site")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


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
        self,
        state: State,
        content: Content,
        planned: PlannedRun,
        elsewhere: Mapping[str, PullElsewhere],
        *,
        force: bool,
        preview: bool,
        proposed: bool,
    ) -> None:
        """`content` is the working tree's. `force` merges into uncommitted work, `preview` writes nothing.

        The files of a `proposed` pull are for a branch, and not for the person of this clone.

        `elsewhere` are the texts that the manifest has from another clone, by path.
        """
        self._repository = content.repository
        self._state = state
        self._content = content
        self._entries = planned.entries
        self._elsewhere = elsewhere
        self._former_paths = {new: old for old, new in planned.renamed.items()}
        self._force = force
        self._preview = preview
        self._proposed = proposed
        self._kept = KeptTakes(self._repository, content.settings.site.name)
        self._addresses = AddressTracker(state)
        self._committed = self._repository.tree(content.tree.commit).files
        self._contexts = PullContexts(content, planned.entries, state.manifest)

    def pull(self, entry: Entry, record: Record | None, lost: Collection[str] = ()) -> Pulled | None:
        """Pull one record; None if it has no edits.

        Nobody edited the fields that the record `lost`: what they name was deleted on the site.
        """
        if record is None or record.is_trashed or entry.path not in self._content.sources:
            return Pulled(entry.path, problems=(_gone(entry.path, record),))
        edits: Fields = {**self._pulled_elsewhere(entry, record), **remote_edits(entry, record)}
        read = self._content.read(entry.path, self._entries)
        if entry.fingerprints and not edits and read.prepared:
            edits = without_notes(read.prepared.fields, record)
        if entry.fingerprints and not edits:
            # Somebody resolved the conflict on the site.
            self._put(entry, replace(entry, conflict={}))
            return None
        if read.prepared is None:
            problem = f"its file has problems ({read.obstacle}), `pressync check` lists them; {_NOTHING}"
            return Pulled(entry.path, problems=(problem,))
        ours = documents.text_of(self._blob(entry.path))
        base, prepared = self._base(entry, ours, read.prepared)
        if base is None and self._repository.shallow:
            # A clone with history merges by itself, and here a person would have to choose each word.
            return Pulled(entry.path, problems=(f"{_SHALLOW}; {_NOTHING}; {_DEEPEN}",))
        edits = edits or differing(read.prepared.fields, record)
        if lost and edits.keys() <= set(lost):
            return Pulled(entry.path, problems=(_not_taken(lost, entry.path),))
        kept = {name: value for name, value in edits.items() if name not in lost}
        theirs = draft(
            ours if base is None else base, prepared, kept, self._contexts.for_document(entry.path)
        )
        if lost:
            theirs = dataclasses.replace(theirs, problems=(*theirs.problems, _not_taken(lost, entry.path)))
        return self._take(entry, record, ours, base, theirs)

    def learn(self, names: Mapping[Name, int]) -> None:
        """Note the ids of names that the site has: files get them in the place of the ids."""
        if not names:
            return
        self._content.references.learn(names)
        if not self._preview:
            self._state.learn(names=names)
        self._contexts = PullContexts(self._content, self._entries, self._content.references.manifest)

    def _take(self, entry: Entry, record: Record, ours: str, base: str | None, theirs: Draft) -> Pulled:
        merged = merge(ours, base, theirs.text, names=_SIDES)
        pulled = Pulled(entry.path, theirs.taken, theirs.problems, merged.conflicts, ours, merged.text)
        if self._preview:
            return pulled
        if merged.text != ours and (refusal := self._write(entry.path, ours, merged.text)):
            return Pulled(entry.path, problems=(f"{refusal}; {_NOTHING}",), before=ours, after=ours)
        blob = self._repository.store(replace_text(self._blob(entry.path), ours, theirs.text))
        commit = self._content.tree.commit
        updated = after_pull(entry, record, theirs.prepared, taken=theirs.taken, blob=blob, commit=commit)
        if theirs.taken:
            written = self._repository.store(replace_text(self._blob(entry.path), ours, merged.text))
            root = "" if self._proposed else root_of(self._repository)
            # This comes before the manifest: the next run must never meet an edit that nothing holds.
            self._kept.keep(entry.path, KeptTake(blob, written, commit, root))
            updated = replace(updated, take=Take(written, commit, self._proposed))
        # The manifest has the site's value of a field that another clone pulled. The file may not get it.
        others = self._pulled_elsewhere(entry, record).items()
        missed = {name: to_text(value) for name, value in others if name not in theirs.taken}
        self._put(entry, replace(updated, conflict={**updated.conflict, **missed}))
        return pulled

    def _write(self, path: str, ours: str, text: str) -> str:
        """Write a file's new text durably; give the reason if that would lose anything."""
        if (link := symlink_on_path(Path(self._repository.root or ""), path)) is not None:
            return f"{link} is a symlink, and pressync does not write through symlinks"
        file, committed = Path(self._repository.root or "", path), self._committed.get(path)
        # The page of a folder that has no file gets one.
        is_new = self._content.sources[path] == EMPTY_BLOB and not file.exists()
        try:
            data = b"" if is_new else work_tree.read(file, PAGE)
            if documents.text_of(data) != ours:
                return "its file on the disk differs from Git's (a filter, or another program is writing it)"
            kept = is_new or (committed and documents.text_of(self._repository.read(committed)) == ours)
            if not kept and not self._force:
                return "its file has uncommitted changes: commit them, or merge into them with `--force`"
            atomic_files.replace(file, replace_text(data, ours, text))
        except (OSError, UnicodeDecodeError) as error:
            return f"its file cannot be written ({getattr(error, 'strerror', None) or error})"
        return ""

    def _pulled_elsewhere(self, entry: Entry, record: Record) -> Fields:
        """Give the site's values that another clone pulled, as far as the site still shows them."""
        pulled = self._elsewhere.get(entry.path)
        return values(record, pulled.then.keys() & record.fields.keys()) if pulled else {}

    def _base(self, entry: Entry, ours: str, prepared: Prepared) -> tuple[str | None, Prepared]:
        """Give the text that was last synced and its document; None and that of the file if it is unknown.

        The file itself is the base of a record that nothing was ever sent to.
        """
        for blob in self._bases(entry):
            text = self._repository.text(blob)
            base = None if text is None else documents.text_of(text.encode())
            read = None if base is None else self._content.read(entry.path, self._entries, base.encode())
            if base is not None and read and read.prepared:
                return base, read.prepared
        return None if entry.fingerprints else ours, prepared

    def _bases(self, entry: Entry) -> Iterator[str]:
        """Give the blobs that may be the base, the best one first.

        The text that another clone took has the edit already, so the one before it is the base. An older base
        than the last sync's leaves more to a person, and loses nothing. The file itself as a base would: the
        record lacks what HEAD has and no sync has sent, which then looks like an edit.
        """
        taken = self._elsewhere.get(entry.path)
        yield taken.base if taken else entry.blob
        if not entry.fingerprints:
            return
        names = sorted({entry.path, self._former_paths.get(entry.path, entry.path)})
        history, head = self._repository.history, self._content.tree.commit
        commit = entry.commit if entry.commit in history.known([entry.commit]) else ""
        if not entry.blob and is_unsure(entry.fingerprints.get("content", "")):
            # Two manifests were merged, and both sides had sent a content. The base is the text before both.
            before = history.parted(commit, head) if commit else ""
            # The first commit of a shallow clone seems to have written all files.
            is_whole = bool(commit) and not self._repository.shallow
            earlier = history.changing(commit, *names, limit=2) if is_whole else []
            commit = before or (earlier or [""])[-1]
        yield from history.blobs_at([(commit, name) for name in names]).values()

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


def _gone(path: str, record: Record | None) -> str:
    """Say that the record is gone; if it is not, the file is."""
    file = quote(path)
    if record is None:
        problem = "its record is no longer on the site"
        todo = f"remove the file, or `pressync forget {file}` and sync to create a new one"
    elif record.is_trashed:
        problem = "its record is in the trash"
        todo = f"restore it there, or `pressync sync --overwrite {file}` brings it back"
    else:
        return f"its file is not here; {_NOTHING}"
    return f"{problem}; {_NOTHING}; {todo}"


def _not_taken(lost: Collection[str], path: str) -> str:
    return (
        f"{', '.join(lost)}: nobody chose the site's value; what the file names was deleted there, and "
        f"`pressync sync --overwrite {quote(path)}` makes it anew"
    )


# Texts are compared and merged with LF alone, but a file may have CRLF, or both, or a byte order mark. A
# new line gets the line ending that most lines of the file have.
def replace_text(data: bytes, old: str, new: str) -> bytes:
    """Give the bytes of a file after its text changes from `old` to `new`; both texts have LF line ends."""
    if old == new:
        return data
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    rows = _LINE.findall(data.removeprefix(mark))
    ends = Counter(row[len(row.rstrip(b"\r\n")) :] for row in rows)
    del ends[b""]
    end = ends.most_common(1)[0][0] if ends else b"\n"
    # A form feed does not end a line.
    before, after = (re.findall(r"[^\n]*\n|[^\n]+\Z", text) for text in (old, new))
    result = [mark]
    for operation, start, stop, new_start, new_stop in matcher(before, after).get_opcodes():
        if operation == "equal":
            result += rows[start:stop]
        else:
            result += [line.encode().replace(b"\n", end) for line in after[new_start:new_stop]]
    return b"".join(result)


def remote_edits(entry: Entry, record: Record) -> Fields:
    """Give the site's values of the fields that others have changed there."""
    return values(record, field_comparison.edits(entry, record))


def values(record: Record, names: Iterable[str]) -> Fields:
    """Give the site's values of some fields."""
    return {name: _on_site(record, name) for name in names}


def without_notes(fields: Fields, record: Record) -> Fields:
    """Give the site's content without editors' notes if a file has them: an earlier version pulled them."""
    is_noted = bool(record.noted and notes_of(str(fields["content"])))
    return {"content": _on_site(record, "content")} if is_noted else {}


def differing(fields: Fields, record: Record) -> Fields:
    """Give the site's values of the fields that differ in the file, for a record that was never written."""
    return {
        name: _on_site(record, name)
        for name, value in fields.items()
        if name in record.fields and not _says_same(record, name, value)
    }


def _says_same(record: Record, name: str, value: Value) -> bool:
    stored, field = record.fields[name], record.kind.row.fields.get(name)
    is_same = to_text(value) == to_text(stored)
    return is_same or (field is not None and field.meaning(value) == field.meaning(stored))


def _on_site(record: Record, name: str) -> Value:
    """Give the site's value of a field; the content as readers see it."""
    value = record.fields[name]
    if name != "content":
        return value
    shown = paragraphs(str(value)) if record.classic else str(value)
    return with_footnotes(shown, footnotes(record.fields))


def after_pull(
    entry: Entry, record: Record, theirs: Prepared, *, taken: Collection[str], blob: str, commit: str
) -> Entry:
    """Give the entry after the edits in `theirs` were taken over; the other edits stay conflicts.

    `blob` is the id of that text, the base of the next merge. `commit` is for a record never written.
    """
    left = {name: text for name, text in field_comparison.edits(entry, record).items() if name not in taken}
    link = echo.address_of(entry, record.link)
    # In a record that was never written, the fields that are equal in file and site count as sent.
    equal = {
        name: theirs.desired.fingerprints[name]
        for name, value in theirs.fields.items()
        if name in record.fields and _says_same(record, name, value)
    }
    settled = dict(entry.fingerprints) or {**echo.as_created(theirs.desired, record), **equal}
    bent = dict(entry.changed_by_service)
    for name in taken:
        bent.pop(name, None)
        ours = theirs.desired.fingerprints[name]
        there = fingerprint(with_words(record.fields) if name == "content" else record.fields[name])
        settled[name] = ours if name != "content" or _is_same_content(theirs.fields, record) else there
        if settled[name] != there:
            bent[name] = there
    updated = replace(
        entry,
        slug=record.slug,
        link=link,
        modified=record.modified,
        modified_gmt=record.modified_gmt,
        former=echo.former(entry, link),
        fingerprints=settled,
        changed_by_service=bent,
        blob=blob,
        commit=entry.commit or commit,
    )
    desired = replace(theirs.desired, blob=blob)
    differs = difference(desired, updated)
    # The next plan skips the file if it has nothing to send, and reads it otherwise.
    is_current = not differs.fields and not differs.resets
    return replace(refreshed(updated, desired) if is_current else replace(updated, basis=""), conflict=left)


def _is_same_content(fields: Fields, record: Record) -> bool:
    """Whether the whole content, with its template, is the same as that of the site once normalized.

    A heading that was edited in the block editor keeps its old id. The ids of headings are not compared: the
    draft was, and it has every id that somebody chose.
    """
    ours, theirs = map(unescape_shortcodes, (str(fields["content"]), str(_on_site(record, "content"))))
    if ours == theirs:
        return True
    try:
        ids = frozenset(ids_of_headings((*parse(ours), *parse(theirs))))
        here, there = _pieces(ours, ids), _pieces(theirs, ids)
        # Code that was sent as a block has lost its language by a person's hand.
        named = there if "<!-- wp:code" in ours else with_languages(there, here)
        kept = compress(named, without_empty(there, here))
        return [*map(canonical, kept)] == [*map(canonical, here)]
    except TooDeepError:
        return False


def _pieces(html: str, heading_ids: Collection[str]) -> list[tuple[Node, ...]]:
    # Markdown has its footnotes at the end, wherever the site has them.
    # Of a form that Markdown does not have here, both sides have the block.
    pieces = sorted(cut(parse(html), Forms(embeds=True, galleries=True)), key=is_footnotes)
    return [normalized(piece.nodes, heading_ids) for piece in pieces]
