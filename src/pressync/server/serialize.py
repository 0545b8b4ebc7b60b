"""Writes a stored record as the JSON object of sections 2.1 and 2.2, with exactly the documented members.

A `raw` member is the text that was sent; this module computes each `rendered` member.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pressync.model.interface import RECORDS, Kind
from pressync.server import datetimes

if TYPE_CHECKING:
    from pressync.server.database import SiteSettings
    from pressync.server.record import StoredRecord

RecordJson = dict[str, object]

_TEMPLATE_SEGMENT = {Kind.PAGE: "%pagename%", Kind.POST: "%postname%"}


def to_json(stored: StoredRecord, path: str, settings: SiteSettings) -> RecordJson:
    """Write the record with its times in site time and in GMT; `path` is its address on the site."""
    offset = settings.offset
    link = settings.address + path
    members: RecordJson = {
        "date": datetimes.text(stored.date, offset=offset),
        "date_gmt": datetimes.text(stored.date),
        "guid": {"raw": stored.guid, "rendered": escape(stored.guid)},
        "id": stored.id,
        "link": link,
        "modified": datetimes.text(stored.modified, offset=offset),
        "modified_gmt": datetimes.text(stored.modified),
        "type": stored.kind.value,
        "permalink_template": _permalink_template(stored, link, settings),
        "generated_slug": stored.generated_slug,
        "class_list": _class_list(stored),
        "title": {"raw": stored.title, "rendered": escape(stored.title)},
        "content": _content(stored),
        "excerpt": _excerpt(stored),
        "meta": {"footnotes": stored.footnotes},
        "categories": list(stored.categories),
        "tags": list(stored.tags),
    }
    names = (field.name for field in RECORDS[stored.kind])
    return {name: members[name] if name in members else getattr(stored, name) for name in names}


def _content(stored: StoredRecord) -> RecordJson:
    return {
        "raw": stored.content,
        "rendered": stored.content,
        "block_version": stored.block_version,
        "protected": bool(stored.password),
    }


def _excerpt(stored: StoredRecord) -> RecordJson:
    shown = stored.excerpt or escape(stored.summary)
    return {
        "raw": stored.excerpt,
        "rendered": f"<p>{shown}</p>" if shown else "",
        "protected": bool(stored.password),
    }


def _permalink_template(stored: StoredRecord, link: str, settings: SiteSettings) -> str:
    """Write the link with a placeholder as its last segment; a plain link has none."""
    if not settings.permalinks:
        return link
    segment = _TEMPLATE_SEGMENT[stored.kind]
    if link == f"{settings.address}/":
        return f"{link}{segment}/"
    end = "/" if settings.permalinks.endswith("/") else ""
    return f"{link.removesuffix(f'{stored.slug}{end}')}{segment}{end}"


def _class_list(stored: StoredRecord) -> list[str]:
    """Give the classes that WordPress puts on a record's element."""
    kind = stored.kind.value
    classes = [f"post-{stored.id}", kind, f"type-{kind}", f"status-{stored.status}"]
    if stored.kind is Kind.POST:
        classes.append(f"format-{stored.format}")
    if stored.password:
        classes.append("post-password-protected")
    return [*classes, "hentry"]
