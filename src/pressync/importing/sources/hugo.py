"""Gives the pages of a Hugo site as items, at the addresses that Hugo gives them.

An old address that is wrong by a letter is a lost address. So the rules are Hugo's own: patterns of
`permalinks`, `url`, `slug`, `uglyURLs`, language prefixes, and the characters that Hugo drops. The real
trees were built with Hugo itself, and all their addresses are equal to these. An address or a reference
needs all pages. So all front matter is read first, and then one text after the other.
"""

from __future__ import annotations

import datetime as dt
import posixpath
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.importing.sources import dates, definitions, hugo_pages, markdown, pipe_tables
from pressync.importing.sources.hugo_config import SETTINGS, HugoConfig, read_config
from pressync.importing.sources.hugo_pages import HugoPage, is_headless
from pressync.importing.sources.hugo_shortcodes import Replacing, replaced
from pressync.importing.sources.item import (
    SAFE,
    ContentRoot,
    Form,
    Item,
    LeftOut,
    Note,
    Origin,
    Place,
    last_part,
    or_left_out,
)
from pressync.importing.sources.links import FolderFiles, rewritten
from pressync.importing.sources.markdown import titled
from pressync.importing.sources.source_tree import AUTHORS, FolderTool, SourceTree, author_of, prefixes
from pressync.model.interface import Kind
from pressync.model.web_address import origin_of

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.importing.sources.item import Items, Remainder
    from pressync.importing.sources.source_tree import Front


_TOKEN = re.compile(r":[a-z]+(?:\[[^\]/]*\])?|:\d[^/:]*", re.ASCII | re.IGNORECASE)
# Hugo shows a date by an example: `:2006-01` is year and month.
_LAYOUTS = {
    "2006": "",
    "06": "%y",
    "January": "%B",
    "Jan": "%b",
    "01": "%m",
    "02": "%d",
    "Monday": "%A",
    "Mon": "%a",
}
_LAYOUT = re.compile("|".join(_LAYOUTS))
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][a-zA-Z]{2,4})?")
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_PERCENT = re.compile("%[0-9a-fA-F]{2}")
_KEPT = frozenset("./\\_-#+~@")
_ENDINGS = (".md", ".markdown", ".mdown", ".html", ".htm")
_INDEXES = ("index", "_index")


def address_of(page: HugoPage, config: HugoConfig) -> str:
    """Give the address of a page from the root of its host, as Hugo's `RelPermalink` has it."""
    prefix = config.languages[page.language].prefix
    own = page.front.text("url")
    if own:
        path = _expanded(own, page, config) if re.search(r"(?<!\\):", own) else own.replace("\\:", ":")
        return _whole(path if path.startswith("/") else f"{prefix}/{path}", config)
    if pattern := _pattern(page, config):
        path = _expanded(pattern, page, config)
        path = path.lower() if config.lower else path
    else:
        # A slug replaces the last part of a page, and the folder of a section.
        folders = page.inner.split("/") if page.inner else []
        parts = [_folder(slug or name, config) for slug, name in zip(page.slugs, folders, strict=True)]
        if page.kind == "page":
            parts[-1:] = [_clean(page.slug, config) if page.slug else _folder(page.name, config)]
        path = "/".join(parts)
    path = path.strip("/")
    if path and config.is_ugly(page.section.lower(), page.language):
        return _whole(f"{prefix}/{path}{'.html' if page.kind == 'page' else '/index.html'}", config)
    # A pattern gives a folder, also if it ends in `.html`.
    return _whole(f"{prefix}/{path}", config, ending="/")


def aliases_of(page: HugoPage, address: str, config: HugoConfig) -> tuple[str, ...]:
    """Give the further old addresses of a page; one without a slash begins beside the page."""
    prefix = config.languages[page.language].prefix
    found = []
    for alias in page.front.texts("aliases", "alias"):
        if re.match(r"[a-z]+:", alias):
            continue
        if alias.startswith("/"):
            # Older versions of Hugo did not add the prefix, so authors wrote it.
            if f"{alias}/".startswith(f"/{prefix}/"):
                found.append(_whole(alias, config))
            path = f"{prefix}/{alias}"
        else:
            own = unquote(address.removeprefix(config.base)).removesuffix("index.html").rstrip("/")
            path = posixpath.join(posixpath.dirname(own), alias)
        found.append(_whole(path, config))
    found += filter(None, [config.further_home(page.language) if page.kind == "home" else ""])
    return tuple(dict.fromkeys(alias for alias in found if alias != address))


