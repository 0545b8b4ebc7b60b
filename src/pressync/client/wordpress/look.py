"""The facts about a WordPress site that are not records: people, addresses that are taken, theme and plugins.

A rehearsal puts these on its stage, and may make no request but GET.
"""

# ruff: noqa: D102 - the protocol of the port documents the methods

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec import structs

from pressync.client import discovery
from pressync.client.abilities import LastRevision, LibraryFile, Person
from pressync.client.dialects import WORDPRESS
from pressync.client.port import ROWS
from pressync.client.responses import clean, json_object
from pressync.client.wordpress import site_info, site_schema
from pressync.client.wordpress.by_slug import TRASHED, stored
from pressync.client.wordpress.reads import EVERYWHERE, every_row, get, of_ids, rows
from pressync.client.wordpress.record import read
from pressync.client.wordpress.terms_and_media import id_of
from pressync.client.wordpress.whole_site import WholeWordPress
from pressync.html.titles import unescape_title
from pressync.model.errors import Refused
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import BLOG_KIND, DOCUMENTED_TYPES, Kind, SiteTypes
from pressync.model.site_schema import LONGEST_TITLE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterator

    from pressync.client.abilities import Description, InterfaceRoot, Repeats, Row
    from pressync.client.dialects import DialectRow
    from pressync.client.wordpress.reads import Query, Send
    from pressync.model.records import Record
    from pressync.model.site_schema import SiteSchema

# The most users, files, and records of a kind that are read.
_MOST_PEOPLE = 5_000
_MOST_FILES = 20_000
_MOST_RECORDS = 100_000

_PEOPLE = (("context", "edit"), ("_fields", "id,username,email,slug,name,roles"))

# The newest posts show the permalink structure.
_SAMPLE = 20

# The number that WordPress adds to a slug that is taken, and the mark of the trash.
_ADDED = re.compile(rf"(?:{TRASHED})?(?:-\d+)?$")

