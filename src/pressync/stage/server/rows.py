"""One stored record: its row in the table, its address on the web site, and its documented JSON.

The columns are the fields of StoredRecord, by name, so that the list of names exists only once. A path never
depends on a status, so a draft already has its future address. A post's path follows the site's permalink
structure, which is a text such as `/%year%/%postname%/`: links in content were written for the structure of
the real site.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

import json
import re
from functools import cached_property
from html import escape, unescape
from typing import TYPE_CHECKING, Any, ClassVar, Self

from msgspec import Struct, structs

from pressync.model.interface import BLOG_KIND, TREE_KIND, Kind
from pressync.stage.server import kinds, slugs, wire
from pressync.stage.server.database import SiteSettings, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pressync.stage.server.database import Connection


TRASH = "trash"
ALLOWED: Mapping[str, tuple[str, ...]] = {
    "status": ("publish", "future", "draft", "pending", "private"),
    "comment_status": ("open", "closed"),
    "ping_status": ("open", "closed"),
    "format": ("standard", "aside", "chat", "gallery", "link", "image", "quote", "status", "video", "audio"),
}

_BLOCK = re.compile(r"<!--\s+wp:")
_UNSEEN = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"<(?=/?(?i:p|div|h[1-6]|li|ul|ol|d[ltd]|t[rdh]|table|pre|blockquote|br|hr)\b)")
_TAG = re.compile(r"<[^<>]*>")
_EXCERPT_WORDS = 55

# This many characters are enough for the words, and limit the cost of hostile markup.
_EXCERPT_SOURCE = 8000
# A search looks at so many characters of a content.
_TEXT_SOURCE = 200_000
# The words of most excerpts are within this many of them. Every response has an excerpt, and a third of a
# create was spent on the tags of the rest.
_MOST_EXCERPTS = 700


class StoredRecord(Struct, frozen=True):
    """A record as in the database, with one field per column; times are seconds since 1970 in GMT.

    `date` is the time of publication and `modified` the time of the last write. The `parent` and `menu_order`
    of a post stay 0. The `format`, `sticky` and terms of a page keep the defaults below. The date of a
    `floating` draft follows its saves. `desired` is the slug that a record in the trash had before. `own` are
    the values of the fields and taxonomies that the site registers, by the names of the fields.
    """

    TABLE: ClassVar[str] = "records"

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
    own: dict[str, Any] = {}

    @classmethod
    def read(
        cls,
        db: Connection,
        rest: str,
        values: Sequence[object] | Mapping[str, object] = (),
        *,
        texts: bool = True,
    ) -> Iterator[Self]:
        """Read records, one at a time; `rest` is the SQL behind the name of the table.

        Without the `texts`, the content and the excerpt are empty.
        """
        for row in db.execute(f"SELECT {_COLUMNS if texts else _WITHOUT_TEXTS} FROM records {rest}", values):
            found: dict[str, Any] = dict(zip(_NAMES, row, strict=True))
            found["kind"] = db.types.kind(found["kind"])
            found |= {"sticky": bool(found["sticky"]), "floating": bool(found["floating"])}
            found |= {name: tuple(json.loads(found[name])) for name in ("categories", "tags")}
            found["own"] = json.loads(found["own"]) if found["own"] != "{}" else {}
            yield cls(**found)

    @property
    def generated_slug(self) -> str:
        """The slug that the title gives, or the id if the title does not give one."""
        return slugs.sanitise(self.title) or str(self.id)

    @property
    def block_version(self) -> int:
        """1 if the content consists of blocks, else 0."""
        return 1 if _BLOCK.search(self.content) else 0

    @property
    def plain_text(self) -> str:
        """The content as a reader sees it, without markup; of a very long one, the beginning."""
        seen = _UNSEEN.sub("", self.content[:_TEXT_SOURCE])
        return " ".join(unescape(_TAG.sub("", _BREAK.sub(" <", seen))).split())

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


RecordJson = dict[str, object]


def to_json(stored: StoredRecord, path: str, settings: SiteSettings) -> RecordJson:
    """Write the record with its times in site time and in GMT; `path` is its address on the site."""
    offset = settings.offset
    link = settings.address + path
    excerpt = stored.excerpt or escape(stored.summary)
    is_protected = bool(stored.password)
    members: RecordJson = {
        "date": wire.moment_text(stored.date, offset=offset),
        "date_gmt": wire.moment_text(stored.date),
        "guid": {"raw": stored.guid, "rendered": escape(stored.guid)},
        "id": stored.id,
        "link": link,
        "modified": wire.moment_text(stored.modified, offset=offset),
        "modified_gmt": wire.moment_text(stored.modified),
        "type": str(stored.kind),
        "permalink_template": _permalink_template(stored, link, settings),
        "generated_slug": stored.generated_slug,
        "class_list": _class_list(stored),
        "title": {"raw": stored.title, "rendered": escape(stored.title)},
        "content": {
            "raw": stored.content,
            "rendered": stored.content,
            "block_version": stored.block_version,
            "protected": is_protected,
        },
        "excerpt": {
            "raw": stored.excerpt,
            "rendered": f"<p>{excerpt}</p>" if excerpt else "",
            "protected": is_protected,
        },
        "meta": {"footnotes": stored.footnotes},
        "categories": list(stored.categories),
        "tags": list(stored.tags),
    }
    names = (field.name for field in kinds.members(stored.kind))
    return {name: members[name] if name in members else getattr(stored, name) for name in names}


def _permalink_template(stored: StoredRecord, link: str, settings: SiteSettings) -> str:
    """Write the link with a placeholder as its last segment; a plain link has none."""
    if not settings.permalinks:
        return link
    segment = "%postname%" if stored.kind == BLOG_KIND else "%pagename%"
    if link == f"{settings.address}/":
        return f"{link}{segment}/"
    end = "/" if settings.permalinks.endswith("/") else ""
    return f"{link.removesuffix(f'{stored.slug}{end}')}{segment}{end}"


def _class_list(stored: StoredRecord) -> list[str]:
    kind = str(stored.kind)
    classes = [f"post-{stored.id}", kind, f"type-{kind}", f"status-{stored.status}"]
    if stored.kind.row.has("format"):
        classes.append(f"format-{stored.format}")
    if stored.password:
        classes.append("post-password-protected")
    return [*classes, "hentry"]


_NAMES = StoredRecord.__struct_fields__
_COLUMNS = ", ".join(_NAMES)
_WITHOUT_TEXTS = _COLUMNS.replace("content", "''").replace("excerpt", "''")
_MARKS = ", ".join("?" * len(_NAMES))
_UPDATES = ", ".join(f"{name} = excluded.{name}" for name in _NAMES[1:])
_SAVE = f"INSERT INTO records ({_COLUMNS}) VALUES ({_MARKS}) ON CONFLICT (id) DO UPDATE SET {_UPDATES}"

# A record and the pages above it, up to the root of the site.
_UPWARDS = """
WITH RECURSIVE upwards (id, parent, slug, depth) AS (
    SELECT id, parent, slug, 0 FROM records WHERE id = ?
    UNION ALL
    SELECT r.id, r.parent, r.slug, depth + 1 FROM records r JOIN upwards u ON r.id = u.parent
)
SELECT id, slug FROM upwards ORDER BY depth
"""


def find(db: Connection, kind: Kind, record_id: int) -> StoredRecord | None:
    """Read one record, or None."""
    return next(StoredRecord.read(db, "WHERE id = ? AND kind = ?", (record_id, kind)), None)


def children(db: Connection, kind: Kind, parent: int) -> list[StoredRecord]:
    """Read all records of a kind directly below one, by id."""
    if not kind.row.hierarchical:
        return []
    return [*StoredRecord.read(db, "WHERE kind = ? AND parent = ? ORDER BY id", (kind, parent))]


def id_at(db: Connection, kind: Kind, parent: int, slug: str) -> int | None:
    """Give the id of the record that has a slug, or None if the slug is free."""
    # Drafts may share the slug of a public record. By itself, SQLite would choose the index `ordered`, which
    # has all columns that are needed, and would read every sibling in it.
    query = (
        "SELECT id FROM records INDEXED BY addressed WHERE kind = ? AND parent = ? AND slug = ? "
        "ORDER BY status IN ('draft', 'pending'), id LIMIT 1"
    )
    row = db.execute(query, (kind, parent, slug)).fetchone()
    return int(row[0]) if row else None


def upwards(db: Connection, record_id: int) -> list[tuple[int, str]]:
    """Give the id and slug of a page and of each page above it, from the page up; empty for id 0."""
    return [(int(found), str(slug)) for found, slug in db.execute(_UPWARDS, (record_id,))]


def save(db: Connection, record: StoredRecord) -> None:
    """Write a record, new or changed."""
    lists = {name: json.dumps(getattr(record, name)) for name in ("categories", "tags", "own")}
    db.execute(_SAVE, structs.astuple(structs.replace(record, **lists)))


def sticky(db: Connection) -> set[int]:
    """Give the ids of all sticky posts."""
    return {int(number) for (number,) in db.execute("SELECT id FROM records WHERE sticky")}


def make_sticky(db: Connection, ids: Iterable[int]) -> None:
    """Make exactly these posts sticky, whichever were before."""
    wanted = {"ids": json.dumps(sorted(ids))}
    among = "(SELECT value FROM json_each(:ids))"
    db.execute(f"UPDATE records SET sticky = 0 WHERE sticky AND id NOT IN {among}", wanted)
    db.execute(f"UPDATE records SET sticky = 1 WHERE id IN {among} AND NOT sticky", wanted)


def next_id(db: Connection) -> int:
    """Give the id of the next new record. Ids grow, both kinds share them, and none is used twice."""
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'records'").fetchone()
    return (int(row[0]) if row else 0) + 1


def reserve(db: Connection, number: int) -> None:
    """Let the ids of new records begin behind a number."""
    db.execute("DELETE FROM sqlite_sequence WHERE name = 'records'")
    db.execute("INSERT INTO sqlite_sequence (seq, name) VALUES (?, 'records')", (number,))


BLOG = "blog"
SERVICE = "wp-json"

# The list of posts and the service itself would hide root pages with these slugs.
RESERVED = frozenset({BLOG, SERVICE})

# The front page is the root page with the first of these slugs that a page has.
FRONT_SLUGS = ("index", "home")

# The longest structure. It limits the cost of a look-up.
_LONGEST = 200
_TAG_OF_STRUCTURE = re.compile("%([a-z_]+)%")
# The texts that can be in the place of each tag. A category may have others above it.
_FORMS = {
    **dict.fromkeys(("year", "monthnum", "day", "hour", "minute", "second", "post_id"), "[0-9]+"),
    **dict.fromkeys(("postname", "author"), "[^/]+"),
    "category": ".+?",
}


class Permalinks:
    """The paths of one state of the store."""

    def __init__(self, db: Connection, settings: SiteSettings | None = None) -> None:
        self._db = db
        self.settings = settings or read_settings(db)
        self._structure = self.settings.permalinks

    @cached_property
    def front(self) -> int:
        """The id of the front page, or 0 if the site has none."""
        if self.settings.front >= 0:
            return self.settings.front
        return next((page for slug in FRONT_SLUGS if (page := id_at(self._db, TREE_KIND, 0, slug))), 0)

    def path(self, record: StoredRecord) -> str:
        """Give the path of a record."""
        if kinds.is_own(record.kind):
            place = "/".join([*self._above(record.parent), record.slug])
            return (
                f"{self._base(record.kind)}/{place}{self._end}"
                if self._structure
                else f"/?{record.kind}={place}"
            )
        if record.kind.row.hierarchical:
            return self.page_path(record.id, record.parent, record.slug)
        if not self._structure:
            return f"/?p={record.id}"
        return _TAG_OF_STRUCTURE.sub(lambda tag: self._value(tag[1], record), self._structure)

    def page_path(self, number: int, parent: int, slug: str) -> str:
        """Give the path of a page."""
        # The slug of nearly every page shows alone that it is not the front page.
        if (self.settings.front >= 0 or slug in FRONT_SLUGS) and number == self.front:
            return "/"
        if not self._structure:
            return f"/?page_id={number}"
        return f"/{'/'.join([*self._above(parent), slug])}{self._end}"

    @property
    def front_part(self) -> str:
        """The part of an address before that of a type or a taxonomy of the site's own."""
        return self._structure.partition("%")[0]

    @property
    def _end(self) -> str:
        return "/" if self._structure.endswith("/") else ""

    def _above(self, parent: int) -> list[str]:
        # A draft of WordPress has no slug.
        return [each for _, each in reversed(upwards(self._db, parent)) if each] if parent else []

    def _base(self, kind: Kind) -> str:
        """Give the path before the slugs of the records of a type of the site's own."""
        return self._bases.get(kind, f"{self.front_part}{kind}")

    @cached_property
    def _bases(self) -> dict[str, str]:
        found: dict[str, str] = json.loads(self.settings.bases)
        return found

    def at(self, path: str) -> Iterator[tuple[Kind, int]]:
        """Give the kind and the id of each record at a requested path: a page goes before a post."""
        if page := self.page_at(path):
            yield TREE_KIND, page
        if post := self.post_at(path):
            yield BLOG_KIND, post
        place = f"/{path.strip('/')}"
        for kind in filter(kinds.is_own, self._db.types.kinds):
            base = f"{self._base(kind)}/"
            if place.startswith(base) and (found := self.page_at(place.removeprefix(base), kind)):
                yield kind, found

    def page_at(self, path: str, kind: Kind = TREE_KIND) -> int | None:
        """Give the id of the record whose slugs, from the root down, make the requested path."""
        found: int | None = None
        for segment in path.strip("/").split("/"):
            found = id_at(self._db, kind, found or 0, slugs.from_address(segment))
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
            return id_at(self._db, BLOG_KIND, 0, slugs.from_address(named["postname"]))
        return int(named["post_id"]) if named.get("post_id") else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """The paths of posts; a structure with neither a name nor an id does not lead to one post."""
        groups: set[str] = set()
        parts = []
        for number, part in enumerate(_TAG_OF_STRUCTURE.split(self._structure.rstrip("/"))):
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
                moment = wire.moment_at(post.date, offset=self.settings.offset)
                return f"{getattr(moment, tag.removesuffix('num')):02}"


