"""Compares the pages below the content roots of a source with all that its importer yields.

An account adds up without a file that an importer never looked at. So the disk is asked once more, after the
importer is done, and each page that it did not mention is left out with its name.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from pressync.importing.sources.item import ContentRoot, Item, LeftOut, Place
from pressync.importing.sources.source_tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from pressync.importing.sources.item import ImportSource, Items

# The endings of the files in which people write pages for one of the tools.
PAGES = (
    *(".md", ".markdown", ".mdown", ".mkdown", ".mkdn", ".mkd", ".mdx", ".mdoc", ".html", ".htm", ".xhtml"),
    *(".adoc", ".asciidoc", ".ad", ".rst", ".org", ".textile", ".pandoc", ".pdc", ".ipynb"),
)
KIND = "page that nothing reads"
_WHY = "it is below {}, and the importer makes no page of it; move its text into a page, or import it by hand"


def guarded(source: ImportSource, items: Items) -> Items:
    """Give all items, and then each page of a content root that is not among them."""
    roots: list[ContentRoot] = []
    mentioned: set[str] = set()
    for each in items:
        if isinstance(each, ContentRoot):
            roots.append(each)
            continue
        if isinstance(each, Item | LeftOut):
            mentioned.add(posixpath.normpath(each.place.path))
        yield each
    if source.path is not None and source.path.is_dir():
        yield from _unmentioned(SourceTree(source.path), roots, mentioned)


def _unmentioned(
    tree: SourceTree, roots: Sequence[ContentRoot], mentioned: Container[str]
) -> Iterator[LeftOut]:
    named: set[str] = set()
    for root in roots:
        for path in tree.files(root.folder):
            is_known = path in mentioned or path in named or not path.lower().endswith(PAGES)
            if not is_known and not any(other.is_part(path) for other in roots):
                named.add(path)
                yield LeftOut(KIND, Place(path), _WHY.format(root.folder or "the folder that is imported"))
