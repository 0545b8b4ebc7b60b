"""Runs the checks that need all files: links between documents, links to the site, and files passed over.

Only `check` reads all documents. Of each only what the comparison needs is kept.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

import msgspec

from pressync.content import document_checks
from pressync.content.document_checks import is_dead_anchor
from pressync.content.render.links import Linked, as_address, candidates, lines, link_to, shown
from pressync.content.sources import INDEXES, Exclusion, below, documents, place_of, stem
from pressync.model.errors import Code, Problem
from pressync.model.records import Source
from pressync.model.web_address import path_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pressync.content.content import Content
    from pressync.content.render.links import Pointer
    from pressync.content.render.renderer import Rendered
    from pressync.model.records import Desired, Document


# The folders from which other tools publish files as they are.
_STATIC = ("static", "public", "assets", "src", "docs", "")
# A tree without its pictures has thousands of such links.
_ADD = "add the file, or make sure that the site has it"
_UPLOAD = "upload it to the site"
_ALIKE = "links to files in `{}/` that are not here"
_SERVICE = re.compile(r"/wp-json(?:/|$).*")
_OF_THE_SITE = re.compile(
    r"wp-|\d{4}(?:/|$)|(?:feed|comments|category|tag|tags|author|page|search|blog)(?:/|$)"
    r"|(?:sitemap[^/]*|robots\.txt|favicon\.ico|xmlrpc\.php|index\.php)$"
)
_INDEX_FILE = re.compile(r"(?:^|/)index\.(?:html?|php)$")
_MDX = ("an MDX file is not read", "rename it to `.md`, and write its components as Markdown")
_HTML = ("an HTML file is not read", "rename it to `.md` if it is a page: Markdown may contain HTML")
_FORMATS = {".mdx": _MDX, ".html": _HTML, ".htm": _HTML}
# The folders in which other tools keep templates and files that are not pages.
_NOT_CONTENT = frozenset(
    {"assets", "includes", "layouts", "node_modules", "overrides", "partials", "public", "static", "themes"}
)
# Of the folders whose name begins with `_`, Jekyll has pages in these.
_PAGES = frozenset({"_drafts", "_pages", "_posts"})


class PageLinks(msgspec.Struct, frozen=True):
    """A page's ids, and its links without its HTML; `ids` is None if an error left it without HTML."""

    ids: frozenset[str] | None
    links: Linked

    @staticmethod
    def of(document: Document, rendered: Rendered) -> PageLinks:
        """Collect these of a rendered document."""
        title = str(document.fields.get("title", ""))
        ids = None if rendered.has_error else document_checks.ids_of(rendered.content, title)
        of = rendered.linked
        return PageLinks(ids, Linked("", anchors=of.anchors, addresses=of.addresses, missing=of.missing))


