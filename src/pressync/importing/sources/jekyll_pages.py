"""Finds the pages of a Jekyll site by its settings: posts, drafts, documents of collections, and other pages.

Jekyll decides by the name and the folder of a file, and by whether it has front matter at all. A file without
front matter is copied as it is, and is not a page. The settings may name a permalink, a layout or categories
for whole folders, so every page asks them for its own.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from pressync.importing.sources import dates
from pressync.importing.sources.item import LeftOut, Place
from pressync.importing.sources.source_tree import (
    Front,
    SourceTree,
    merged,
    prefixes,
    strings,
    table_in,
    texts_in,
)
from pressync.model.web_address import origin_of
from pressync.repo.paths import is_below

SETTINGS = ("_config.yml", "_config.yaml", "_config.toml")
_STYLES = {
    "none": "/:categories/:title:output_ext",
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
}
# Jekyll leaves these out by itself.
_EXCLUDED = (
    ".sass-cache",
    ".jekyll-cache",
    "gemfiles",
    "Gemfile",
    "Gemfile.lock",
    "node_modules",
    "vendor/bundle/",
    "vendor/cache/",
    "vendor/gems/",
    "vendor/ruby/",
)
# Folders of templates and data, for which the settings may have another name.
_ROOMS = ("includes", "layouts", "data", "plugins")
_TYPES = {"post": "posts", "page": "pages", "draft": "drafts"}


@dataclass(frozen=True, slots=True)
class JekyllConfig:
    """All that decides which files are pages, and which addresses they have; `source` is their folder."""

    table: Mapping[str, Any]
    source: str = ""

    @property
    def base(self) -> str:
        """The path of the site below its host, without a last slash."""
        given = str(self.table.get("baseurl") or "").strip("/")
        return f"/{given}" if given else ""

    @property
    def address(self) -> str:
        """The public address of the site, "" if the settings name none."""
        url = str(self.table.get("url") or "").rstrip("/")
        return f"{url}{self.base}" if origin_of(url) else ""

    @property
    def zone(self) -> str:
        """The name of the time zone in which the site has its dates, "" if the settings name none."""
        return str(self.table.get("timezone") or "")

    @property
    def style(self) -> str:
        """The name or the pattern of `permalink`."""
        return str(self.table.get("permalink") or "date")

    @property
    def heading_ids(self) -> str:
        """The way of kramdown to make ids of headings; "" for the way of GitHub, which it has by default."""
        given = str(table_in(self.table, "kramdown").get("input") or "GFM")
        return "" if given.upper() == "GFM" else "kramdown"

    @property
    def endings(self) -> tuple[str, ...]:
        """The endings of Markdown files, with their dots."""
        given = str(self.table.get("markdown_ext") or "markdown,mkdown,mkdn,mkd,md")
        return tuple(
            f".{ending.strip().lstrip('.').lower()}" for ending in given.split(",") if ending.strip()
        )

    @property
    def plugins(self) -> tuple[str, ...]:
        """The plugins that the site names."""
        return strings(self.table.get("plugins", self.table.get("gems")))

    @property
    def collections(self) -> Mapping[str, Mapping[str, Any]]:
        """The collections by their labels, without the posts."""
        given = self.table.get("collections")
        if isinstance(given, list):
            return {str(label): {} for label in given}
        return {str(label): table_in(about) for label, about in table_in(given).items() if label != "posts"}

    @property
    def collections_folder(self) -> str:
        """The folder that has the folders of all collections, "" for the source itself."""
        return str(self.table.get("collections_dir") or "").strip("/")

    def pattern(self, label: str) -> str:
        """Give the pattern of the addresses of a collection, or of the posts."""
        own = table_in(self.table, "collections", label).get("permalink")
        if label == "posts":
            pattern = str(own or self.style)
            return _STYLES.get(pattern, pattern)
        return str(own) if own else self.with_ending("/:collection/:path")

    def with_ending(self, pattern: str) -> str:
        """Let a pattern end as the addresses of the site do: with a slash, with the ending, or as it is."""
        style = self.style
        if style == "pretty" or style.endswith("/"):
            return f"{pattern}/"
        return (
            f"{pattern}:output_ext"
            if style in {"date", "ordinal", "none"} or style.endswith(":output_ext")
            else pattern
        )

    def is_excluded(self, path: str) -> bool:
        """Tell whether the settings exclude a file or a folder above it."""
        excluded = strings(self.table.get("exclude"))
        return any(_fits(each, pattern) for each in prefixes(path) for pattern in excluded)

    def leaves_out(self, path: str) -> bool:
        """Tell whether Jekyll reads neither this file nor this folder, by its path below the source."""
        name = posixpath.basename(path)
        if any(
            _fits(name, pattern) or _fits(path, pattern) for pattern in strings(self.table.get("include"))
        ):
            return False
        excluded = (*strings(self.table.get("exclude")), *_EXCLUDED)
        return (
            name.startswith((".", "_", "#", "~"))
            or name.endswith("~")
            or any(_fits(path, p) for p in excluded)
        )

    def defaults(self, path: str, kind: str) -> dict[str, Any]:
        """Merge the defaults of front matter for a file: the longer path of a scope wins, then its type."""
        given = self.table.get("defaults")
        found: dict[str, Any] = {}
        best: tuple[int, bool] | None = None
        for each in given if isinstance(given, list) else ():
            values, scope = table_in(each).get("values"), table_in(each, "scope")
            if not isinstance(values, Mapping) or not self._is_in(scope, path, kind):
                continue
            rank = (len(str(scope.get("path") or "").strip("/")), "type" in scope)
            if best is None or rank >= best:
                found, best = merged(found, values), rank
            else:
                found = merged(values, found)
        return found

    def _is_in(self, scope: Mapping[str, Any], path: str, kind: str) -> bool:
        wanted = scope.get("type")
        if wanted is not None and _TYPES.get(str(wanted), str(wanted)) != kind:
            return False
        above = str(scope.get("path") or "").lstrip("/")
        folder = self.collections_folder
        if folder and above.startswith(f"{folder}/"):
            above = above.removeprefix(f"{folder}/")
        if "*" not in above:
            return path.startswith(above)
        parts = path.split("/")
        count = above.count("/") + 1
        return fnmatch.fnmatchcase("/".join(parts[:count]), above)


def read_config(tree: SourceTree) -> JekyllConfig:
    """Read the settings.

    :raises ConfigError: the file cannot be read.
    """
    name = tree.first(SETTINGS)
    table = tree.settings(name) if name else {}
    source = posixpath.normpath(str(table.get("source") or ".")).strip("/")
    if source == "." or source.startswith("..") or not tree.is_folder(source):
        # Build scripts often copy the files to another folder first; `src` is the usual place of the files.
        named = isinstance(table.get("source"), str) and source not in {".", ""}
        source = "src" if named and tree.is_folder("src") else ""
    return JekyllConfig(table, source)


def _fits(path: str, pattern: str) -> bool:
    """Compare as Jekyll does: by a pattern, or by the beginning of the path."""
    bare = pattern.strip("/")
    return bool(bare) and (fnmatch.fnmatchcase(path, bare) or path.startswith(bare) or f"{path}/" == pattern)


POSTS, DRAFTS, PAGES = "posts", "drafts", "pages"
_UNDATED = ""
# A timestamp of YAML without an offset, as the reader of front matter gives it.
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?", re.ASCII)
_DATED = re.compile(r"(\d{2,4}-\d{1,2}-\d{1,2})-(.*)", re.DOTALL | re.ASCII)
_HTML = (".html", ".htm", ".xhtml")
# Files that no visitor opens. A feed has readers.
_ASSETS = frozenset({".css", ".scss", ".sass", ".js", ".txt", ".webmanifest"})
_BARE = frozenset({"jekyll-optional-front-matter", "github-pages"})
_README = frozenset({"jekyll-readme-index", "github-pages"})


@dataclass(frozen=True, slots=True)
class JekyllPage:
    """One page: its file, the kind or the label of its collection, and its front matter with the defaults.

    `inner` is the path below the folder of its collection, or below the source. `above` are the folders above
    `_posts`, which are categories.
    """

    file: str
    kind: str
    inner: str
    front: Front
    values: Mapping[str, Any]
    above: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the file without its ending."""
        return posixpath.splitext(posixpath.basename(self.file))[0].rstrip(".")

    @property
    def is_html(self) -> bool:
        """Whether the file is HTML, and not Markdown."""
        return self.file.lower().endswith(_HTML)

    @property
    def is_hidden(self) -> bool:
        """Whether Jekyll does not build it."""
        return (
            self.kind == DRAFTS or self.values.get("published") is False or self.values.get("draft") is True
        )

    @property
    def slug(self) -> str:
        """The slug: of front matter, else the name of the file without its date."""
        given = self.values.get("slug")
        if given is not None and str(given):
            return str(given)
        dated = _DATED.fullmatch(self.name)
        return dated[2].rstrip(".") if dated else self.name

    @property
    def written_date(self) -> str:
        """The date that front matter gives as text, "" without one."""
        given = self.values.get("date")
        return "" if given is None else str(given).strip()

    def date(self) -> dates.Moment | None:
        """Give the date of front matter, else that of the file's name; None without one that can be read."""
        written = self.written_date
        # Jekyll's reader of YAML takes a date-time without an offset to be in UTC, and one without seconds to
        # be a text.
        text = f"{written}Z" if _TIMESTAMP.fullmatch(written) else written
        if read := dates.ruby(text):
            return read
        dated = None if self.kind in {PAGES, DRAFTS} else _DATED.fullmatch(self.name)
        year, _, day = dated[1].partition("-") if dated else ("", "", "")
        return dates.ruby(f"{'20' if len(year) == len('24') else ''}{year}-{day}")

    def texts(self, *keys: str) -> tuple[str, ...]:
        """Give the texts of the first of these keys that is given: one value, or a list."""
        return texts_in(self.values, keys, lambda text: " ".join(text.split()))

    def terms(self, singular: str, plural: str) -> tuple[str, ...]:
        """Give categories or tags: the folders, the plural, which may be a text of words, the singular."""
        many = self.values.get(plural)
        found = [*(many.split() if isinstance(many, str) else self.texts(plural)), *self.texts(singular)]
        above = self.above if singular == "category" else ()
        return tuple(dict.fromkeys((*above, *found)))


