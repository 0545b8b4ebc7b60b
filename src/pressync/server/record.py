"""One stored record, and how a request's fields change it.

Pure. The interface leaves some decisions about values open (sections 2.3 and 4.6), and this module makes
them: the allowed values, the defaults of omitted fields, and when a record is scheduled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from html import unescape
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from pressync.server import datetimes, slugs
from pressync.server.refusal import invalid

if TYPE_CHECKING:
    from pressync.model.interface import Kind
    from pressync.server.form_decoding import FormFields

TRASH = "trash"

ALLOWED: Mapping[str, tuple[str, ...]] = {
    "status": ("publish", "future", "draft", "pending", "private"),
    "comment_status": ("open", "closed"),
    "ping_status": ("open", "closed"),
    "format": (
        "standard",
        "aside",
        "chat",
        "gallery",
        "link",
        "image",
        "quote",
        "status",
        "video",
        "audio",
    ),
}

# The least value of each field that is the id of another object; 0 means none.
_LEAST: Mapping[str, int] = {"author": 1, "featured_media": 0, "parent": 0}

_BLOCK = re.compile(r"<!--\s+wp:")
_UNSEEN = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"<(?=/?(?i:p|div|h[1-6]|li|ul|ol|d[ltd]|t[rdh]|table|pre|blockquote|br|hr)\b)")
_TAG = re.compile(r"<[^<>]*>")
_EXCERPT_WORDS = 55

# This many characters are enough for the words, and limit the cost of hostile markup.
_EXCERPT_SOURCE = 8000
# The words of most excerpts are within this many of them. Every response has an excerpt, and a third of a
# create was spent on the tags of the rest.
_MOST_EXCERPTS = 700


class StoredRecord(Struct, frozen=True):
    """A record as in the database, with one field per column; times are seconds since 1970 in GMT.

    `date` is the time of publication and `modified` the time of the last write. The `parent` and `menu_order`
    of a post stay 0. The `format`, `sticky` and terms of a page keep the defaults below. The date of a
    `floating` draft follows its saves. `desired` is the slug that a record in the trash had before.
    """

    id: int
    kind: Kind
    guid: str
    date: int
    modified: int
    slug: str = ""
    status: str = "publish"
    password: str = ""
    parent: int = 0
    title: str = ""
    content: str = ""
    author: int = 1
    excerpt: str = ""
    featured_media: int = 0
    comment_status: str = "open"
    ping_status: str = "open"
    menu_order: int = 0
    footnotes: str = ""
    template: str = ""
    format: str = "standard"
    sticky: bool = False
    categories: tuple[int, ...] = ()
    tags: tuple[int, ...] = ()
    floating: bool = False
    desired: str = ""

    @property
    def generated_slug(self) -> str:
        """The slug that the title gives, or the id if the title does not give one."""
        return slugs.sanitise(self.title) or str(self.id)

    @property
    def block_version(self) -> int:
        """1 if the content consists of blocks, else 0."""
        return 1 if _BLOCK.search(self.content) else 0

    @property
    def summary(self) -> str:
        """The excerpt as plain text, or the first words of the content if the record has no excerpt."""
        seen = _UNSEEN.sub("", (self.excerpt or self.content)[:_EXCERPT_SOURCE])
        # No tag goes on behind a part that ends before another. Its last word may.
        words = _words(seen[: max(0, seen.rfind("<", 0, _MOST_EXCERPTS))])
        if len(words) <= _EXCERPT_WORDS + 1:
            words = _words(seen)
        return " ".join(words[:_EXCERPT_WORDS]) + (" …" if len(words) > _EXCERPT_WORDS else "")


def _words(html: str) -> list[str]:
    """Give the words of the text; all behind those of an excerpt and one more are one item."""
    # A block begins a new word even without a blank; emphasis within a word does not.
    text = _TAG.sub("", _BREAK.sub(" <", html))
    return unescape(text).split(maxsplit=_EXCERPT_WORDS + 1)


def check(fields: FormFields) -> None:
    """Refuse (400) values that a record can never have."""
    for name, values in ALLOWED.items():
        if name in fields and fields[name] not in values:
            raise invalid(name, f"{name} must be one of {', '.join(values)}.")
    for name, least in _LEAST.items():
        value = fields.get(name, least)
        if isinstance(value, int) and value < least:
            raise invalid(name, f"{name} must be {least} or more.")
    for name in ("categories", "tags"):
        value = fields.get(name, ())
        if isinstance(value, tuple) and any(term < 1 for term in value):
            raise invalid(name, f"{name} must hold ids, which are 1 or more.")


def applied(stored: StoredRecord, fields: FormFields, *, now: int, offset: int) -> StoredRecord:
    """Give the record after the change; its slug is the wanted one, and may not be free.

    `offset` is the minutes of site time ahead of GMT. `modified` always moves forward: if the clock has not
    passed the last value, it is that value plus one second.
    """
    modified = max(now, stored.modified + 1)
    changed = structs.replace(
        stored, **_columns(fields), modified=modified, date=_date(stored, fields, offset)
    )
    slug = _wanted_slug(changed, fields, was_trashed=stored.status == TRASH)
    return structs.replace(changed, status=_status(changed, now), slug=slug)


def _columns(fields: FormFields) -> dict[str, Any]:
    """Take the one stored member of each object; the service computes the others."""
    columns: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, Mapping):
            column, member = ("footnotes", "footnotes") if name == "meta" else (name, "raw")
            if member in value:
                columns[column] = value[member]
        elif name not in {"date", "date_gmt"}:
            columns[name] = value
    return columns


def _date(stored: StoredRecord, fields: FormFields, offset: int) -> int:
    """Give the new date; if both fields are given, site time wins, as in WordPress."""
    for name, minutes in (("date", offset), ("date_gmt", 0)):
        moment = fields.get(name)
        if isinstance(moment, datetime):
            return datetimes.seconds(moment, offset=minutes)
    return stored.date


def _status(changed: StoredRecord, now: int) -> str:
    """Schedule a record that is published in the future, and publish a scheduled one that is due."""
    if changed.status in {"publish", "future"}:
        return "future" if changed.date > now else "publish"
    return changed.status


def _wanted_slug(changed: StoredRecord, fields: FormFields, *, was_trashed: bool) -> str:
    if "slug" in fields or not changed.slug:
        slug = slugs.sanitise(changed.slug) or changed.generated_slug
    else:
        slug = slugs.restored(changed.slug) if was_trashed else changed.slug
    return slugs.trashed(slug) if changed.status == TRASH else slug
