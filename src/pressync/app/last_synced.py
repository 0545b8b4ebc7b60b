"""Gives the records of the manifest as the last syncs left them: rendered from the commits that were synced.

The manifest has no texts, only their digests. So each document is read as it was sent. If this clone lacks
that commit, the file is read by its blob id.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.content.content import Content
from pressync.content.former import FormerTexts
from pressync.model.fingerprint import fingerprint, from_text, is_unsure, may_be

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry, Fields, Manifest, Value


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
    entries = manifest.entries
    wanted = [entry for path, entry in entries.items() if only is None or path in only]
    texts = FormerTexts(workspace.repository, workspace.settings, entries, wanted, manifest)
    today = Content(
        workspace.repository, workspace.repository.tree(head), workspace.settings, manifest=manifest
    )
    for entry in wanted:
        sent = texts.read(entry)
        fields = sent.fields if sent else _from_blob(today, entry, entries)
        if fields is not None:
            yield _settled(entry, fields)
        else:
            # It stays at its address.
            nameless = _settled(entry, {"title": entry.slug, **_parent(entry, entries)})
            yield dataclasses.replace(nameless, has_text=False)


def _from_blob(today: Content, entry: Entry, entries: Mapping[str, Entry]) -> Fields | None:
    """Render the file that was synced, whose commit is not here, with the templates of today."""
    text = today.repository.text(entry.blob)
    read = None if text is None else today.read(entry.path, entries, text.encode(), check=False).prepared
    # Its folder may have another page today.
    return {**read.fields, **_parent(entry, entries)} if read else None


def _parent(entry: Entry, entries: Mapping[str, Entry]) -> Fields:
    parent = entries.get(entry.parent_path or "")
    return {"parent": parent.id} if parent else {}


def _settled(entry: Entry, fields: Fields) -> LastSynced:
    """Give the fields with the record's own slug and the edits that the manifest knows."""
    edits = {name: from_text(entry.kind, name, text) for name, text in entry.conflict.items() if text}
    held: dict[str, Value] = {**fields, "slug": entry.slug, **edits}
    bent = {}
    for name, digest in entry.fingerprints.items():
        if (value := held.get(name)) is None or name in edits or is_unsure(digest):
            continue
        possible, made = may_be(digest), fingerprint(value)
        if possible is not None and made not in {*possible, entry.changed_by_service.get(name)}:
            bent[name] = made
    changed = replace(entry, changed_by_service={**entry.changed_by_service, **bent}) if bent else entry
    return LastSynced(changed, held)