def _whole(path: str, config: HugoConfig, *, ending: str = "") -> str:
    """Make an address from the root: with the site's base path, and a slash unless it names a file."""
    normal = posixpath.normpath(f"/{path.lstrip('/')}")
    is_file = bool(posixpath.splitext(normal)[1]) and not ending
    ended = normal if is_file or normal.endswith("/") else f"{normal}/"
    return quote(f"{config.base}{ended}", safe=f"{SAFE}%")


def _folder(name: str, config: HugoConfig) -> str:
    """Give the part of an address for a file's name: each space is a hyphen, unless the case is kept."""
    return _clean(name.replace(" ", "-") if config.lower else name, config)


def _clean(text: str, config: HugoConfig) -> str:
    """Drop the characters that Hugo drops from a path, and make one hyphen of spaces."""
    if config.table.get("removepathaccents"):
        bare = unicodedata.normalize("NFD", text)
        text = unicodedata.normalize("NFC", "".join(c for c in bare if unicodedata.category(c) != "Mn"))
    kept: list[str] = []
    is_space = False
    for number, char in enumerate(text):
        if char in _KEPT or unicodedata.category(char)[0] in "LNM" or _PERCENT.match(text, number):
            if is_space and char != "-" and kept and kept[-1] != "-":
                kept.append("-")
            is_space = False
            kept.append(char)
        elif char.isspace() and kept:
            is_space = True
    cleaned = "".join(kept)
    # Go knows no small letter of two characters, and no other one for the end of a word.
    return "".join(char.lower()[0] for char in cleaned) if config.lower else cleaned


def _in_pattern(text: str, signs: str) -> str:
    """Give a title or a slug as `permalinks` has it, which takes these signs for a hyphen."""
    return re.sub(rf"[{signs}]+", "-", text.rstrip("+"))


def _pattern(page: HugoPage, config: HugoConfig) -> str:
    """Give the pattern of `permalinks` for a page: by kind and section, or the first of a list that fits."""
    given = config.of_language(page.language, "permalinks")
    if isinstance(given, list):
        fits = (entry for entry in given if isinstance(entry, Mapping) and hugo_pages.is_target(entry, page))
        return next((str(entry.get("pattern", "")) for entry in fits), "")
    if not isinstance(given, Mapping):
        return ""
    by_kind = given.get(page.kind)
    places = [by_kind] if isinstance(by_kind, Mapping) else []
    if page.kind == "page":
        places.append(given)
    for place in places:
        for count in range(len(page.sections), 0, -1):
            found = place.get("/".join(page.sections[:count]).lower())
            if isinstance(found, str):
                return found
        if page.kind == "page" and not page.sections and isinstance(place.get("/"), str):
            return str(place["/"])
    return ""


def _expanded(pattern: str, page: HugoPage, config: HugoConfig) -> str:
    return _TOKEN.sub(lambda found: _token(found[0][1:], page, config), pattern).replace("\\", "")


def _token(token: str, page: HugoPage, config: HugoConfig) -> str:
    name, _, index = token.partition("[")
    day = dt.date(1, 1, 1)
    if found := _DAY.match(page.date):
        with suppress(ValueError):
            day = dt.date(*map(int, found.groups()))
    year = str(day.year)
    title = page.front.text("title")
    sections = [_clean(section, config) for section in page.sections]
    base = _clean(page.name, config).replace("+", "-").replace("#", "")
    titled = _clean(_in_pattern(title, "/+"), config)
    slug = _clean(_in_pattern(page.slug, "+"), config)
    texts = {
        "year": year,
        "month": f"{day:%m}",
        "monthname": f"{day:%B}",
        "day": f"{day:%d}",
        "weekday": str((day.weekday() + 1) % 7),
        "weekdayname": f"{day:%A}",
        "yearday": str(day.timetuple().tm_yday),
        "section": sections[0] if sections else "",
        "sections": "/".join(_chosen(sections, index.rstrip("]")) if index else sections),
        "title": titled,
        "slug": slug or titled,
        "slugorfilename": slug or base,
        "slugorcontentbasename": slug or base,
        "filename": base,
        "contentbasename": base,
    }
    if name[:1].isdigit():
        return _LAYOUT.sub(
            lambda found: format(day, _LAYOUTS[found[0]]) if _LAYOUTS[found[0]] else year, token
        )
    return texts.get(name.lower(), f":{token}")


