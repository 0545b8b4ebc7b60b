"""Gives the pages of a Hugo site as items.

An address or a reference needs all pages, and a text needs only its own page. So this reads all front matter
first, and then one text after the other.
"""

from __future__ import annotations

import datetime as dt
import posixpath
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.importers import attributes
from pressync.importers.hugo.addresses import address_of, aliases_of
from pressync.importers.hugo.builtins import Replacing
from pressync.importers.hugo.config import read_config, settings_of
from pressync.importers.hugo.meaning import (
    AUTHORS,
    EXCERPTS,
    author_of,
    date_of,
    fields_of,
    is_headless,
    iso,
    parameter,
    status_of,
)
from pressync.importers.hugo.pages import HugoPage, read_pages
from pressync.importers.hugo.references import HugoReferences
from pressync.importers.hugo.shortcodes import replaced
from pressync.importers.item import (
    Form,
    Item,
    LeftOut,
    Origin,
    Place,
)
from pressync.importers.source_files import FolderFiles
from pressync.importers.source_tree import SourceTree, opened
from pressync.importers.titles import titled
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.importers.hugo.config import HugoConfig
    from pressync.importers.item import (
        ImportSource,
        Items,
        Remainder,
    )
    from pressync.importers.source_tree import Front

SIGN = "a folder with hugo.toml, or with config.toml and content/"
_SHORTCODES = ("layouts/shortcodes", "layouts/_shortcodes")


def recognises(source: ImportSource) -> bool:
    """Tell whether a folder has Hugo's settings: `hugo.toml`, or `config.toml` beside the content."""
    if not source.path or not source.path.is_dir():
        return False
    tree = SourceTree(source.path)
    main = settings_of(tree)
    named = posixpath.basename(main).startswith("hugo.") or main.startswith("config/")
    return named or bool(main and tree.is_folder("content"))


def items(source: ImportSource) -> Items:
    """Give the site's files, its pages, and all that is not carried.

    :raises ConfigError: the folder has no settings of the tool, or they cannot be read.
    """
    tree = opened(source, settings_of, SIGN)
    yield from HugoSource(tree, read_config(tree), dt.datetime.now(dt.UTC).date()).items()


@dataclass(slots=True)
class HugoSource:
    """One reading of a site; `today` decides which pages have expired."""

    tree: SourceTree
    config: HugoConfig
    today: dt.date
    _own: set[str] = field(default_factory=set)
    _files: FolderFiles = field(default_factory=lambda: FolderFiles({}))
    _references: HugoReferences = field(default_factory=lambda: HugoReferences(()))

    def items(self) -> Items:
        """Read all front matter first, because addresses and references need all pages."""
        tree, config = self.tree, self.config
        yield Origin(config.address)
        read = list(read_pages(tree, config))
        pages = [each for each in read if isinstance(each, HugoPage)]
        pages.sort(key=lambda each: (each.file, each.language))
        placed = [(page, address_of(page, config)) for page in pages]
        self._files = FolderFiles(_files(tree, config, placed))
        self._own = _own_shortcodes(tree)
        shown = [(page, address) for page, address in placed if not is_headless(page.front)]
        self._references = HugoReferences(shown)
        yield self._files
        yield from (each for each in read if isinstance(each, LeftOut))
        for mount in config.content:
            yield from tree.links(mount.source)
        for page, address in placed:
            yield _left_out(page, address, config) or self._item(page, address)

    def _item(self, page: HugoPage, address: str) -> Item | LeftOut:
        config, front = self.config, page.front
        read = self.tree.front(page.file)
        if isinstance(read, LeftOut):
            return read
        body, left = self._body(page, read)
        title, body = titled(front.text("title"), body, page.name or "Home")
        kind = Kind.POST if page.kind == "page" and page.section in config.blogs else Kind.PAGE
        date, changed = date_of(page)
        status, expiry = status_of(page, self.today)
        excerpt = next((key for key in EXCERPTS if front.text(key)), "")
        author = author_of(front)
        terms = {
            key for key in ("categories", "tags") if kind is Kind.POST and key in config.taxonomies.values()
        }
        taken = {excerpt, *terms, *(AUTHORS if author else ()), *(key for key, _ in (*changed, *expiry))}
        return Item(
            key=page.file if page.language == config.default else f"{page.language}:{page.file}",
            kind=kind,
            place=Place(page.file),
            path=self._path(page, kind, address),
            address=address,
            aliases=aliases_of(page, address, config),
            title=title,
            slug=_slug(page, address, config),
            date=date,
            modified=iso(front.text("lastmod", "modified")),
            status=status,
            excerpt=front.text(excerpt) if excerpt else "",
            author=author,
            categories=front.texts("categories") if "categories" in terms else (),
            tags=front.texts("tags") if "tags" in terms else (),
            order=front.number("weight") if kind is Kind.PAGE else None,
            fields=fields_of(page, address, self._files, taken),
            body=body,
            form=Form.HTML if page.is_html else Form.MARKDOWN,
            remainders=attributes.joined(left, [each for _, each in (*changed, *expiry)]),
        )

    def _body(self, page: HugoPage, read: Front) -> tuple[str, tuple[Remainder, ...]]:
        """Replace the shortcodes and the lists of attributes that have a meaning elsewhere."""
        replacing = Replacing(
            page.file,
            partial(self._references.address, page),
            partial(parameter, page, self.config),
            self._own,
            is_html=page.is_html,
        )
        body = replaced(read.body, read.line, replacing)
        if page.is_html:
            return body, tuple(replacing.remainders)
        body, further = attributes.of_headings(body, Place(page.file, read.line))
        return body, (*replacing.remainders, *further)

    def _path(self, page: HugoPage, kind: Kind, address: str) -> str:
        """Give the file for a page: by its address; a post keeps the name that it has."""
        inner = unquote(address.removeprefix(self.config.base)).strip("/")
        if kind is Kind.POST:
            prefix = self.config.languages[page.language].prefix
            path = posixpath.join("posts", prefix, page.inner.partition("/")[2] or page.name)
        elif page.kind != "page" or not inner:
            path = posixpath.join("pages", inner.removesuffix("index.html"), "index")
        else:
            path = posixpath.join("pages", inner.removesuffix(".html"))
        return f"{path}.md"


