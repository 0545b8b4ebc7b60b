"""The queries of the web site: public records in the order of navigation, by date, or of one archive.

An index answers each query, and a query reads only the content that is shown. So fifty thousand pages under
one parent are as fast as five. The archives of categories, tags, authors and dates have the paths of a
WordPress with its usual settings, because links in content lead to them.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import MAXYEAR, datetime
from functools import cached_property
from html import unescape
from typing import TYPE_CHECKING

from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes
from pressync.stage.server import kinds, rows, slugs, wire
from pressync.stage.server.database import own_addresses
from pressync.stage.server.rows import BLOG, TRASH, Permalinks, StoredRecord, term_slugs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pressync.stage.server.database import Connection


_DATE = re.compile(r"([1-9][0-9]{3})(?:/(0[1-9]|1[0-2])(?:/(0[1-9]|[12][0-9]|3[01]))?)?", re.ASCII)
# Base of the path -> the taxonomy, and the column of the records that has the ids of its terms.
_TAXONOMIES = {"category": ("category", "categories"), "tag": ("post_tag", "tags")}
# A category and the categories below it.
_BELOW = """
WITH RECURSIVE below (id) AS (
    SELECT :term UNION SELECT t.id FROM terms t JOIN below b ON t.parent = b.id
) SELECT id FROM below
"""


@dataclass(frozen=True, slots=True)
class Archive:
    """A list of posts; `where` selects them among all records, with these values."""

    title: str
    path: str
    description: str = ""
    where: str = "1"
    values: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TermLink:
    """The name of a term, an author or a year, the path of its archive, and the number of its posts."""

    name: str
    path: str
    count: int = 0


EVERY_POST = Archive("Posts", f"/{BLOG}/")


def archive_at(db: Connection, path: str, offset: int) -> Archive | None:
    """Give the list of posts at a requested path, or None; site time is `offset` minutes ahead of GMT."""
    place = path.strip("/")
    if place.lower() == BLOG:
        return EVERY_POST
    if found := _DATE.fullmatch(place):
        return _of_time(*(int(part) if part else None for part in found.groups()), offset=offset)
    base, _, rest = place.partition("/")
    slug = slugs.from_address(rest.rpartition("/")[2])
    if base == "author":
        row = db.execute("SELECT id, name, slug FROM users WHERE slug = ?", (slug,)).fetchone()
        return _of_author(*row) if row else None
    if base not in _TAXONOMIES:
        return None
    query = "SELECT id FROM terms WHERE taxonomy = ? AND slug = ?"
    row = db.execute(query, (_TAXONOMIES[base][0], slug)).fetchone()
    return _of_term(db, base, int(row[0])) if row else None


def archive_of(db: Connection, query: Mapping[str, str]) -> Archive | None:
    """Give the list of posts that a query asks for, such as `?cat=3`, as with plain permalinks."""
    if re.fullmatch("[0-9]{1,15}", number := query.get("cat", "")):
        statement = "SELECT id FROM terms WHERE taxonomy = 'category' AND id = ?"
        row = db.execute(statement, (int(number),)).fetchone()
        return _of_term(db, "category", int(row[0])) if row else None
    if re.fullmatch("[0-9]{1,15}", number := query.get("author", "")):
        row = db.execute("SELECT id, name, slug FROM users WHERE id = ?", (int(number),)).fetchone()
        return _of_author(*row) if row else None
    if tag := query.get("tag"):
        return archive_at(db, f"tag/{tag}", 0)
    return None


def _of_author(number: int, name: str, slug: str) -> Archive:
    return Archive(name, f"/author/{slug}/", "", "author = :author", {"author": number})


def _of_term(db: Connection, base: str, number: int) -> Archive:
    column = _TAXONOMIES[base][1]
    row = db.execute("SELECT name, description FROM terms WHERE id = ?", (number,)).fetchone()
    ids = [int(each) for (each,) in db.execute(_BELOW, {"term": number})]
    where = f"EXISTS (SELECT 1 FROM json_each({column}) WHERE value IN ({', '.join(map(str, ids))}))"
    return Archive(unescape(row[0]), _term_path(db, base, number), str(row[1]), where)


def _term_path(db: Connection, base: str, number: int) -> str:
    return f"/{'/'.join([base, *term_slugs(db, number)])}/"


def _of_time(year: int | None, month: int | None, day: int | None, *, offset: int) -> Archive | None:
    """Give the archive of a year, a month or a day; None for a day that does not exist."""
    # Python cannot represent the end of the last year.
    if year is None or year >= MAXYEAR:
        return None
    try:
        first = datetime(year, month or 1, day or 1)  # noqa: DTZ001 - site time has no zone
    except ValueError:
        return None
    if day:
        title, path = f"{day} {first:%B %Y}", f"{first:/%Y/%m/%d/}"
        last = wire.seconds(first, offset=offset) + 24 * 60 * 60
    else:
        after = datetime(year + (not month or month == 12), 1 if not month else month % 12 + 1, 1)  # noqa: DTZ001, PLR2004 - site time; December
        title, path = (f"{first:%B %Y}", f"{first:/%Y/%m/}") if month else (f"{year}", f"/{year}/")
        last = wire.seconds(after, offset=offset)
    values = {"first": wire.seconds(first, offset=offset), "last": last}
    return Archive(title, path, "", "date >= :first AND date < :last", values)


# A scheduled record is public from its date on; nobody has to publish it.
_PUBLIC = "(status = 'publish' OR (status = 'future' AND date <= :now))"

# The columns of the index `ordered`, so that the index alone answers these queries.
_OUTLINES = f"SELECT id, title, parent, slug, menu_order FROM records WHERE kind = 'page' AND {_PUBLIC}"
_PLACE = "(menu_order, title COLLATE NOCASE, id)"
_FORWARDS = "ORDER BY menu_order, title COLLATE NOCASE, id"
_BACKWARDS = "ORDER BY menu_order DESC, title COLLATE NOCASE DESC, id DESC"


# A page lists this many records of each type of the site's own.
_MOST_OF_A_KIND = 45


@dataclass(frozen=True, slots=True)
class Outline:
    """The part of a record that navigation needs; `path` is its address on the site."""

    id: int
    title: str
    path: str
    parent: int = 0
    menu_order: int = 0


def _listed(types: SiteTypes) -> str:
    """Write the condition of a kind whose records have addresses: a reusable block has none."""
    names = (kind for kind in types.kinds if kind in DOCUMENTED_TYPES.kinds or kinds.is_own(kind))
    return f"kind IN ({', '.join(map(repr, map(str, names)))})"


class PublicRecords:
    """The public records that one read transaction sees at the time `now`, and the settings of the site."""

    def __init__(self, db: Connection, now: int, *, classic: bool = False) -> None:
        self.db = db
        self.now = now
        # Texts of the classic editor exist only on a site that WordPress's dialect can write to.
        self.classic = classic
        self.permalinks = Permalinks(db)
        self.site = self.permalinks.settings

    @cached_property
    def own_addresses(self) -> frozenset[str]:
        """Every address that the site has or had."""
        return own_addresses(self.db)

    def shown(self, kind: Kind, record_id: int) -> StoredRecord | None:
        """Read a record that the site shows, or None."""
        found = rows.find(self.db, kind, record_id) if record_id else None
        is_due = found and found.status == "future" and found.date <= self.now
        return found if found and (is_due or found.status == "publish") else None

    def at(self, path: str) -> StoredRecord | None:
        """Read the record at a requested path, or None."""
        return next(filter(None, (self.shown(*found) for found in self.permalinks.at(path))), None)

    def own_kinds(self) -> list[tuple[Kind, list[Outline]]]:
        """List the first public records of each type of the site's own, by title."""
        rest = f"WHERE kind = :kind AND {_PUBLIC} {_FORWARDS} LIMIT {_MOST_OF_A_KIND}"
        values: dict[str, object] = {"now": self.now}
        found = (
            (
                kind,
                [*map(self.outline, StoredRecord.read(self.db, rest, values | {"kind": kind}, texts=False))],
            )
            for kind in filter(kinds.is_own, self.db.types.kinds)
        )
        return [(kind, some) for kind, some in found if some]

    def own_facts(self, record: StoredRecord) -> list[tuple[str, str]]:
        """Give the terms of the site's own taxonomies, and the registered fields of a record, as text."""
        query = "SELECT name FROM terms WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
        facts = []
        for name, value in sorted(record.own.items()):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            if name in self.db.types.taxonomies:
                text = ", ".join(unescape(term) for (term,) in self.db.execute(query, (text,)))
            facts.append((name, text))
        return facts

    def author(self, record: StoredRecord) -> TermLink | None:
        """Give the link to the posts of a record's author."""
        row = self.db.execute("SELECT name, slug FROM users WHERE id = ?", (record.author,)).fetchone()
        return TermLink(str(row[0]), f"/author/{row[1]}/") if row else None

    def terms(self, base: str, record: StoredRecord) -> list[TermLink]:
        """Give the links to a record's categories or tags, by name; `base` is `category` or `tag`."""
        taxonomy, column = _TAXONOMIES[base]
        query = (
            "SELECT id, name FROM terms WHERE taxonomy = ? AND id IN (SELECT value FROM json_each(?)) "
            "ORDER BY name COLLATE NOCASE, id"
        )
        found = self.db.execute(query, (taxonomy, json.dumps(rows.terms_in(record, column)))).fetchall()
        return [TermLink(unescape(name), _term_path(self.db, base, number)) for number, name in found]

    def outline(self, record: StoredRecord) -> Outline:
        """Give the outline of a record that has been read."""
        path = self.permalinks.path(record)
        return Outline(record.id, record.title, path, record.parent, record.menu_order)

    def ancestors(self, page: StoredRecord) -> list[Outline]:
        """List the public records above one, from the root down."""
        above = (self.shown(page.kind, each) for each, _ in reversed(rows.upwards(self.db, page.parent)))
        return [self.outline(each) for each in above if each]

    def children(self, parent: int, *, limit: int, skip: int = 0) -> list[Outline]:
        """List pages directly below a page, or the root pages for 0, in the order of navigation."""
        return self._outlines(parent, f"{_FORWARDS} LIMIT :limit OFFSET :skip", limit=limit, skip=skip)

    def last_children(self, parent: int, *, limit: int) -> list[Outline]:
        """List the last pages directly below a page, the last one first."""
        return self._outlines(parent, f"{_BACKWARDS} LIMIT :limit", limit=limit)

    def pages(self, *, limit: int) -> list[Outline]:
        """List pages of all levels; those of one parent are in the order of navigation."""
        place = f"ORDER BY parent, {_FORWARDS.removeprefix('ORDER BY ')} LIMIT :limit"
        return self._pages(place, limit=limit)

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
        rest = (
            f"WHERE kind = 'post' AND {_PUBLIC} AND {archive.where} "
            f"ORDER BY {sticky}date DESC, id DESC LIMIT :limit OFFSET :skip"
        )
        values = {"now": self.now, "limit": limit, "skip": skip, **archive.values}
        return [*StoredRecord.read(self.db, rest, values)]

    def count_posts(self, archive: Archive = EVERY_POST) -> int:
        """Count the public posts of an archive."""
        return self._count(f"WHERE kind = 'post' AND {archive.where} AND", **archive.values)

    def terms_in_use(self, base: str) -> list[TermLink]:
        """List the categories or the tags of public posts, by name."""
        taxonomy, column = _TAXONOMIES[base]
        query = (
            f"SELECT t.id, t.name, count(*) FROM records, json_each({column}) each "
            f"JOIN terms t ON t.id = each.value AND t.taxonomy = '{taxonomy}' "
            f"WHERE kind = 'post' AND {_PUBLIC} GROUP BY t.id ORDER BY t.name COLLATE NOCASE, t.id"
        )
        found = self.db.execute(query, {"now": self.now}).fetchall()
        return [TermLink(unescape(name), _term_path(self.db, base, n), count) for n, name, count in found]

    def years_in_use(self) -> list[TermLink]:
        """List the years of public posts, newest first."""
        query = (
            "SELECT strftime('%Y', date + :offset * 60, 'unixepoch') year, count(*) FROM records "
            f"WHERE kind = 'post' AND {_PUBLIC} GROUP BY year ORDER BY year DESC"
        )
        found = self.db.execute(query, {"now": self.now, "offset": self.site.offset})
        return [TermLink(str(year), f"/{year}/", count) for year, count in found]

    def hidden(self, number: int) -> StoredRecord | None:
        """Read a record that only its authors see: a draft, a private or a scheduled one."""
        found = next(filter(None, (rows.find(self.db, kind, number) for kind in self.db.types.kinds)), None)
        return found if found and found.status != TRASH else None

    def older(self, post: StoredRecord) -> Outline | None:
        """Give the post published just before a post."""
        return self._dated(post, "<", "DESC")

    def newer(self, post: StoredRecord) -> Outline | None:
        """Give the post published just after a post."""
        return self._dated(post, ">", "ASC")

    def count(self) -> int:
        """Count all public records."""
        return self._count(f"WHERE {_listed(self.db.types)} AND")

    def addresses(self, *, limit: int, skip: int = 0) -> list[tuple[str, int]]:
        """List path and last change (seconds since 1970) of public records of all kinds."""
        rest = (
            f"WHERE {_listed(self.db.types)} AND {_PUBLIC} "
            f"ORDER BY kind, parent, {_FORWARDS.removeprefix('ORDER BY ')} LIMIT :limit OFFSET :skip"
        )
        values = {"now": self.now, "limit": limit, "skip": skip}
        found = StoredRecord.read(self.db, rest, values, texts=False)
        return [(self.permalinks.path(record), record.modified) for record in found]

    def matching(self, patterns: Sequence[str], *, limit: int) -> Iterator[StoredRecord]:
        """Give the records that everybody may read and whose stored texts match each pattern of SQLite.

        Those with more matches in their titles come first, then pages, then the newest. No index answers it.
        """
        names = [f"word{number}" for number in range(len(patterns))]
        title = " + ".join(f"(title LIKE :{name})" for name in names)
        texts = " AND ".join(f"(title LIKE :{name} OR content LIKE :{name})" for name in names)
        rest = (
            f"WHERE {_listed(self.db.types)} AND {_PUBLIC} AND password = '' AND {texts} "
            f"ORDER BY {title} DESC, kind = 'page' DESC, date DESC, id DESC LIMIT :limit"
        )
        values = {name: f"%{pattern}%" for name, pattern in zip(names, patterns, strict=True)}
        return StoredRecord.read(self.db, rest, {"now": self.now, "limit": limit, **values})

    def _count(self, where: str, **values: int | str) -> int:
        query = f"SELECT count(*) FROM records {where} {_PUBLIC}"
        return int(self.db.execute(query, {"now": self.now, **values}).fetchone()[0])

    def _outlines(self, parent: int, rest: str, **values: int | str) -> list[Outline]:
        return self._pages(f"AND parent = :parent {rest}", parent=parent, **values)

    def _pages(self, rest: str, **values: int | str) -> list[Outline]:
        found = self.db.execute(f"{_OUTLINES} {rest}", {"now": self.now, **values})
        return [
            Outline(number, title, self.permalinks.page_path(number, above, slug), above, menu_order)
            for number, title, above, slug, menu_order in found
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
        rest = (
            f"WHERE kind = 'post' AND {_PUBLIC} "
            f"AND (date, id) {side} (:date, :id) ORDER BY date {order}, id {order} LIMIT 1"
        )
        values = {"now": self.now, "date": post.date, "id": post.id}
        found = next(StoredRecord.read(self.db, rest, values), None)
        return self.outline(found) if found else None