def _chosen(sections: list[str], index: str) -> list[str]:
    last = {"last": len(sections) - 1}
    numbers = [last.get(part, int(part[:9]) if part.isdecimal() else None) for part in index.split(":")]
    if len(numbers) == 1:
        return sections[numbers[0] : numbers[0] + 1] if numbers[0] is not None and numbers[0] >= 0 else []
    return sections[numbers[0] : numbers[1]]


# A path may begin at the root or beside the page, have an ending or not, and be only the name of a page
# that is unique on the site. So all pages are indexed by path and by name.
class HugoReferences:
    """The addresses of all pages, by language and path."""

    def __init__(self, pages: Iterable[tuple[HugoPage, str]]) -> None:
        self._paths: dict[tuple[str, str], str] = {}
        self._names: dict[tuple[str, str], set[str]] = defaultdict(set)
        for page, address in pages:
            self._paths[page.language, page.inner.lower()] = address
            self._names[page.language, page.name.lower()].add(address)

    def address(self, page: HugoPage, written: str, language: str = "") -> str:
        """Give the address with the fragment for a written path, "" if no page or several have it."""
        path, mark, fragment = written.strip().partition("#")
        language = (language or page.language).lower()
        if not path:
            return f"#{fragment}" if fragment else ""
        root, ending = posixpath.splitext(path)
        bare = (root if ending.lower() in _ENDINGS else path).removesuffix(f".{language}")
        bare = posixpath.dirname(bare) if posixpath.basename(bare) in _INDEXES else bare
        bare = bare.lower().rstrip("/") or "/"
        beside = page.inner if page.kind == "section" or page.is_bundle else posixpath.dirname(page.inner)
        names = self._names.get((language, posixpath.basename(bare)), set())
        for candidate in (
            posixpath.join(beside, bare),
            posixpath.join(posixpath.dirname(page.inner), bare),
            bare,
        ):
            normal = posixpath.normpath(candidate.lower()).strip("/")
            found = self._paths.get((language, "" if normal == "." else normal))
            if found and not (path.startswith("/") and candidate != bare):
                return f"{found}{mark}{fragment}"
        return (
            f"{next(iter(names))}{mark}{fragment}" if len(names) == 1 and "/" not in bare.strip("/") else ""
        )


_SHORTCODES = ("layouts/shortcodes", "layouts/_shortcodes")


_ZOLA = re.compile(r"^base_url[ \t]*=", re.MULTILINE)