def _own_shortcodes(tree: SourceTree) -> set[str]:
    """Name the shortcodes that the site has templates for."""
    return {
        posixpath.splitext(posixpath.relpath(path, folder))[0]
        for folder in _SHORTCODES
        for path in tree.files(folder)
    }


def _left_out(page: HugoPage, address: str, config: HugoConfig) -> LeftOut | None:
    place = Place(page.file)
    if is_headless(page.front):
        return LeftOut("headless page", place, "Hugo does not render it; it is a part of other pages")
    first = page.inner.partition("/")[0].lower()
    if page.kind == "section" and first in config.taxonomies.values():
        why = "the site makes the pages of categories and tags by itself"
        return LeftOut("page of a term", place, why, address)
    return None


def _slug(page: HugoPage, address: str, config: HugoConfig) -> str:
    """Give the last part of the address; a pattern may end with a number of the date."""
    if page.kind == "home":
        return ""
    last = posixpath.basename(unquote(address.removeprefix(config.base)).rstrip("/")).removesuffix(".html")
    return page.name.lower() if last.isdigit() and not page.slug else last or page.name.lower()


def _files(tree: SourceTree, config: HugoConfig, placed: list[tuple[HugoPage, str]]) -> dict[str, Path]:
    """Give the files of `static/` and of the content by their addresses."""
    found: dict[str, Path] = {}
    for mount in config.static:
        for path in tree.files(mount.source):
            inner = posixpath.join(mount.target, posixpath.relpath(path, mount.source))
            found.setdefault(f"{config.base}/{inner}", tree.root / path)
    bundles = {
        posixpath.dirname(page.file): address
        for page, address in placed
        if page.kind != "page" or page.is_bundle
    }
    for mount in config.content:
        prefix = config.languages[mount.language or config.default].prefix
        for path in tree.files(mount.source):
            above = next((each for each in _folders(path) if each in bundles), None)
            start = mount.source if above is None else above
            base = (
                posixpath.join(config.base or "/", prefix, mount.target)
                if above is None
                else unquote(bundles[above])
            )
            found.setdefault(posixpath.join(base, posixpath.relpath(path, start)), tree.root / path)
    return found


def _folders(path: str) -> list[str]:
    """Give the folders above a file, the innermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
