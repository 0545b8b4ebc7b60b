"""Reads the settings of a Jekyll site: its folders, permalinks, collections and defaults.

The defaults of front matter may name a permalink, a layout or categories for whole folders. So they are a
part of the settings, and every page asks for its own.
"""

from __future__ import annotations

import fnmatch
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pressync.importers.source_tree import SourceTree

NAMES = ("_config.yml", "_config.yaml", "_config.toml")
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
        return f"{url}{self.base}" if urlsplit(url).netloc else ""

    @property
    def style(self) -> str:
        """The name or the pattern of `permalink`."""
        return str(self.table.get("permalink") or "date")

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
        return _strings(self.table.get("plugins", self.table.get("gems")))

    @property
    def collections(self) -> Mapping[str, Mapping[str, Any]]:
        """The collections by their labels, without the posts."""
        given = self.table.get("collections")
        if isinstance(given, list):
            return {str(label): {} for label in given}
        found = given if isinstance(given, Mapping) else {}
        return {
            str(label): about if isinstance(about, Mapping) else {}
            for label, about in found.items()
            if label != "posts"
        }

    @property
    def collections_folder(self) -> str:
        """The folder that has the folders of all collections, "" for the source itself."""
        return str(self.table.get("collections_dir") or "").strip("/")

    def pattern(self, label: str) -> str:
        """Give the pattern of the addresses of a collection, or of the posts."""
        given = self.table.get("collections")
        about = given.get(label) if isinstance(given, Mapping) else None
        own = about.get("permalink") if isinstance(about, Mapping) else None
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

    def leaves_out(self, path: str) -> bool:
        """Tell whether Jekyll reads neither this file nor this folder, by its path below the source."""
        name = posixpath.basename(path)
        if any(
            _fits(name, pattern) or _fits(path, pattern) for pattern in _strings(self.table.get("include"))
        ):
            return False
        excluded = (*_strings(self.table.get("exclude")), *_EXCLUDED)
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
            values = each.get("values") if isinstance(each, Mapping) else None
            scope = each.get("scope") if isinstance(each, Mapping) else None
            scope = scope if isinstance(scope, Mapping) else {}
            if not isinstance(values, Mapping) or not self._is_in(scope, path, kind):
                continue
            rank = (len(str(scope.get("path") or "").strip("/")), "type" in scope)
            if best is None or rank >= best:
                found, best = _merged(found, values), rank
            else:
                found = _merged(values, found)
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


def settings_of(tree: SourceTree) -> str:
    """Give the name of the site's settings, "" if the folder has none that are Jekyll's."""
    return next((name for name in NAMES if tree.is_file(name)), "")


def read_config(tree: SourceTree) -> JekyllConfig:
    """Read the settings.

    :raises ConfigError: the file cannot be read.
    """
    name = settings_of(tree)
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


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(below)
    for key, value in above.items():
        own = found.get(key)
        found[key] = _merged(own, value) if isinstance(own, Mapping) and isinstance(value, Mapping) else value
    return found


def _strings(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(item for item in items if isinstance(item, str) and item)
