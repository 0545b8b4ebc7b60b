"""The old site as a folder of built HTML: the address of each page, and its bytes.

A static site is served as its files lie. So `guide/index.html` is the page at `/guide/`, and `guide.html` is
at `/guide.html` or, with many hosts, at `/guide`. A page may say its own address as canonical. From that the
name of the site is known, and the folder below which it is served.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from pressync.model.bounds import MIB, FileBound
from pressync.model.errors import ConfigError
from pressync.model.web_address import origin_of, path_of
from pressync.repo import work_tree
from pressync.stage.compare.old_site import OldPage
from pressync.stage.compare.page_text import page_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_ENDINGS = (".html", ".htm")
# Every tool writes one, also for each language, and no address of the site is its own.
_ERROR_PAGE = re.compile(r"(.*/)?404\.html|404/index\.html")
_LARGEST = FileBound(10 * MIB, "a page of the old site has", "look at the page by hand")
_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class OldFolder:
    """A folder of built HTML. `origin` is the address of its host, "" if the pages do not say it."""

    root: Path
    pages: tuple[OldPage, ...]
    files: frozenset[str]
    origin: str = ""

    def read(self, page: OldPage) -> bytes:
        """Read a page.

        :raises OSError: it cannot be read.
        :raises FileTooLarge: it is larger than a page.
        """
        return work_tree.read(self.root / page.place, _LARGEST)


def old_folder(root: Path, name: str) -> OldFolder:
    """List the pages of a folder; `name` is its name in messages.

    :raises ConfigError: it has none.
    """
    found = {inner: _address(inner) for inner in sorted(_files(root))}
    pages = {inner: address for inner, address in found.items() if inner.lower().endswith(_ENDINGS)}
    kept = {inner: address for inner, address in pages.items() if not _ERROR_PAGE.fullmatch(inner)}
    if not kept:
        todo = "name the folder into which the tool of the site builds, such as `public` or `_site`"
        raise ConfigError("it has no page of HTML", where=name, todo=todo)
    origin, base = _said(root, kept)
    listed = tuple(OldPage(f"{base}{address}", inner) for inner, address in kept.items())
    files = frozenset(f"{base}{address}" for inner, address in found.items() if inner not in pages)
    return OldFolder(root, listed, files, origin)


def _files(root: Path) -> Iterator[str]:
    """Name all files, without hidden folders and without links, which may lead out of the folder."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in names:
            file = os.path.join(folder, name)  # noqa: PTH118 - thousands of files
            if not os.path.islink(file):  # noqa: PTH114 - the same
                yield os.path.relpath(file, root).replace(os.sep, "/")


def _address(inner: str) -> str:
    folder, name = posixpath.split(inner)
    path = f"{folder}/" if name.lower() in {"index.html", "index.htm"} and folder else inner
    path = "" if path.lower() in {"index.html", "index.htm"} else path
    return "/" + quote(path.encode(errors="surrogateescape"), safe="/:@!$&'()*+,;=~-._")


def _said(root: Path, pages: Mapping[str, str]) -> tuple[str, str]:
    """Give the host of the site, and the folder below which it is served, as most of its pages say it."""
    said = Counter[tuple[str, str]]()
    for inner, address in list(pages.items())[:_LOOKED_AT]:
        read = page_text(work_tree.read(root / inner, _LARGEST))
        # A page that only leads to another one has the address of that one.
        whole = read.canonical if read and not read.leads_to else ""
        path = path_of(whole)
        bare = address.removesuffix(".html")
        fits = (end for end in (address, bare, bare.rstrip("/")) if origin_of(whole) and path.endswith(end))
        if (end := next(fits, None)) is not None:
            said[origin_of(whole), path.removesuffix(end).rstrip("/")] += 1
    return said.most_common(1)[0][0] if said else ("", "")
