"""Reads a record of WordPress as a `Record`, and names the members that requests ask for.

A complete record has 3 KB and more beside its text. So each request lists the wanted members in `_fields`,
and `read` reads exactly these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.client import record_json
from pressync.client.record_json import is_id
from pressync.client.wordpress.classic_block import is_classic, unwrap
from pressync.client.wordpress.titles import unescape
from pressync.model.interface import BODIES, Kind
from pressync.model.records import TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.records import Record

# The text that is wrapped in a block when it is sent, and unwrapped when it is read.
WRAPPED = "content"

# The field that is plain text for people, and HTML for WordPress.
TITLE = "title"

# The members that identify a record, beside the fields of a body.
_KEYS = ("id", "type", "link", "modified", "modified_gmt")

# The value of `_fields` with exactly the members that `read` needs. Without `.raw`, WordPress would also
# render the text, which is the slowest part of a response.
MEMBERS: dict[Kind, str] = {
    kind: ",".join((*_KEYS, *(f"{f.name}.raw" if f.name in TEXTS else f.name for f in fields)))
    for kind, fields in BODIES.items()
}

PATHS: dict[Kind, str] = {Kind.PAGE: "/wp/v2/pages", Kind.POST: "/wp/v2/posts"}


def path_of(kind: Kind, number: int) -> str:
    """Give the path of one record; ValueError if the number is not an id (`…/pages/0` is another route)."""
    if not is_id(number):
        raise ValueError(f"{number!r} is not the id of a record")
    return f"{PATHS[kind]}/{number}"


def read(kind: Kind, members: Mapping[str, object], *, expected: int | None = None) -> Record:
    """Read a record as `record_json` does, with the content unwrapped and the title as plain text.

    :raises BadAnswer: it is not a record, or it does not have the id `expected`.
    """
    if members.get("meta") == []:
        # PHP encodes an empty map as a list.
        members = {**members, "meta": {}}
    record = record_json.read(kind, members, expected=expected)
    written = {WRAPPED: unwrap, TITLE: unescape}
    texts = {name: text for name in written if isinstance(text := record.fields.get(name), str)}
    fields = {**record.fields, **{name: written[name](text) for name, text in texts.items()}}
    return replace(record, fields=fields, classic=is_classic(texts.get(WRAPPED, "")))
