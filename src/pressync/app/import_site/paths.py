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
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pressync.importers.item import Item

# A file name has at most 255 bytes. The ending and a number need some of them.
_LONGEST = 200
_NOT_IN_NAMES = re.compile(r'[\x00-\x20\x7f-\x9f/\\:*?"<>|#%]+')
_FOLDERS = {Kind.PAGE: "pages", Kind.POST: "posts"}
_CERTAIN = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*", re.ASCII)


def chosen(items: Sequence[Item], content: str) -> dict[str, str]:
    """Give the path from the repository's root for the key of each item; `content` is the content folder."""
    by_key = {item.key: item for item in items}
    parents = {item.parent for item in items if item.parent in by_key}
    found: dict[str, str] = {}
    taken: set[str] = set()
    for item in items:
        path = _wanted(item, by_key, is_parent=item.key in parents)
        found[item.key] = posixpath.join(content, _free(path, taken))
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

    def names(path: str, seen: frozenset[str]) -> list[str]:
        page = pages[path]
        by_folder = folder_parent(path, pages, content)
        parent = named.get(page.key, by_folder)
        if isinstance(parent, int) and parent:
            return [""]
        above = names(parent, seen | {path}) if isinstance(parent, str) and parent not in seen else []
        between: list[str] = []
        folder = posixpath.dirname(_place(path))
        while folders and parent == by_folder and folder not in roots and folder != _place(by_folder or ""):
            between.insert(0, posixpath.basename(folder))
            folder = posixpath.dirname(folder)
        own, _ = name_and_date(below(path, content), Kind.PAGE)
        return [*above, *between, unquote(page.slug) or "-".join(own.lower().split())]

    found = {}
    for path, item in pages.items():
        parts = [] if _place(path) in roots else names(path, frozenset())
        # A site makes another slug of a name with other characters, like `v3-5` of `v3.5`.
        if all(map(_CERTAIN.fullmatch, parts)):
            found[item.key] = "/" + "".join(f"{part}/" for part in parts)
    return found


def _place(path: str) -> str:
    """Give the folder that a page stands for: its own for an index, else that of its name."""
    return posixpath.dirname(path) if stem(path) in INDEXES else posixpath.splitext(path)[0]


def slug_of(item: Item) -> str:
    """Give an item's slug as people read it, or make one of its title, or of its key."""
    slug = _name(unquote(item.slug))
    return (
        slug or _name(re.sub(r"[^\w.-]+", "-", item.title.lower())[:80]) or _name(f"{item.kind}-{item.key}")
    )


def _wanted(item: Item, by_key: Mapping[str, Item], *, is_parent: bool) -> str:
    if item.path:
        return "/".join(filter(None, (_part(part) for part in item.path.split("/"))))
    folder = _FOLDERS[item.kind]
    if item.kind is Kind.POST:
        return f"{folder}/{_file_name(item)}.md"
    if item.address == "/":
        return f"{folder}/index.md"
    names = [_file_name(item)]
    seen, above = {item.key}, by_key.get(item.parent)
    while above is not None and above.key not in seen and above.address != "/":
        seen.add(above.key)
        names.insert(0, _file_name(above))
        above = by_key.get(above.parent)
    return f"{folder}/{'/'.join(names)}{'/index' if is_parent else ''}.md"


def _file_name(item: Item) -> str:
    slug = slug_of(item)
    # The page of a folder has this name.
    return f"{slug}-{item.kind}" if slug in INDEXES else slug


def _name(text: str) -> str:
    """Give a text as the name of a file; it may be empty."""
    name = _NOT_IN_NAMES.sub("-", unicodedata.normalize("NFC", text)).strip("-. ")
    while len(name.encode()) > _LONGEST:
        name = name[:-1]
    return name.rstrip("-. ")


def _part(part: str) -> str:
    """Give one part of a path that an importer wants; a part of dots would lead out of the folder."""
    stem, ending = posixpath.splitext(part)
    leading = "_" if stem.startswith("_") else ""
    return f"{leading}{_name(stem.removeprefix('_'))}{ending}" if stem.strip(".") else ""


def _free(path: str, taken: set[str]) -> str:
    """Add a number to a path that another item has."""
    stem, ending = posixpath.splitext(path)
    number, free = 2, path
    while free.casefold() in taken:
        free, number = f"{stem}-{number}{ending}", number + 1
    taken.add(free.casefold())
    return free
