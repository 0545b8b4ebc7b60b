"""Gives the records of the manifest as the last syncs left them: rendered from the commits that were synced.

The manifest has no texts, only their digests. So each document is rendered again from the tree in which it
was synced. If the file of today gives the digests of the manifest, the old tree is not opened.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.content.content import Content
from pressync.model.errors import RepositoryError
from pressync.model.fingerprint import fingerprint, from_text, is_unsure, may_be

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry, Fields, Manifest, Value
    from pressync.repo.repository import Tree


@dataclass(frozen=True, slots=True)
class LastSynced:
    """The fields of one record as they were left, and its entry for the stage.

    A field may be impossible to make again, because the service or a former version changed it. The entry
    notes such a field as changed by the service. So the plan stays the same, and the field does not look
    like somebody's edit.
    """

    entry: Entry
    fields: Fields


def records(workspace: Workspace, manifest: Manifest, head: str) -> Iterator[LastSynced]:
    """Give the records of all entries; `head` is the commit of today."""
    today = _content(workspace, workspace.repository.tree(head), manifest)
    later = []
    for entry in manifest.entries.values():
        fields = _fields(today, entry, manifest.entries)
        if fields is not None and _agrees(entry, fields):
            yield _settled(entry, fields)
        else:
            later.append(entry)
    known = workspace.repository.known(entry.commit for entry in later if entry.commit)
    for commit, entries in groupby(sorted(later, key=lambda e: e.commit), lambda e: e.commit):
        tree = workspace.repository.tree(commit) if commit in known else None
        then = _content(workspace, tree, manifest) if tree else today
        for entry in entries:
            yield _settled(entry, _fields(then, entry, manifest.entries) or {"title": entry.slug})


def _content(workspace: Workspace, tree: Tree, manifest: Manifest) -> Content:
    return Content(workspace.repository, tree, workspace.settings, site=manifest)


def _fields(content: Content, entry: Entry, entries: Mapping[str, Entry]) -> Fields | None:
    """Render the document of an entry; None if this tree does not have it, or cannot render it."""
    if entry.path not in content.sources or (entry.blob and content.sources[entry.path] != entry.blob):
        return None
    try:
        prepared = content.read(entry.path, entries, check=False).prepared
    except RepositoryError:
        return None
    return prepared.fields if prepared else None


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
