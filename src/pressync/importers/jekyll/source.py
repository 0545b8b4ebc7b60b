"""Gives the pages of a Jekyll site as items.

A tag may link to any file of the site. So this reads all front matter first, and then one text after the
other.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin

from pressync.importers import attributes
from pressync.importers.item import Form, Item, LeftOut, Origin, Place
from pressync.importers.jekyll import kramdown
from pressync.importers.jekyll.addresses import address_of, aliases_of
from pressync.importers.jekyll.config import read_config, settings_of
from pressync.importers.jekyll.liquid import LiquidText
from pressync.importers.jekyll.pages import DRAFTS, POSTS, JekyllPage, is_static, read_pages
from pressync.importers.source_files import FolderFiles
from pressync.importers.source_tree import SourceTree, opened
from pressync.importers.titles import titled
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.importers.item import ImportSource, Items, Remainder
    from pressync.importers.jekyll.config import JekyllConfig

SIGN = "a folder with _config.yml"
_EXCERPTS = ("excerpt", "description", "summary")
_AUTHORS = ("author", "authors")
_PICTURES = ("image", "header", "cover", "thumbnail", "featured_image", "teaser")
_PICTURE_KEYS = ("path", "feature", "image", "teaser", "src", "url")
# Keys that an item has, or that only steer Jekyll.
_TAKEN = frozenset(
    {"title", "slug", "permalink", "date", "published", "draft", "category", "categories", "tag", "tags"}
    | {"redirect_from", "last_modified_at", "modified", "password", "excerpt_separator"}
)
_POST = re.compile(r"(?:(?P<folder>.+)/)?(?P<name>\d+-\d+-\d+-.+)")


def recognises(source: ImportSource) -> bool:
    """Tell whether a folder has Jekyll's settings."""
    return bool(source.path and source.path.is_dir() and settings_of(SourceTree(source.path)))


def items(source: ImportSource) -> Items:
    """Give the site's files, its pages, and all that is not carried.

    :raises ConfigError: the folder has no settings of the tool, or they cannot be read.
    """
    tree = opened(source, settings_of, SIGN)
    captions = bool(source.settings and source.settings.site.blocks)
    yield from JekyllSource(tree, read_config(tree), captions).items()