def read_pages(tree: SourceTree, config: JekyllConfig) -> Iterator[JekyllPage | LeftOut]:
    """Read all front matter; give also the files that cannot be read, or are not pages of a site."""
    for file in tree.files(config.source):
        path = posixpath.relpath(file, config.source)
        place = _place(path, config)
        if place is None:
            if path.lower().endswith((*config.endings, *_HTML)) and config.is_excluded(path):
                why = "the settings name it below `exclude`"
                yield LeftOut("excluded page", Place(file), why, is_wanted=True)
            continue
        kind, inner, above = place
        ending = posixpath.splitext(path)[1].lower()
        if ending not in config.endings and ending not in _HTML:
            if kind == PAGES and _has_front_matter(tree, file):
                why = "Jekyll fills it in, and makes a file of it that is not a page"
                address = "" if ending in _ASSETS else f"{config.base}/{quote(path)}"
                yield LeftOut("template of a file", Place(file), why, address)
            continue
        if kind == _UNDATED:
            why = "it is below _posts, and its name does not begin with a date, so Jekyll ignores it"
            yield LeftOut("post without a date", Place(file), why)
            continue
        front = tree.front(file)
        is_index = kind == PAGES and ending in config.endings and _is_readme(tree, file, config)
        if isinstance(front, LeftOut):
            yield front
        elif front.line == 1 and not (
            is_index or (kind == PAGES and ending in config.endings and _BARE & {*config.plugins})
        ):
            why = "it has no front matter, so Jekyll copies it as it is"
            address = "" if ending in config.endings else f"{config.base}/{quote(path)}"
            yield LeftOut("file without front matter", Place(file), why, address)
        else:
            own = {"permalink": f"/{posixpath.dirname(path)}/"} if is_index else {}
            own |= {front.spelled.get(key, key): value for key, value in front.values.items()}
            scope = path if kind in {PAGES, POSTS, DRAFTS} else f"_{kind}/{inner}"
            values = {**config.defaults(scope, POSTS if kind == DRAFTS else kind), **own}
            yield JekyllPage(
                file, kind, inner, front, {key.lower(): value for key, value in values.items()}, above
            )


