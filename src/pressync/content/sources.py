"""Tells which files of a tree are documents, and which page is the parent of another by its folder. Pure.

It is a module beside `documents` because every run needs this for every path, and most runs read few of the
files. With `folders = "pages"`, a folder without a page gets a document with the path of its missing
`index.md`, and no text. So it becomes that file's page as soon as somebody adds the file.
"""

from __future__ import annotations

import fnmatch
import posixpath
import sys
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Self

from pressync.config.keys import LEFT_OUT
from pressync.model.errors import Code, Problem
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes
from pressync.repo.discover import EMPTY_BLOB

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence

    from pressync.config.settings import Settings
    from pressync.model.records import Document


# The folder with the accounts of imports.
IMPORT_FOLDER = ".pressync/import"
INDEXES = ("index", "_index")
# Such a file is the page of its folder where no other one is.
READMES = ("README", "readme")
_ENDINGS = (".md", ".markdown")


def documents(paths: Iterable[str], content: str) -> Iterator[str]:
    """Give the Markdown files among the paths: below the content folder, and not hidden."""
    start = _start(content)
    for path in paths:
        # Most paths end in small letters, and hundreds of thousands may come by here.
        if not path.startswith(start) or not (path.endswith(_ENDINGS) or path.lower().endswith(_ENDINGS)):
            continue
        may_be_hidden = "/." in path or path[0] == "."
        if not may_be_hidden or "/." not in f"/{path[len(start) :]}":
            yield path


def likely_kind(path: str, types: SiteTypes = DOCUMENTED_TYPES) -> Kind:
    """Guess the kind of a file that nobody read, by its outermost folder that belongs to a kind."""
    folders = types.folders
    return next((folders[part] for part in path.split("/")[:-1] if part in folders), types.tree)


def folder_parent(
    path: str,
    paths: Collection[str],
    content: str,
    types: SiteTypes = DOCUMENTED_TYPES,
    readmes: Container[str] = (),
) -> str | None:
    """Give the parent of the page `path` by its folders; None at the top.

    A folder's page is its `index.md`, its `_index.md`, or the file of its name beside it, in this order. If a
    folder has no page, the folder above is used. `paths` are the paths of all pages; a lookup in it must be
    fast. `readmes` are those that are pages of folders. The index of `pages/` is the home page, and is not a
    parent.
    """
    inner = below(path, content)
    root = path.removesuffix(inner)
    folders = [folder for folder in folders_of(inner) if folder not in types.folders]
    names = (*INDEXES, *READMES) if readmes else INDEXES
    for folder in folders[1:] if stem(inner) in INDEXES or path in readmes else folders:
        for page in _pages_of(f"{root}{folder}", names):
            if page in paths and (page in readmes or stem(page) not in READMES):
                # Most parents have many children, and each child keeps this path.
                return sys.intern(page)
    return None


def pages_of(folder: str) -> Iterator[str]:
    """Give the paths that the page of a folder may have, the best first."""
    return _pages_of(folder, (*INDEXES, *READMES))


def _pages_of(folder: str, names: Sequence[str]) -> Iterator[str]:
    within = f"{folder}/" if folder else ""
    # A README comes last: a file beside its folder may have the folder's name already.
    for place in (*(f"{within}{name}" for name in names[:2]), folder, *(f"{within}{n}" for n in names[2:])):
        for ending in _ENDINGS:
            yield f"{place}{ending}"


def readmes(paths: Collection[str]) -> frozenset[str]:
    """Give the READMEs that are the pages of their folders; a lookup in `paths` must be fast."""
    endings = tuple(f"{name}{ending}" for name in READMES for ending in _ENDINGS)
    named = [path for path in paths if path.endswith(endings) and stem(path) in READMES]
    return frozenset(
        path
        for path in named
        if next(page for page in pages_of(posixpath.dirname(path)) if page in paths) == path
    )


