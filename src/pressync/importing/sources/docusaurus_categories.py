"""Makes a page of each folder whose file `_category_.json` gives it a list of its pages.

Docusaurus builds such a page at an address of its own, with a title, a description and a card for each page.
Here it is the page of the folder, which the other pages are below anyway.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from pressync.content.markdown_text import first_heading
from pressync.importing.sources.heading_ids import github
from pressync.importing.sources.item import LeftOut, Place
from pressync.importing.sources.source_tree import Front, SourceTree, table_in
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence


_FILE = re.compile(r"_category_\.(?:json|ya?ml)")
_SIGNS = re.compile(r"([\\`*_\[\]<>])")
_ESCAPED = r"\\\1"
_LAST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Category:
    """The page of a folder: `slug` is its address below that of the documents, and `order` its place."""

    title: str
    slug: str
    body: str
    order: int | None


def is_category(path: str) -> bool:
    """Tell whether a file is the settings of a folder."""
    return _FILE.fullmatch(posixpath.basename(path)) is not None


def category(tree: SourceTree, path: str, pages: Sequence[str]) -> Category | tuple[LeftOut, ...]:
    """Read the settings of a folder with these pages; a tuple if pressync makes no page of it."""
    try:
        settings = tree.settings(path)
    except ConfigError as error:
        return (LeftOut("unreadable settings", Place(path), str(error)),)
    link = table_in(settings, "link")
    label = str(settings.get("label") or posixpath.basename(posixpath.dirname(path)))
    if link.get("type") != "generated-index" or not pages:
        return ()
    title, slug = str(link.get("title") or label), str(link.get("slug") or f"/category/{github(label)}")
    rows = [row for _, _, row in sorted(_card(tree, page) for page in pages) if row]
    description = str(link.get("description") or "")
    body = "\n\n".join(filter(None, [description, "\n".join(rows)])) + "\n"
    order = settings.get("position")
    return Category(title, slug, body, order if type(order) is int else None)


def _card(tree: SourceTree, page: str) -> tuple[int, str, str]:
    """Give the place and the name of a page in the list, and its row."""
    name = posixpath.basename(page)
    front = tree.front(page)
    if not isinstance(front, Front):
        return _LAST, name, ""
    heading = first_heading(front.body, 1)
    title = front.text("sidebar_label", "title") or (heading.text if heading else posixpath.splitext(name)[0])
    place = front.number("sidebar_position")
    return _LAST if place is None else place, name, f"- [{_SIGNS.sub(_ESCAPED, title)}]({quote(name)})"
