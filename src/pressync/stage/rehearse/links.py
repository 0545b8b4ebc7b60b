"""Checks the links, anchors and pictures of the rendered site, and finds where the files have them.

`check` of a work tree knows only its own documents. Here the whole site is there: archives, feeds, uploaded
pictures, the pages of others. Only of a dead link is the document read again, to find its line.
"""

from __future__ import annotations

import html
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.content import document_checks
from pressync.content.render.links import lines, references
from pressync.content.render.markdown import with_places
from pressync.model.web_address import from_root, joined, split

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from pressync.content.content import Content
    from pressync.model.interface import Kind
    from pressync.model.records import Entry
    from pressync.stage.rehearse.stage import RenderedPage, RenderedSite

_PICTURES = frozenset({"img", "source"})
_MEDIA = frozenset({"video", "audio", "track"})


@dataclass(frozen=True, slots=True, order=True)
class DeadLink:
    """A link that leads nowhere: its file and line, and its target as the file has it.

    `kind` is `page`, `file`, `picture`, `media`, `anchor`, or `hidden` for a record that visitors do not see.
    """

    path: str
    line: int
    target: str
    kind: str


@dataclass(frozen=True, slots=True)
class CheckedLinks:
    """The number of links into the site, and the dead ones by place."""

    checked: int = 0
    dead: tuple[DeadLink, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reference:
    """A link of a rendered page into the site; `url` is as the page has it, `path` is below the host."""

    page: tuple[Kind, int]
    tag: str
    url: str
    address: str
    path: str
    fragment: str


@dataclass
class LinkCheck:
    """One check. `answering` tells which addresses the site has that the stage does not have."""

    site: RenderedSite
    content: Content
    entries: Mapping[str, Entry]
    answering: Callable[[Collection[str]], Collection[str]] = lambda _addresses: ()
    _count: int = field(default=0, init=False)

    def run(self) -> CheckedLinks:
        """Check every public page."""
        dead: list[tuple[_Reference, str]] = []
        pointing: dict[str, list[_Reference]] = defaultdict(list)
        for page in self.site.pages():
            for reference in self._references(page):
                self._count += 1
                if not self.site.has(reference.path):
                    dead.append((reference, self._kind(reference)))
                elif reference.fragment and reference.tag == "a":
                    pointing[reference.path].append(reference)
        asked = {reference.address for reference, kind in dead if kind != "hidden"}
        there = self.answering(asked) if asked else ()
        dead = [each for each in dead if each[0].address not in there]
        for path, references_ in pointing.items():
            dead += self._lost(path, references_)
        paths = {(entry.kind, entry.id): entry.path for entry in self.entries.values()}
        placed: dict[str, list[tuple[_Reference, str]]] = defaultdict(list)
        for reference, kind in dead:
            if document := paths.get(reference.page):
                placed[document].append((reference, kind))
        found = {link for document, some in placed.items() for link in self._placed(document, some)}
        return CheckedLinks(self._count, tuple(sorted(found)))

    def _references(self, page: RenderedPage) -> Iterator[_Reference]:
        """Give the links of a page that lead into the site."""
        home = split(self.site.address)
        for tag, url in references(page.html):
            address, _, fragment = (joined(page.address, url.strip()) or "").partition("#")
            parts = split(address)
            if not home or not parts:
                continue
            below = parts.path == home.path or parts.path.startswith(f"{home.path.rstrip('/')}/")
            if parts.scheme in {"http", "https"} and parts.netloc.lower() == home.netloc.lower() and below:
                path = from_root(address) or "/"
                yield _Reference((page.kind, page.id), tag, url, address, path, fragment)

    def _kind(self, reference: _Reference) -> str:
        if reference.tag in _PICTURES:
            return "picture"
        if reference.tag in _MEDIA:
            return "media"
        if self.site.hidden(reference.path):
            return "hidden"
        path = reference.path.partition("?")[0]
        ending = path.rpartition("/")[2].rpartition(".")[2] if "." in path.rpartition("/")[2] else ""
        return "page" if ending.lower() in {"", "md", "markdown", "html", "htm"} else "file"

    def _lost(self, path: str, pointing: Collection[_Reference]) -> Iterator[tuple[_Reference, str]]:
        """Give the references whose fragment the page at a path does not have."""
        page = self.site.page_at(path)
        ids = document_checks.ids_of(page.html, page.title) if page else frozenset()
        for reference in pointing:
            if page and document_checks.is_dead_anchor(reference.fragment, ids):
                yield reference, "anchor"

    def _placed(self, path: str, dead: Collection[tuple[_Reference, str]]) -> Iterator[DeadLink]:
        """Find the lines of a document's dead links, and how the file writes them."""
        written = self._written(path)
        for reference, kind in dead:
            places = written.get(reference.url) or [self._in_template(path, reference.url)]
            for file, line, target in places:
                yield DeadLink(file, line, target, kind)

    def _written(self, path: str) -> dict[str, list[tuple[str, int, str]]]:
        """Give file, line and text of each link of a document's body, by the link as the page has it."""
        document = self.content.parse(path).document if path in self.content.sources else None
        found: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
        if document is None:
            return found
        placed = with_places(document.body)
        rows = list(lines(placed, document.body))
        before = references(placed)
        after = references(self.content.laid_out(document, self.entries))
        for (_, target), (_, url), line in zip(before, after, rows, strict=True):
            # The parser encodes letters that are not ASCII.
            plain = unquote(target)
            written = plain if target not in document.body and plain in document.body else target
            found[url].append((path, document.body_line + line - 1, written))
        return found

    def _in_template(self, path: str, url: str) -> tuple[str, int, str]:
        """Find a link that is not in the document's body in its template; else name the document alone."""
        document = self.content.parse(path).document if path in self.content.sources else None
        layout = self.content.renderer.layout_of(document) if document else ""
        folder = self.content.settings.templates
        template = f"{folder}/{layout}" if folder else layout
        text = self.content.repository.text(self.content.tree.files.get(template, "")) or ""
        for number, line in enumerate(text.split("\n"), 1):
            if url in line or html.escape(url) in line:
                return template, number, url
        return path, 1, url