def named_by(
    path: str, name: str, paths: Collection[str], content: str, types: SiteTypes = DOCUMENTED_TYPES
) -> str | None:
    """Find the document that front matter of `path` names: from the root, or from a folder of the content."""
    start = _start(content)
    own = likely_kind(path, types).row
    pages = own if own.hierarchical else types.tree.row
    for folder in ("", f"{start}{pages.folder}/", start):
        for ending in ("", ".md", "/index.md", "/_index.md", ".markdown"):
            candidate = f"{folder}{name.strip('/')}{ending}"
            if candidate in paths and candidate != path:
                return candidate
    return None


def below(path: str, content: str) -> str:
    """Give the path below the content folder; "" if it is elsewhere."""
    start = _start(content)
    return path[len(start) :] if path.startswith(start) else ""


def _start(content: str) -> str:
    folder = content.strip("/")
    return "" if folder in {"", "."} else f"{folder}/"


def folders_of(inner: str) -> Iterator[str]:
    """Give the folders that hold a file, the innermost first: `a/b/c.md` -> `a/b`, `a`."""
    while inner := posixpath.dirname(inner):
        yield inner


def inherited(
    inner: str, defaults: Mapping[str, Mapping[str, object]]
) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Give each folder that holds a file and has defaults, the innermost first, with its table."""
    return ((folder, defaults[folder]) for folder in (*folders_of(inner), "") if folder in defaults)


def stem(path: str) -> str:
    """Give the name of a file without its ending."""
    return posixpath.splitext(posixpath.basename(path))[0]


# Anybody who may push can write a pattern. So a path and a pattern are compared part by part: one regular
# expression with several `**` could take exponential time.
class _Rule(NamedTuple):
    """One pattern: the parts between its `**`, whether it begins with `!`, and whether it is for folders."""

    pattern: str
    runs: tuple[tuple[str, ...], ...]
    again: bool
    folders_only: bool

    @classmethod
    def of(cls, pattern: str) -> Self:
        """Read a pattern. One without a slash, but for a last slash, counts in every folder."""
        text = pattern.removeprefix("!")
        parts = text.strip("/").split("/")
        if "/" not in text.rstrip("/"):
            parts = ["**", *parts]
        runs: list[list[str]] = [[]]
        for part in parts:
            if part == "**":
                runs.append([])
            else:
                runs[-1].append(part)
        return cls(pattern, tuple(map(tuple, runs)), again=text != pattern, folders_only=text.endswith("/"))

    def fits(self, parts: Sequence[str]) -> bool:
        """Compare a path with the pattern: the first run at its start, the last at its end."""
        first, *others = self.runs
        at, end = len(first), len(parts)
        if not _agree(parts[:at], first) or (not others and at < end):
            return False
        for run in others[:-1]:
            while at + len(run) <= end and not _agree(parts[at : at + len(run)], run):
                at += 1
            at += len(run)
        if not others:
            return True
        last = others[-1]
        # `a/**` is everything below `a`, and not `a`.
        return at + max(len(last), 1) <= end and _agree(parts[end - len(last) :], last) if last else at < end


def _agree(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    return len(parts) == len(patterns) and all(map(fnmatch.fnmatchcase, parts, patterns))


class Exclusion:
    """The patterns of one site."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._rules = [_Rule.of(pattern) for pattern in reversed(patterns)]
        # Thousands of files have the same folders.
        self._leaves_out_folder = cache(self._folder)

    def leaves_out(self, inner: str) -> bool:
        """Tell whether a file is left out; `inner` is its path below the content folder."""
        if not self._rules:
            return False
        return self._leaves_out_folder(inner.rpartition("/")[0]) or self._decides(inner, is_folder=False)

    def unused(self, inners: Iterable[str]) -> list[str]:
        """List the patterns that fit none of these files and none of their folders."""
        left = {rule.pattern: rule for rule in reversed(self._rules)}
        for parts in (inner.split("/") for inner in inners):
            for end in range(1, len(parts) + 1):
                is_folder = end < len(parts)
                for rule in [*left.values()]:
                    if (is_folder or not rule.folders_only) and rule.fits(parts[:end]):
                        del left[rule.pattern]
        return [*left]

    def _folder(self, folder: str) -> bool:
        # Nothing below a folder that is left out can be taken in again.
        if not folder:
            return False
        return self._leaves_out_folder(folder.rpartition("/")[0]) or self._decides(folder, is_folder=True)

    def _decides(self, path: str, *, is_folder: bool) -> bool:
        parts = path.split("/")
        for rule in self._rules:
            if (is_folder or not rule.folders_only) and rule.fits(parts):
                return not rule.again
        return False