class SiteLinks:
    """The links of all documents of one tree."""

    def __init__(self, content: Content, pages: Mapping[str, PageLinks], addresses: Addresses) -> None:
        self._content = content
        self._pages = pages
        self._addresses = addresses

    def missing(self) -> set[str]:
        """Give the paths that do not exist and that links seem to mean."""
        paths = {path for page in self._pages.values() for path in page.links.missing}
        for page in self._pages.values():
            dead = (link.path for link in page.links.addresses if not self._addresses.answer(link.path))
            for address in islice(dead, document_checks.MOST_LINKS):
                paths.update(self._files(address))
        return paths - self._content.tree.files.keys()

    def problems(self, renamed: Mapping[str, str]) -> Iterator[Problem]:
        """Warn of each link that leads to the wrong place; `renamed` has the new paths of renamed files."""
        ids = {path: page.ids for path, page in self._pages.items()}
        for path, page in self._pages.items():
            others = (link for link in page.links.anchors if link.path != path)
            present = [link for link in others if ids.get(link.path) is not None]
            lost = [link for link in present if is_dead_anchor(link.fragment, ids[link.path] or ())]
            lost = lost[: document_checks.MOST_LINKS]
            dead = [link for link in page.links.addresses if not self._addresses.answer(link.path)]
            document = self._content.parse(path).document if lost or dead else None
            if document is None:
                continue
            rows = [(Code.DEAD_ANCHOR, link, *self._dead_anchor(link, path)) for link in lost]
            dead = dead[: document_checks.MOST_LINKS]
            rows += [(Code.DEAD_ADDRESS, link, *self._dead_address(link, path, renamed)) for link in dead]
            line_of = list(lines(self._content.renderer.placed(document), document.body))
            for code, link, problem, todo in rows:
                line = document.body_line + line_of[link.index] - 1
                alike = _ALIKE.format(posixpath.dirname(shown(link.path)).rstrip("/")) if todo is _ADD else ""
                yield Problem(path, line, problem, todo, warning=True, alike=alike, code=code)

    def _dead_anchor(self, link: Pointer, document: str) -> tuple[str, str]:
        ids = self._pages[link.path].ids or frozenset()
        problem = f"links to `{shown(link.written)}`, and {link.path} has no such place"
        for path in as_address(link.written, document, self._content.settings.content):
            page = self._pages.get(path)
            if page and page.ids and not is_dead_anchor(link.fragment, page.ids):
                return problem, link_to(path, document, link.fragment)
        return problem, document_checks.anchor_todo(link.fragment, ids)

    def _dead_address(self, link: Pointer, document: str, renamed: Mapping[str, str]) -> tuple[str, str]:
        url = f"links to `{shown(link.written)}`"
        files = self._files(link.path)
        existing = self._existing(link.path, files, document)
        if existing:
            there = self._addresses.of(existing)
            problem = f"{existing} is at `{there}`" if there else f"this is not the address of {existing}"
            return f"{url}, and {problem}", link_to(existing, document)
        now = next((renamed[path] for path in files if path in renamed), None)
        if now:
            return f"{url}, which is now {now}", link_to(now, document)
        folders = (*_STATIC, self._content.settings.content)
        places = (posixpath.join(folder, link.path.strip("/")) for folder in folders)
        if static := next((path for path in places if path in self._content.tree.files), None):
            todo = link_to(static, document) if self._content.references.accepts(static) else _UPLOAD
            return f"{url}, and the site does not have {static} there", todo
        if posixpath.splitext(link.path)[1]:
            return f"{url}, which is not a file here", _ADD
        todo = "link to the file of a page, or make sure that the site has this address"
        return f"{url}, and no document has this address", todo

    def _files(self, address: str) -> Collection[str]:
        """List the files that the author may mean by an address."""
        content, types = self._content.settings.content, self._content.settings.types
        folders = (content, *(posixpath.join(content, folder) for folder in types.folders))
        paths = (path for folder in folders for path in candidates(address, "", folder))
        return dict.fromkeys(path for path in paths if path.endswith(".md"))

    def _existing(self, address: str, files: Collection[str], document: str) -> str | None:
        """Find the document that the author means: one of the files, or one whose path ends like the address.

        A tree in several languages has a folder more in its paths. So a document of the same folder wins.
        """
        inner = f"/{address.strip('/').casefold()}"
        named = self._by_name.get(posixpath.basename(inner), ())
        readmes = self._content.readmes
        alike = [path for path in named if _without_ending(place_of(path, readmes)).endswith(inner)]
        alike.sort(key=lambda path: -len(posixpath.commonpath((path, document))))
        return next((path for path in (*files, *alike) if path in self._content.sources), None)

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        """The documents by the last word of their path, which is the folder's name for an index."""
        by_name = defaultdict(list)
        for path in self._content.sources:
            place = place_of(path, self._content.readmes)
            by_name[posixpath.basename(_without_ending(place))].append(path)
        return by_name


def _without_ending(path: str) -> str:
    """Give the path of a document as an address would have it."""
    place = posixpath.dirname(path) if stem(path) in INDEXES else posixpath.splitext(path)[0]
    return f"/{place.casefold()}"


# A page's address consists of the slugs of its parents and its own. The address of a post also depends on a
# setting of the site, so any address that ends with a post's slug counts as answered. The same holds for
# the addresses that WordPress itself answers.
class Addresses:
    """The addresses of one site's documents; `unread` are documents whose slug is not known."""

    def __init__(self, documents: Mapping[str, Desired], unread: Iterable[str], url: str | None) -> None:
        """Collect the addresses; `url` is the service's address, None for the embedded service."""
        self.base = _key(_SERVICE.sub("", path_of(url))) if url and _SERVICE.search(url) else ""
        self._documents = documents
        self._of: dict[str, str] = {}
        self._names = {
            stem(path) if stem(path) not in INDEXES else posixpath.basename(posixpath.dirname(path))
            for path in unread
        }
        self._known = {""}
        for path, document in documents.items():
            self._known.update(_key(unquote(path_of(alias))) for alias in document.aliases)
            if not document.kind.row.hierarchical:
                self._names.add(document.slug.casefold())
            else:
                self._known.add(_key(self.of(path) or ""))

    def of(self, path: str) -> str | None:
        """Give the address of a page, with a slash at both ends; None if it is not known."""
        slugs: list[str] = []
        seen = set()
        page: str | None = path
        while page is not None and page not in seen:
            document = self._documents.get(page)
            if document is None or not document.kind.row.hierarchical:
                return None
            seen.add(page)
            slugs.append(unquote(document.slug))
            page = document.parent_path
        return f"/{'/'.join(filter(None, (self.base, *reversed(slugs))))}/"

    def answer(self, address: str) -> bool:
        """Tell whether the site answers an address that begins with `/`, as far as one can know."""
        key = _key(address)
        if self.base and not f"{key}/".startswith(f"{self.base}/"):
            # It is not below the site, and another site may answer it; a page of that name is a mistake.
            return _key(f"{self.base}/{key}") not in self._known
        inner = key[len(self.base) :].strip("/")
        return (
            not inner
            or key in self._known
            or inner.rpartition("/")[2] in self._names
            or bool(_OF_THE_SITE.match(inner))
        )