def _is_own(tree: SourceTree) -> bool:
    """Tell whether a folder has Hugo's settings: `hugo.toml`, or `config.toml` beside the content."""
    main = tree.first(SETTINGS)
    named = posixpath.basename(main).startswith("hugo.") or main.startswith("config/")
    # Zola has such a folder, too. It spells the address of the site in its own way.
    return named or (tree.is_folder("content") and not _ZOLA.search(tree.text(main)))


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
        read = list(hugo_pages.read_pages(tree, config))
        pages = [each for each in read if isinstance(each, HugoPage)]
        pages.sort(key=lambda each: (each.file, each.language))
        found = [(page, or_left_out(Place(page.file), address_of, page, config)) for page in pages]
        read += [address for _, address in found if isinstance(address, LeftOut)]
        placed = [(page, address) for page, address in found if isinstance(address, str)]
        self._files = FolderFiles(_files(tree, config, placed))
        self._own = {
            posixpath.splitext(posixpath.relpath(path, folder))[0]
            for folder in _SHORTCODES
            for path in tree.files(folder)
        }
        shown = [(page, address) for page, address in placed if not is_headless(page.front)]
        self._references = HugoReferences(shown)
        yield self._files
        yield from _unmounted(pages, config)
        yield from (each for each in read if isinstance(each, LeftOut))
        yield from _pages_apart(tree, config)
        bundles = {posixpath.dirname(each.file) for each in pages if each.is_bundle}
        is_part = partial(hugo_pages.is_resource, bundles)
        for mount in config.content:
            yield ContentRoot(mount.source, is_part)
            yield from tree.links(mount.source)
        if config.content and tree.is_folder("content"):
            # A folder of it that no mount shows may be a language that is off.
            yield ContentRoot("content", is_part)
        for page, address in _once(placed):
            if why := _left_out(page, address, config):
                yield why
            else:
                yield tree.page(page.file, self._item, page, address)

    def _item(self, read: Front, page: HugoPage, address: str) -> Item:
        config, front = self.config, page.front
        body, left = self._body(page, read)
        title, body = titled(front.text("title"), body, page.name or "Home")
        slug = last_part(address.removeprefix(config.base))
        if not slug or (slug.isdigit() and not page.slug):
            slug = page.name.lower()  # A pattern may end with a number of the date.
        kind = Kind.POST if page.kind == "page" and page.section in config.blogs else Kind.PAGE
        date, changed = hugo_pages.date_of(page)
        status, expiry = hugo_pages.status_of(page, self.today)
        excerpt = next((key for key in hugo_pages.EXCERPTS if front.text(key)), "")
        author = author_of(front.values)
        terms = {
            key for key in ("categories", "tags") if kind == Kind.POST and key in config.taxonomies.values()
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
            slug=slug if page.kind != "home" else "",
            date=date,
            modified=dates.iso(dates.go(front.text("lastmod", "modified")), config.zone),
            status=status,
            excerpt=front.text(excerpt) if excerpt else "",
            author=author,
            categories=front.texts("categories") if "categories" in terms else (),
            tags=front.texts("tags") if "tags" in terms else (),
            order=front.number("weight") if kind == Kind.PAGE else None,
            fields=hugo_pages.fields_of(page, address, self._files, taken),
            body=body,
            heading_ids=config.heading_ids,
            form=Form.HTML if page.is_html else Form.MARKDOWN,
            remainders=markdown.joined(left, read.repeated, [each for _, each in (*changed, *expiry)]),
        )

    def _body(self, page: HugoPage, read: Front) -> tuple[str, tuple[Remainder, ...]]:
        """Replace the shortcodes and the lists of attributes that have a meaning elsewhere."""
        replacing = Replacing(
            page.file,
            partial(self._references.address, page),
            partial(hugo_pages.parameter, page, self.config),
            self._own,
            origin_of(self.config.address),
            is_html=page.is_html,
        )
        body = replaced(read.body, read.line, replacing)
        if page.is_html:
            return body, tuple(replacing.remainders)
        body, further = markdown.of_headings(body, Place(page.file, read.line))
        body = hugo_pages.with_dollars(body) if self.config.has_formulas else body
        listed: tuple[Remainder, ...] = ()
        if self.config.has_block_attributes:
            body, listed = markdown.without_attributes(body, Place(page.file, read.line))
        body = definitions.apart(pipe_tables.with_wide_heads(body))
        body = markdown.with_emoji(body) if self.config.has_emoji else body
        if self.config.links_by_path:
            body = rewritten(body, Form.MARKDOWN, partial(self._link, page))
        return body, markdown.joined(replacing.remainders, further, listed)

    def _link(self, page: HugoPage, written: str) -> str | None:
        is_elsewhere = "://" in written or written.startswith(("#", "//", "mailto:"))
        return None if is_elsewhere else self._references.address(page, written.removeprefix("./")) or None

    def _path(self, page: HugoPage, kind: Kind, address: str) -> str:
        """Give the file for a page: by its address; a post keeps the name that it has."""
        inner = unquote(address.removeprefix(self.config.base)).strip("/")
        if kind == Kind.POST:
            prefix = self.config.languages[page.language].prefix
            path = posixpath.join("posts", prefix, page.inner.partition("/")[2] or page.name)
        elif page.kind != "page" or not inner:
            path = posixpath.join("pages", inner.removesuffix("index.html"), "index")
        else:
            path = posixpath.join("pages", inner.removesuffix(".html"))
        return f"{path}.md"


