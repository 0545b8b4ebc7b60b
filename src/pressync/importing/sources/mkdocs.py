"""Gives the pages of a MkDocs site as items, and the posts of its blog plugin.

MkDocs gives a page the address of its file. The navigation gives the order, and the plugin of Material for
MkDocs gives posts an address of date and title.
"""

from __future__ import annotations

import html
import posixpath
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from textwrap import dedent
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from pressync.content.markdown_text import first_heading
from pressync.content.sources import Exclusion
from pressync.importing.sources import definitions, html_blocks, markdown, pipe_tables, pymdown
from pressync.importing.sources.item import (
    REDIRECT,
    SAFE,
    ContentRoot,
    Form,
    LeftOut,
    Origin,
    Place,
    Remainder,
)
from pressync.importing.sources.links import FolderFiles, rewritten
from pressync.importing.sources.markdown import alert, details
from pressync.importing.sources.mkdocs_languages import Languages
from pressync.importing.sources.mkdocs_snippets import NAME as SNIPPETS
from pressync.importing.sources.mkdocs_snippets import Snippets, plainly_placed
from pressync.importing.sources.source_tree import (
    FolderTool,
    Front,
    SourceTree,
    iso,
    named_authors,
    strings,
    table_in,
)
from pressync.importing.sources.tree_items import Keys, TreePage, item_of
from pressync.model.interface import Kind
from pressync.model.web_address import path_of

if TYPE_CHECKING:
    from pressync.importing.sources.item import Item, Items


