"""Finds the page that a `ref` or `relref` names, as Hugo does.

A path may begin at the root or beside the page, have an ending or not, and be only the name of a page that is
unique on the site. So all pages are indexed by path and by name.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.importers.hugo.pages import HugoPage

_ENDINGS = (".md", ".markdown", ".mdown", ".html", ".htm")
_INDEXES = ("index", "_index")


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
        bare = _bare(path, language)
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


def _bare(path: str, language: str) -> str:
    """Give a path without its ending, its language, and the name of an index."""
    root, ending = posixpath.splitext(path)
    bare = root if ending.lower() in _ENDINGS else path
    bare = bare.removesuffix(f".{language}")
    if posixpath.basename(bare) in _INDEXES:
        bare = posixpath.dirname(bare)
    return bare.lower().rstrip("/") or "/"
