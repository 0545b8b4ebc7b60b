"""One stored record, and what a request's fields make of it.

Pure. It holds the decisions about values that the document leaves open (sections 2.3 and 4.6): which
values are allowed, what an omitted field defaults to, and when a record is scheduled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from html import unescape
from typing import TYPE_CHECKING, Any

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

# The least value of a field that names another thing by its id; 0 stands for none.
_LEAST: Mapping[str, int] = {"author": 1, "featured_media": 0, "parent": 0}

_BLOCK = re.compile(r"<!--\s+wp:")
_UNSEEN = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"</?(?:p|div|h[1-6]|li|ul|ol|d[ltd]|t[rdh]|table|pre|blockquote|br|hr)\b", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_EXCERPT_WORDS = 55

# Characters: enough for the words, and a bound on what hostile markup can cost.
_EXCERPT_SOURCE = 8000


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as the database keeps it, a column a field; moments are seconds since 1970, in GMT.

    `date` is when the record counts as published and `modified` when it was last written. A post's
    `parent` and `menu_order` stay 0, a page's `format`, `sticky` and terms stay as they are here.
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

    @property
    def generated_slug(self) -> str:
        """The slug that the title alone would give, or the id where it gives none."""
        return slugs.sanitise(self.title) or str(self.id)

    @property
    def block_version(self) -> int:
        """1 if the content is made of blocks, else 0."""
        return 1 if _BLOCK.search(self.content) else 0

    @property
    def summary(self) -> str:
        """The excerpt, or the content's first words if none was given, as plain text."""
        seen = _UNSEEN.sub("", (self.excerpt or self.content)[:_EXCERPT_SOURCE])
        # A new block is a new word, also where no blank says so; emphasis within a word is not.
        text = _TAG.sub("", _BREAK.sub(r" \g<0>", seen))
        words = unescape(text).split(maxsplit=_EXCERPT_WORDS)
        return " ".join(words[:_EXCERPT_WORDS]) + (" …" if len(words) > _EXCERPT_WORDS else "")


def check(fields: FormFields) -> None:
    """Refuse (400) values that no record can have, whatever else is stored."""
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
    """Give the record as `fields` and the moment `now` make it; the slug is wanted, not yet free.

    `offset` is site time's minutes ahead of GMT. `modified` always moves forward: where the clock has
    not passed the last value, one second is added to it.
    """
    modified = max(now, stored.modified + 1)
    changed = replace(stored, **_columns(fields), modified=modified, date=_date(stored, fields, offset))
    slug = _wanted_slug(changed, fields, was_trashed=stored.status == TRASH)
    return replace(changed, status=_status(changed, now), slug=slug)


def _columns(fields: FormFields) -> dict[str, Any]:
    """Take from objects the one member that is stored; the service computes the others itself."""
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
    """Site time wins where both are given, as in WordPress."""
    for name, minutes in (("date", offset), ("date_gmt", 0)):
        moment = fields.get(name)
        if isinstance(moment, datetime):
            return datetimes.seconds(moment, offset=minutes)
    return stored.date


def _status(changed: StoredRecord, now: int) -> str:
    """Schedule what is published in the future, publish what was scheduled and is due."""
    if changed.status in {"publish", "future"}:
        return "future" if changed.date > now else "publish"
    return changed.status


def _wanted_slug(changed: StoredRecord, fields: FormFields, *, was_trashed: bool) -> str:
    if "slug" in fields or not changed.slug:
        slug = slugs.sanitise(changed.slug) or changed.generated_slug
    else:
        slug = slugs.restored(changed.slug) if was_trashed else changed.slug
    return slugs.trashed(slug) if changed.status == TRASH else slug
