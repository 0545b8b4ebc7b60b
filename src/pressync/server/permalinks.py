"""Computes the path of a record's address on the web site.

A path depends only on slugs and never on a status, so a draft already has its future address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.interface import Kind
from pressync.server import rows, slugs

if TYPE_CHECKING:
    import sqlite3

    from pressync.server.record import StoredRecord

BLOG = "blog"
SERVICE = "wp-json"

# The list of posts and the service itself would hide root pages with these slugs.
RESERVED = frozenset({BLOG, SERVICE})

# The front page is the root page with the first of these slugs that a page has.
FRONT_SLUGS = ("index", "home")


def path_of(db: sqlite3.Connection, record: StoredRecord) -> str:
    """Give the path of a record, with a slash at both ends."""
    return path_to(db, record.kind, record.parent, record.slug)


def path_to(db: sqlite3.Connection, kind: str, parent: int, slug: str) -> str:
    """Give the path of the record with this kind, parent and slug."""
    if kind == Kind.POST:
        return f"/{BLOG}/{slug}/"
    if parent == 0:
        return "/" if slug == front_slug(db) else f"/{slug}/"
    # A draft of WordPress has no slug.
    above = [each for _, each in reversed(rows.upwards(db, parent)) if each]
    return f"/{'/'.join([*above, slug])}/"


def front_slug(db: sqlite3.Connection) -> str:
    """Give the slug of the front page, or "" if the site has none."""
    return next((slug for slug in FRONT_SLUGS if rows.id_at(db, Kind.PAGE, 0, slug)), "")


def page_at(db: sqlite3.Connection, path: str) -> int | None:
    """Give the id of the page whose slugs, from the root down, make the requested path."""
    found: int | None = None
    for segment in path.strip("/").split("/"):
        found = rows.id_at(db, Kind.PAGE, found or 0, slugs.from_address(segment))
        if found is None:
            return None
    return found
