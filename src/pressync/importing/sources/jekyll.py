"""Gives the pages of a Jekyll site as items, at the addresses that Jekyll gives them.

The rules are those of Jekyll 4: patterns of `permalink`, their placeholders, and the characters that it
drops or encodes. The real trees were read with Jekyll itself, and all their addresses are equal to these.
A tag may link to any file of the site. So all front matter is read first, and then one text after the other.
"""

from __future__ import annotations

import datetime as dt
import posixpath
import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from pressync.importing.sources import dates, definitions, html_blocks, jekyll_pages, markdown, pipe_tables
from pressync.importing.sources.item import (
    REDIRECT,
    SAFE,
    ContentRoot,
    Form,
    Item,
    LeftOut,
    Origin,
    Place,
    Remainder,
    or_left_out,
)
from pressync.importing.sources.jekyll_pages import DRAFTS, PAGES, POSTS, JekyllConfig, JekyllPage
from pressync.importing.sources.jekyll_text import LiquidText, replaced, verbatim
from pressync.importing.sources.links import FolderFiles
from pressync.importing.sources.markdown import titled
from pressync.importing.sources.source_tree import (
    AUTHORS,
    FolderTool,
    SourceTree,
    author_of,
    further_fields,
    scalar_at,
)
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind
from pressync.model.web_address import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.importing.sources.item import ImportSource, Items
    from pressync.importing.sources.source_tree import Front


_KEY = re.compile(r":([a-z_]+)")
_SAFE = f"{SAFE}%?"
_PRETTY = frozenset("._~!$&'()+,;=@")
# The placeholders of a date, by the letters of `strftime`.
_DATES = {
    "year": "%Y",
    "month": "%m",
    "day": "%d",
    "hour": "%H",
    "minute": "%M",
    "second": "%S",
    "short_month": "%b",
    "long_month": "%B",
    "short_year": "%y",
    "w_year": "%G",
    "week": "%V",
    "w_day": "%u",
    "short_day": "%a",
    "long_day": "%A",
    "y_day": "%j",
}

_OF_DATE = frozenset({*_DATES, "i_day", "i_month"})


def address_of(page: JekyllPage, config: JekyllConfig) -> str:
    """Give the address of a page from the root of its host, with the site's base path.

    It is "" if it has the date of a page that has none: Jekyll takes the day of the build.
    """
    own = page.values.get("permalink")
    if page.kind == PAGES:
        path = _page(page, str(own) if own else "", config)
    else:
        label = POSTS if page.kind == DRAFTS else page.kind
        pattern = str(own) if own else config.pattern(label)
        if page.date() is None and not _OF_DATE.isdisjoint(_KEY.findall(pattern)):
            return ""
        path = _document(page, pattern, config)
    return config.base + re.sub(r"/+", "/", f"/{path}".replace("..", "/").replace("./", ""))


def aliases_of(page: JekyllPage, config: JekyllConfig) -> tuple[str, ...]:
    """Give the addresses from which the plugin jekyll-redirect-from leads to the page."""
    return tuple(
        f"{config.base}{quote(alias if alias.startswith('/') else f'/{alias}', safe=_SAFE)}"
        for alias in page.texts("redirect_from")
        if "://" not in alias
    )


def _leads_to(page: JekyllPage, address: str, config: JekyllConfig) -> str:
    """Give the target of a redirect. The plugin adds the base; a layout of the site writes what it reads."""
    to = page.texts("redirect_to")[0]
    if not _REDIRECTS.isdisjoint(config.plugins) and not re.match(r"[a-z][a-z0-9+.-]*:|//", to):
        return f"{config.base}/{to.lstrip('/')}"
    return joined(address, to) or ""


def _page(page: JekyllPage, pattern: str, config: JekyllConfig) -> str:
    folder = posixpath.dirname(page.inner)
    if not pattern:
        is_index = page.name == "index"
        pattern = "/:path/" if is_index else config.with_ending("/:path/:basename")
    # A folder keeps its slashes here: what is doubled is dropped at the end.
    values = {"path": f"/{folder}/" if folder else "/", "basename": page.name, "output_ext": ".html"}
    return _KEY.sub(lambda key: quote(values[key[1]], safe=_SAFE) if key[1] in values else key[0], pattern)


