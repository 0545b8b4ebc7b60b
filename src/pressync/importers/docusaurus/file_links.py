"""Finds the file that a link of a Docusaurus page means, by the documented rules.

A link names a file beside the page, in the folder of its pages, or in the site. Docusaurus builds each
language with all pages, and shows the original where nobody has translated one. pressync writes only the
files that there are, so such a link leads to the original.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.repo.paths import is_below

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pressync.importers.docusaurus.config import Root
    from pressync.importers.source_tree import SourceTree

MARKDOWN = (".md", ".mdx")


@dataclass(frozen=True, slots=True)
class FileLinks:
    """The files of a site, its base path, and the addresses of its translated pages."""

    tree: SourceTree
    base: str
    translated: Collection[str]

    def link(self, page: str, root: Root, written: str) -> str | None:
        """Give the link from a page to a file that Docusaurus finds in the folder of pages or of the site.

        A translated page may name a file that nobody has translated: Docusaurus shows the original.
        """
        name = unquote(re.split("[?#]", written, maxsplit=1)[0])
        if root.original and name.startswith("/") and not name.endswith(MARKDOWN):
            # Docusaurus puts the language before each address of a translated page.
            prefix = f"{self.base}/{language(root)}"
            return f"{prefix}{written}" if f"{prefix}{name}".rstrip("/") in self.translated else None
        if name.startswith("@site/static/"):
            return f"{self.base}/{written.removeprefix('@site/static/')}"
        if ":" in name:
            return None
        here = posixpath.dirname(page)
        found = next(filter(self.tree.is_file, _candidates(name, here, root)), None)
        if found is None or found == posixpath.normpath(posixpath.join(here, name)):
            return None
        end = re.sub(r"\A[^?#]*", "", written)
        return f"{quote(posixpath.relpath(found, here))}{end}"


def language(root: Root) -> str:
    """Give the language of a folder; "" for the one that is translated."""
    return root.folder.split("/")[1] if root.folder.startswith("i18n/") else ""


def _candidates(name: str, here: str, root: Root) -> Iterator[str]:
    """Give the files that a name in a page of the folder `here` can mean, the first of which counts."""
    if name.startswith("@site/"):
        path = posixpath.normpath(name.removeprefix("@site/"))
        if root.original and is_below(path, [root.original]):
            yield f"{root.folder}{path.removeprefix(root.original)}"
        yield path
        return
    beside = posixpath.normpath(posixpath.join(here, name))
    if not name.startswith("/"):
        yield beside
        if root.original and is_below(beside, [root.folder]):
            yield f"{root.original}{beside.removeprefix(root.folder)}"
    if name.endswith(MARKDOWN) and not name.startswith(("./", "../")):
        for above in filter(None, (root.folder, root.original)):
            yield posixpath.normpath(posixpath.join(above, name.lstrip("/")))
        yield posixpath.normpath(name.lstrip("/"))
