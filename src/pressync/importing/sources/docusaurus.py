"""Gives the pages and posts of a Docusaurus site as items, at the addresses that Docusaurus gives them.

The settings are a program in JavaScript, which pressync must not run: the folder may be a stranger's. So
the texts that nearly every site writes are searched in it, and the documented defaults hold for all others.
The rules for the rest are those of Docusaurus: numbers before names, dates of posts, index files, versions
and languages. A build with Docusaurus 3 gave the same addresses.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import islice, product
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from pressync.content.sources import Exclusion
from pressync.importing.sources import dates, markdown
from pressync.importing.sources.docusaurus_categories import Category, category, is_category
from pressync.importing.sources.item import SAFE, ContentRoot, Form, Item, LeftOut, Note, Origin, Place
from pressync.importing.sources.links import FolderFiles, rewritten
from pressync.importing.sources.mdx import MdxText
from pressync.importing.sources.source_tree import FolderTool, Front, SourceTree, named_authors
from pressync.importing.sources.tree_items import Keys, TreePage, item_of
from pressync.model.interface import Kind
from pressync.repo.paths import is_below

if TYPE_CHECKING:
    from pressync.importing.sources.item import Items


SETTINGS = tuple(f"docusaurus.config.{ending}" for ending in ("js", "ts", "mjs", "cjs", "mts", "cts"))
# A pattern of files in a text, such as `**/*.md`, looks like the start of a comment.
_COMMENT = re.compile(
    r"(?P<kept>'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")|/\*.*?\*/|(?<![:'\"/])//[^\n]*|(?P<made>`[^`]*`)",
    re.DOTALL,
)
_PLUGIN = re.compile(r"plugin-content-(docs|blog)['\"]")
_PRESET = re.compile(r"(?<![\w-])['\"]?(docs|blog|pages)['\"]?\s*:\s*(?:/\*[^*]*\*/\s*)?(\{|false)")
_OPTION = re.compile(r"routeBasePath|path|sidebar|editUrl|show|blog|remark|include|exclude|version")
_LISTED = re.compile(r"\[(?:\s*(?:'[^'\n]*'|\"[^\"\n]*\"|`[^`$\n]*`)\s*(?:,|(?=\])))*\s*\]")
_CHOICE = re.compile(r"\{([^{}]*)\}")
_MOST = 100  # Anybody can write a pattern with many choices.
# Docusaurus passes over names with a `_` in front, and over tests. Patterns of a site replace these.
_EXCLUDED = ("**/_*.{js,jsx,ts,tsx,md,mdx}", "**/_*/**", "**/*.test.{js,jsx,ts,tsx}", "**/__tests__/**")
_INCLUDED = ("**/*.{md,mdx}",)
_NEAR = 3000  # characters after the name of a plugin that may have its options


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of pages, the address below which they are, and whether they are posts.

    `original` is the folder whose pages are translated here, and `language` that of these addresses, ""
    for the main one. The patterns say of which files Docusaurus makes pages, and `unread` are the keys of
    those that a program makes.
    """

    folder: str
    address: str
    is_blog: bool = False
    original: str = ""
    language: str = ""
    included: tuple[str, ...] = _INCLUDED
    excluded: tuple[str, ...] = _EXCLUDED
    unread: tuple[str, ...] = ()

    def shows(self, path: str) -> bool:
        """Tell whether Docusaurus makes something of a file."""
        inner = posixpath.relpath(path, self.folder)
        is_in = not inner.endswith(MARKDOWN) or _matcher(self.included).leaves_out(inner)
        return is_in and not _matcher(self.excluded).leaves_out(inner)


@cache
def _matcher(patterns: tuple[str, ...]) -> Exclusion:
    """Give the rules of patterns, which begin at the folder of the pages, with one rule for each choice."""
    spelled = (product(*_choices(each)) for each in patterns)
    return Exclusion([f"/{''.join(parts).lstrip('/')}" for made in spelled for parts in islice(made, _MOST)])


def _choices(pattern: str) -> list[list[str]]:
    return [part.split(",") if number % 2 else [part] for number, part in enumerate(_CHOICE.split(pattern))]


