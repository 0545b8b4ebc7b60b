"""Finds the lists of posts at the addresses that WordPress gives them: categories, tags, authors and dates.

Links in content lead to these lists, and themes show them beside each post. So the paths are those of a
WordPress with its usual settings.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import MAXYEAR, datetime
from html import unescape
from typing import TYPE_CHECKING

from pressync.server import datetimes, slugs
from pressync.server.permalinks import BLOG, term_slugs

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

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


def archive_at(db: sqlite3.Connection, path: str, offset: int) -> Archive | None:
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


def archive_of(db: sqlite3.Connection, query: Mapping[str, str]) -> Archive | None:
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


def terms_of(db: sqlite3.Connection, base: str, ids: tuple[int, ...]) -> list[TermLink]:
    """Give the links to the categories or the tags of a post, by name; `base` is `category` or `tag`."""
    query = (
        f"SELECT id, name FROM terms WHERE taxonomy = ? AND id IN ({', '.join('?' * len(ids))}) "
        "ORDER BY name COLLATE NOCASE, id"
    )
    found = db.execute(query, (_TAXONOMIES[base][0], *ids)).fetchall()
    return [TermLink(unescape(name), _term_path(db, base, number)) for number, name in found]


def author_of(db: sqlite3.Connection, number: int) -> TermLink | None:
    """Give the link to the posts of an author, or None if nobody has this id."""
    row = db.execute("SELECT name, slug FROM users WHERE id = ?", (number,)).fetchone()
    return TermLink(str(row[0]), f"/author/{row[1]}/") if row else None


def terms_in_use(db: sqlite3.Connection, base: str, public: str, now: int) -> list[TermLink]:
    """Give the links to the terms of public posts, by name; `public` is a condition with `:now`."""
    taxonomy, column = _TAXONOMIES[base]
    query = (
        f"SELECT t.id, t.name, count(*) FROM records, json_each({column}) each "
        f"JOIN terms t ON t.id = each.value AND t.taxonomy = '{taxonomy}' "
        f"WHERE kind = 'post' AND {public} GROUP BY t.id ORDER BY t.name COLLATE NOCASE, t.id"
    )
    found = db.execute(query, {"now": now}).fetchall()
    return [TermLink(unescape(name), _term_path(db, base, number), count) for number, name, count in found]


def years_in_use(db: sqlite3.Connection, public: str, now: int, offset: int) -> list[TermLink]:
    """Give the links to the years of public posts, newest first."""
    query = (
        "SELECT strftime('%Y', date + :offset * 60, 'unixepoch') year, count(*) FROM records "
        f"WHERE kind = 'post' AND {public} GROUP BY year ORDER BY year DESC"
    )
    found = db.execute(query, {"now": now, "offset": offset})
    return [TermLink(str(year), f"/{year}/", count) for year, count in found]


def _of_author(number: int, name: str, slug: str) -> Archive:
    return Archive(name, f"/author/{slug}/", "", "author = :author", {"author": number})


def _of_term(db: sqlite3.Connection, base: str, number: int) -> Archive:
    column = _TAXONOMIES[base][1]
    row = db.execute("SELECT name, description FROM terms WHERE id = ?", (number,)).fetchone()
    ids = [int(each) for (each,) in db.execute(_BELOW, {"term": number})]
    where = f"EXISTS (SELECT 1 FROM json_each({column}) WHERE value IN ({', '.join(map(str, ids))}))"
    return Archive(unescape(row[0]), _term_path(db, base, number), str(row[1]), where)


def _term_path(db: sqlite3.Connection, base: str, number: int) -> str:
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
        last = datetimes.seconds(first, offset=offset) + 24 * 60 * 60
    else:
        after = datetime(year + (not month or month == 12), 1 if not month else month % 12 + 1, 1)  # noqa: DTZ001, PLR2004 - site time; December
        title, path = (f"{first:%B %Y}", f"{first:/%Y/%m/}") if month else (f"{year}", f"/{year}/")
        last = datetimes.seconds(after, offset=offset)
    values = {"first": datetimes.seconds(first, offset=offset), "last": last}
    return Archive(title, path, "", "date >= :first AND date < :last", values)
