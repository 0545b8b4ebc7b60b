"""Reads what of a site decides how a sync ends there: people, addresses that are taken, theme and plugins.

A rehearsal puts these on its stage, and may make no request but GET. Each function says what a visitor sees.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.client.responses import clean, json_object
from pressync.client.wordpress.by_slug import TRASHED, stored
from pressync.client.wordpress.reads import EVERYWHERE, ROWS, every_row, get, of_ids, rows
from pressync.client.wordpress.record import read, unescape_title
from pressync.client.wordpress.terms_and_media import id_of
from pressync.model.errors import Refused
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import BLOG_KIND, Kind
from pressync.model.web_address import path_of, split

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Mapping

    from pressync.client.wordpress.reads import Query, Row, Send
    from pressync.model.records import Entry, Record

# The most users, files, and records of a kind that are read.
_MOST_PEOPLE = 5_000
_MOST_FILES = 20_000
_MOST_RECORDS = 100_000

_PEOPLE = (("context", "edit"), ("_fields", "id,username,email,slug,name,roles"))

# The newest posts show the permalink structure.
_SAMPLE = 20

# The number that WordPress adds to a slug that is taken, and the mark of the trash.
_ADDED = re.compile(rf"(?:{TRASHED})?(?:-\d+)?$")


@dataclass(frozen=True, slots=True)
class Person:
    """A user of the site. Login, e-mail address and role are empty if we may not see them."""

    id: int
    name: str
    slug: str
    login: str = ""
    email: str = ""
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file of the media library. No page beside it can have its slug; `parent` is the id of its record."""

    id: int
    slug: str
    parent: int = 0
    link: str = ""
    type: str = ""


def ourselves(send: Send) -> Person:
    """Read our user; Refused if WordPress sees a visitor."""
    return _person(json_object(get(send, "/wp/v2/users/me", _PEOPLE)))


def people(send: Send) -> tuple[Person, ...]:
    """Read all users; if we may not list them, those who have published something."""
    try:
        return tuple(map(_person, islice(every_row(send, "/wp/v2/users", _PEOPLE), _MOST_PEOPLE)))
    except Refused:
        visible = every_row(send, "/wp/v2/users", (("_fields", "id,slug,name"),))
        return tuple(map(_person, islice(visible, _MOST_PEOPLE)))


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


def templates(send: Send) -> tuple[str, ...]:
    """Name the templates of the theme that an editor may choose; a classic theme lists none."""
    found = rows(get(send, "/wp/v2/templates", (("_fields", "slug,is_custom"),)))
    return tuple(str(row.get("slug", "")) for row in found if row.get("is_custom") is True)


def taken(
    send: Send, kind: Kind, slugs: Collection[str], *, is_user: bool, also: Container[str] = ()
) -> list[int]:
    """Give the ids of the records that have one of these slugs, also with a number or in the trash.

    The ids whose fingerprints are in `also` are among them: a plan has only the fingerprints of parents.

    A visitor sees those that are published. The whole list is read: a request with the slugs of a large plan
    would be too long for a GET.
    """
    wanted = {form for slug in slugs for form in (*stored(slug), unquote(slug).lower())}
    query: Query = (("_fields", "id,slug"), *((("status", EVERYWHERE),) if is_user else ()))
    if not wanted and not also:
        return []
    found = islice(every_row(send, kind.row.route, query, kind), _MOST_RECORDS)
    ids = []
    for row in found:
        number, slug = id_of(row), str(row.get("slug", ""))
        base = _ADDED.sub("", slug)
        if not wanted.isdisjoint((slug, base, unquote(base))) or fingerprint(number) in also:
            ids.append(number)
    return ids


def records(send: Send, kind: Kind, ids: Collection[int]) -> list[Record]:
    """Read the published ones of these records as a visitor, with the texts as they are shown."""
    query: Query = (("_fields", _SHOWN), ("per_page", str(ROWS)))
    return [
        read(kind, _raw(row))
        for some in of_ids(ids)
        for row in rows(get(send, kind.row.route, (*query, *some), kind))
    ]


_SHOWN = (
    "id,type,link,modified,modified_gmt,slug,status,date,date_gmt,title,content,excerpt,author,parent,"
    "menu_order,template,format,sticky,categories,tags,featured_media,comment_status,ping_status"
)


def _raw(row: Row) -> Row:
    """Give a row of a visitor the raw texts that a record has."""
    texts = {
        name: {"raw": str(value["rendered"])}
        for name in ("title", "content", "excerpt")
        if isinstance(value := row.get(name), dict) and "rendered" in value
    }
    return {**row, **texts}


def library_files(send: Send, *, is_user: bool) -> tuple[LibraryFile, ...]:
    """Read the files of the media library; a visitor does not see those of drafts."""
    context = (("context", "edit"),) if is_user else ()
    listed = every_row(send, "/wp/v2/media", (*context, ("_fields", _FILE)))
    return tuple(
        LibraryFile(
            id=id_of(row),
            slug=str(row.get("slug", "")),
            parent=above if isinstance(above := row.get("post"), int) else 0,
            link=str(row.get("source_url", "")),
            type=str(row.get("mime_type", "")),
        )
        for row in islice(listed, _MOST_FILES)
    )


