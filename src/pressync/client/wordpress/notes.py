"""Keeps the places of editors' notes, which WordPress 6.9 and later have in the content of a record.

A record is read without them, so a note is never an edit. An update gets them back right before it is sent: a
run reads a record before it overwrites it, and the service remembers the content that it read last. A site of
an earlier version does not know notes, so the same bytes are a part of the text there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.client.responses import json_object
from pressync.client.wordpress.lists import get
from pressync.client.wordpress.record import unwrap, wrap
from pressync.html.notes import notes_of, with_notes, without_notes
from pressync.model.changes import UpdateCall
from pressync.model.errors import Refused

if TYPE_CHECKING:
    from pressync.client.wordpress.lists import Send
    from pressync.model.changes import Call
    from pressync.model.interface import Kind
    from pressync.model.records import Record

_CONTENT = "content"


@dataclass(slots=True)
class AnchoredNotes:
    """The contents with notes that one service has read last, and whether its site knows notes at all."""

    _contents: dict[tuple[Kind, int], str] = field(default_factory=dict)
    _known: dict[Kind, bool] = field(default_factory=dict)

    def read(self, send: Send, record: Record) -> Record:
        """Take the notes out of the content of a record that was read, and remember where they are."""
        key, content = (record.kind, record.id), str(record.fields.get(_CONTENT, ""))
        if not notes_of(content) or not self._knows_notes(send, record.kind):
            self._contents.pop(key, None)
            return record
        self._contents[key] = content
        plain = unwrap(without_notes(content))
        return replace(record, fields={**record.fields, _CONTENT: plain}, noted=content)

    def kept(self, call: Call) -> Call:
        """Put the notes of the record into the content of an update of it."""
        content = call.fields.get(_CONTENT) if isinstance(call, UpdateCall) else None
        if not isinstance(call, UpdateCall) or not isinstance(content, str):
            return call
        noted = self._contents.get((call.kind, call.id))
        if noted is None:
            return call
        return replace(call, fields={**call.fields, _CONTENT: with_notes(wrap(content), noted)})

    def _knows_notes(self, send: Send, kind: Kind) -> bool:
        """Ask the site, once for each kind, whether its editor has notes."""
        if kind not in self._known:
            query = (("context", "edit"), ("_fields", "supports"))
            try:
                supports = json_object(get(send, f"/wp/v2/types/{kind.value}", query)).get("supports")
            except Refused:
                supports = None
            match supports:
                case {"editor": [{"notes": True}, *_]}:
                    self._known[kind] = True
                case _:
                    self._known[kind] = False
        return self._known[kind]
