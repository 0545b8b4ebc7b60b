"""The records as a web site to browse: pages, posts, feed and site map, without a line of script.

The site only reads. It shows content as it is stored, because a CMS trusts its authors, but a content
security policy forbids scripts. Everything else is escaped.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Flask, Response, abort, redirect, render_template, request, send_from_directory
from werkzeug.exceptions import NotFound

from pressync.model.interface import Kind
from pressync.server import datetimes, navigation, permalinks, slugs
from pressync.server.database import read_settings
from pressync.server.own_links import to_paths
from pressync.server.queries import PublicRecords
from pressync.server.wordpress.media import FOLDER, TYPES
from pressync.server.wordpress.session import interface_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from werkzeug.wrappers import Response as Answer

    from pressync.server.database import SiteSettings
    from pressync.server.queries import Outline
    from pressync.server.record import StoredRecord
    from pressync.server.store import Store

POSTS_A_PAGE = 20
PAGES_A_LIST = 50

# The sitemap protocol allows 50,000 addresses a file.
ADDRESSES_A_FILE = 25_000

# The site map shows this many children of each root page.
_CHILDREN_SHOWN = 8

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'none'; style-src 'self' 'unsafe-inline'; "
        "img-src * data:; media-src *; font-src * data:; frame-src https:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cache-Control": "no-cache",
}

# Characters that XML cannot contain, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of a long list: its number from 1, the number of all entries, and the entries per sheet."""

    number: int
    total: int
    size: int

    @property
    def last(self) -> int:
        """The number of the last sheet; an empty list has one sheet."""
        return max(1, -(-self.total // self.size))

    @property
    def skip(self) -> int:
        """The number of entries before this sheet."""
        return (self.number - 1) * self.size


def make_web(store: Store, *, names_interface: bool = False) -> Flask:
    """Make the web site of a store; its pages may name the address of the interface, as WordPress does."""
    web = Flask(__name__, static_url_path="/-")
    web.url_map.merge_slashes = False
    web.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    site = _Views(store)
    for rule, view in (
        ("/", site.front),
        (f"/{permalinks.BLOG}/", site.posts),
        ("/feed.xml", site.feed),
        ("/sitemap.xml", site.sitemap),
        ("/robots.txt", site.robots),
        (f"/{FOLDER}/<path:path>", site.upload),
        ("/<path:path>", site.record),
    ):
        web.add_url_rule(rule, view_func=view, endpoint=view.__name__)
    web.jinja_env.filters["own_links"] = lambda markup: to_paths(markup, store.own_addresses)
    web.register_error_handler(NotFound, site.missing)
    web.after_request(_with_headers)
    if names_interface:
        web.after_request(site.with_link)
    return web


class _Views:
    """The views. Each reads one state of the database, and only the records that it shows."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def _open(self) -> Iterator[tuple[PublicRecords, SiteSettings]]:
        with self._store.database.reading() as db:
            yield PublicRecords(db, self._store.now()), read_settings(db)

    def front(self) -> str:
        with self._open() as (records, site):
            page = records.front()
            if page:
                return _show_page(records, site, page)
            sheet = _sheet(records.count_children(0), PAGES_A_LIST)
            roots = records.children(0, limit=sheet.size, skip=sheet.skip)
            return _render(
                "site.html",
                records,
                site,
                sheet=sheet,
                sections=[(root, _some_children(records, root)) for root in roots],
                posts=records.posts(limit=5) if sheet.number == 1 else [],
            )

    def record(self, path: str) -> str | Answer:
        with self._open() as (records, site):
            record = records.page_at(path) or records.post_at(path) or abort(404)
            right = records.permalinks.path(record)
            asked = "/".join(slugs.from_address(segment) for segment in f"/{path}".split("/"))
            # Capitals and a missing slash lead to the record too, but a record has one address only.
            if asked != right or path != path.lower():
                return redirect(right, 301)
            if record.kind is Kind.PAGE:
                return _show_page(records, site, record)
            older, newer = records.older(record), records.newer(record)
            return _render("post.html", records, site, record=record, older=older, newer=newer)

    def posts(self) -> str:
        with self._open() as (records, site):
            sheet = _sheet(records.count_posts(), POSTS_A_PAGE)
            posts = records.posts(limit=sheet.size, skip=sheet.skip)
            return _render("posts.html", records, site, posts=posts, sheet=sheet)

    def feed(self) -> Response:
        with self._open() as (records, site):
            text = _render("feed.xml", records, site, posts=records.posts(limit=POSTS_A_PAGE))
        return Response(_NOT_XML.sub("", text), mimetype="application/atom+xml")

    def sitemap(self) -> Response:
        """List all addresses; if they are too many for one file, list the files with the addresses."""
        with self._open() as (records, site):
            sheet = _sheet(records.count(), ADDRESSES_A_FILE)
            if sheet.last > 1 and "page" not in request.args:
                text = render_template("sitemaps.xml", site=site, sheet=sheet)
            else:
                found = records.addresses(limit=sheet.size, skip=sheet.skip)
                text = render_template("sitemap.xml", site=site, addresses=found, utc=_utc)
        return Response(text, mimetype="application/xml")

    def robots(self) -> Response:
        address = self._store.settings.address
        text = f"User-agent: *\nAllow: /\n\nSitemap: {address}/sitemap.xml\n"
        return Response(text, mimetype="text/plain")

    def upload(self, path: str) -> Response:
        """Serve an uploaded file; the names of unfinished files begin with a dot."""
        name = path.rpartition("/")[2]
        kind = TYPES.get(name.rpartition(".")[2].lower())
        if name.startswith(".") or kind is None:
            abort(404)
        return send_from_directory(self._store.database.uploads, path, mimetype=kind)

    def with_link(self, response: Response) -> Response:
        base = interface_address(self._store.settings)
        response.headers["Link"] = f'<{base}/>; rel="https://api.w.org/"'
        return response

    def missing(self, _error: NotFound) -> tuple[str, int]:
        with self._open() as (records, site):
            return _render("missing.html", records, site), 404


def _show_page(records: PublicRecords, site: SiteSettings, page: StoredRecord) -> str:
    """Show a page and the list of the pages below it; for the front page, these are the root pages."""
    is_front = records.outline(page).path == "/"
    section = 0 if is_front else page.id
    sheet = _sheet(records.count_children(section), PAGES_A_LIST)
    # Next to the front page, the tree shows the root pages already, unless they are too many.
    listed = not is_front or sheet.last > 1
    children = records.children(section, limit=sheet.size, skip=sheet.skip) if listed else []
    return _render(
        "page.html",
        records,
        site,
        navigation.around(records, page),
        record=page,
        children=children,
        sheet=sheet,
    )


def _some_children(records: PublicRecords, root: Outline) -> tuple[list[Outline], bool]:
    """Give the first children of a root page, and whether it has more."""
    children = records.children(root.id, limit=_CHILDREN_SHOWN + 1)
    return children[:_CHILDREN_SHOWN], len(children) > _CHILDREN_SHOWN


def _sheet(total: int, size: int) -> Sheet:
    """Give the sheet that `?page=` asks for; 404 if it does not exist."""
    asked = request.args.get("page", "1")
    sheet = Sheet(int(asked), total, size) if re.fullmatch("[1-9][0-9]{0,6}", asked) else None
    return sheet if sheet and sheet.number <= sheet.last else abort(404)


def _render(
    template: str,
    records: PublicRecords,
    site: SiteSettings,
    surroundings: navigation.PageContext | None = None,
    **values: object,
) -> str:
    return render_template(
        template,
        site=site,
        around=surroundings or navigation.root_level(records),
        blog=f"/{permalinks.BLOG}/",
        path=records.permalinks.path,
        day=lambda second: _day(second, site.offset),
        utc=_utc,
        now=records.now,
        **values,
    )


def _day(second: int, offset: int) -> str:
    moment = datetimes.moment_at(second, offset=offset)
    return f"{moment.day} {moment:%B %Y}"


def _utc(second: int) -> str:
    return f"{datetimes.text(second)}Z"


def _with_headers(response: Response) -> Response:
    response.headers.update(_HEADERS)
    return response