SETTINGS = ("mkdocs.yml", "mkdocs.yaml")
_MARKDOWN = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
_POSTS = Keys(
    modified=(),
    excerpt=("description",),
    categories=("categories",),
    tags=("tags",),
    order=(),
    pictures=(),
    dropped=frozenset({"authors", "author", "date", "slug"}),
    heading_wins=True,
    heading_ids="python-markdown",
)
_PAGES = replace(_POSTS, dropped=frozenset({"authors", "author", "slug"}))
_MOST_INHERITED = 5
_BLOCK = re.compile(
    r"(?P<indent>[ ]{0,60})(?P<mark>!!!|\?\?\?\+?|===[!+]?)[ ]?"
    r'(?P<words>[\w -]{0,80}?)[ ]*(?:"(?P<title>[^"]*)")?[ ]*'
)
# A list of attributes stands behind what it is for, or alone in its line.
_ATTRIBUTES = re.compile(r"(?:(?<=[)\]`*_])|^[ ]*)\{:?[ ]*(?:[.#][^\s{}]|[\w-]{1,40}=|data-)[^{}\n]{0,200}\}")
_ID = re.compile(r"""[{ ](?:#|id=(["']?))([^\s"'{}]+)(?(1)\1)(?=[\s}])""")
_ALONE = 3  # `{ #id }` in words
_APART = re.compile(
    # Neither the mark of a box, a note or a task, nor the second part of a link.
    r"(?<!\])(\[(?![!^]|[ xX]\])[^\]\[\n]{1,200}\])"
    r"(?:[ ]|\n[ ]{0,30}(?:> ?){0,5})(\[[^\]\[\n]{1,200}\])(?![:(])"
)
_BEFORE_NOTE = re.compile(r"(?<!\])(\[[^\]\[\n^]{1,200}\])(?=\[\^)")
_DEFINED = re.compile(r"^ {0,3}(\[[^\]\[\n^]{1,200}\]):", re.MULTILINE)
_LABEL = re.compile(r"\[[^\]\[^]{1,200}\](?!\()")
# Code in a line may begin with its language.
_LANGUAGE = re.compile(r"\A(`+)[ ]?(?:#!|:::)\w{1,30}(?:[ ](?!`)|(?=[ ]`))")
_ICON = re.compile(r":(?:material|fontawesome|octicons|simple)-[\w-]{1,80}:")
_ICON_IN_TEXT = re.compile(
    rf"(?P<code>`+)(?!`).{{1,2000}}?(?<!`)(?P=code)(?!`)"
    rf"|(?P<icon>{_ICON.pattern})(?:\{{[^{{}}\n]{{0,200}}\}})?[ ]?"
)
# These two say something alone, as in a cell of a table.
_SAID = {":material-check:": "✓ ", ":material-close:": "✗ "}
_SIGN_ALONE = re.compile(r"^([ ]*(?:[-*+]|\d{1,9}[.)])[ ]+)([-+*])(?=[ ])")
_ESCAPED = re.compile(r"^([ \t]*);(?=-+8<-+)", re.MULTILINE)
_MORE = re.compile(r"<!--[ ]*more[ ]*-->")
_SIGNS = re.compile(r"[{:]|<!--|`#!")
_WIDEST = 20_000  # Nobody writes such a line.
_STEP = 4
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class _Blog:
    """The settings of the blog plugin."""

    folder: str
    posts: str
    address: str
    date: str
    authors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MkDocsSource:
    """A folder, and the settings that decide addresses."""

    tree: SourceTree
    docs: str
    address: str
    is_folder: bool
    # The number of each file of the navigation, and the title that it has there.
    nav: Mapping[str, tuple[int, str]]
    excluded: Exclusion
    drafts: Exclusion
    snippets: Snippets
    blog: _Blog | None = None
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The names of the extensions that are on; and the definitions of links that are appended to each text.
    extensions: Collection[str] = ()
    definitions: Mapping[str, str] = field(default_factory=dict)
    languages: Languages = field(default_factory=Languages)

    @classmethod
    def of(cls, tree: SourceTree) -> MkDocsSource:
        """Read the settings.

        :raises ConfigError: they cannot be read.
        """
        settings = _inherited(tree, tree.first(SETTINGS), _MOST_INHERITED)
        docs = posixpath.normpath(str(settings.get("docs_dir", "docs")))
        plugins = _named(settings.get("plugins"), "/")
        extensions = _named(settings.get("markdown_extensions"))
        # The plugin for redirects knows the former files of each file.
        aliases: dict[str, tuple[str, ...]] = {}
        for old, new in table_in(plugins, "redirects", "redirect_maps").items():
            file = str(new) if "://" in str(new) else str(new).partition("#")[0]
            aliases[file] = (*aliases.get(file, ()), str(old))
        return cls(
            tree,
            docs,
            str(settings.get("site_url") or ""),
            settings.get("use_directory_urls", True) is not False,
            {path: (number, title) for number, (path, title) in enumerate(_nav(settings.get("nav")), 1)},
            Exclusion(str(settings.get("exclude_docs", "")).split()),
            Exclusion(str(settings.get("draft_docs", "")).split()),
            Snippets.of(tree, extensions),
            _blog(tree, docs, plugins),
            aliases,
            _extensions(extensions),
            dict(_definitions(tree, table_in(extensions, SNIPPETS))),
            Languages.of(plugins.get("i18n")),
        )

    @property
    def base(self) -> str:
        """The path of the site's address, without a slash at its end."""
        return path_of(self.address).rstrip("/")

    def items(self) -> Items:
        """Give an item for each page."""
        yield Origin(self.address)
        files = self.tree.files(self.docs)
        yield FolderFiles(self.tree.served(self.docs, self.base), (f"/{self.docs}", self.base))
        yield ContentRoot(self.docs)
        yield from self.tree.links(self.docs)
        # A list would be searched for each README, and a dictionary keeps the order.
        inners = dict.fromkeys(
            posixpath.relpath(path, self.docs) for path in files if path.endswith(_MARKDOWN)
        )
        for inner in inners:
            place = Place(posixpath.join(self.docs, inner))
            folder, name = posixpath.split(inner)
            if self.excluded.leaves_out(inner):
                yield LeftOut("excluded page", place, "`exclude_docs` names it")
            elif name == "README.md" and posixpath.join(folder, "index.md") in inners:
                yield LeftOut("excluded page", place, "MkDocs takes the index.md beside it")
            elif self.languages.is_off(inner):
                yield LeftOut(
                    "page of a language that is off", place, "the plug-in does not build its language"
                )
            else:
                yield self.tree.page(place.path, self._item, inner, place, inners)
        place = Place(self.tree.first(SETTINGS))
        for new, olds in self.aliases.items():
            to = new if "://" in new else ""
            for old in olds if new not in inners else ():
                yield LeftOut("redirect", place, REDIRECT, self._address(old), leads_to=to)

    def _item(self, front: Front, inner: str, place: Place, files: Collection[str]) -> Item:
        blog = self.blog if self.blog and inner.startswith(f"{self.blog.posts}/") else None
        has_terms = "def_list" in self.extensions
        shown, begin, unread = self.snippets.put_in(front.body, Place(place.path, front.line))
        written = html_blocks.whole(shown)
        body, terms = definitions.without_terms(written, begin) if has_terms else (written, ())
        body, left = converted(body, begin)
        body, further = markdown.of_headings(body, begin)
        body = self._opened(body)
        if self.languages.main:
            body = rewritten(body, Form.MARKDOWN, partial(self._link, inner, files))
        # A date may be in a table with the member `created`.
        date = front.values.get("date")
        date = str(date.get("created", "") if isinstance(date, Mapping) else date or "")
        names = front.texts("authors", "author")
        author = names[0] if names else ""
        placed = self.languages.placed(inner)
        root = posixpath.splitext(placed)[0]
        order, named = self.nav.get(inner, (None, ""))
        if blog:
            address = self._post_address(blog, inner, front, iso(date))
            path = posixpath.join("posts", posixpath.relpath(root, blog.posts))
        else:
            address = self._address(placed)
            path = posixpath.join("pages", re.sub(r"(\A|/)README\Z", r"\1index", root))
        old = (*self.aliases.get(inner, ()), *self.languages.untranslated(inner, files))
        page = TreePage(
            place.path,
            Kind.POST if blog else Kind.PAGE,
            f"{path}.md",
            body,
            address=address,
            aliases=tuple(map(self._address, old)),
            name=posixpath.basename(root),
            date=date,
            status="draft" if self.drafts.leaves_out(inner) else "",
            author=self.blog.authors.get(author, author) if self.blog else author,
            title=named or front.text("title") or _title(body, root),
            order=order,
            left=plainly_placed(markdown.joined(unread, terms, left, further)),
        )
        return item_of(page, front, _POSTS if blog else _PAGES)

    def _link(self, inner: str, files: Collection[str], written: str) -> str | None:
        """Give the link to the file in the language of a page."""
        path, mark, fragment = written.partition("#")
        name = unquote(path)
        found = self.languages.linked(inner, name, files) if name.endswith(_MARKDOWN) else None
        if found is None or ":" in path or path.startswith("/"):
            return None
        return quote(posixpath.relpath(found, posixpath.dirname(inner))) + mark + fragment

    def _opened(self, body: str) -> str:
        """Write the further forms of Python-Markdown as Markdown; after that, lines have other numbers."""
        body = markdown.with_emoji(body) if "pymdownx.emoji" in self.extensions else body
        body = _ESCAPED.sub(r"\1", body) if "pymdownx.snippets" in self.extensions else body
        body = pymdown.with_forms(markdown.with_code_titles(body), self.extensions)
        body = pipe_tables.with_pipes_in_code(body)
        body = definitions.apart(html_blocks.opened(pymdown.with_near_items(body)))
        defined = {*self.definitions, *map(definitions.label_of, _DEFINED.findall(body))}
        # Python-Markdown reads both brackets as one link, with a blank between them, too. CommonMark takes
        # `[name][^1]` for a link to the definition `^1`, and so for text.
        body = _APART.sub(lambda link: link[1] + link[2] if link[2].lower() in defined else link[0], body)
        body = _BEFORE_NOTE.sub(lambda link: f"{link[1]}[]" if link[1].lower() in defined else link[1], body)
        named = dict.fromkeys(map(definitions.label_of, _LABEL.findall(body))) if self.definitions else {}
        used = [self.definitions[label] for label in named if label in self.definitions]
        body = "\n".join([body.rstrip("\n"), "", *used, ""]) if used else body
        return definitions.with_linked_titles(definitions.with_last_links(body, after_texts=True))

    def _address(self, inner: str) -> str:
        root = posixpath.splitext(inner)[0]
        folder, name = posixpath.split(root)
        if name in {"index", "README"}:
            path = f"{folder}/" if folder else ""
        else:
            path = f"{root}/" if self.is_folder else f"{root}.html"
        return quote(f"{self.base}/{path}", safe=SAFE)

    def _post_address(self, blog: _Blog, inner: str, front: Front, date: str) -> str:
        title = front.text("title")
        heading = None if title else first_heading(front.body)
        slug = front.text("slug") or _slug(heading.text if heading else title)
        day = date[:10].split("-") if date else ["0001", "01", "01"]
        written = dict(zip(("yyyy", "MM", "dd"), day, strict=True))
        parts = {
            "{date}": re.sub("yyyy|MM|dd", lambda found: written[found[0]], blog.date),
            "{slug}": slug,
            "{file}": posixpath.splitext(posixpath.basename(inner))[0],
            "{categories}": "/".join(_slug(name) for name in front.texts("categories")[:1]),
        }
        path = blog.address
        for name, value in parts.items():
            path = path.replace(name, value)
        return self._address(posixpath.normpath(posixpath.join(blog.folder, path.strip("/"))) + ".md")