def term_line(db: Connection, number: int) -> dict[int, str]:
    """Give the slugs of a term and of those above it by their ids, from the term up."""
    found: dict[int, str] = {}
    while number and number not in found:
        row = db.execute("SELECT slug, parent FROM terms WHERE id = ?", (number,)).fetchone()
        if row is None:
            break
        found[number], number = str(row[0]), int(row[1])
    return found


def term_slugs(db: Connection, number: int) -> list[str]:
    """Give the slug of a term after those of the terms above it."""
    return [*term_line(db, number).values()][::-1]


def permalink_structure(text: str) -> str:
    """Check a permalink structure; "" stands for plain permalinks. ValueError for one that is not usable."""
    tags = _TAG_OF_STRUCTURE.findall(text)
    # Without one of these, an address does not lead to one post.
    leads = not text or not {"postname", "post_id"}.isdisjoint(tags)
    fits = not text or (text.startswith("/") and len(text) <= _LONGEST and not re.search(r"[\s?#]|//", text))
    if not fits or not leads or not all(tag in _FORMS for tag in tags) or tags.count("category") > 1:
        raise ValueError(f"{text!r} is not a permalink structure; write it like /%year%/%postname%/")
    return text


def terms_in(record: StoredRecord, name: str) -> tuple[int, ...]:
    """Give the ids of the terms in the field of this name."""
    return getattr(record, name) if name in kinds.TAXONOMIES else tuple(record.own.get(name, ()))


def with_terms(record: StoredRecord, name: str, ids: Iterable[int]) -> StoredRecord:
    """Give the record with these terms in the field of this name."""
    if name in kinds.TAXONOMIES:
        return structs.replace(record, **{name: tuple(ids)})
    return structs.replace(record, own={**record.own, name: list(ids)})