def _document(page: JekyllPage, pattern: str, config: JekyllConfig) -> str:
    def value(key: re.Match[str]) -> str:
        name = key[1]
        made = _value(name, page, config)
        if made is None and name.endswith("_"):
            name, made = name[:-1], _value(name[:-1], page, config)
            return key[0] if made is None else f"{quote(made, safe=_SAFE)}_"
        return key[0] if made is None else quote(made, safe=_SAFE)

    return _KEY.sub(value, pattern)


def _value(name: str, page: JekyllPage, config: JekyllConfig) -> str | None:
    if name in _OF_DATE:
        # The site's time zone decides the day in an address.
        moment = dates.clock(page.date() or dt.date.min, config.zone)
        if name in _DATES:
            return moment.strftime(_DATES[name]) if name != "year" else f"{moment.year:04}"
        return str(moment.day if name == "i_day" else moment.month)
    texts: dict[str, Callable[[], str]] = {
        "collection": lambda: POSTS if page.kind == DRAFTS else page.kind,
        "path": lambda: "/".join(("", *page.above, posixpath.splitext(page.inner)[0].rstrip("."))),
        "name": lambda: slugified(page.name),
        "title": lambda: slugified(page.slug, keep=_PRETTY, cased=True),
        "slug": lambda: slugified(page.slug),
        "output_ext": lambda: ".html",
        "categories": lambda: "/".join(dict.fromkeys(each.lower() for each in _categories(page))),
        "slugified_categories": lambda: "/".join(dict.fromkeys(map(slugified, _categories(page)))),
    }
    return texts[name]() if name in texts else None


def _categories(page: JekyllPage) -> tuple[str, ...]:
    return page.terms("category", "categories")


def slugified(text: str, *, keep: frozenset[str] = frozenset(), cased: bool = False) -> str:
    """Make one hyphen of all characters that are neither letters, marks, digits nor kept."""

    def is_kept(char: str) -> bool:
        category = unicodedata.category(char)
        return char in keep or category[0] in "LM" or category == "Nd"

    kept = "".join(char if is_kept(char) else "\0" for char in text)
    slug = re.sub("\0+", "-", kept).removeprefix("-").removesuffix("-")
    return slug if cased else slug.lower()


_EXCERPTS = ("excerpt", "description", "summary")
_PICTURES = ("image", "header", "cover", "thumbnail", "featured_image", "teaser")
_PICTURE_KEYS = ("path", "feature", "image", "teaser", "src", "url")
# Keys that an item has, or that only steer Jekyll.
_TAKEN = frozenset(
    {"title", "slug", "permalink", "date", "published", "draft", "category", "categories", "tag", "tags"}
    | {"redirect_from", "last_modified_at", "modified", "password", "excerpt_separator"}
)
_REDIRECTS = frozenset({"jekyll-redirect-from", "github-pages"})
_POST = re.compile(r"\d+-\d+-\d+-.+")


