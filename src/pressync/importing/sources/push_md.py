"""Reads the clone of a WordPress site that the plugin Push MD serves over Git.

The plugin writes posts as `post/SLUG.md` and pages below `page/`, in the folders of their parents. It has no
addresses, because the permalinks of the site decide those of posts. A block that Markdown cannot express is
a block of code with its markup, which becomes the markup again.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from pressync.importing.importers import Importer
from pressync.importing.sources import markdown
from pressync.importing.sources.item import ContentRoot, LeftOut, Note, Origin, Place
from pressync.importing.sources.links import Uploads
from pressync.importing.sources.source_tree import SourceTree, iso
from pressync.importing.sources.tree_items import Keys, TreePage, item_of
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind
from pressync.model.web_address import origin_of, path_of

if TYPE_CHECKING:
    from pressync.importing.sources.item import ImportSource, Item, Items
    from pressync.importing.sources.source_tree import Front


SIGN = "a clone of Push MD: a folder with post/ or page/, and wp_global_styles/ or AGENTS.md"
_KEYS = Keys(
    date=(),
    modified=("last_modified", "modified_gmt"),
    dropped=frozenset({"id", "type", "status", "date", "date_gmt"}),
    pictures=("featured_image",),
)
_KINDS = {"post": Kind.POST, "page": Kind.PAGE}
_GUIDANCE = ("AGENTS.md", "CLAUDE.md", "authors.md", "categories.md", "tags.md")
# Older releases wrote the statuses of WordPress.
_STATUSES = {
    **{status: status for status in ("draft", "pending", "private", "future")},
    "": "",
    "publish": "",
    "published": "",
    "scheduled": "future",
}
# Each clone has these; only sites with the guidelines of Gutenberg have guidance for agents.
_STYLES = ("wp_global_styles", "wp_theme")
# The address of the repository, without the credentials that people put into it.
_REMOTE = re.compile(
    r"url\s*=\s*(https?://)(?:[^@/\s]*@)?([^\s]{1,500}?)/(?:index\.php/)?wp-json/git/v1/md\.git"
)
_LARGEST = 100_000
_LENGTH = len("2024-01-31T08:00:00")
_BLOCK = re.compile(r"[ ]{0,3}(`{3,}|~{3,})(?:gutenberg|block)[ \t]*")


def recognises(source: ImportSource) -> bool:
    """Tell whether a folder is a clone of the plugin's repository."""
    if source.path is None or not source.path.is_dir():
        return False
    tree = SourceTree(source.path)
    has_sign = tree.first(_GUIDANCE) or any(map(tree.is_folder, _STYLES))
    return any(map(tree.is_folder, _KINDS)) and bool(has_sign)


def items(source: ImportSource) -> Items:
    """Give the pages and posts of a clone, and its other files as left out.

    :raises ConfigError: it is not such a clone.
    """
    if source.path is None or not recognises(source):
        raise ConfigError(f"this is not {SIGN}", where=source.given, todo="name another folder")
    tree = SourceTree(source.path)
    found = None
    if tree.is_file(".git/config"):
        with (tree.root / ".git/config").open(errors="replace") as opened:
            found = _REMOTE.search(opened.read(_LARGEST))
    site = f"{found[1]}{found[2]}/" if found else ""
    yield Origin(site)
    yield Uploads(source.media, origin_of(site))
    yield ContentRoot("")
    yield from tree.links()
    base = path_of(site).rstrip("/")
    yield Note("Push MD writes no addresses of posts: the account has those of pages only.")
    for path in tree.files():
        folder, _, inner = path.partition("/")
        if folder in _KINDS and inner and path.endswith(".md"):
            yield tree.page(path, _item, path, inner, base)
        elif path.endswith((".md", ".html", ".json")):
            kind = f"file of {folder}" if inner else "guidance of the clone"
            yield LeftOut(kind, Place(path), "it is neither a page nor a post")


def _item(front: Front, path: str, inner: str, base: str) -> Item | LeftOut:
    kind = _KINDS[path.partition("/")[0]]
    bare = posixpath.splitext(inner)[0]
    status = _STATUSES.get(given := front.text("status").lower())
    if status is None:
        return LeftOut(f"status {given}", Place(path), "no record has this status")
    slug = front.text("slug")
    above, name = posixpath.split(bare)
    # A date of the plugin is in GMT.
    date = front.text("date", "date_gmt")
    moment = iso(date)
    is_shown = kind == Kind.PAGE and not status
    names = front.texts("categories", "category")
    categories = ["/".join(part.strip() for part in name.split(">")) for name in names]
    page = TreePage(
        path,
        kind,
        f"{kind.row.folder}/{bare}.md",
        _unfenced(front.body),
        date=f"{moment}+00:00" if moment and len(moment) == _LENGTH else date,
        address=f"{base}/{quote(posixpath.join(above, slug or name))}/" if is_shown else "",
        slug=slug,
        status=status,
        categories=tuple(categories),
    )
    return item_of(page, front, _KEYS)


def _unfenced(text: str) -> str:
    """Give the blocks of code with markup of the editor as that markup, with blank lines around it.

    The plugin writes the next paragraph in the line behind the block, where it would be a part of the HTML.
    """
    rows: list[str] = []
    fence = ""
    for row, is_code in markdown.lines(text):
        found = _BLOCK.fullmatch(row) if is_code and not fence else None
        if found:
            fence = found[1]
        is_end = bool(fence) and not found and is_code and row.strip() == fence
        fence = "" if is_end else fence
        rows.append("" if found or is_end else row)
    return "\n".join(rows)


IMPORTER = Importer(recognises, items)