def _patterns(options: str, key: str, usual: tuple[str, ...]) -> tuple[str, ...] | None:
    """Give the patterns that options have below a key, or the usual ones; None if a program makes them."""
    found = re.search(rf"(?<![\w.])['\"]?{key}['\"]?\s*:\s*", options)
    if not found:
        return usual
    listed = _LISTED.match(options, found.end())
    if not listed:
        return None
    read = tuple(each[1] for each in re.finditer(r"(?s)['\"`](.*?)['\"`]", listed[0]))
    return None if any("(" in each for each in read) else read


def without_comments(text: str) -> str:
    """Take the comments out of a program in JavaScript."""
    return _COMMENT.sub(lambda found: found["kept"] or found["made"] or "", text)


def written_value(text: str, key: str) -> str | None:
    """Give the first text that a program in JavaScript writes for a key; None if there is none."""
    pattern = rf"(?<![\w.])['\"]?{key}['\"]?\s*:\s*['\"`]([^'\"`\n]{{0,500}})['\"`]"
    found = (each[1] for each in re.finditer(pattern, text))
    return next((each for each in found if "${" not in each), None)


def _instances(text: str) -> Iterator[Root]:
    """Give each instance of the plugins for docs and blogs: those of the preset, and further ones."""
    found = [_root(each[1], braces(text, text.find("{", each.end()))) for each in _PLUGIN.finditer(text)]
    for kind in ("docs", "blog"):
        table = _preset(text, kind)
        if table:
            yield _root(kind, table)
        elif table is None and all(each.folder != kind for each in found):
            yield _root(kind, "")
    yield from found


def _preset(text: str, kind: str) -> str | None:
    """Give the options of a plugin of the preset, "" if it is off; None if there are none."""
    tables = ((each[2], braces(text, each.start(2))) for each in _PRESET.finditer(text) if each[1] == kind)
    # Menus have tables of these names as well.
    fit = next((table for table in tables if table[0] == "false" or _OPTION.search(table[1])), None)
    if fit is None:
        return None
    return "" if fit[0] == "false" else fit[1]


def _root(kind: str, options: str) -> Root:
    folder = posixpath.normpath(written_value(options, "path") or kind)
    address = written_value(options, "routeBasePath")
    root = Root(folder, (kind if address is None else address).strip("/"), is_blog=kind == "blog")
    return _with_patterns(root, options)


def _with_patterns(root: Root, options: str) -> Root:
    usual = {"include": root.included, "exclude": root.excluded}
    read = {key: _patterns(options, key, patterns) for key, patterns in usual.items()}
    unread = tuple(key for key, patterns in read.items() if patterns is None)
    included, excluded = (usual[key] if patterns is None else patterns for key, patterns in read.items())
    return replace(root, included=included, excluded=excluded, unread=unread)


def braces(text: str, start: int) -> str:
    """Give the text from a brace to the one that closes it, as far as it is near."""
    depth = 0
    near = text[start : start + _NEAR] if start >= 0 else ""
    for at, char in enumerate(near):
        depth += (char == "{") - (char == "}")
        if not depth:
            return near[:at]
    return near


def _folders(tree: SourceTree, root: Root) -> Iterator[Root]:
    """Give the folders of a plugin: the versions of docs, of which the first one has no name in addresses."""
    versioned = (
        "versioned_docs" if root.folder == "docs" else f"{posixpath.basename(root.folder)}_versioned_docs"
    )
    versions = sorted(
        {path.split("/")[1].removeprefix("version-") for path in tree.files(versioned)}, reverse=True
    )
    order = re.findall(r'"([^"\n]+)"', tree.text("versions.json"))
    versions.sort(key=lambda name: order.index(name) if name in order else len(order))
    if root.is_blog or not versions:
        yield root
        return
    for number, name in enumerate(versions):
        address = posixpath.join(root.address, name if number else "")
        yield replace(root, folder=f"{versioned}/version-{name}", address=address)
    yield replace(root, address=posixpath.join(root.address, "next"))


def _languages(roots: list[Root], codes: Iterable[str], main: str) -> Iterator[Root]:
    """Give the folders with the translations of each folder, whether they are there or not."""
    for code, root in product(codes, roots):
        name, inner = ("blog", "") if root.is_blog else ("docs", "/current")
        if "/version-" in root.folder:
            inner = f"/version-{root.folder.partition('/version-')[2]}"
        if root.folder == "src/pages":
            name, inner = "pages", ""
        language = "" if code == main else code
        yield replace(
            root,
            folder=f"i18n/{code}/docusaurus-plugin-content-{name}{inner}",
            address=posixpath.join(language, root.address),
            original=root.folder,
            language=language,
        )