@dataclass(slots=True)
class JekyllSource:
    """One reading of a site. With `captions`, the caption of a picture becomes its title."""

    tree: SourceTree
    config: JekyllConfig
    captions: bool = False
    _files: FolderFiles = field(default_factory=lambda: FolderFiles({}))
    _keys: Mapping[str, str] = field(default_factory=dict)
    _posts: Mapping[str, str] = field(default_factory=dict)
    _tables: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _parts: dict[str, str | None] = field(default_factory=dict)

    def items(self) -> Items:
        """Read all front matter first, because links to files need all pages."""
        yield Origin(self.config.address)
        read = list(jekyll_pages.read_pages(self.tree, self.config))
        pages = [each for each in read if isinstance(each, JekyllPage)]
        files = {
            posixpath.relpath(file, self.config.source): file for file in self.tree.files(self.config.source)
        }
        static = {
            path: self.tree.root / file
            for path, file in files.items()
            if jekyll_pages.is_static(path, self.config)
        }
        self._files = FolderFiles({f"{self.config.base}/{path}": file for path, file in static.items()})
        left = [or_left_out(Place(page.file), self._left_out, page) for page in pages]
        shown = [page for page, why in zip(pages, left, strict=True) if not why]
        self._keys = {posixpath.relpath(page.file, self.config.source): page.file for page in shown}
        self._posts = {
            posixpath.splitext(page.inner)[0]: page.file for page in shown if page.kind in {POSTS, DRAFTS}
        }
        yield self._files
        yield from (each for each in read if isinstance(each, LeftOut))
        yield ContentRoot(self.config.source, partial(jekyll_pages.is_part, self.config))
        yield from self.tree.links(self.config.source)
        for page, why in zip(pages, left, strict=True):
            if why:
                yield why
            else:
                yield self.tree.page(page.file, self._item, page)

    def _left_out(self, page: JekyllPage) -> LeftOut | None:
        place = Place(page.file)
        about = self.config.collections.get(page.kind)
        if about is not None and not about.get("output"):
            why = "its collection has no pages of its own (`output: false`); other pages show its parts"
            return LeftOut("part of a collection", place, why)
        if page.texts("redirect_to"):
            address = address_of(page, self.config)
            return LeftOut(
                "redirect", place, REDIRECT, address, leads_to=_leads_to(page, address, self.config)
            )
        return None

    def _item(self, read: Front, page: JekyllPage) -> Item:
        address = "" if page.is_hidden else address_of(page, self.config)
        body, left = self._body(page, read.body, read.line)
        kind = Kind.POST if page.kind in {POSTS, DRAFTS} else Kind.PAGE
        excerpt = next((key for key in _EXCERPTS if page.texts(key)), "")
        author = author_of(page.values)
        is_post = kind == Kind.POST
        # A post or a document of a collection without a title gets its name, as Jekyll does.
        named = " ".join(word.capitalize() for word in page.slug.split("-")) if page.kind != PAGES else ""
        title = next(iter(page.texts("title")), named)
        if not title and not page.is_html:
            title, body = titled("", body, self._name(page, address))
        slug = re.sub(r"\.html?\Z", "", posixpath.basename(unquote(address).rstrip("/")))
        if is_post and (not slug or slug.isdigit()):
            slug = page.slug  # The pattern ends with a number of the date.
        order = page.values.get("nav_order", page.values.get("weight"))
        return Item(
            key=page.file,
            kind=kind,
            place=Place(page.file),
            path=self._path(page, kind, address),
            address=address,
            aliases=aliases_of(page, self.config),
            title=title or self._name(page, address),
            slug=slug if slug != "index" else "",
            date=dates.iso(page.date(), self.config.zone) if page.kind != DRAFTS else "",
            status="draft" if page.is_hidden else "",
            excerpt=" ".join(page.texts(excerpt)) if excerpt else "",
            author=author,
            categories=page.terms("category", "categories") if is_post else (),
            tags=page.terms("tag", "tags") if is_post else (),
            order=order if not is_post and type(order) is int else None,
            fields=self._fields(page, address, {excerpt, *(AUTHORS if author else ())}),
            body=body,
            heading_ids=self.config.heading_ids,
            form=Form.HTML if page.is_html else Form.MARKDOWN,
            remainders=markdown.joined(left, read.repeated, _unread(page, read)),
        )

    def _body(self, page: JekyllPage, text: str, line: int) -> tuple[str, tuple[Remainder, ...]]:
        """Replace the tags of Liquid first, as Jekyll does, then the attributes of kramdown."""
        liquid = LiquidText(
            page.file,
            self.config.base,
            page_of=lambda written: self._keys.get(written.lstrip("/"), ""),
            post_of=self._post_key,
            site=self.config.table,
            page=page.values,
            data=self._data,
            part=self._part,
            has_figures="jekyll-figure" in self.config.plugins,
            captions=self.captions,
        )
        body = liquid.replaced(text if page.is_html else html_blocks.whole(text), line)
        if page.is_html:
            return body, tuple(liquid.remainders)
        place = Place(page.file, line)
        has_emoji = not {"jemoji", "jekyll-emoji"}.isdisjoint(self.config.plugins)
        shown = verbatim(body, place)
        body, further = replaced(body, place)
        body = html_blocks.opened(markdown.with_emoji(body) if has_emoji else body)
        body = definitions.with_last_links(definitions.apart(pipe_tables.of_kramdown(body)))
        return body, markdown.joined(liquid.remainders, further, shown)

    def _data(self, path: str) -> str | None:
        """Give the text at a dotted path of the data: names of folders, of a file, and of keys in it."""
        parts = path.split(".")
        folder = str(self.config.table.get("data_dir") or "_data")
        for count in range(len(parts) - 1, 0, -1):
            bare = posixpath.join(self.config.source, folder, *parts[:count])
            name = self.tree.first(f"{bare}{ending}" for ending in (".yml", ".yaml", ".json"))
            if name and name not in self._tables:
                with suppress(ConfigError):  # The tag stays, and the account names it.
                    self._tables[name] = self.tree.settings(name)
            if name in self._tables:
                return scalar_at(self._tables[name], ".".join(parts[count:]))
        return None

    def _part(self, name: str) -> str | None:
        """Give the text of a file of `_includes`; None if there is none that can be read."""
        folder = str(self.config.table.get("includes_dir") or "_includes")
        path = posixpath.normpath(posixpath.join(self.config.source, folder, name))
        if path not in self._parts:
            self._parts[path] = self.tree.body(path)
        return self._parts[path]

    def _name(self, page: JekyllPage, address: str) -> str:
        """Give a title to a page that has none: that of the site for its front page, else the name."""
        is_front = address.removeprefix(self.config.base) == "/"
        site = str(self.config.table.get("title") or "") if is_front else ""
        return site or page.name.replace("-", " ").capitalize()

    def _post_key(self, written: str) -> str:
        """Find a post by its path below `_posts`, or by its name alone."""
        name = written.strip().lstrip("/")
        if name in self._posts:
            return self._posts[name]
        same = [
            key for inner, key in self._posts.items() if posixpath.basename(inner) == posixpath.basename(name)
        ]
        return same[0] if len(same) == 1 and _POST.fullmatch(posixpath.basename(name)) else ""

    def _path(self, page: JekyllPage, kind: Kind, address: str) -> str:
        """Give the file for a page: by its address; a post keeps the name that it has."""
        inner = unquote(address.removeprefix(self.config.base)).strip("/")
        if kind == Kind.POST:
            path = posixpath.join("posts", *page.above, posixpath.splitext(page.inner)[0])
        elif not inner and address:
            path = "pages/index"
        else:
            path = posixpath.join("pages", re.sub(r"(?:/index)?\.html?\Z", "", inner) or page.name)
        return f"{path}.md"

    def _fields(self, page: JekyllPage, address: str, taken: set[str]) -> dict[str, Any]:
        """Give further front matter: the page's picture, and all keys of the file that nothing took."""
        pictures = filter(None, (_picture(page.values.get(key)) for key in _PICTURES))
        named = (
            each
            for picture in pictures
            for each in (joined(address or "/", picture) or "", f"{self.config.base}{picture}")
        )
        return further_fields(page.front.rest({*taken, *_TAKEN}), filter(self._files.has, named))


def _unread(page: JekyllPage, front: Front) -> list[Remainder]:
    """Name a date that Ruby cannot read, for which Jekyll does not build the site."""
    written = page.written_date
    is_read = not written or page.kind == PAGES or dates.ruby(written) is not None
    return [] if is_read else [Remainder("date", Place(page.file, front.lines.get("date", 0)), written)]


def _items(tree: SourceTree, source: ImportSource) -> Items:
    captions = bool(source.settings and source.settings.site.blocks)
    return JekyllSource(tree, jekyll_pages.read_config(tree), captions).items()


TOOL = FolderTool("a folder with _config.yml", jekyll_pages.SETTINGS, _items)


def _picture(value: object) -> str:
    if isinstance(value, dict):
        value = next((value[key] for key in _PICTURE_KEYS if isinstance(value.get(key), str)), "")
    return value if isinstance(value, str) and not re.search(r"[\s<>\"]", value) else ""


IMPORTER = TOOL.importer