_TODO = 'add an `index.md`, or set `folders = "pages"` in pressync.toml'


def place_of(path: str, readmes: Container[str]) -> str:
    """Give the path by which a file is named: that of an index for a README that is its folder's page."""
    return posixpath.join(posixpath.dirname(path), "index.md") if path in readmes else path


class FolderReadmes:
    """The READMEs that are pages of their folders; `is_in_place` tells which records are still beside one."""

    def __init__(self, readmes: Collection[str], is_in_place: Callable[[str], bool]) -> None:
        self._readmes = readmes
        self._is_in_place = cache(is_in_place)

    def __contains__(self, path: object) -> bool:
        return path in self._readmes and isinstance(path, str) and not self._is_in_place(path)


def folder_pages(
    sources: Mapping[str, str],
    content: str,
    defaults: Mapping[str, Mapping[str, object]],
    types: SiteTypes = DOCUMENTED_TYPES,
    made: Collection[str] = (),
) -> dict[str, str]:
    """Give path and blob of a page for each folder of pages that does not have one.

    `made` are such pages that have a record. They stay although their folder has a README, which is the
    folder's page since a rule changed: the folder would have two records.
    """

    @cache
    def is_of_pages(folder: str) -> bool:
        tables = inherited(posixpath.join(folder, "index.md"), defaults)
        named = (table.get("type") for _, table in tables)
        default = next((kind for kind in named if kind), None)
        kind = types.folders.get(folder.partition("/")[0]) or default
        return default != LEFT_OUT and kind in [of for of in types.kinds if of.row.hierarchical]

    pages = [path for path in sources if is_of_pages(posixpath.dirname(below(path, content)))]
    return {f"{folder}/index.md": EMPTY_BLOB for folder in _alone(pages, sources, content, types, made)}


def folders_without_page(
    pages: Iterable[str], sources: Collection[str], content: str, types: SiteTypes = DOCUMENTED_TYPES
) -> Iterator[Problem]:
    """Warn of the folders of these pages that do not have a page among the sources."""
    problem = "the folder does not have a page, so the addresses of its pages do not have its name"
    for folder in _alone(pages, sources, content, types):
        yield Problem(folder, 0, problem, _TODO, warning=True, code=Code.FOLDER_WITHOUT_PAGE)


def _alone(
    pages: Iterable[str], sources: Collection[str], content: str, types: SiteTypes, made: Collection[str] = ()
) -> list[str]:
    """Give these folders from the repository's root, sorted."""
    is_alone_at: dict[str, bool] = {}
    for path in pages:
        inner = below(path, content)
        root = path.removesuffix(inner)
        for folder in folders_of(inner):
            place = f"{root}{folder}"
            if place in is_alone_at:
                break
            names = INDEXES if f"{place}/index.md" in made else (*INDEXES, *READMES)
            is_alone_at[place] = folder not in types.folders and not any(
                p in sources for p in _pages_of(place, names)
            )
    return sorted(folder for folder, is_alone in is_alone_at.items() if is_alone)


def wants_front_page(document: Document, settings: Settings) -> bool | None:
    """Tell whether a document is to be the front page; None if neither the file nor the settings say so."""
    if document.front_page is not None or not settings.site.front_page:
        return document.front_page
    inner = document.place
    is_root = stem(inner) in INDEXES and posixpath.dirname(inner) in {"", *settings.types.folders}
    return True if document.kind.row.front and is_root else None