_BLOG = Keys(
    modified=(),
    reads=partial(dates.text_of, dates.docusaurus),
    excerpt=("description",),
    categories=(),
    tags=("tags",),
    order=("sidebar_position",),
    pictures=(),
    dropped=frozenset(
        {"author_title", "author_url", "author_image_url", "authors", "sidebar_position", "title"}
    ),
    is_named=True,
)
_DOCS = replace(_BLOG, heading_wins=True)
# A number before a name is its order, unless it looks like a date or a version.
_ORDERED = re.compile(r"(\d+)\s*[-_.]+\s*([^-_.\s].*)")
_NOT_ORDERED = re.compile(r"(?:\d{2}|\d{4})[-_.]\d{2}(?:[-_.](?:\d{2}|\d{4}))?.*|\d+[-_.]\d+.*")
_DATED = re.compile(r"(?P<folder>.*)(?P<date>\d{4}[-/]\d{1,2}[-/]\d{1,2})[-/]?(?P<text>.*?)(?:/index)?")
MARKDOWN = (".md", ".mdx")


@dataclass(frozen=True, slots=True)
class DocusaurusSource:
    """A folder: the site's public address, its base path without a slash at the end, and its folders.

    `further` are the folders of other languages that nobody has made, and `off` those of languages that the
    site does not build. `authors` are the names by the keys of `authors.yml`, and `translated` the addresses
    of translated pages.
    """

    tree: SourceTree
    address: str
    base: str
    has_slash: bool | None
    roots: tuple[Root, ...]
    further: tuple[Root, ...] = ()
    off: tuple[Root, ...] = ()
    authors: dict[str, str] = field(default_factory=dict)
    translated: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, tree: SourceTree) -> DocusaurusSource:
        """Search the settings, and find the folders of docs, versions, blogs, pages and languages."""
        text = without_comments(tree.text(tree.first(SETTINGS)))
        base = written_value(text, "baseUrl") or "/"
        slash = re.search(r"['\"]?trailingSlash['\"]?\s*:\s*(true|false)", text)
        roots = [root for found in _instances(text) for root in _folders(tree, found)]
        roots.append(_with_patterns(Root("src/pages", ""), _preset(text, "pages") or ""))
        main = written_value(text, "defaultLocale") or "en"
        # Settings that a program makes name no language that can be read, and each folder counts.
        named = _patterns(text, "locales", ()) or ()
        there = dict.fromkeys(path.split("/")[1] for path in tree.files("i18n"))
        languages = [*_languages(roots, named or there, main)]
        off = [*_languages(roots, [code for code in there if named and code not in named], main)]
        roots += languages
        address = written_value(text, "url") or ""
        return cls(
            tree,
            address=address.rstrip("/"),
            base=f"/{base.strip('/')}".rstrip("/"),
            has_slash=None if slash is None else slash[1] == "true",
            roots=tuple(dict.fromkeys(root for root in roots if tree.is_folder(root.folder))),
            further=tuple(root for root in languages if root.language),
            off=tuple(off),
        )

    def items(self) -> Items:
        """Give an item for each page and post."""
        tree = self.tree
        yield Origin(f"{self.address}{self.base}/" if self.address else "")
        # A page names a file of `static/` by its address, and another one by its path.
        files = {**tree.served("static", ""), **tree.served("static", self.base)}
        for root in self.roots:
            files |= tree.served(root.folder)
        yield FolderFiles(files)
        self._learn_translated()
        for root in self.roots:
            yield ContentRoot(root.folder, tree.included.__contains__)
            yield from tree.links(root.folder)
            for key in root.unread:
                what = f"{root.folder}: a program makes the `{key}` of the settings, and pressync runs none"
                yield Note(f"{what}. The usual patterns decide which files are pages.")
            if tree.is_file(listed := f"{root.folder}/authors.yml"):
                self.authors.update(named_authors(tree.settings(listed)))
            for path in tree.files(root.folder):
                inner = posixpath.relpath(path, root.folder)
                if _is_page(path, root):
                    left = self._not_built(path, inner, root)
                    yield tree.page(path, self._item, path, inner, root) if left is None else left
                elif root.folder == "src/pages" and re.search(r"\.[jt]sx?$", path) and root.shows(path):
                    why = "it is a program in JavaScript, and no text"
                    yield LeftOut("page in React", Place(path), why)
                elif is_category(path) and not (root.is_blog or root.language or root.original):
                    yield from self._category(path, root)

        for root in self.off:
            why = "the settings do not have its language among the `locales`"
            pages = filter(lambda path: _is_page(path, root), tree.files(root.folder))
            yield from (LeftOut("page of a language that is off", Place(path), why) for path in pages)

    def _not_built(self, path: str, inner: str, root: Root) -> LeftOut | None:
        """Leave out a page of which Docusaurus makes none: it builds the names of the main folder alone."""
        place = Place(path)
        if root.original and not self.tree.is_file(f"{root.original}/{inner}"):
            why = f"Docusaurus makes a page of it only if there is a file {root.original}/{inner}"
            return LeftOut("translation without an original", place, why)
        own = [each for each in self.roots if each.original == root.folder and not each.language]
        if any(self.tree.is_file(f"{each.folder}/{inner}") for each in own):
            return LeftOut("original of a translation", place, f"the site shows {own[0].folder}/{inner}")
        return None

    def _learn_translated(self) -> None:
        for root in self.roots:
            for path in self.tree.files(root.folder) if root.original else ():
                inner = posixpath.relpath(path, root.folder)
                address = self.tree.page(path, self._address, inner, root) if _is_page(path, root) else None
                if isinstance(address, str):
                    self.translated.add(unquote(address).rstrip("/"))

    def _item(self, front: Front, path: str, inner: str, root: Root) -> Item:
        converting = MdxText(path, partial(included, self.tree))
        body = markdown.with_emoji(converting.text(front.body, front.line))
        body = markdown.with_code_titles(body)
        body, left = markdown.of_headings(body, Place(path, front.line))
        body = rewritten(body, Form.MARKDOWN, partial(self._link, path, root))
        bare, named = _bare(inner, front, root)
        address = self._address(front, inner, root)
        page = TreePage(
            path,
            Kind.POST if root.is_blog else Kind.PAGE,
            self._path(inner, address, root),
            body,
            address=address,
            aliases=tuple(self._untranslated(front, inner, root)),
            name=posixpath.basename(bare.rstrip("/")) or "Home",
            date=named,
            author=self._author(front),
            tags=_tags(front),
            order=None if root.is_blog else _unnumbered(posixpath.splitext(posixpath.basename(inner))[0])[0],
            left=markdown.joined(converting.remainders, left),
        )
        return item_of(page, front, _BLOG if root.is_blog else _DOCS)

    def _category(self, path: str, root: Root) -> Iterator[Item | LeftOut]:
        """Give the page that Docusaurus makes of a folder, if it makes one: here it is that of the folder."""
        folder = posixpath.dirname(path)
        inside = (file for file in self.tree.files(folder) if posixpath.dirname(file) == folder)
        pages = [file for file in inside if _is_page(file, root)]
        made = category(self.tree, path, pages)
        if not isinstance(made, Category):
            yield from made
            return
        parts = (_unnumbered(part)[1] for part in posixpath.relpath(folder, root.folder).split("/"))
        above = "".join(f"{part}/" for part in parts)
        is_taken = any(_doc(posixpath.relpath(page, root.folder), Front()) == above for page in pages)
        address = self._served(made.slug, root)
        yield Item(
            key=path,
            kind=Kind.PAGE,
            place=Place(path),
            path=self._path("", address if is_taken else self._served(above, root), root),
            address=address,
            title=made.title,
            order=made.order,
            body=made.body,
        )

    def _address(self, front: Front, inner: str, root: Root) -> str:
        bare, slug = _bare(inner, front, root)[0], front.text("slug")
        if slug.startswith("/"):
            bare = slug
        elif slug:
            bare = posixpath.join(posixpath.dirname(bare) if not root.is_blog else "", slug)
        return self._served(bare, root)

    def _served(self, bare: str, root: Root) -> str:
        """Give the address of what is at a path below that of a folder."""
        path = posixpath.normpath(posixpath.join("/", root.address, bare.strip("/"))).rstrip("/")
        has_slash = bare.endswith("/") or not bare if self.has_slash is None else self.has_slash
        whole = f"{self.base}{path}{'/' if has_slash else ''}" or "/"
        return quote(whole, safe=SAFE)

    # Docusaurus builds each language with all pages, and shows the original where nobody has translated one.
    # pressync writes only the files that there are, so that address leads to the original.
    def _untranslated(self, front: Front, inner: str, root: Root) -> Iterator[str]:
        """Give the addresses of a page in the languages into which nobody has translated it."""
        original = root.original or root.folder
        for other in self.further if not root.language else ():
            if other.original == original and not self.tree.is_file(f"{other.folder}/{inner}"):
                yield self._address(front, inner, other)

    def _path(self, inner: str, address: str, root: Root) -> str:
        if root.is_blog:
            more = "" if root.address.endswith("blog") else posixpath.basename(root.address)
            name = posixpath.basename(posixpath.splitext(inner)[0].removesuffix("/index"))
            return posixpath.join("posts", root.language, more, name) + ".md"
        inner = unquote(address.removeprefix(self.base)).strip("/")
        return posixpath.join("pages", inner or "index") + ".md"

    def _author(self, front: Front) -> str:
        for key in ("authors", "author"):
            value = front.values.get(key)
            first = value[0] if isinstance(value, list) and value else value
            name = first.get("name", first.get("key")) if isinstance(first, Mapping) else first
            if isinstance(name, str) and name:
                return self.authors.get(name, name)
        return ""

    def _link(self, page: str, root: Root, written: str) -> str | None:
        """Give the link from a page to a file that Docusaurus finds in the folder of pages or of the site."""
        name = unquote(re.split("[?#]", written, maxsplit=1)[0])
        if root.language and name.startswith("/") and not name.endswith(MARKDOWN):
            # Docusaurus puts the language before each address of a translated page.
            prefix = f"{self.base}/{root.language}"
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