def _inherited(tree: SourceTree, name: str, most: int) -> dict[str, Any]:
    """Read settings, and those that they inherit from a file of the folder."""
    settings = tree.settings(name)
    parent = settings.get("INHERIT")
    if isinstance(parent, str) and most and tree.is_file(posixpath.normpath(parent)):
        return {**_inherited(tree, posixpath.normpath(parent), most - 1), **settings}
    return settings


def _nav(nav: object) -> Iterator[tuple[str, str]]:
    """Give each file of the navigation and the title that it has there; "" for none."""
    for entry in nav if isinstance(nav, list) else ():
        for title, value in entry.items() if isinstance(entry, Mapping) else (("", entry),):
            if isinstance(value, str):
                yield value, str(title)
            else:
                yield from _nav(value)


def _title(body: str, root: str) -> str:
    """Give the title of a text: its first heading of level one, or the name of its file, as MkDocs does."""
    if heading := first_heading(body, 1):
        return heading.text
    name = "home" if root in {"index", "README"} else posixpath.basename(root)
    words = name.replace("-", " ").replace("_", " ")
    return words.capitalize() if words == words.lower() else words


def _named(given: object, before: str = "") -> dict[str, Mapping[str, Any]]:
    """Give the options of plug-ins or extensions by name, without what stands before a sign."""
    found: dict[str, Mapping[str, Any]] = {}
    entries = given.items() if isinstance(given, Mapping) else given
    for entry in entries if isinstance(entries, Iterable) and not isinstance(entries, str) else [given]:
        pairs = [entry] if isinstance(entry, tuple) else ((entry, None),)
        for name, options in entry.items() if isinstance(entry, Mapping) else pairs:
            found[str(name).rpartition(before)[2] if before else str(name)] = table_in(options)
    return found


