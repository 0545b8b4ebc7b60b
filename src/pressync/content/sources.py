"""Tells which files of a tree are documents, and which page is the parent of another by its folder. Pure.

It knows paths and reads no file. It is a module beside `documents` because every run needs this for every
path, and most runs read few of the files.
"""

from __future__ import annotations

import posixpath
import sys
from typing import TYPE_CHECKING

from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

# The folder of the tables that an import writes.
IMPORT_FOLDER = ".pressync/import"
INDEXES = ("index", "_index")
FOLDERS: Mapping[str, Kind] = {"pages": Kind.PAGE, "posts": Kind.POST}
_ENDINGS = (".md", ".markdown")


def documents(paths: Iterable[str], content: str) -> Iterator[str]:
    """Give the Markdown files among the paths: below the content folder, and not hidden."""
    start = _start(content)
    for path in paths:
        if (
            path.startswith(start)
            and (path.endswith(_ENDINGS) or path.lower().endswith(_ENDINGS))
            and (("/." not in path and path[:1] != ".") or "/." not in f"/{path[len(start) :]}")
        ):
            yield path


def folder_parent(path: str, paths: Collection[str], content: str) -> str | None:
    """Give the parent of the page `path` by its folders; None at the top.

    A folder's page is its `index.md`, its `_index.md`, or the file of its name beside it, in this order. If a
    folder has no page, the folder above is used. `paths` are the paths of all pages; a lookup in it must be
    fast. The index of `pages/` is the home page, and is not a parent.
    """
    inner = below(path, content)
    root = path.removesuffix(inner)
    folders = [folder for folder in folders_of(inner) if folder not in FOLDERS]
    for folder in folders[1:] if stem(inner) in INDEXES else folders:
        for page in pages_of(f"{root}{folder}"):
            if page in paths:
                # Most parents have many children, and each child keeps this path.
                return sys.intern(page)
    return None


def pages_of(folder: str) -> Iterator[str]:
    """Give the paths that the page of a folder may have, the best first."""
    for place in (*(f"{folder}/{index}" for index in INDEXES), folder):
        for ending in _ENDINGS:
            yield f"{place}{ending}"


def named_by(path: str, name: str, paths: Collection[str], content: str) -> str | None:
    """Find the document that front matter of `path` names: from the root, or from a folder of the content."""
    start = _start(content)
    for folder in ("", f"{start}pages/", start):
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
    """Give the common start of all paths below the content folder."""
    folder = content.strip("/")
    return "" if folder in {"", "."} else f"{folder}/"


def folders_of(inner: str) -> Iterator[str]:
    """Give the folders that hold a file, the innermost first: `a/b/c.md` -> `a/b`, `a`."""
    while inner := posixpath.dirname(inner):
        yield inner


def stem(path: str) -> str:
    """Give the name of a file without its ending."""
    return posixpath.splitext(posixpath.basename(path))[0]