@dataclass(slots=True)
class JekyllSource:
    """One reading of a site. With `captions`, the caption of a picture becomes its title."""

    tree: SourceTree
    config: JekyllConfig
    captions: bool = False
    _paths: set[str] = field(default_factory=set)
    _files: FolderFiles = field(default_factory=lambda: FolderFiles({}))
    _keys: Mapping[str, str] = field(default_factory=dict)
    _posts: Mapping[str, str] = field(default_factory=dict)

    def items(self) -> Items:
        """Read all front matter first, because links to files need all pages."""
        yield Origin(self.config.address)
        read = list(read_pages(self.tree, self.config))
        pages = [each for each in read if isinstance(each, JekyllPage)]
        self._files = FolderFiles(_static(self.tree, self.config))
        shown = [page for page in pages if not self._left_out(page)]
        self._keys = {_below(page.file, self.config.source): page.file for page in shown}
        self._posts = {
            posixpath.splitext(page.inner)[0]: page.file for page in shown if page.kind in {POSTS, DRAFTS}
        }
        yield self._files
        yield from (each for each in read if isinstance(each, LeftOut))
        yield from self.tree.links(self.config.source)
        for page in pages:
            yield self._left_out(page) or self._item(page)

    def _left_out(self, page: JekyllPage) -> LeftOut | None:
        place = Place(page.file)
        about = self.config.collections.get(page.kind)
        if about is not None and not about.get("output"):
            why = "its collection has no pages of its own (`output: false`); other pages show its parts"
            return LeftOut("part of a collection", place, why)
        if page.values.get("redirect_to"):
            why = f"it only leads to {page.texts('redirect_to')[:1]}; make a redirect of it"
            return LeftOut("redirect", place, why, address_of(page, self.config))
        return None

    def _item(self, page: JekyllPage) -> Item | LeftOut:
        read = self.tree.front(page.file)
        if isinstance(read, LeftOut):
            return read
        address = "" if page.is_hidden else address_of(page, self.config)
        body, left = self._body(page, read.body, read.line)
        kind = Kind.POST if page.kind in {POSTS, DRAFTS} else Kind.PAGE
        excerpt = next((key for key in _EXCERPTS if page.texts(key)), "")
        author = _author(page.values)
        title = _title(page, kind)
        if not title and not page.is_html:
            title, body = titled("", body, self._name(page, address))
        order = page.values.get("nav_order", page.values.get("weight"))
        return Item(
            key=page.file,
            kind=kind,
            place=Place(page.file),
            path=self._path(page, kind, address),
            address=address,
            aliases=aliases_of(page, self.config),
            title=title or self._name(page, address),
            slug=_slug(page, address, kind),
            date=page.iso_date() if page.kind != DRAFTS else "",
            modified="",
            status="draft" if page.is_hidden else "",
            excerpt=" ".join(page.texts(excerpt)) if excerpt else "",
            author=author,
            categories=page.terms("category", "categories") if kind is Kind.POST else (),
            tags=page.terms("tag", "tags") if kind is Kind.POST else (),
            order=order if kind is Kind.PAGE and type(order) is int else None,
            fields=self._fields(page, address, {excerpt, *(_AUTHORS if author else ())}),
            body=body,
            form=Form.HTML if page.is_html else Form.MARKDOWN,
            remainders=left,
        )

    def _body(self, page: JekyllPage, text: str, line: int) -> tuple[str, tuple[Remainder, ...]]:
        """Replace the tags of Liquid first, as Jekyll does, then the attributes of kramdown."""
        liquid = LiquidText(
            page.file,
            self.config.base,
            page_of=self._page_key,
            post_of=self._post_key,
            site=self.config.table,
            page=page.values,
            has_figures="jekyll-figure" in self.config.plugins,
            captions=self.captions,
        )
        body = liquid.replaced(text, line)
        if page.is_html:
            return body, tuple(liquid.remainders)
        place = Place(page.file, line)
        has_emoji = not {"jemoji", "jekyll-emoji"}.isdisjoint(self.config.plugins)
        shown = kramdown.verbatim(body, place, has_emoji=has_emoji)
        body, further = kramdown.replaced(body, place)
        return body, attributes.joined(liquid.remainders, further, shown)

    def _name(self, page: JekyllPage, address: str) -> str:
        """Give a title to a page that has none: that of the site for its front page, else the name."""
        is_front = address.removeprefix(self.config.base) == "/"
        site = str(self.config.table.get("title") or "") if is_front else ""
        return site or page.name.replace("-", " ").capitalize()

    def _page_key(self, written: str) -> str:
        return self._keys.get(written.lstrip("/"), "")

    def _post_key(self, written: str) -> str:
        """Find a post by its path below `_posts`, or by its name alone."""
        name = written.strip().lstrip("/")
        if name in self._posts:
            return self._posts[name]
        found = _POST.fullmatch(name)
        same = [
            key for inner, key in self._posts.items() if found and posixpath.basename(inner) == found["name"]
        ]
        return same[0] if len(same) == 1 else ""

    def _path(self, page: JekyllPage, kind: Kind, address: str) -> str:
        """Give the file for a page: by its address; a post keeps the name that it has."""
        inner = unquote(address.removeprefix(self.config.base)).strip("/")
        if kind is Kind.POST:
            path = posixpath.join("posts", *page.above, posixpath.splitext(page.inner)[0])
        elif not inner and address:
            path = "pages/index"
        else:
            path = posixpath.join("pages", re.sub(r"(?:/index)?\.html?\Z", "", inner) or page.name)
        unique, count = path, 1
        while unique in self._paths:
            count += 1
            unique = f"{path}-{count}"
        self._paths.add(unique)
        return f"{unique}.md"

    def _fields(self, page: JekyllPage, address: str, taken: set[str]) -> dict[str, Any]:
        """Give further front matter: the page's picture, and all keys of the file that nothing took."""
        fields: dict[str, Any] = {}
        for picture in filter(None, (_picture(page.values.get(key)) for key in _PICTURES)):
            whole = urljoin(address or "/", picture)
            for named in (whole, f"{self.config.base}{picture}"):
                if self._files.has(named):
                    fields.setdefault("featured_media", named)
        own = page.front.values
        rest = {page.front.spelled[key]: value for key, value in own.items() if key not in {*taken, *_TAKEN}}
        return {**fields, **({"params": rest} if rest else {})}


def _below(file: str, source: str) -> str:
    return posixpath.relpath(file, source) if source else file


def _static(tree: SourceTree, config: JekyllConfig) -> dict[str, Path]:
    """Give the files that Jekyll copies by their addresses."""
    found = {}
    for file in tree.files(config.source):
        path = _below(file, config.source)
        if is_static(path, config):
            found[f"{config.base}/{path}"] = tree.root / file
    return found


def _author(values: Mapping[str, Any]) -> str:
    """Give the author, if there is one: a name, or a table with a name."""
    for key in _AUTHORS:
        value = values.get(key)
        first = value[0] if isinstance(value, list) and len(value) == 1 else value
        name = first.get("name") if isinstance(first, dict) else first
        if isinstance(name, str) and name.strip():
            return " ".join(name.split())
    return ""


def _title(page: JekyllPage, kind: Kind) -> str:
    """Give the title; a post without one gets its name, as Jekyll does."""
    given = page.texts("title")
    if given or kind is Kind.PAGE:
        return given[0] if given else ""
    return " ".join(word.capitalize() for word in page.slug.split("-"))


def _slug(page: JekyllPage, address: str, kind: Kind) -> str:
    """Give the last part of the address; a pattern may end with a number of the date."""
    last = posixpath.basename(unquote(address).rstrip("/"))
    last = re.sub(r"\.html?\Z", "", last)
    if kind is Kind.POST and (not last or last.isdigit()):
        return page.slug
    return last if last != "index" else ""


def _picture(value: object) -> str:
    if isinstance(value, dict):
        value = next((value[key] for key in _PICTURE_KEYS if isinstance(value.get(key), str)), "")
    return value if isinstance(value, str) and not re.search(r"[\s<>\"]", value) else ""