# The extensions that turn others on.
_BUNDLES = {
    "extra": ("def_list", "footnotes", "attr_list", "md_in_html", "abbr"),
    "pymdownx.extra": ("def_list", "footnotes", "attr_list", "md_in_html", "abbr", "pymdownx.superfences"),
}


def _extensions(named: Iterable[str]) -> frozenset[str]:
    bare = {name.removeprefix("markdown.extensions.") for name in named}
    return frozenset(bare.union(*(_BUNDLES.get(name, ()) for name in bare)))


_DEFINITION = re.compile(r"[ ]{0,3}(\[[^\]\n^]{1,200}\]):[ \t]*\S+.{0,500}")


def _definitions(tree: SourceTree, snippets: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give the definitions of links in the files that an extension appends to each text."""
    for name in strings(snippets.get("auto_append")):
        for folder in (*strings(snippets.get("base_path")), "."):
            path = posixpath.normpath(posixpath.join(folder, name))
            if not path.startswith("..") and tree.is_file(path):
                rows = map(_DEFINITION.fullmatch, tree.text(path).split("\n"))
                yield from ((definitions.label_of(row[1]), row[0].strip()) for row in rows if row)
                break


def _blog(tree: SourceTree, docs: str, plugins: Mapping[str, Mapping[str, Any]]) -> _Blog | None:
    options = plugins.get("blog")
    if options is None:
        return None
    folder = str(options.get("blog_dir", "blog")).strip("./")
    posts = str(options.get("post_dir", "{blog}/posts")).replace("{blog}", folder).strip("./")
    known = posixpath.join(docs, folder, ".authors.yml")
    listed = tree.settings(known).get("authors") if tree.is_file(known) else None
    authors = named_authors(listed)
    address = str(options.get("post_url_format", "{date}/{slug}"))
    return _Blog(folder, posts, address, str(options.get("post_url_date_format", "yyyy/MM/dd")), authors)


def _slug(title: str) -> str:
    text = unicodedata.normalize("NFC", re.sub(r"</?[^>]*>", "", title))
    return re.sub(r"[^\w\- ]", "", text).strip().lower().replace(" ", "-")


TOOL = FolderTool("a folder with mkdocs.yml", SETTINGS, lambda tree, _: MkDocsSource.of(tree).items())


# The blocks of MkDocs have indented content, so on another site it would become a block of code. The blocks
# nest, so the content of each is converted after its indentation is gone.
_DEEP_FENCE = re.compile(r"(?:[ \t]*\n)*[ \t]+(?:`{3}|~{3})")


def converted(text: str, place: Place) -> tuple[str, tuple[Remainder, ...]]:
    """Convert a text whose first line is at `place`; the remainders name what only MkDocs understands."""
    found: list[Remainder] = []
    rows = list(_rows(markdown.with_ended_fences(text).split("\n"), place, found, 0))
    return "\n".join(rows), tuple(found)


def _rows(rows: Sequence[str], place: Place, found: list[Remainder], depth: int) -> Iterator[str]:
    is_code = [code for _, code in markdown.lines("\n".join(rows))]
    number = 0
    while number < len(rows):
        row = rows[number]
        block = None if is_code[number] or depth > _DEEPEST else _BLOCK.fullmatch(row)
        if not block or not (block["words"] or block["title"] is not None):
            yield row if is_code[number] else _row(row, place.below(number), found)
            number += 1
            continue
        found += [Remainder("icon", place.below(number), icon) for icon in _ICON.findall(row)]
        width = len(block["indent"]) + _STEP
        end = number + 1
        while end < len(rows) and not rows[end][:width].strip():
            end += 1
        inner = [each[width:] for each in rows[number + 1 : end]]
        while inner and not inner[-1]:
            inner.pop()
        # Python-Markdown reads a fence at each depth.
        inner = dedent("\n".join(inner)).split("\n") if _DEEP_FENCE.match("\n".join(inner)) else inner
        inner = markdown.with_ended_fences("\n".join(inner)).split("\n")
        text = "\n".join(_rows(inner, place.below(number + 1), found, depth + 1)).strip("\n")
        made = _block(block, text).split("\n")
        # Blanks at the end of a line are a break of the line, or code.
        yield from (f"{block['indent']}{each}" if each.strip() else "" for each in made)
        # A line of text right below would belong to the alert.
        yield ""
        number = end


def _block(block: re.Match[str], text: str) -> str:
    word, title = block["words"].split(" ")[0], _ICON_IN_TEXT.sub(_shown, block["title"] or "").strip()
    if block["mark"].startswith("==="):
        return f"**{title or block['words']}**\n\n{text}".rstrip()
    if block["mark"] == "!!!":
        return alert(word, title, text)
    return details(title or word.capitalize(), text, is_open=block["mark"].endswith("+"))


def _row(row: str, place: Place, found: list[Remainder]) -> str:
    if not _SIGNS.search(row) or len(row) > _WIDEST:
        return row
    found += [Remainder("icon", place, icon) for icon in _ICON.findall(row)]
    before, row = row, _ICON_IN_TEXT.sub(_shown, row)
    # A sign behind an icon that is gone would begin a list in the list.
    row = _SIGN_ALONE.sub(r"\1\\\2", row) if row != before else row

    def without(listed: re.Match[str]) -> str:
        if row.count("`", 0, listed.start()) % 2:
            return listed[0]  # in code
        name = _ID.search(listed[0])
        if not name or len(listed[0].split()) > _ALONE:
            found.append(Remainder("attribute list", place, listed[0].strip()))
        return f'<a id="{html.escape(name[2])}"></a>' if name else ""

    row = row if row.lstrip().startswith("#") else _ATTRIBUTES.sub(without, row)
    return row if "`" in row else _MORE.sub("<!--more-->", row)


def _shown(icon: re.Match[str]) -> str:
    return _SAID.get(icon["icon"], "") if icon["icon"] else _LANGUAGE.sub(r"\1", icon[0])


IMPORTER = TOOL.importer
