"""Gives the pages of an Eleventy site as items.

The settings are a program, which an importer must not run. So the names of two folders are searched in them.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.importing.sources.item import LeftOut, Origin, Place, Remainder
from pressync.importing.sources.links import FolderFiles
from pressync.importing.sources.source_tree import FolderTool, Front, SourceTree
from pressync.importing.sources.tree_items import Keys, TreePage, item_of
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.importing.sources.item import ImportSource, Item, Items

SETTINGS = (".eleventy.js", "eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs")
_KEYS = Keys(dropped=frozenset({"permalink", "eleventynavigation", "eleventyexcludefromcollections"}))
_FOLDER = re.compile(r"\b(input|output)\s*:\s*['\"]([^'\"\n]{1,200})['\"]")
_TEMPLATE = re.compile(r"\{[{%].*?[%}]\}")
_OTHERS = (".njk", ".liquid", ".html", ".11ty.js")
# Eleventy publishes none of these.
_HIDDEN = {"node_modules", "_includes", "_data", "_site"}


@dataclass(frozen=True, slots=True)
class _Eleventy:
    """A folder, with the folder of its pages and that of its output."""

    tree: SourceTree
    input: str
    output: str

    @classmethod
    def of(cls, tree: SourceTree) -> _Eleventy:
        """Search the settings."""
        found = dict(_FOLDER.findall(tree.text(tree.first(SETTINGS))))
        given = posixpath.normpath(found.get("input", "."))
        return cls(tree, "" if given == "." else given, posixpath.normpath(found.get("output", "_site")))

    def items(self) -> Items:
        """Give an item for each file of Markdown, and name what is a program."""
        yield Origin("")
        yield FolderFiles(self.tree.served(self.input))
        for path in self.tree.files(self.input):
            inner = posixpath.relpath(path, self.input or ".")
            parts = {*path.split("/"), posixpath.dirname(path)}
            if parts & {*_HIDDEN, self.output} or any(part.startswith(".") for part in parts if part):
                continue
            if path.endswith(".md"):
                yield self.tree.page(path, self._item, path, inner)
            elif path.endswith(_OTHERS):
                yield LeftOut("template", Place(path), "it is a program, and not a text")

    def _item(self, front: Front, path: str, inner: str) -> Item:
        bare = posixpath.splitext(inner)[0]
        name = re.sub(r"^(.*/)?\d{4}-\d{2}-\d{2}-", r"\1", bare)
        given = front.text("permalink")
        place = given.strip("/") if given and "{" not in given else name.removesuffix("index").strip("/")
        is_post = inner.startswith(("posts/", "blog/"))
        left = [
            Remainder("template syntax", Place(path, front.line + number), found[0])
            for number, row in enumerate(front.body.splitlines())
            for found in _TEMPLATE.finditer(row)
        ]
        page = TreePage(
            path,
            Kind.POST if is_post else Kind.PAGE,
            f"posts/{posixpath.basename(bare)}.md" if is_post else f"pages/{place or 'index'}.md",
            front.body,
            address=f"/{place}/" if place else "/",
            left=left,
        )
        return item_of(page, front, _KEYS, lambda picture: picture.startswith("/"))


def _items(tree: SourceTree, _source: ImportSource) -> Items:
    return _Eleventy.of(tree).items()


IMPORTER = FolderTool("a folder with eleventy.config.js", SETTINGS, _items).importer
