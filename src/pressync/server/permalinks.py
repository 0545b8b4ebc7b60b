"""Computes the path of a record's address on the web site, and finds the record at a path.

A path never depends on a status, so a draft already has its future address. A post's path follows the site's
permalink structure, which is a text such as `/%year%/%postname%/`. Links in content were written for the
structure of the real site, so this service must be able to have the same one.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from pressync.model.interface import Kind
from pressync.server import datetimes, rows, slugs
from pressync.server.database import read_settings

if TYPE_CHECKING:
    import sqlite3

    from pressync.server.database import SiteSettings
    from pressync.server.record import StoredRecord

BLOG = "blog"
SERVICE = "wp-json"

# The list of posts and the service itself would hide root pages with these slugs.
RESERVED = frozenset({BLOG, SERVICE})

# The front page is the root page with the first of these slugs that a page has.
FRONT_SLUGS = ("index", "home")

# The longest structure. It limits the cost of a look-up.
_LONGEST = 200
_TAG = re.compile("%([a-z_]+)%")
# The texts that can be in the place of each tag. A category may have others above it.
_FORMS = {
    **dict.fromkeys(("year", "monthnum", "day", "hour", "minute", "second", "post_id"), "[0-9]+"),
    **dict.fromkeys(("postname", "author"), "[^/]+"),
    "category": ".+?",
}


class Permalinks:
    """The paths of one state of the store."""

    def __init__(self, db: sqlite3.Connection, settings: SiteSettings | None = None) -> None:
        self._db = db
        self._settings = settings or read_settings(db)
        self._structure = self._settings.permalinks

    @cached_property
    def front(self) -> int:
        """The id of the front page, or 0 if the site has none."""
        if self._settings.front >= 0:
            return self._settings.front
        return next((page for slug in FRONT_SLUGS if (page := rows.id_at(self._db, Kind.PAGE, 0, slug))), 0)

    def path(self, record: StoredRecord) -> str:
        """Give the path of a record."""
        if record.kind is Kind.PAGE:
            return self.page_path(record.id, record.parent, record.slug)
        if not self._structure:
            return f"/?p={record.id}"
        return _TAG.sub(lambda tag: self._value(tag[1], record), self._structure)

    def page_path(self, number: int, parent: int, slug: str) -> str:
        """Give the path of a page."""
        # The slug of nearly every page shows alone that it is not the front page.
        if (self._settings.front >= 0 or slug in FRONT_SLUGS) and number == self.front:
            return "/"
        if not self._structure:
            return f"/?page_id={number}"
        # A draft of WordPress has no slug.
        above = [each for _, each in reversed(rows.upwards(self._db, parent)) if each] if parent else []
        return f"/{'/'.join([*above, slug])}{'/' if self._structure.endswith('/') else ''}"

    def page_at(self, path: str) -> int | None:
        """Give the id of the page whose slugs, from the root down, make the requested path."""
        found: int | None = None
        for segment in path.strip("/").split("/"):
            found = rows.id_at(self._db, Kind.PAGE, found or 0, slugs.from_address(segment))
            if found is None:
                return None
        return found

    def post_at(self, path: str) -> int | None:
        """Give the id of the post that the requested path names; its other parts may be wrong."""
        found = self._pattern.fullmatch(f"/{path.strip('/')}")
        if found is None:
            return None
        named = found.groupdict()
        if "postname" in named:
            return rows.id_at(self._db, Kind.POST, 0, slugs.from_address(named["postname"]))
        return int(named["post_id"]) if named.get("post_id") else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """The paths of posts; a structure with neither a name nor an id does not lead to one post."""
        groups: set[str] = set()
        parts = []
        for number, part in enumerate(_TAG.split(self._structure.rstrip("/"))):
            if number % 2 == 0:
                parts.append(re.escape(part))
            elif part in groups:
                parts.append(_FORMS[part])
            else:
                groups.add(part)
                parts.append(f"(?P<{part}>{_FORMS[part]})")
        return re.compile("".join(parts) if groups & {"postname", "post_id"} else "(?!)")

    def _value(self, tag: str, post: StoredRecord) -> str:
        match tag:
            case "postname":
                return post.slug
            case "post_id":
                return str(post.id)
            case "author":
                row = self._db.execute("SELECT slug FROM users WHERE id = ?", (post.author,)).fetchone()
                return str(row[0]) if row else ""
            case "category":
                return "/".join(term_slugs(self._db, min(post.categories, default=1)))
            case _:
                moment = datetimes.moment_at(post.date, offset=self._settings.offset)
                return f"{getattr(moment, tag.removesuffix('num')):02}"


def path_of(db: sqlite3.Connection, record: StoredRecord) -> str:
    """Give the path of one record."""
    return Permalinks(db).path(record)


def term_slugs(db: sqlite3.Connection, number: int) -> list[str]:
    """Give the slug of a term after those of the terms above it."""
    found: dict[int, str] = {}
    while number and number not in found:
        row = db.execute("SELECT slug, parent FROM terms WHERE id = ?", (number,)).fetchone()
        if row is None:
            break
        found[number], number = str(row[0]), int(row[1])
    return [*found.values()][::-1]


def structure(text: str) -> str:
    """Check a permalink structure; "" stands for plain permalinks. ValueError for one that is not usable."""
    tags = _TAG.findall(text)
    # Without one of these, an address does not lead to one post.
    leads = not text or not {"postname", "post_id"}.isdisjoint(tags)
    fits = not text or (text.startswith("/") and len(text) <= _LONGEST and not re.search(r"[\s?#]|//", text))
    if not fits or not leads or not all(tag in _FORMS for tag in tags) or tags.count("category") > 1:
        raise ValueError(f"{text!r} is not a permalink structure; write it like /%year%/%postname%/")
    return text
