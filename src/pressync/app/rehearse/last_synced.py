"""Gives the records of the manifest as the last syncs left them: rendered from the commits that were synced.

The manifest has no texts, only their digests. So each document is rendered again from the tree in which it
was synced. If the file of today gives the digests of the manifest, the old tree is not opened. The tree of an
import is older than its files, so the text of such a file is read by its blob id.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.content.content import Content
from pressync.model.errors import RepositoryError
from pressync.model.fingerprint import fingerprint, from_text, is_unsure, may_be

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry, Fields, Manifest, Value
    from pressync.repo.repository import Tree


@dataclass(frozen=True, slots=True)
class LastSynced:
    """The fields of one record as they were left, and its entry for the stage.

    A field may be impossible to make again, because the service or a former version changed it. The entry
    notes such a field as changed by the service. So the plan stays the same, and the field does not look
    like somebody's edit. Without `has_text`, this clone has neither the tree nor the file.
    """

    entry: Entry
    fields: Fields
    has_text: bool = True


def records(
    workspace: Workspace, manifest: Manifest, head: str, only: Collection[str] | None = None
) -> Iterator[LastSynced]:
    """Give the records of all entries, or `only` of those at some paths; `head` is the commit of today."""
    today = _content(workspace, workspace.repository.tree(head), manifest)
    later = []
    entries = manifest.entries
    for entry in entries.values() if only is None else [entries[path] for path in only if path in entries]:
        fields = _fields(today, entry, manifest.entries)
        if fields is not None and _agrees(entry, fields):
            yield _settled(entry, fields)
        else:
            later.append(entry)
    known = workspace.repository.known(entry.commit for entry in later if entry.commit)
    for commit, alike in groupby(sorted(later, key=lambda e: e.commit), lambda e: e.commit):
        tree = workspace.repository.tree(commit) if commit in known else None
        then = _content(workspace, tree, manifest) if tree else today
        for entry in alike:
            fields = _fields(then, entry, manifest.entries) or _from_blob(today, entry, manifest.entries)
            if fields is not None:
                yield _settled(entry, fields)
            else:
                yield dataclasses.replace(_settled(entry, _nameless(entry, manifest)), has_text=False)


def _content(workspace: Workspace, tree: Tree, manifest: Manifest) -> Content:
    return Content(workspace.repository, tree, workspace.settings, manifest=manifest)


def _fields(content: Content, entry: Entry, entries: Mapping[str, Entry]) -> Fields | None:
    """Render the document of an entry; None if this tree does not have it, or cannot render it."""
    if entry.path not in content.sources or (entry.blob and content.sources[entry.path] != entry.blob):
        return None
    return _rendered(content, entry, entries)


def _from_blob(today: Content, entry: Entry, entries: Mapping[str, Entry]) -> Fields | None:
    """Render the file that was synced, which no tree has any more, with the templates of today."""
    text = today.repository.text(entry.blob)
    fields = None if text is None else _rendered(today, entry, entries, text.encode())
    # Its folder may have another page today.
    return fields and {**fields, **_parent(entry, entries)}


def _rendered(
    content: Content, entry: Entry, entries: Mapping[str, Entry], data: bytes | None = None
) -> Fields | None:
    try:
        prepared = content.read(entry.path, entries, data, check=False).prepared
    except RepositoryError:
        return None
    return prepared.fields if prepared else None


def _nameless(entry: Entry, known: Manifest) -> Fields:
    """Give the fields of a record without a text; it stays at its address."""
    return {"title": entry.slug, **_parent(entry, known.entries)}


def _parent(entry: Entry, entries: Mapping[str, Entry]) -> Fields:
    parent = entries.get(entry.parent_path or "")
    return {"parent": parent.id} if parent else {}


def _agrees(entry: Entry, fields: Fields) -> bool:
    return all(_is_as_sent(entry, name, fields.get(name)) for name in entry.fingerprints)


def _is_as_sent(entry: Entry, name: str, value: Value | None) -> bool:
    if value is None:
        return False
    possible = may_be(entry.fingerprints[name])
    return possible is None or fingerprint(value) in {*possible, entry.changed_by_service.get(name)}


def _settled(entry: Entry, fields: Fields) -> LastSynced:
    """Give the fields with the record's own slug and the edits that the manifest knows."""
    edits = {name: from_text(name, text) for name, text in entry.conflict.items() if text}
    held: dict[str, Value] = {**fields, "slug": entry.slug, **edits}
    bent = {
        name: fingerprint(held[name])
        for name, digest in entry.fingerprints.items()
        if name in held
        and name not in edits
        and not is_unsure(digest)
        and not _is_as_sent(entry, name, held[name])
    }
    changed = replace(entry, changed_by_service={**entry.changed_by_service, **bent}) if bent else entry
    return LastSynced(changed, held)