def _key(address: str) -> str:
    """Give an address in the form in which two are compared."""
    return _INDEX_FILE.sub("", address.strip("/").casefold()).strip("/")


def passed_over(content: Content) -> Iterator[Problem]:
    """Warn of each MDX or HTML file below the content folder, but not below folders of templates."""
    settings = content.settings
    for path in content.tree.files:
        said = _FORMATS.get(posixpath.splitext(path)[1].lower())
        if not said or content.excludes(path) or (settings.templates and below(path, settings.templates)):
            continue
        inner = below(path, settings.content)
        if inner and not _is_of_templates(inner):
            yield Problem(path, 0, *said, warning=True, code=Code.PASSED_OVER)


def _is_of_templates(inner: str) -> bool:
    """Tell whether a path is hidden, or in a folder where other tools keep what is not a page."""
    folders = inner.split("/")[:-1]
    of_tools = [folder for folder in folders if folder.startswith("_") and folder not in _PAGES]
    return "/." in f"/{inner}" or bool(of_tools) or not _NOT_CONTENT.isdisjoint(folders)


def symbolic_links(content: Content) -> Iterator[Problem]:
    """Warn of each symbolic link that stands for a document, or for a folder with documents."""
    tree, problem = content.tree, "it is a symbolic link, which pressync does not follow"
    markdown = [*documents(tree.files, "")] if tree.symlinks else []
    for path, blob in tree.symlinks.items():
        inner = below(path, content.settings.content)
        if not inner or content.excludes(path) or _is_of_templates(inner):
            continue
        target = content.repository.read(blob).decode(errors="replace")
        folder = f"{posixpath.normpath(posixpath.join(posixpath.dirname(path), target))}/"
        if [*documents([path], content.settings.content)]:
            is_document = content.reader.read(Source(path, blob), b"x").document is not None
        else:
            is_document = any(file.startswith(folder) for file in markdown)
        if is_document:
            todo = "put the text itself in its place, or name it in `exclude`"
            yield Problem(path, 0, problem, todo, warning=True, code=Code.PASSED_OVER)


def templates_of_vault(content: Content) -> Iterator[Problem]:
    """Warn of the folder that is left out because Obsidian has templates in it."""
    settings = content.settings
    left_out = Exclusion(settings.markdown.left_out)
    inners = (below(path, settings.content) for path in documents(content.tree.files, settings.content))
    both = (left_out, content.exclusion)
    in_templates = [inner for inner in inners if all(rule.leaves_out(inner) for rule in both)]
    for folder in sorted({inner[: inner.lower().index("templates/") + 9] for inner in in_templates}):
        problem = "Obsidian's templates are not documents, so this folder is left out"
        todo = f'if it has notes, write `exclude = ["!/{folder}/"]`'
        place = posixpath.join(settings.content, folder)
        yield Problem(place, 0, problem, todo, warning=True, code=Code.PASSED_OVER)


def unused_patterns(content: Content) -> Iterator[Problem]:
    """Warn of each pattern of `exclude` that fits no file: it may be misspelt, and its files are sent."""
    inners = (below(path, content.settings.content) for path in content.tree.files)
    unused = content.exclusion.unused(filter(None, inners))
    for pattern in filter(content.settings.exclude.__contains__, unused):
        problem = f"`exclude` has '{pattern}', and no file below the content folder fits it"
        todo = "correct the pattern, or remove it; it is a path from the content folder"
        place = content.settings.origins["exclude"]
        yield Problem(place, 0, problem, todo, warning=True, code=Code.SETTINGS)
