"""Gives the pages of an Astro site as items: Starlight's docs, content collections and pages in Markdown.

The settings and the routes are programs, which pressync must not run: the folder may be a stranger's. So the
texts that nearly every site writes are searched in them, as in those of Docusaurus. A collection has the
address of the route that names it, and one without such a route has no addresses. A build with Astro 5 gave
the same addresses.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.importing.sources import dates, markdown
from pressync.importing.sources.docusaurus import braces, included, without_comments, written_value
from pressync.importing.sources.item import SAFE, ContentRoot, LeftOut, Note, Origin, Place
from pressync.importing.sources.links import FolderFiles
from pressync.importing.sources.mdx import MdxText
from pressync.importing.sources.source_tree import FolderTool, Front, SourceTree
from pressync.importing.sources.tree_items import BLOGS, MARKDOWN, Keys, TreePage, item_of
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.importing.sources.item import Item, Items


SETTINGS = tuple(f"astro.config.{ending}" for ending in ("mjs", "js", "ts", "mts", "cjs", "cts"))
_COLLECTIONS = (
    "src/content.config.ts",
    "src/content.config.js",
    "src/content.config.mjs",
    "src/content/config.ts",
)
_KEYS = Keys(
    date=("pubdate", "date", "published", "publishdate", "pubdatetime"),
    modified=("updateddate", "updated", "lastupdated", "moddatetime"),
    pictures=("heroimage", "image", "cover", "thumbnail"),
    reads=partial(dates.text_of, dates.javascript),
)
_PAGES = "src/pages"
_INSIDE = 3  # slashes of a path in the folder of a collection
_DEFINED = re.compile(r"(?:const|let|var)\s+(\w{1,100})\s*=\s*defineCollection\s*\(")
_EXPORTED = re.compile(r"export\s+const\s+collections\s*=\s*\{")
_CALL = re.compile(r"\([^()]{0,2000}\)")
_NAME = re.compile(r"['\"]?([\w-]{1,100})['\"]?\s*(?::\s*(\w{1,100}))?\s*(?:,|\Z)")
_BASE = re.compile(r"base\s*:\s*['\"`](?:\./)?([^'\"`\n]{1,300})['\"`]")
_ASKED = re.compile(r"get(?:Collection|Entry)\(\s*['\"`]([\w-]{1,100})['\"`]")
_FORMAT = re.compile(r"format\s*:\s*['\"](file|preserve)['\"]")
# Components of Starlight that stand in lines of their own.
_CLOSED = re.compile(
    r"[ \t]*</?(?:Steps|CardGrid|FileTree|LinkCardGrid|Card|Fragment)\b[^<>\n]{0,500}>[ \t]*"
)
_CARD = re.compile(
    r"[ \t]*<(?P<name>Card|LinkCard|LinkButton)\b(?P<props>[^<>\n]{0,1000}?)(?P<end>/?)>[ \t]*"
)
_ASIDE = re.compile(r"(?P<indent>[ \t]*)<(?P<close>/)?Aside\b(?P<props>[^<>\n]{0,500})>[ \t]*")
_PROP = re.compile(r"\b(\w{1,40})=(?:\{\s*)?(?:\"([^\"]{0,1000})\"|'([^']{0,1000})'|`([^`]{0,1000})`)")


@dataclass(frozen=True, slots=True)
class _Root:
    """A folder of pages with its address, which is None if no route shows its pages."""

    folder: str
    address: str | None
    is_blog: bool = False


@dataclass(frozen=True, slots=True)
class _Astro:
    """A folder and what is known of its settings; `ending` is the end of each address."""

    tree: SourceTree
    site: str
    base: str
    ending: str
    has_languages: bool
    roots: tuple[_Root, ...]

    @classmethod
    def of(cls, tree: SourceTree) -> _Astro:
        """Search the settings, the collections and the routes."""
        text = without_comments(tree.text(tree.first(SETTINGS)))
        base = (written_value(text, "base") or "").strip("/")
        is_file = bool(_FORMAT.search(text))
        slash = written_value(text, "trailingSlash") or "ignore"
        ending = "" if slash == "never" else "/"
        ending = ".html" if is_file else ending
        found = dict(_collections(tree))
        routes = _routes(tree)
        has_starlight = "starlight(" in text
        if has_starlight:
            found.setdefault("docs", "src/content/docs")
            routes["docs"] = ""
        roots = [
            _Root(folder, routes.get(name), is_blog=name.lower() in BLOGS) for name, folder in found.items()
        ]
        site = (written_value(text, "site") or "").rstrip("/")
        shown = [root for root in roots if tree.is_folder(root.folder)]
        many = has_starlight and bool(re.search(r"locales\s*:", text))
        return cls(tree, site, f"/{base}" if base else "", ending, many, (*shown, _Root(_PAGES, "")))

    def items(self) -> Items:
        """Give an item for each page and post."""
        yield Origin(f"{self.site}{self.base}/" if self.site else "")
        yield FolderFiles({**self.tree.served("public", self.base), **self.tree.served("src")})
        if self.has_languages:
            what = "Starlight shows the original where nobody has translated a page"
            yield Note(f"{what}: addresses of that kind are not in the account, because they have no file.")
        for root in self.roots:
            yield ContentRoot(root.folder, self.tree.included.__contains__)
            yield from self.tree.links(root.folder)
            if root.address is None:
                what = f"{root.folder}: no route that pressync understands shows these pages"
                yield Note(f"{what}, so they have no old addresses in the account.")
            for path in self.tree.files(root.folder):
                inner = posixpath.relpath(path, root.folder)
                is_hidden = any(part.startswith("_") for part in inner.split("/"))
                if path.endswith(MARKDOWN) and not is_hidden:
                    yield self.tree.page(path, self._item, path, inner, root)
                elif root.folder == _PAGES and path.endswith((".astro", ".html")) and not is_hidden:
                    address = "" if "[" in inner else self._address(posixpath.splitext(inner)[0], root)
                    yield LeftOut("page in Astro", Place(path), "it is a program, and not a text", address)

    def _item(self, front: Front, path: str, inner: str, root: _Root) -> Item:
        text = MdxText(path, partial(included, self.tree))
        body = text.text(of_starlight(front.body), front.line)
        body, left = markdown.of_headings(body, Place(path, front.line))
        bare = posixpath.splitext(inner)[0]
        if root.folder != _PAGES:
            kept = "".join(c for c in bare if c in "-_ /" or unicodedata.category(c)[0] in "LNM")
            bare = kept.lower().replace(" ", "-")
        bare = front.text("slug").strip("/") or bare
        address = "" if root.address is None else self._address(bare, root)
        is_post = root.is_blog and root.folder != _PAGES
        name = bare.removesuffix("/index") or "index"
        place = unquote(address.removeprefix(self.base)).strip("/").removesuffix(".html") or "index"
        outer = name if root.address is None else place
        sidebar = front.values.get("sidebar")
        order = sidebar.get("order") if isinstance(sidebar, dict) else None
        page = TreePage(
            path,
            Kind.POST if is_post else Kind.PAGE,
            f"posts/{name}.md" if is_post else f"pages/{outer}.md",
            body,
            address=address,
            order=order if type(order) is int else None,
            left=markdown.joined(text.remainders, left),
        )
        # A picture beside the page gets its path from the root.
        pictures = {key: front.values.get(key) for key in _KEYS.pictures}
        beside = {
            key: f"/{posixpath.normpath(posixpath.join(posixpath.dirname(path), value))}"
            for key, value in pictures.items()
            if isinstance(value, str) and value.startswith(("./", "../"))
        }
        front = replace(front, values={**front.values, **beside})
        return item_of(page, front, _KEYS, lambda picture: picture.startswith("/"))

    def _address(self, bare: str, root: _Root) -> str:
        path = posixpath.join("/", root.address or "", bare)
        path = path.removesuffix("/index") or "/"
        whole = f"{self.base}{path}"
        return quote(whole if whole.endswith("/") else f"{whole}{self.ending}", safe=SAFE)


TOOL = FolderTool("a folder with astro.config.mjs", SETTINGS, lambda tree, _: _Astro.of(tree).items())


def _collections(tree: SourceTree) -> Iterator[tuple[str, str]]:
    """Give each collection with its folder: of its loader, else the one of its name."""
    text = without_comments(tree.text(tree.first(_COLLECTIONS)))
    found = _EXPORTED.search(text)
    listed = braces(text, found.end() - 1)[1:] if found else ""
    while (bare := _CALL.sub("", listed)) != listed:
        listed = bare
    exported = {name: variable or name for name, variable in _NAME.findall(listed)}
    by_variable = {}
    for defined in _DEFINED.finditer(text):
        base = _BASE.search(braces(text, text.find("{", defined.end())))
        by_variable[defined[1]] = posixpath.normpath(base[1]) if base else ""
    # Without settings, each folder is a collection.
    folders = {path.split("/")[2]: "" for path in tree.files("src/content") if path.count("/") >= _INSIDE}
    for name, variable in (exported or folders).items():
        yield name, by_variable.get(variable) or f"src/content/{name}"


def _routes(tree: SourceTree) -> dict[str, str]:
    """Give the address of each collection that a route with a parameter names."""
    found: dict[str, str] = {}
    for path in tree.files(_PAGES):
        name = posixpath.basename(path)
        if name.startswith("[") and path.endswith((".astro", ".ts", ".js")):
            folder = posixpath.relpath(posixpath.dirname(path), _PAGES)
            for asked in dict.fromkeys(_ASKED.findall(tree.text(path))):
                found.setdefault(asked, "" if folder == "." else folder)
    return found


def of_starlight(text: str) -> str:
    """Write the components of Starlight that stand in lines of their own as Markdown."""
    if "<" not in text:
        return text
    rows = []
    for row, is_code in markdown.lines(text):
        if is_code or "<" not in row:
            rows.append(row)
        elif found := _ASIDE.fullmatch(row):
            given = _props(found["props"])
            label = f"[{given['title']}]" if given.get("title") else ""
            rows.append(f"{found['indent']}:::{'' if found['close'] else given.get('type', 'note') + label}")
        elif found := _CARD.fullmatch(row):
            rows += _card(found["name"], _props(found["props"]))
        else:
            rows.append("" if _CLOSED.fullmatch(row) else row)
    return "\n".join(rows)


def _card(name: str, given: dict[str, str]) -> list[str]:
    title = given.get("title", "")
    if name == "Card":
        return ["", f"**{title}**", ""] if title else [""]
    told = f": {given['description']}" if given.get("description") else ""
    return ["", f"[{title or given.get('href', '')}]({given.get('href', '')}){told}", ""]


def _props(written: str) -> dict[str, str]:
    return {name: one or two or three for name, one, two, three in _PROP.findall(written)}


IMPORTER = TOOL.importer
