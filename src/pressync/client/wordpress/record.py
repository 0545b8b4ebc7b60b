"""A record as WordPress answers it -> a `Record`; and which of its members are asked for.

Pure. It must not know which call was answered. What decided its shape: a whole record is 3 KB and more
beside its text, so each request names what it wants in `_fields`, and the same list is what is read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.client import record_json
from pressync.client.record_json import is_id
from pressync.client.wordpress.classic_block import unwrap
from pressync.client.wordpress.titles import unescape
from pressync.model.interface import BODIES, Kind
from pressync.model.records import TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.records import Record

# The one of them that goes out inside a block, and comes back out of it.
WRAPPED = "content"

# The one that is text, and goes out as HTML.
TITLE = "title"

# What makes it a record, beside the fields of a body.
_KEYS = ("id", "type", "link", "modified", "modified_gmt")

# The value of `_fields` that brings back exactly what `read` needs. Without `.raw`, WordPress would also
# render the text: the slowest part of an answer.
MEMBERS: dict[Kind, str] = {
    kind: ",".join((*_KEYS, *(f"{f.name}.raw" if f.name in TEXTS else f.name for f in fields)))
    for kind, fields in BODIES.items()
}

PATHS: dict[Kind, str] = {Kind.PAGE: "/wp/v2/pages", Kind.POST: "/wp/v2/posts"}


def path_of(kind: Kind, number: int) -> str:
    """Give the path of one record; ValueError if the number is no id (`…/pages/0` is another route)."""
    if not is_id(number):
        raise ValueError(f"{number!r} is not the id of a record")
    return f"{PATHS[kind]}/{number}"


def read(kind: Kind, members: Mapping[str, object], *, expected: int | None = None) -> Record:
    """Read a record as `service.records` does: content without its wrapper, the title as it reads.

    :raises BadAnswer: it is no record, or not the one with the id `expected`.
    """
    if members.get("meta") == []:
        # PHP writes an empty map as a list.
        members = {**members, "meta": {}}
    record = record_json.read(kind, members, expected=expected)
    written = {WRAPPED: unwrap, TITLE: unescape}
    texts = {name: text for name in written if isinstance(text := record.fields.get(name), str)}
    return replace(record, fields={**record.fields, **{n: written[n](text) for n, text in texts.items()}})
