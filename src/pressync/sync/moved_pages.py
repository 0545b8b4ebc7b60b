"""Finds pages that somebody moved on the site although no sync ever sent a parent for them. Pure.

A file without `parent` directly below the content folder sends no parent, so no fingerprint shows the move.
The address does: a page that moves below another one gets the address of that page in front of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.model.front_page import is_front
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.model.records import Entry, Record


def parent_edit(entry: Entry, record: Record) -> dict[str, str]:
    """Give the new parent of a page that somebody moved below another page or to the top; else nothing."""
    parent = record.fields.get("parent")
    if entry.kind is not Kind.PAGE or "parent" in entry.fingerprints or not isinstance(parent, int):
        return {}
    before, now = _folder(entry.link), _folder(record.link)
    if before is None or now is None or is_front(entry):
        return {}
    # The address of a page changes with the pages above it, too. Such a change does not add a level here.
    has_moved = now.startswith(f"{before}/") if parent else before.startswith(f"{now}/")
    return {"parent": str(parent)} if has_moved else {}


def _folder(link: str) -> str | None:
    """Give the part of an address before the slug; None for the address of a draft, which has only an id."""
    address = urlsplit(link)
    return None if address.query or not link else address.path.rstrip("/").rpartition("/")[0]
