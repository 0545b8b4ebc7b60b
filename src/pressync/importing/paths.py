"""Chooses the file of each item. Pure.

An importer that knows a path says so. For the others, the folders of a page are its parents, and the name is
its slug, because pressync gives a file such an address by itself. Two items never get one file, also on a
disk that does not tell `A` from `a`.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.content.documents import name_and_date
from pressync.content.sources import FOLDERS, INDEXES, below, folder_parent, stem
from pressync.model.bounds import names_git
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pressync.importing.sources.item import Item

# A file name has at most 255 bytes. The ending and a number need some of them.
_LONGEST = 200
_LONGEST_ENDING = 20
# macOS takes 1,024 bytes for a whole path. A page of a longer one is at the top, and names its parent.
_LONGEST_PATH = 800
# A page below more pages than this has no certain address.
_DEEPEST = 100
_NOT_IN_NAMES = re.compile(r'[\x00-\x20\x7f-\x9f\ud800-\udfff/\\:*?"<>|#%]+')
_FOLDERS = {Kind.PAGE: "pages", Kind.POST: "posts"}
_CERTAIN = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*", re.ASCII)


def chosen(items: Sequence[Item], content: str) -> dict[str, str]:
    """Give the path from the repository's root for the key of each item; `content` is the content folder."""
    by_key = {item.key: item for item in items}
    parents = {item.parent for item in items if item.parent in by_key}
    found: dict[str, str] = {}
    names = {item.key: _file_name(item) for item in items}
    free = _FreeNames()
    for item in items:
        path = _wanted(item, by_key, names, is_parent=item.key in parents)
        found[item.key] = posixpath.join(content, free.take(path))
    return found


def parents(
    items: Iterable[Item], paths: Mapping[str, str], content: str, *, by_id: bool = False
) -> dict[str, str | int]:
    """Give, by key, the parent that front matter must name, because the folders give another one.

    With `by_id` the site is the own one, and a parent without a file keeps its id.
    """
    pages = {paths[item.key] for item in items if item.kind is Kind.PAGE}
    found: dict[str, str | int] = {}
    for item in items:
        if item.kind is Kind.PAGE:
            wanted = paths.get(item.parent)
            by_folder = folder_parent(paths[item.key], pages, content)
            if item.parent and wanted is None and by_id:
                # A person may have moved the file below another page.
                if not (item.path and by_folder):
                    found[item.key] = int(item.parent.rpartition(" ")[2])
            elif not item.path and wanted != by_folder:
                found[item.key] = wanted or 0
    return found


def addresses(
    items: Sequence[Item],
    paths: Mapping[str, str],
    content: str,
    named: Mapping[str, str | int],
    *,
    folders: bool,
) -> dict[str, str]:
    """Give, by key, the address that each page will certainly have; the site decides about those of posts.

    `named` are the parents that front matter names. Nobody here knows the address below the id of one.
    A folder without a page is in an address only with `folders`, which is the setting `folders = "pages"`.
    """
    pages = {paths[item.key]: item for item in items if item.kind is Kind.PAGE}
    roots = {posixpath.join(content, folder) for folder in ("", *FOLDERS)}

    def above(path: str) -> str | int | None:
        return named.get(pages[path].key, folder_parent(path, pages, content))

    def names(path: str) -> list[str]:
        parent, by_folder = above(path), folder_parent(path, pages, content)
        between: list[str] = []
        folder = posixpath.dirname(_place(path))
        while folders and parent == by_folder and folder not in roots and folder != _place(by_folder or ""):
            between.insert(0, posixpath.basename(folder))
            folder = posixpath.dirname(folder)
        own, _ = name_and_date(below(path, content), Kind.PAGE)
        return [*between, unquote(pages[path].slug) or "-".join(own.lower().split())]

    known = _joined(pages, above, names)
    found = {}
    for path, item in pages.items():
        parts = [] if _place(path) in roots else known[path]
        # A site makes another slug of a name with other characters, like `v3-5` of `v3.5`.
        if parts is not None and all(map(_CERTAIN.fullmatch, parts)):
            found[item.key] = "/" + "".join(f"{part}/" for part in parts)
    return found