TOOL = FolderTool(
    "a folder with hugo.toml, or with config.toml and content/",
    SETTINGS,
    lambda tree, _: HugoSource(tree, read_config(tree), dt.datetime.now(dt.UTC).date()).items(),
    _is_own,
)


def _once(placed: Iterable[tuple[HugoPage, str]]) -> list[tuple[HugoPage, str]]:
    """Give each page once: the folder of a language may lie in that of another, with the same addresses."""
    found: dict[tuple[str, str], tuple[HugoPage, str]] = {}
    for page, address in placed:
        key = page.file, address
        # Hugo shows the page of the outer folder, in which it has the longer path.
        if key not in found or len(page.inner) > len(found[key][0].inner):
            found[key] = page, address
    return list(found.values())


def _unmounted(pages: list[HugoPage], config: HugoConfig) -> Iterator[Note]:
    """Name a folder of the content that looks like a language, and that the settings mount nowhere.

    A theme or a script can mount it. Then all addresses of its pages are others than the settings say.
    """
    if any(mount.language or mount.target for mount in config.content):
        return
    counted = Counter(page.inner.partition("/")[0] for page in pages if "/" in page.inner)
    for name, count in counted.items():
        if name.lower() in config.languages or (count * 2 > len(pages) and _LANGUAGE.fullmatch(name)):
            folder = posixpath.join(config.content[0].source, name)
            yield Note(
                f"{folder} has the name of a language, and the settings mount it nowhere: its {count} pages "
                f"get addresses below /{name}/. If the site has them elsewhere, add to the settings: "
                f'[[module.mounts]] source = "{folder}", target = "content", lang = "{name}". Then import '
                "again."
            )


def _pages_apart(tree: SourceTree, config: HugoConfig) -> Iterator[LeftOut]:
    """Name the pages that Hugo does not make of content."""
    why = "Hugo copies it as it is; put it on the new host, or make a page of its text"
    for mount in config.static:
        for file in tree.files(mount.source):
            if file.endswith((".html", ".htm")):
                path = posixpath.join(mount.target, posixpath.relpath(file, mount.source))
                yield LeftOut("static page", Place(file), why, _whole(path, config))
    if tree.is_file(error := "layouts/404.html"):
        yield LeftOut("error page", Place(error), "the theme of the new site has its own")


def _left_out(page: HugoPage, address: str, config: HugoConfig) -> LeftOut | None:
    place = Place(page.file)
    if is_headless(page.front):
        return LeftOut("headless page", place, "Hugo does not render it; it is a part of other pages")
    first = page.inner.partition("/")[0].lower()
    if page.kind == "section" and first in config.taxonomies.values():
        why = "the site makes the pages of categories and tags by itself"
        return LeftOut("page of a term", place, why, address)
    return None


def _files(tree: SourceTree, config: HugoConfig, placed: list[tuple[HugoPage, str]]) -> dict[str, Path]:
    """Give the files of `static/` and of the content by their addresses."""
    found: dict[str, Path] = {}
    for mount in config.static:
        base = f"{config.base}/{mount.target}".rstrip("/")
        found = {**tree.served(mount.source, base), **found}
    bundles = {
        posixpath.dirname(page.file): address
        for page, address in placed
        if page.kind != "page" or page.is_bundle
    }
    for mount in config.content:
        prefix = config.languages[mount.language or config.default].prefix
        for path in tree.files(mount.source):
            above = next((each for each in reversed(prefixes(path)[:-1]) if each in bundles), None)
            start = mount.source if above is None else above
            base = (
                posixpath.join(config.base or "/", prefix, mount.target)
                if above is None
                else unquote(bundles[above])
            )
            found.setdefault(posixpath.join(base, posixpath.relpath(path, start)), tree.root / path)
    return found


IMPORTER = TOOL.importer
