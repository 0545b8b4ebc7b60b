"""Gives the pages and posts of a Docusaurus site as items.

The rules for addresses are the documented ones: `slug`, numbers before names, dates of posts, index files,
versions and languages. A build with Docusaurus 3 gave the same addresses.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from pressync.content.front_matter.dates import read_date
from pressync.importers import attributes
from pressync.importers.docusaurus.config import read_config, settings_of
from pressync.importers.docusaurus.file_links import MARKDOWN, FileLinks, language
from pressync.importers.docusaurus.mdx import Converting
from pressync.importers.item import Form, Item, LeftOut, Origin, Place, Remainder
from pressync.importers.links import rewritten
from pressync.importers.source_files import FolderFiles
from pressync.importers.source_tree import Front, SourceTree, opened
from pressync.importers.titles import titled
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.importers.docusaurus.config import DocusaurusConfig, Root
    from pressync.importers.item import ImportSource, Items

SIGN = "a folder with docusaurus.config.js"
_TAKEN = frozenset({"title", "slug", "description", "date", "authors", "author", "draft", "sidebar_position"})
_TAKEN |= {"author_title", "author_url", "author_image_url"}
# A number before a name is its order, unless it looks like a date or a version.
_ORDERED = re.compile(r"(\d+)\s*[-_.]+\s*([^-_.\s].*)")
_NOT_ORDERED = re.compile(r"(?:\d{2}|\d{4})[-_.]\d{2}(?:[-_.](?:\d{2}|\d{4}))?.*|\d+[-_.]\d+.*")
_DATED = re.compile(r"(?P<folder>.*?)(?P<date>\d{4}[-/]\d{1,2}[-/]\d{1,2})[-/]?(?P<text>.*)")


def recognises(source: ImportSource) -> bool:
    """Tell whether a folder has the settings of Docusaurus."""
    return source.path is not None and source.path.is_dir() and bool(settings_of(SourceTree(source.path)))


def items(source: ImportSource) -> Items:
    """Give the site's files, its pages and posts, and all that is not carried.

    :raises ConfigError: the folder has no settings of the tool, or they cannot be read.
    """
    tree = opened(source, settings_of, SIGN)
    yield from DocusaurusSource(tree, read_config(tree)).items()


@dataclass(frozen=True, slots=True)
class DocusaurusSource:
    """A folder and its settings.

    `authors` are the names by the keys of `authors.yml`, and `translated` the addresses of translated pages.
    """

    tree: SourceTree
    config: DocusaurusConfig
    authors: dict[str, str] = field(default_factory=dict)
    translated: set[str] = field(default_factory=set)

    def items(self) -> Items:
        """Give an item for each page and post."""
        config, tree = self.config, self.tree
        yield Origin(f"{config.address}{config.base}/" if config.address else "")
        yield FolderFiles(dict(self._files()))
        self._learn_translated()
        for root in config.roots:
            yield from tree.links(root.folder)
            self._learn_authors(root)
            for path in tree.files(root.folder):
                inner = posixpath.relpath(path, root.folder)
                if _is_page(inner):
                    yield self._item(path, inner, root)
                elif root.folder == "src/pages" and re.search(r"\.[jt]sx?$", path) and _is_shown(inner):
                    why = "it is a program in JavaScript, and no text"
                    yield LeftOut("page in React", Place(path), why)

    def _files(self) -> Iterator[tuple[str, Path]]:
        """Give the files of `static/` by their addresses, and those beside pages by their paths."""
        for path in self.tree.files("static"):
            yield f"{self.config.base}/{posixpath.relpath(path, 'static')}", self.tree.root / path
            if self.config.base:
                yield f"/{posixpath.relpath(path, 'static')}", self.tree.root / path
        for root in self.config.roots:
            for path in self.tree.files(root.folder):
                yield f"/{path}", self.tree.root / path

    def _learn_authors(self, root: Root) -> None:
        name = f"{root.folder}/authors.yml"
        for key, value in self.tree.settings(name).items() if self.tree.is_file(name) else ():
            if isinstance(value, Mapping) and value.get("name"):
                self.authors[key] = str(value["name"])

    def _learn_translated(self) -> None:
        for root in self.config.roots:
            for path in self.tree.files(root.folder) if root.original else ():
                inner = posixpath.relpath(path, root.folder)
                front = self.tree.front(path) if _is_page(inner) else None
                if isinstance(front, Front):
                    address = self._address(_bare(inner, front, root)[0], front, root)
                    self.translated.add(unquote(address).rstrip("/"))

    def _item(self, path: str, inner: str, root: Root) -> Item | LeftOut:
        front = self.tree.front(path)
        if isinstance(front, LeftOut):
            return front
        converting = Converting(path, self._partial)
        body = converting.text(front.body, front.line)
        body, left = attributes.of_headings(body, Place(path, front.line))
        links = FileLinks(self.tree, self.config.base, self.translated)
        body = rewritten(body, Form.MARKDOWN, partial(links.link, path, root))
        bare, dated = _bare(inner, front, root)
        title, body = titled(
            front.text("title"),
            body,
            posixpath.basename(bare.rstrip("/")) or "Home",
            heading_wins=not root.is_blog,
        )
        address = self._address(bare, front, root)
        date, lost = _date(front, dated, path)
        rest = {front.spelled[key]: value for key, value in front.values.items() if key not in _TAKEN}
        tags = _tags(front) if root.is_blog else ()
        if tags:
            rest.pop(front.spelled["tags"], None)
        author = self._author(front)
        return Item(
            key=path,
            kind=Kind.POST if root.is_blog else Kind.PAGE,
            place=Place(path),
            path=self._path(inner, address, root),
            address=address,
            title=title,
            slug=posixpath.basename(unquote(address).rstrip("/")),
            date=date,
            status="draft" if front.values.get("draft") is True else "",
            excerpt=front.text("description"),
            author=author,
            tags=tags,
            order=None if root.is_blog else _order(inner, front),
            fields={"params": rest} if rest else {},
            body=body,
            remainders=attributes.joined(converting.remainders, left, lost),
        )

    def _address(self, bare: str, front: Front, root: Root) -> str:
        slug = front.text("slug")
        if slug.startswith("/"):
            bare = slug
        elif slug:
            bare = posixpath.join(posixpath.dirname(bare) if not root.is_blog else "", slug)
        path = posixpath.normpath(posixpath.join("/", root.address, bare.strip("/"))).rstrip("/")
        has_slash = bare.endswith("/") or not bare if self.config.has_slash is None else self.config.has_slash
        whole = f"{self.config.base}{path}{'/' if has_slash else ''}" or "/"
        return quote(whole, safe="/:@!$&'()*+,;=~-._")

    def _path(self, inner: str, address: str, root: Root) -> str:
        if root.is_blog:
            code = language(root)
            more = "" if root.address.endswith("blog") else posixpath.basename(root.address)
            name = posixpath.basename(posixpath.splitext(inner)[0].removesuffix("/index"))
            return posixpath.join("posts", code, more, name) + ".md"
        inner = unquote(address.removeprefix(self.config.base)).strip("/")
        return posixpath.join("pages", inner or "index") + ".md"

    def _partial(self, page: str, written: str) -> str | None:
        """Give the text of a Markdown file that a page imports."""
        if not written.endswith(MARKDOWN):
            return None
        if written.startswith("@site/"):
            path = posixpath.normpath(written.removeprefix("@site/"))
        else:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), written))
        read = self.tree.front(path) if self.tree.is_file(path) else None
        return read.body if isinstance(read, Front) else None

    def _author(self, front: Front) -> str:
        for key in ("authors", "author"):
            value = front.values.get(key)
            first = value[0] if isinstance(value, list) and value else value
            name = first.get("name", first.get("key")) if isinstance(first, Mapping) else first
            if isinstance(name, str) and name:
                return self.authors.get(name, name)
        return ""


def _bare(inner: str, front: Front, root: Root) -> tuple[str, str]:
    """Give the path of a page or post below the address of its folder, and the date of its name."""
    if root.folder.endswith("pages"):
        return _page(inner), ""
    return _post(inner) if root.is_blog else (_doc(inner, front), "")


def _is_page(inner: str) -> bool:
    return inner.endswith(MARKDOWN) and _is_shown(inner)


def _is_shown(inner: str) -> bool:
    """Tell whether Docusaurus shows a file: it passes over names with a `_` in front, and tests."""
    is_part = any(part.startswith("_") for part in inner.split("/"))
    return not is_part and "__tests__" not in inner and ".test." not in inner


def _doc(inner: str, front: Front) -> str:
    """Give the path of a page: without numbers and with its id; an index is its folder, with a slash."""
    folder, name = posixpath.split(posixpath.splitext(inner)[0])
    parts = [_unnumbered(part)[1] for part in folder.split("/") if part]
    if name.lower() in {"index", "readme", posixpath.basename(folder).lower() or "index"}:
        return "".join(f"{part}/" for part in parts)
    return "/".join([*parts, front.text("id") or _unnumbered(name)[1]])


def _page(inner: str) -> str:
    """Give the path of a page below `src/pages`."""
    bare = posixpath.splitext(inner)[0]
    return bare.removesuffix("index") if posixpath.basename(bare) == "index" else bare


def _unnumbered(name: str) -> tuple[int | None, str]:
    found = None if _NOT_ORDERED.fullmatch(name) else _ORDERED.fullmatch(name)
    return (int(found[1]), found[2]) if found else (None, name)


def _order(inner: str, front: Front) -> int | None:
    own = front.number("sidebar_position")
    name = posixpath.splitext(posixpath.basename(inner))[0]
    return _unnumbered(name)[0] if own is None else own


def _post(inner: str) -> tuple[str, str]:
    """Give the path of a post and the date of its name."""
    bare = posixpath.splitext(inner)[0].removesuffix("/index")
    found = _DATED.fullmatch(bare)
    if not found:
        return bare, ""
    date = found["date"].replace("/", "-")
    return posixpath.join(date.replace("-", "/"), found["folder"].strip("/"), found["text"]), date


def _date(front: Front, dated: str, path: str) -> tuple[str, list[Remainder]]:
    written = front.text("date") or dated
    try:
        moment, utc = read_date(written) if written else ("", False)
    except ValueError:
        return "", [Remainder("date", Place(path, front.lines.get("date", 0)), written)]
    return f"{moment}+00:00" if utc else moment, []


def _tags(front: Front) -> tuple[str, ...]:
    """Give the tags: texts, or tables with a label."""
    value: Any = front.values.get("tags")
    found = (
        (each.get("label") if isinstance(each, Mapping) else each for each in value)
        if isinstance(value, list)
        else ()
    )
    return tuple(dict.fromkeys(str(each) for each in found if each))
