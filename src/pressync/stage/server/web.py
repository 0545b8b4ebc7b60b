"""The records as a web site to browse: pages, posts, archives, feeds and site map, without a line of script.

The site shows content as it is stored, because a CMS trusts its authors. A content security policy forbids
scripts, and a body cannot leave its box. Everything else is escaped. If the service has no
token, everybody who reaches it is its administrator, and may look at drafts too.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from flask import Flask, Response, abort, redirect, render_template, request, send_from_directory
from jinja2 import DictLoader
from werkzeug.exceptions import NotFound

from pressync.model.interface import BLOG_KIND, TREE_KIND
from pressync.stage.server import navigation, queries, rows, slugs
from pressync.stage.server.page_files import EDITION, page_files
from pressync.stage.server.queries import EVERY_POST, Archive, PublicRecords
from pressync.stage.server.rendering import COOKIE, PageTexts, digest, render, sheet
from pressync.stage.server.search import MOST_FOUND, search, words_of
from pressync.stage.server.wordpress.media import FOLDER, TYPES
from pressync.stage.server.wordpress.session import interface_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from werkzeug.wrappers import Response as Answer

    from pressync.stage.server.rows import StoredRecord
    from pressync.stage.server.store import Store

# As on a new WordPress.
POSTS_A_PAGE = 10
PAGES_A_LIST = 50

# The sitemap protocol allows 50,000 addresses a file.
ADDRESSES_A_FILE = 25_000

# The site map shows this many children of each root page.
_CHILDREN_SHOWN = 8

# Style elements of content would change the frame, so only attributes may have styles.
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; "
        "img-src * data:; media-src *; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cache-Control": "no-cache",
}

# Characters that XML cannot contain, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# The end of an address of a list: a sheet of it, or its feed.
_PART = re.compile(r"(?P<place>.*?)/?(?:page/(?P<sheet>[1-9][0-9]{0,6})|(?P<feed>feed))?/?")
# The form with which a reader sends the password of a text, at the address that WordPress has for it.
_PASSWORD = "/wp-login.php"  # noqa: S105 - an address
_FORM_LIMIT = 65536
_COOKIE_SECONDS = 10 * 24 * 60 * 60


class NotPublicError(NotFound):
    """Visitors do not see the record with the requested number."""

    def __init__(self, record: StoredRecord) -> None:
        super().__init__()
        self.record = record


def make_web(store: Store, *, names_interface: bool = False, previews: bool = True) -> Flask:
    """Make the web site of a store.

    With `names_interface`, the site is that of WordPress: its pages name the address of the interface, and
    texts of the classic editor have paragraphs. With `previews`, drafts can be looked at.
    """
    web = Flask(__name__, static_folder=None)
    web.jinja_loader = DictLoader(page_files().templates)
    web.config["MAX_CONTENT_LENGTH"] = _FORM_LIMIT
    web.url_map.merge_slashes = False
    web.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    site = _Views(store, classic=names_interface, previews=previews)
    for rule, view in (
        ("/", site.front),
        ("/feed.xml", site.atom),
        ("/sitemap.xml", site.sitemap),
        ("/robots.txt", site.robots),
        (f"/{FOLDER}/<path:path>", site.upload),
        (EDITION, _edition),
        ("/-/<name>", _static),
        ("/<path:path>", site.at),
    ):
        web.add_url_rule(rule, view_func=view, endpoint=view.__name__)
    web.add_url_rule(_PASSWORD, view_func=site.unlock, endpoint="unlock", methods=["POST"])
    web.register_error_handler(NotFound, site.missing)
    web.after_request(_with_headers)
    if names_interface:
        web.after_request(site.with_link)
    return web


class _Views:
    """The views. Each reads one state of the database, and only the records that it shows."""

    def __init__(self, store: Store, *, classic: bool, previews: bool) -> None:
        self._store = store
        self._classic = classic
        self._previews = previews

    @contextmanager
    def _open(self) -> Iterator[PublicRecords]:
        with self._store.database.reading() as db:
            yield PublicRecords(db, self._store.now(), classic=self._classic)

    def front(self) -> str | Answer:
        with self._open() as records:
            number = request.args.get("page_id") or request.args.get("p", "")
            if re.fullmatch("[0-9]{1,15}", number):
                return self._numbered(records, int(number))
            if archive := queries.archive_of(records.db, request.args):
                return redirect(archive.path) if records.site.permalinks else _show_posts(records, archive)
            if "s" in request.args:
                return _show_found(records, request.args["s"])
            if request.args.get("feed"):
                return redirect("/feed/")
            page = records.shown(TREE_KIND, records.permalinks.front)
            return _show_page(records, page) if page else _show_map(records)

    def at(self, path: str) -> str | Answer:
        with self._open() as records:
            part = _PART.fullmatch(path)
            place, is_feed = (part["place"], bool(part["feed"])) if part else (path, False)
            archive = queries.archive_at(records.db, place or rows.BLOG, records.site.offset)
            # A year without posts is not a list, as on WordPress, and may be a page.
            if archive and ("last" not in archive.values or records.count_posts(archive)):
                return _show_archive(records, archive, part["sheet"] if part else None, is_feed=is_feed)
            record = records.at(path) or abort(404)
            right = records.permalinks.path(record)
            asked = "/".join(slugs.from_address(segment) for segment in f"/{path}".split("/"))
            # Capitals and a missing slash lead to the record too, but a record has one address only.
            if asked != right or path != path.lower():
                return redirect(right, 301)
            return _show(records, record)

    def _numbered(self, records: PublicRecords, number: int) -> str | Answer:
        """Show the record with a number: at its address, or as a preview for people who may write here."""
        if record := records.shown(TREE_KIND, number) or records.shown(BLOG_KIND, number):
            right = records.permalinks.path(record)
            return redirect(right, 301) if not right.startswith("/?") else _show(records, record)
        hidden = records.hidden(number) if self._previews else None
        if hidden and request.args.get("preview") == "true":
            return _show(records, hidden, preview=True)
        raise NotPublicError(hidden) if hidden else NotFound

    def atom(self) -> Response:
        with self._open() as records:
            text = render("feed.xml", records, posts=records.posts(limit=POSTS_A_PAGE))
        return Response(_NOT_XML.sub("", text), mimetype="application/atom+xml")

    def sitemap(self) -> Response:
        """List all addresses; if they are too many for one file, list the files with the addresses."""
        with self._open() as records:
            files = sheet(records.count(), ADDRESSES_A_FILE)
            if files.last > 1 and "page" not in request.args:
                text = render_template("sitemaps.xml", site=records.site, sheet=files)
            else:
                found = records.addresses(limit=files.size, skip=files.skip)
                text = render_template(
                    "sitemap.xml", site=records.site, addresses=found, show=PageTexts(records)
                )
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

    def unlock(self) -> Answer:
        """Remember the password that a reader has typed, and lead back to the text."""
        back = request.form.get("redirect_to", "/")
        # `//host` and `/\host` lead to another site.
        is_own = re.fullmatch(r"/(?![/\\])[\x21-\x7e]*", back) and "\\" not in back
        response = redirect(back if is_own else "/", 303)
        password = digest(request.form.get("post_password", ""))
        response.set_cookie(COOKIE, password, _COOKIE_SECONDS, httponly=True, samesite="Lax")
        return response

    def with_link(self, response: Response) -> Response:
        base = interface_address(self._store.settings)
        response.headers["Link"] = f'<{base}/>; rel="https://api.w.org/"'
        return response

    def missing(self, error: NotFound) -> tuple[str, int]:
        hidden = error.record if isinstance(error, NotPublicError) else None
        with self._open() as records:
            return render("missing.html", records, hidden=hidden), 404


def _edition() -> Response:
    return Response(page_files().edition, mimetype="text/plain")


def _static(name: str) -> Answer:
    file = page_files().static.get(name) or abort(404)
    response = Response(file.data, mimetype=file.type)
    response.add_etag()
    return response.make_conditional(request)


def _show(records: PublicRecords, record: StoredRecord, *, preview: bool = False) -> str:
    if record.kind == TREE_KIND:
        return _show_page(records, record, preview=preview)
    if record.kind != BLOG_KIND:
        above = records.ancestors(record)
        return render("post.html", records, record=record, trail=above, preview=preview)
    older, newer = records.older(record), records.newer(record)
    return render("post.html", records, record=record, older=older, newer=newer, preview=preview)


def _show_page(records: PublicRecords, page: StoredRecord, *, preview: bool = False) -> str:
    """Show a page and the list of the pages below it; for the front page, these are the root pages."""
    is_front = records.outline(page).path == "/"
    section = 0 if is_front else page.id
    pages = sheet(records.count_children(section), PAGES_A_LIST)
    # Next to the front page, the tree shows the root pages already, unless they are too many.
    listed = not is_front or pages.last > 1
    children = records.children(section, limit=pages.size, skip=pages.skip) if listed else []
    # The front page of a site with a blog leads to its newest posts.
    posts = records.posts(limit=3) if is_front and pages.number == 1 else []
    around = navigation.around(records, page)
    return render(
        "page.html",
        records,
        around,
        record=page,
        children=children,
        sheet=pages,
        posts=posts,
        preview=preview,
    )


def _show_map(records: PublicRecords) -> str:
    """Show the newest posts and all pages, on a site without a front page."""
    pages = sheet(records.count_children(0), PAGES_A_LIST)
    roots = records.children(0, limit=pages.size, skip=pages.skip)
    sections = [(root, records.children(root.id, limit=_CHILDREN_SHOWN + 1)) for root in roots]
    posts = records.posts(limit=POSTS_A_PAGE) if pages.number == 1 else []
    return render("site.html", records, sheet=pages, sections=sections, most=_CHILDREN_SHOWN, posts=posts)


def _show_archive(
    records: PublicRecords, archive: Archive, asked: str | None, *, is_feed: bool
) -> str | Answer:
    """Show a list of posts or its feed, at the one address that it has."""
    if is_feed:
        posts = records.posts(limit=POSTS_A_PAGE, archive=archive)
        text = render("rss.xml", records, archive=archive, posts=posts, every=archive is EVERY_POST)
        return Response(_NOT_XML.sub("", text), mimetype="application/rss+xml")
    right = archive.path + (f"page/{asked}/" if asked and asked != "1" else "")
    if request.path != right:
        # A sheet that does not exist is not found at any address.
        sheet(records.count_posts(archive), POSTS_A_PAGE, asked)
        return redirect(right, 301)
    return _show_posts(records, archive, asked)


def _show_posts(records: PublicRecords, archive: Archive, asked: str | None = None) -> str:
    posts = sheet(records.count_posts(archive), POSTS_A_PAGE, asked)
    found = records.posts(limit=posts.size, skip=posts.skip, archive=archive)
    # A page of the site may have the address of the list. Its text is shown above the posts.
    page = records.permalinks.page_at(archive.path) if archive is EVERY_POST else None
    shown = records.shown(TREE_KIND, page) if page else None
    return render("posts.html", records, archive=archive, posts=found, sheet=posts, page=shown)


def _show_found(records: PublicRecords, asked: str) -> str:
    found = search(records, asked)
    part = sheet(len(found), POSTS_A_PAGE)
    return render(
        "search.html",
        records,
        asked=" ".join(words_of(asked)),
        found=found[part.skip : part.skip + part.size],
        sheet=part,
        most=MOST_FOUND,
    )


def _with_headers(response: Response) -> Response:
    response.headers.update(_HEADERS)
    return response