_FILE = "id,slug,post,source_url,mime_type"


def newest_posts(send: Send) -> list[Row]:
    """Read the newest published posts, whose addresses show the permalink structure; for everybody."""
    query = (("per_page", str(_SAMPLE)), ("_fields", "id,slug,link,date,author"))
    return list(rows(get(send, BLOG_KIND.row.route, query, BLOG_KIND)))


def theme(send: Send) -> str:
    """Give the name and the version of the theme; Refused if our user may not edit posts."""
    query = (("status", "active"), ("_fields", "stylesheet,version"))
    return ", ".join(_named(row, "stylesheet") for row in rows(get(send, "/wp/v2/themes", query)))


def plugins(send: Send) -> tuple[str, ...]:
    """Give the active plugins and their versions; Refused if our user is not an administrator."""
    query = (("_fields", "plugin,status,version"),)
    found = rows(get(send, "/wp/v2/plugins", query))
    return tuple(sorted(_named(row, "plugin") for row in found if row.get("status") != "inactive"))


def _named(row: Row, member: str) -> str:
    name, version = (clean(str(row.get(each) or ""), 100) for each in (member, "version"))
    return f"{name.partition('/')[0]} {version}".strip()


def settings(send: Send) -> Row:
    """Read the settings of the site; Refused if our user is not an administrator."""
    return json_object(get(send, "/wp/v2/settings", (("_fields", _SETTINGS),)))


_SETTINGS = "default_category,default_comment_status,default_ping_status,show_on_front,page_on_front"


# The interface does not show the permalink structure. But each published post has an address, a slug and a
# date, so the parts of the address show where they come from.
# The parts of a date in the order in which addresses have them.
_DATE = ("%year%", "%monthnum%", "%day%", "%hour%", "%minute%", "%second%")


_DATED = re.compile(r"/([0-9]{4})/([0-9]{2})(?:/([0-9]{2}))?/")


def permalink_structure(
    posts: Iterable[Mapping[str, object]],
    *,
    home: str,
    authors: Mapping[int, str] | None = None,
    categories: Collection[str] = (),
) -> str | None:
    """Give the structure as WordPress writes it, "" for plain addresses, None if no post shows it.

    A post has the members `id`, `slug`, `link` and `date`, and may have `author`. `authors` has the slugs of
    users by id, and `categories` the slugs of categories. The structure that most posts show counts.
    """
    seen = Counter(
        _of_post(post, path_of(home).rstrip("/"), authors or {}, frozenset(categories))
        for post in posts
        if post.get("slug")
    )
    seen.pop(None, None)
    return seen.most_common(1)[0][0] if seen else None


def shown_permalinks(entries: Iterable[Entry], home: str) -> str | None:
    """Give the structure that the addresses of a manifest's posts show, as `permalink_structure` does."""
    posts = (entry for entry in entries if entry.kind == BLOG_KIND)
    return permalink_structure(map(_with_date, posts), home=home)


def _with_date(post: Entry) -> dict[str, object]:
    """Give the members of a post that show the structure; an address with a date has its date."""
    date = _DATED.search(post.link)
    return {
        "id": post.id,
        "slug": post.slug,
        "link": post.link,
        # An empty part of a date would be in every address.
        "date": "-".join(filter(None, date.groups())) if date else "?",
    }


def _of_post(
    post: Mapping[str, object], folder: str, authors: Mapping[int, str], categories: frozenset[str]
) -> str | None:
    address = split(str(post.get("link", "")))
    if address is None:
        return None
    if address.query:
        return ""
    path = address.path.removeprefix(folder)
    author = post.get("author")
    known = {
        str(post["slug"]): "%postname%",
        str(post.get("id", "")): "%post_id%",
        authors.get(author, "") if isinstance(author, int) else "": "%author%",
    }
    known.pop("", None)
    date = dict(zip(_DATE, re.split("[T:-]", str(post.get("date", ""))), strict=False))
    found: list[str] = []
    for segment in path.split("/"):
        part = _part(segment, known, date, categories)
        # A category below another has both slugs in the address.
        if part != "%category%" or found[-1:] != [part]:
            found.append(part)
    text = "/".join(found)
    return text if "%postname%" in text or "%post_id%" in text else None


def _part(segment: str, known: Mapping[str, str], date: dict[str, str], categories: frozenset[str]) -> str:
    """Give the part of the structure behind one segment; a part of the date is used once."""
    if segment in known:
        return known[segment]
    for name, digits in date.items():
        if segment == digits:
            del date[name]
            return name
    if segment in categories:
        return "%category%"
    for text, name in known.items():
        # `/archive-%post_id%` and `/%postname%.html` have a fixed text beside.
        if name != "%author%" and text in segment:
            return segment.replace(text, name)
    return segment