TOOL = FolderTool(
    "a folder with docusaurus.config.js", SETTINGS, lambda tree, _: DocusaurusSource.of(tree).items()
)


def included(tree: SourceTree, page: str, written: str) -> tuple[str, str] | None:
    """Give the path and the text of a file that a page imports; None for a program."""
    folder = "" if written.startswith("@site/") else posixpath.dirname(page)
    path = posixpath.normpath(posixpath.join(folder, written.removeprefix("@site/")))
    text = tree.body(path) if path.endswith((*MARKDOWN, ".markdown")) else None
    return None if text is None else (path, text)


def _bare(inner: str, front: Front, root: Root) -> tuple[str, str]:
    if root.folder.endswith("pages"):
        bare = posixpath.splitext(inner)[0]
        return bare.removesuffix("index") if posixpath.basename(bare) == "index" else bare, ""
    return _post(inner) if root.is_blog else (_doc(inner, front), "")


def _is_page(path: str, root: Root) -> bool:
    return path.endswith(MARKDOWN) and root.shows(path)


def _doc(inner: str, front: Front) -> str:
    folder, name = posixpath.split(posixpath.splitext(inner)[0])
    parts = [_unnumbered(part)[1] for part in folder.split("/") if part]
    if name.lower() in {"index", "readme", posixpath.basename(folder).lower() or "index"}:
        return "".join(f"{part}/" for part in parts)
    return "/".join([*parts, front.text("id") or _unnumbered(name)[1]])


def _unnumbered(name: str) -> tuple[int | None, str]:
    found = None if _NOT_ORDERED.fullmatch(name) else _ORDERED.fullmatch(name)
    return (int(found[1]), found[2]) if found else (None, name)


def _post(inner: str) -> tuple[str, str]:
    bare = posixpath.splitext(inner)[0]
    found = _DATED.fullmatch(bare)
    if not found:
        return bare.removesuffix("/index"), ""
    date = found["date"].replace("/", "-")
    return f"{date.replace('-', '/')}/{found['folder']}{found['text']}", date


def _tags(front: Front) -> tuple[str, ...]:
    value: Any = front.values.get("tags")
    found = (
        (each.get("label") if isinstance(each, Mapping) else each for each in value)
        if isinstance(value, list)
        else ()
    )
    return tuple(dict.fromkeys(str(each) for each in found if each))


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


IMPORTER = TOOL.importer