_SHOWN = (
    "id,type,link,modified,modified_gmt,slug,status,date,date_gmt,title,content,excerpt,author,parent,"
    "menu_order,template,format,sticky,categories,tags,featured_media,comment_status,ping_status"
)
_FILE = "id,slug,post,source_url,mime_type"
_SETTINGS = "default_category,default_comment_status,default_ping_status,show_on_front,page_on_front"
_TEXTS = "content.rendered,excerpt.rendered"
_PUBLIC = (
    ("_fields", f"id,link,title.rendered,date,date_gmt,{_TEXTS},_links.wp:term,_embedded"),
    ("_embed", "wp:term"),
)
_HIDDEN = (("context", "edit"), ("status", "draft,pending,private,future"))
_FUTURE = (("_fields", f"id,link,slug,generated_slug,permalink_template,{_TEXTS}"),)
# Security releases come every few weeks, and the file of a schema would be another one each time.
_BRANCH = re.compile(r"[0-9]{1,3}\.[0-9]{1,3}")
_SLUG = re.compile(r"[\w.-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class WordPressFacts:
    """The facts about the site behind `send`; see `SiteFacts`."""

    send: Send
    is_user: bool
    types: SiteTypes = DOCUMENTED_TYPES
    row: DialectRow = WORDPRESS

    def describe(self) -> Description:
        return site_info.describe(self.send, self.types, self.row.capabilities)

    def root(self) -> InterfaceRoot:
        if not self.row.capabilities.lists_routes:
            return site_info.root_by_settings(self.send)
        return site_info.root(self.send, with_front=True)

    def ourselves(self) -> Person:
        return _person(json_object(get(self.send, "/wp/v2/users/me", _PEOPLE)))

    def people(self) -> tuple[Person, ...]:
        try:
            return tuple(map(_person, islice(every_row(self.send, "/wp/v2/users", _PEOPLE), _MOST_PEOPLE)))
        except Refused:
            visible = every_row(self.send, "/wp/v2/users", (("_fields", "id,slug,name"),))
            return tuple(map(_person, islice(visible, _MOST_PEOPLE)))

    def templates(self) -> tuple[str, ...]:
        listed = rows(get(self.send, "/wp/v2/templates", (("_fields", "slug,is_custom"),)))
        return tuple(str(row.get("slug", "")) for row in listed if row.get("is_custom") is True)

    def taken(self, kind: Kind, slugs: Collection[str], *, also: Container[str] = ()) -> list[int]:
        # The whole list is read: a request with the slugs of a large plan would be too long for a GET.
        wanted = {form for slug in slugs for form in (*stored(slug), unquote(slug).lower())}
        query: Query = (("_fields", "id,slug"), *((("status", EVERYWHERE),) if self.is_user else ()))
        if not wanted and not also:
            return []
        records = islice(every_row(self.send, kind.row.route, query, kind), _MOST_RECORDS)
        ids = []
        for row in records:
            number, slug = id_of(row), str(row.get("slug", ""))
            base = _ADDED.sub("", slug)
            if not wanted.isdisjoint((slug, base, unquote(base))) or fingerprint(number) in also:
                ids.append(number)
        return ids

    def shown(self, kind: Kind, ids: Collection[int]) -> list[Record]:
        query: Query = (("_fields", _SHOWN), ("per_page", str(ROWS)))
        return [
            read(kind, _raw(row))
            for some in of_ids(ids)
            for row in rows(get(self.send, kind.row.route, (*query, *some), kind))
        ]

    def rendered(self, kind: Kind, *, hidden: bool) -> Iterator[Row]:
        query: Query = (*_HIDDEN, *_FUTURE) if hidden else _PUBLIC
        return every_row(self.send, kind.row.route, query, kind)

    def library_files(self) -> tuple[LibraryFile, ...]:
        context = (("context", "edit"),) if self.is_user else ()
        listed = every_row(self.send, "/wp/v2/media", (*context, ("_fields", _FILE)))
        return tuple(map(_library_file, islice(listed, _MOST_FILES)))

    def newest_posts(self) -> list[Row]:
        query = (("per_page", str(_SAMPLE)), ("_fields", "id,slug,link,date,author"))
        return list(rows(get(self.send, BLOG_KIND.row.route, query, BLOG_KIND)))

    def theme(self) -> str:
        query = (("status", "active"), ("_fields", "stylesheet,version"))
        return ", ".join(_named(row, "stylesheet") for row in rows(get(self.send, "/wp/v2/themes", query)))

    def plugins(self) -> tuple[str, ...]:
        listed = rows(get(self.send, "/wp/v2/plugins", (("_fields", "plugin,status,version"),)))
        return tuple(sorted(_named(row, "plugin") for row in listed if row.get("status") != "inactive"))

    def settings(self) -> Row:
        return json_object(get(self.send, "/wp/v2/settings", (("_fields", _SETTINGS),)))

    def last_revision(self, kind: Kind, number: int) -> LastRevision | None:
        newest = (("context", "edit"), ("per_page", "1"), ("_fields", "author,date_gmt"))
        try:
            [row, *_] = rows(get(self.send, f"{kind.row.route}/{number}/revisions", newest, kind))
        except (Refused, ValueError):
            return None
        author, moment = row.get("author"), f"{row.get('date_gmt')}Z"
        if not isinstance(author, int) or author <= 0:
            return LastRevision(moment, 0)
        user: Row = {}
        with suppress(Refused):
            user = json_object(get(self.send, f"/wp/v2/users/{author}", (("_fields", "name,slug"),)))
        name, slug = (str(user.get(key, "")) for key in ("name", "slug"))
        # Somebody else's slug becomes part of an address.
        return LastRevision(moment, author, unescape_title(name), slug if _SLUG.fullmatch(slug) else "")

    def whole_schema(self, say: Callable[[str], None], *, visitor: bool = False) -> SiteSchema:
        context = site_schema.VIEW if visitor else site_schema.EDIT
        schema = site_schema.read(self.send, say, context=context)
        seen = self.root()
        shown = _BRANCH.match(discovery.version(seen.home) or "")
        title = clean(unescape_title(seen.name), LONGEST_TITLE)
        return structs.replace(schema, title=title, release=shown[0] if shown else "")

    def everything(self, retry: Repeats, types: SiteTypes | None = None) -> WholeWordPress:
        root = None if self.row.capabilities.lists_routes else self.root
        return WholeWordPress(self.send, retry, self.is_user, types or self.types, root)


def _person(row: Row) -> Person:
    roles = row.get("roles")
    return Person(
        id=id_of(row),
        name=unescape_title(str(row.get("name", ""))),
        slug=str(row.get("slug", "")),
        login=str(row.get("username", "")),
        email=str(row.get("email", "")),
        roles=tuple(map(str, roles)) if isinstance(roles, list) else (),
    )


def _library_file(row: Row) -> LibraryFile:
    above = row.get("post")
    return LibraryFile(
        id=id_of(row),
        slug=str(row.get("slug", "")),
        parent=above if isinstance(above, int) else 0,
        link=str(row.get("source_url", "")),
        type=str(row.get("mime_type", "")),
    )


def _raw(row: Row) -> Row:
    """Give a row of a visitor the raw texts that a record has."""
    objects = {
        name: value for name in ("title", "content", "excerpt") if isinstance(value := row.get(name), dict)
    }
    texts = {name: {"raw": str(value["rendered"])} for name, value in objects.items() if "rendered" in value}
    return {**row, **texts}


def _named(row: Row, member: str) -> str:
    name, version = (clean(str(row.get(key) or ""), 100) for key in (member, "version"))
    return f"{name.partition('/')[0]} {version}".strip()
