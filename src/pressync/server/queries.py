"""The queries of the web site: public records in the order of navigation or by date, a few at a time.

An index answers each query, and a query reads only the content that is shown. So fifty thousand pages under
one parent are as fast as five.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pressync.model.interface import Kind
from pressync.server import archives, rows
from pressync.server.archives import EVERY_POST
from pressync.server.database import own_addresses
from pressync.server.permalinks import Permalinks
from pressync.server.record import TRASH

if TYPE_CHECKING:
    import sqlite3

    from pressync.server.archives import Archive, TermLink
    from pressync.server.record import StoredRecord

# A scheduled record is public from its date on; nobody has to publish it.
_PUBLIC = "(status = 'publish' OR (status = 'future' AND date <= :now))"

# The columns of the index `ordered`, so that the index alone answers these queries.
_OUTLINES = f"SELECT id, title, parent, slug, menu_order FROM records WHERE kind = 'page' AND {_PUBLIC}"
_WITHOUT_CONTENT = rows.COLUMNS.replace("content", "'' AS content")
_PLACE = "(menu_order, title COLLATE NOCASE, id)"
_FORWARDS = "ORDER BY menu_order, title COLLATE NOCASE, id"
_BACKWARDS = "ORDER BY menu_order DESC, title COLLATE NOCASE DESC, id DESC"


@dataclass(frozen=True, slots=True)
class Outline:
    """The part of a record that navigation needs; `path` is its address on the site."""

    id: int
    title: str
    path: str
    parent: int = 0
    menu_order: int = 0


class PublicRecords:
    """The public records that one read transaction sees at the time `now`."""

    def __init__(self, db: sqlite3.Connection, now: int, *, classic: bool = False) -> None:
        self.db = db
        self.now = now
        # Texts of the classic editor exist only on a site that WordPress's dialect can write to.
        self.classic = classic
        self.permalinks = Permalinks(db)

    @cached_property
    def own_addresses(self) -> frozenset[str]:
        """Every address that the site has or had."""
        return own_addresses(self.db)

    def page(self, page_id: int | None) -> StoredRecord | None:
        """Read a page that the site shows, or None."""
        return self._shown(Kind.PAGE, page_id)

    def page_at(self, path: str) -> StoredRecord | None:
        """Read the page at a requested path, or None."""
        return self.page(self.permalinks.page_at(path))

    def front(self) -> StoredRecord | None:
        """Read the front page, or None if there is none to show."""
        return self.page(self.permalinks.front)

    def post(self, post_id: int | None) -> StoredRecord | None:
        """Read a post that the site shows, or None."""
        return self._shown(Kind.POST, post_id)

    def post_at(self, path: str) -> StoredRecord | None:
        """Read the post at a requested path, or None."""
        return self.post(self.permalinks.post_at(path))

    def outline(self, record: StoredRecord) -> Outline:
        """Give the outline of a record that has been read."""
        path = self.permalinks.path(record)
        return Outline(record.id, record.title, path, record.parent, record.menu_order)

    def ancestors(self, page: StoredRecord) -> list[Outline]:
        """List the public pages above a page, from the root down."""
        above = (self.page(each) for each, _ in reversed(rows.upwards(self.db, page.parent)))
        return [self.outline(each) for each in above if each]

    def children(self, parent: int, *, limit: int, skip: int = 0) -> list[Outline]:
        """List pages directly below a page, or the root pages for 0, in the order of navigation."""
        return self._outlines(parent, f"{_FORWARDS} LIMIT :limit OFFSET :skip", limit=limit, skip=skip)

    def count_children(self, parent: int) -> int:
        """Count the public pages directly below a page, or the root pages for 0."""
        return self._count("WHERE kind = 'page' AND parent = :parent AND", parent=parent)

    def before(self, page: Outline, *, limit: int) -> list[Outline]:
        """List the pages just before a page under the same parent, in order."""
        return self._beside(page, f"< (:menu_order, :title, :id) {_BACKWARDS}", limit)[::-1]

    def after(self, page: Outline, *, limit: int) -> list[Outline]:
        """List the pages just after a page under the same parent, in order."""
        return self._beside(page, f"> (:menu_order, :title, :id) {_FORWARDS}", limit)

    def posts(self, *, limit: int, skip: int = 0, archive: Archive = EVERY_POST) -> list[StoredRecord]:
        """List the posts of an archive, newest first; sticky posts begin the list of all posts."""
        sticky = "sticky DESC, " if archive is EVERY_POST else ""
        query = (
            f"SELECT {rows.COLUMNS} FROM records WHERE kind = 'post' AND {_PUBLIC} AND {archive.where} "
            f"ORDER BY {sticky}date DESC, id DESC LIMIT :limit OFFSET :skip"
        )
        values = {"now": self.now, "limit": limit, "skip": skip, **archive.values}
        return [rows.to_stored(row) for row in self.db.execute(query, values)]

    def count_posts(self, archive: Archive = EVERY_POST) -> int:
        """Count the public posts of an archive."""
        return self._count(f"WHERE kind = 'post' AND {archive.where} AND", **archive.values)

    def terms_in_use(self, base: str) -> list[TermLink]:
        """List the categories or the tags of public posts."""
        return archives.terms_in_use(self.db, base, _PUBLIC, self.now)

    def years_in_use(self, offset: int) -> list[TermLink]:
        """List the years of public posts."""
        return archives.years_in_use(self.db, _PUBLIC, self.now, offset)

    def hidden(self, number: int) -> StoredRecord | None:
        """Read a record that only its authors see: a draft, a private or a scheduled one."""
        found = rows.find(self.db, Kind.PAGE, number) or rows.find(self.db, Kind.POST, number)
        return found if found and found.status != TRASH else None

    def older(self, post: StoredRecord) -> Outline | None:
        """Give the post published just before a post."""
        return self._dated(post, "<", "DESC")

    def newer(self, post: StoredRecord) -> Outline | None:
        """Give the post published just after a post."""
        return self._dated(post, ">", "ASC")

    def count(self) -> int:
        """Count all public records."""
        return self._count("WHERE")

    def addresses(self, *, limit: int, skip: int = 0) -> list[tuple[str, int]]:
        """List path and last change (seconds since 1970) of public records of both kinds."""
        query = (
            f"SELECT {_WITHOUT_CONTENT} FROM records WHERE kind IN ('page', 'post') AND {_PUBLIC} "
            f"ORDER BY kind, parent, {_FORWARDS.removeprefix('ORDER BY ')} LIMIT :limit OFFSET :skip"
        )
        found = self.db.execute(query, {"now": self.now, "limit": limit, "skip": skip})
        records = (rows.to_stored(row) for row in found)
        return [(self.permalinks.path(record), record.modified) for record in records]

    def _shown(self, kind: Kind, record_id: int | None) -> StoredRecord | None:
        found = rows.find(self.db, kind, record_id) if record_id else None
        if found and found.status == "future" and found.date <= self.now:
            return found
        return found if found and found.status == "publish" else None

    def _count(self, where: str, **values: int | str) -> int:
        query = f"SELECT count(*) FROM records {where} {_PUBLIC}"
        return int(self.db.execute(query, {"now": self.now, **values}).fetchone()[0])

    def _outlines(self, parent: int, rest: str, **values: int | str) -> list[Outline]:
        values |= {"now": self.now, "parent": parent}
        return [
            Outline(found, title, self.permalinks.page_path(found, above, slug), above, menu_order)
            for found, title, above, slug, menu_order in self.db.execute(
                f"{_OUTLINES} AND parent = :parent {rest}", values
            )
        ]

    def _beside(self, page: Outline, rest: str, limit: int) -> list[Outline]:
        return self._outlines(
            page.parent,
            f"AND {_PLACE} {rest} LIMIT :limit",
            menu_order=page.menu_order,
            title=page.title,
            id=page.id,
            limit=limit,
        )

    def _dated(self, post: StoredRecord, side: str, order: str) -> Outline | None:
        query = (
            f"SELECT {rows.COLUMNS} FROM records WHERE kind = 'post' AND {_PUBLIC} "
            f"AND (date, id) {side} (:date, :id) ORDER BY date {order}, id {order} LIMIT 1"
        )
        row = self.db.execute(query, {"now": self.now, "date": post.date, "id": post.id}).fetchone()
        return self.outline(rows.to_stored(row)) if row else None