def _joined(
    pages: Collection[str], above: Callable[[str], str | int | None], names: Callable[[str], list[str]]
) -> dict[str, list[str] | None]:
    """Give each page the names of the pages above it and its own; None for one that nobody here knows.

    `above` gives the parent of a page: its path, its id, or neither. Each page is looked at once, because a
    stranger can make a line of all pages, or a circle.
    """
    known: dict[str, list[str] | None] = {}
    for page in pages:
        line: list[str] = []
        here: str | int | None = page
        while isinstance(here, str) and here in pages and here not in known:
            known[here] = None
            line.append(here)
            here = above(here)
        found = known.get(here) if isinstance(here, str) else None if here else []
        for path in reversed(line):
            found = None if found is None or len(found) > _DEEPEST else [*found, *names(path)]
            known[path] = found
    return known


def _place(path: str) -> str:
    """Give the folder that a page stands for: its own for an index, else that of its name."""
    return posixpath.dirname(path) if stem(path) in INDEXES else posixpath.splitext(path)[0]


def slug_of(item: Item) -> str:
    """Give an item's slug as people read it, or make one of its title, or of its key."""
    slug = _name(unquote(item.slug))
    return (
        slug or _name(re.sub(r"[^\w.-]+", "-", item.title.lower())[:80]) or _name(f"{item.kind}-{item.key}")
    )


def _wanted(item: Item, by_key: Mapping[str, Item], names: Mapping[str, str], *, is_parent: bool) -> str:
    path = "/".join(filter(None, (_part(part) for part in item.path.split("/"))))
    if path and _fits(path):
        return path
    folder = _FOLDERS[item.kind]
    if item.kind is Kind.POST:
        return f"{folder}/{names[item.key]}.md"
    if item.address == "/":
        return f"{folder}/index.md"
    ending = "/index.md" if is_parent else ".md"
    path = own = names[item.key]
    seen, above = {item.key}, by_key.get(item.parent)
    while above is not None and above.key not in seen and above.address != "/":
        seen.add(above.key)
        path = f"{names[above.key]}/{path}"
        if not _fits(path):
            return f"{folder}/{own}{ending}"
        above = by_key.get(above.parent)
    return f"{folder}/{path}{ending}"


def _fits(path: str) -> bool:
    return len(path.encode()) <= _LONGEST_PATH


def _file_name(item: Item) -> str:
    slug = slug_of(item)
    # The page of a folder has this name.
    return f"{slug}-{item.kind}" if slug in INDEXES else slug


def _name(text: str) -> str:
    """Give a text as the name of a file; it may be empty."""
    name = _NOT_IN_NAMES.sub("-", unicodedata.normalize("NFC", text)).strip("-. ")
    name = name.encode()[:_LONGEST].decode(errors="ignore").rstrip("-. ")
    return name.replace("~", "-") if names_git(name) else name


def _part(part: str) -> str:
    """Give one part of a path that an importer wants; a part of dots would lead out of the folder."""
    stem, ending = posixpath.splitext(part)
    if len(ending) > _LONGEST_ENDING:
        stem, ending = part, ""
    ending = _name(ending)
    leading = "_" if stem.startswith("_") else ""
    name = f"{leading}{_name(stem.removeprefix('_'))}{'.' if ending else ''}{ending}"
    return name if stem.strip(".") else ""


class _FreeNames:
    """The paths that items have; two paths that differ in their case are one on some disks."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        # The next number for a path, because a stranger can give thousands of items one path.
        self._numbers: dict[str, int] = {}

    def take(self, path: str) -> str:
        """Give the path, with a number if another item has it."""
        stem, ending = posixpath.splitext(path)
        number, free = self._numbers.get(path.casefold(), 2), path
        while free.casefold() in self._taken:
            free, number = f"{stem}-{number}{ending}", number + 1
        self._numbers[path.casefold()] = number
        self._taken.add(free.casefold())
        return free