def _is_readme(tree: SourceTree, file: str, config: JekyllConfig) -> bool:
    """Tell whether the plugin jekyll-readme-index makes a file the page of its folder, which has no other."""
    folder, name = posixpath.split(file)
    indexes = (posixpath.join(folder, f"index{ending}") for ending in (*config.endings, *_HTML))
    is_named = posixpath.splitext(name)[0].lower() == "readme"
    return is_named and not _README.isdisjoint(config.plugins) and not tree.first(indexes)


def is_part(config: JekyllConfig, path: str) -> bool:
    """Tell whether a file is a part of other pages, like a layout, or something that Jekyll has made."""
    inner = posixpath.relpath(path, config.source or ".")
    made = str(config.table.get("destination") or "_site")
    rooms = (str(config.table.get(f"{name}_dir") or f"_{name}") for name in _ROOMS)
    folders = (posixpath.normpath(folder) for folder in (made, "_sass", *rooms, *_EXCLUDED))
    return is_below(inner, folders)


def is_static(path: str, config: JekyllConfig) -> bool:
    """Tell whether Jekyll copies a file, by its path below the source."""
    return not any(map(config.leaves_out, prefixes(path)))


def _place(path: str, config: JekyllConfig) -> tuple[str, str, tuple[str, ...]] | None:
    """Give the kind of a file, its path in the folder of that kind, and the folders above that folder."""
    parts = path.split("/")
    room = config.collections_folder.split("/") if config.collections_folder else []
    own = parts[len(room) :] if parts[: len(room)] == room else []
    if len(own) > 1 and own[0].startswith("_") and own[0][1:] in config.collections:
        return own[0][1:], "/".join(own[1:]), ()
    for at, name in enumerate(parts[:-1]):
        if name in {"_posts", "_drafts"}:
            above = tuple(parts[len(room) if own else 0 : at])
            if not is_static("/".join(parts[:at]), config):
                return None
            if name == "_posts" and not _DATED.fullmatch(posixpath.splitext(parts[-1])[0]):
                return _UNDATED, path, ()
            return POSTS if name == "_posts" else DRAFTS, "/".join(parts[at + 1 :]), above
    return (PAGES, path, ()) if is_static(path, config) else None


def _has_front_matter(tree: SourceTree, file: str) -> bool:
    try:
        with (tree.root / file).open("rb") as opened:
            return opened.read(4).rstrip() == b"---"
    except OSError:
        return False
