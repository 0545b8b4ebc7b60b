"""Renders a document with the templates: the HTML body, the documents that it links to, and a digest.

The plan compares fingerprints of what would be sent, so equal input must always give equal bytes. Every run
needs the digest, and few runs render. So comrak, Jinja2 and all code that rewrites HTML are loaded with the
first page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Self

from msgspec import structs

from pressync.config.settings import NO_FORMS, MarkdownForms, Settings
from pressync.content import basis
from pressync.content.render.layouts import Layouts, sources_below
from pressync.content.render.links import (
    NO_LINKS,
    Absent,
    Linked,
    Resolve,
    Uploadable,
    links_may_be_new,
    no_more,
    nothing,
    nowhere,
)
from pressync.content.render.plain_template import PlainTemplate
from pressync.content.vault import Vault
from pressync.model.errors import Code, Problem
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pressync.content.render.formulas import Fault
    from pressync.content.render.templates import Templates
    from pressync.model.records import Document
    from pressync.repo.discover import ReadAtPath

_NONE: Mapping[str, str] = MappingProxyType({})

# Pictures and frames of HTML alone between blocks: a theme puts blocks into its column, and nothing else.
_ALONE = re.compile("<(?:img|iframe|audio|video)")
_ATTRIBUTES = r"""\s(?:[^<>"']|"[^"]*+"|'[^']*+')*+"""
_PICTURE = re.compile(
    "|".join((f"<img{_ATTRIBUTES}>", *(f"<{n}{_ATTRIBUTES}></{n}>" for n in ("iframe", "audio", "video"))))
)
_PICTURES_ALONE = re.compile(
    r"(\A|(?:</(?:p|ul|ol|h[1-6]|table|pre|div|section|blockquote|audio|video)>|<hr />)\n)"
    rf"((?:(?:{_PICTURE.pattern})\n)+)(?=<|\Z)"
)

# A placeholder for the body, to see what a template puts around it. Unicode reserves these characters.
_MARKER = "\ufdd0\ufdd1"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A document's HTML body and the paths of the documents and files that it links to, sorted.

    `content` is empty if one of the `problems` is an error. Broken links are warnings. `linked` has the links
    of the body, and `placed` renders the body with the source lines of each block.
    """

    content: str
    links: tuple[str, ...]
    problems: tuple[Problem, ...]
    linked: Linked = NO_LINKS
    placed: Callable[[], str] = field(default=str, compare=False)

    @property
    def has_error(self) -> bool:
        """Whether there is no HTML because of a problem."""
        return any(not problem.warning for problem in self.problems)


class FormedBody(NamedTuple):
    """The HTML of a body before its links are resolved.

    `depends` are the names that the links of a note depend on; None if it is not a note. `faults` are the
    formulas that cannot be shown.
    """

    page: str
    depends: tuple[str, ...] | None = None
    faults: tuple[Fault, ...] = ()


class Renderer:
    """Renders the documents of one tree.

    `templates` are sources by their name below `templates_folder`; `content` is the content folder,
    where links that begin with `/` are looked up. Both folders are paths from the repository's root.
    With `blocks`, the body is written as blocks of the WordPress editor. `absent` says what is at a path that
    the tree has not.
    """

    def __init__(
        self,
        templates: Mapping[str, str],
        *,
        templates_folder: str,
        content: str,
        blocks: bool = False,
        forms: MarkdownForms = NO_FORMS,
        vault: Vault | None = None,
        types: SiteTypes = DOCUMENTED_TYPES,
        absent: Absent = nowhere,
    ) -> None:
        self.layouts = Layouts(templates, types)
        self._sources = templates
        self._folder = templates_folder
        self._content = content
        self._blocks = blocks
        self._read: dict[tuple[str, str], bool] = {}
        # Of each template that was filled: its form without Jinja2, if it has one.
        self._plain_templates: dict[str, PlainTemplate | None] = {}
        self.forms, self.vault = forms, vault
        # The paths of the documents with a formula among those that were rendered.
        self.with_formulas: set[str] = set()
        self.absent = absent
        # The texts of their diagrams, by the blob ids of the pictures.
        self.diagrams: dict[str, str] = {}
        # Equal digests of the layout of a document mean that the unchanged document renders as before.
        self.digest = basis.of_layouts(self.layouts, content=content, blocks=blocks, forms=forms.chosen())

    @classmethod
    def of_files(
        cls, files: Mapping[str, str], read: ReadAtPath, settings: Settings, absent: Absent = nowhere
    ) -> Self:
        """Read the templates among the files of a tree, which are blobs by path."""
        folder = settings.templates
        templates = sources_below(folder, files, read)
        return cls(
            templates,
            templates_folder=folder,
            content=settings.content,
            blocks=settings.site.blocks,
            forms=settings.markdown,
            vault=Vault(files, read, settings) if settings.markdown.dialect else None,
            types=settings.types,
            absent=absent,
        )

    @cached_property
    def _templates(self) -> Templates:
        from pressync.content.render.templates import Templates  # noqa: PLC0415

        return Templates(self._sources, self._folder)

    def reads(self, document: Document, name: str) -> bool:
        """Tell whether the template of a document mentions a name; without a template nothing does."""
        key = self.layouts.filled(document), name
        if key not in self._read:
            word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
            sources = self.layouts.sources_of(key[0]).values()
            self._read[key] = any(word.search(source) for source in sources)
        return self._read[key]

    def render(
        self,
        document: Document,
        *,
        resolve: Resolve,
        uploadable: Uploadable = nothing,
        renamed: Mapping[str, str] = _NONE,
        former: bool = False,
        previous: bool = False,
    ) -> Rendered:
        """Render a document; problems are returned and never raised.

        `resolve` gives the address of each path of the repository that the body links to. `uploadable` tells
        whether the site accepts a file of that name. `renamed` has the new paths of renamed files. With
        `former`, the body has the form that pressync sent before pages were tested in stock themes. With
        `previous`, it has the links and the titles of alerts that the version before sent.
        """
        try:
            body, depends, faults = self._formed(document, former=former, previous=previous)
        except UnicodeEncodeError as error:
            line = document.body_line + document.body.count("\n", 0, error.start)
            message = "the text has half of a character (a lone surrogate), which UTF-8 cannot encode"
            problem = Problem(document.path, line, message, "write the character again", code=Code.NOT_TEXT)
            return Rendered("", (), (problem,))
        linked = self._linked(
            body, document, resolve, uploadable, depends=depends, renamed=renamed, former=previous
        )
        placed = cache(lambda: self.placed(document))
        broken = _broken_links(document, linked, placed) if linked.broken else ()
        problems = (*filter(None, [self.layouts.foreign(document)]), *broken)
        if faults:
            return Rendered("", linked.targets, (*problems, *self._faulty(document, faults)), linked, placed)
        layout = self.layouts.filled(document)
        page = self._filled(layout, document, linked.html) if layout else linked.html
        if isinstance(page, Problem):
            return Rendered("", linked.targets, (*problems, page), linked, placed)
        if self._blocks:
            from pressync.content.render.editor_blocks import to_blocks  # noqa: PLC0415

            forms = self.forms
            page = to_blocks(page, with_formulas=not former, embeds=forms.embeds, galleries=forms.galleries)
        return Rendered(page, linked.targets, problems, linked, placed)

    def _filled(self, layout: str, document: Document, body: str) -> str | Problem:
        """Put a body into a template; Jinja2 is loaded for a template that does more than insert values."""
        if layout not in self._plain_templates:
            source = self._sources.get(layout)
            self._plain_templates[layout] = None if source is None else PlainTemplate.of(source)
        template = self._plain_templates[layout]
        page = template.fill(document, body) if template else None
        return self._templates.fill(layout, document, body) if page is None else page

    def placed(self, document: Document) -> str:
        """Render a body as `render` does, before its links are resolved, with the lines of each block."""
        return self._formed(document, placed=True).page

    def _linked(
        self,
        page: str,
        document: Document,
        resolve: Resolve,
        uploadable: Uploadable,
        *,
        depends: tuple[str, ...] | None,
        renamed: Mapping[str, str] = _NONE,
        former: bool = False,
    ) -> Linked:
        """Resolve the links of a page; with the names that a note `depends` on, dead links become text."""
        from pressync.content.render import links  # noqa: PLC0415

        vault = self.vault if depends is not None else None
        linked = links.rewrite(
            page,
            path=document.path,
            content=self._content,
            resolve=resolve,
            uploadable=uploadable,
            renamed=renamed,
            absent=self.absent,
            meant=(lambda written: vault.meant(written, document.path, renamed)) if vault else no_more,
            former=former,
        )
        if depends is None:
            return linked
        from pressync.content.render.obsidian import resolved  # noqa: PLC0415

        for name in depends:
            resolve(name)
        targets = tuple(sorted({*linked.targets, *depends}))
        return structs.replace(linked, html=resolved(linked.html), targets=targets)

    def _formed(
        self, document: Document, *, placed: bool = False, former: bool = False, previous: bool = False
    ) -> FormedBody:
        """Give the HTML of a body before its links are resolved."""
        note, depends = self._plain(document, placed=placed)
        forms = self.forms._replace(math=False, embeds=False) if previous else self.forms
        note = note if former else with_targets(note, document.path, forms)
        page, faults = with_forms(note, self.forms, previous=previous)
        page = self._drawn(page, document)
        if self.forms.math and "<math" in page:
            self.with_formulas.add(document.path)
        return FormedBody(page, depends, faults)

    def _plain(self, document: Document, *, placed: bool) -> tuple[str, tuple[str, ...] | None]:
        """Give the HTML of a body before formulas and coloured code; a note of a vault has its links.

        Also give the names that the links of a note depend on; None if it is not a note.
        """
        from pressync.content.render.markdown import to_html  # noqa: PLC0415

        if self.vault is None or not self.vault.has(document.path):
            return to_html(document.body, self.forms._replace(dialect=""), placed=placed), None
        from pressync.content.render.obsidian import formed  # noqa: PLC0415

        return formed(to_html(document.body, self.forms, placed=placed), document.path, self.vault)

    def _drawn(self, page: str, document: Document) -> str:
        if not self.forms.mermaid or "mermaid" not in page:
            return page
        from pressync.content.render.diagrams import drawn  # noqa: PLC0415

        page, texts = drawn(page, document.path)
        self.diagrams.update(texts)
        return page

    def _faulty(self, document: Document, faults: Iterable[Fault]) -> Iterator[Problem]:
        from pressync.content.render.formulas import places  # noqa: PLC0415
        from pressync.model.printable import one_line  # noqa: PLC0415

        page = with_targets(self._plain(document, placed=True)[0], document.path, self.forms)
        lines = list(places(page))
        for fault in faults:
            line = document.body_line + lines[fault.number] - 1 + fault.line
            todo = "correct it, or put it into code; `pressync help formula` says what can be read"
            yield Problem(document.path, line, one_line(fault.what), todo, code=Code.FORMULA)

    def laid_out(
        self, document: Document, *, resolve: Resolve, uploadable: Uploadable, every_link: bool = False
    ) -> str:
        """Render the body without its template, with resolved links and the source lines of each block.

        Code is not coloured, because `html.normalize` takes the colours off that of the site.
        With `every_link`, the links of a vault stay links if they have no address.
        The lines are comrak's attribute `data-sourcepos="line:column-line:column"`.

        :raises UnicodeEncodeError: the body has half of a character.
        """
        page, depends = self._plain(document, placed=True)
        page = self._drawn(with_targets(page, document.path, self.forms), document)
        depends = None if every_link else depends
        return self._linked(page, document, resolve, uploadable, depends=depends).html

    def around(self, document: Document) -> tuple[str, str] | None:
        """Give the text that a template puts before and after the body; None if it does more than that."""
        layout = self.layouts.filled(document)
        page = self._templates.fill(layout, document, _MARKER) if layout else _MARKER
        if isinstance(page, Problem) or page.count(_MARKER) != 1:
            return None
        before, _, after = page.partition(_MARKER)
        return before, after


def may_be_new(page: str) -> bool:
    """Tell whether the version before may have made other HTML of the document of a page."""
    is_titled = "markdown-alert-title" in page and "<math" in page
    may_be = is_titled or '">http' in page or ';color: #000000"><code' in page
    return may_be or links_may_be_new(page)


def with_targets(page: str, path: str, forms: MarkdownForms = NO_FORMS) -> str:
    """Give a body whose alerts have titles of Markdown, and whose notes have ids of this page alone."""
    if "footnote" in page:
        from pressync.content.render.footnotes import with_own_ids  # noqa: PLC0415 - few pages have notes

        page = with_own_ids(page, path)
    if "markdown-alert-title" in page:
        from pressync.content.render.markdown import with_alert_titles  # noqa: PLC0415 - as above

        page = with_alert_titles(page, math=forms.math)
    if forms.embeds and "http" in page:
        from pressync.content.render.players import of_html  # noqa: PLC0415 - as above

        page = of_html(page)
    if not _ALONE.search(page):
        return page
    return _PICTURES_ALONE.sub(lambda run: run[1] + _PICTURE.sub(r"<p>\g<0></p>", run[2]), page)


def with_forms(page: str, forms: MarkdownForms, *, previous: bool = False) -> tuple[str, tuple[Fault, ...]]:
    """Give the HTML of a body with its formulas and coloured code, and the formulas that cannot be shown.

    `previous` is as for `render`.
    """
    faults: tuple[Fault, ...] = ()
    if forms.math:
        from pressync.content.render import formulas  # noqa: PLC0415 - few settings have it

        page, faults = formulas.shown(page)
    if forms.highlight and "<code" in page:
        from pressync.content.render.code import highlighted  # noqa: PLC0415 - as above

        page = highlighted(page, forms.highlight, previous=previous)
    return page, faults


def _broken_links(document: Document, linked: Linked, placed: Callable[[], str]) -> tuple[Problem, ...]:
    """Give each broken link with its line; for the lines, the body is rendered a second time."""
    from pressync.content.render.links import lines  # noqa: PLC0415

    line_of = list(lines(placed(), document.body))
    first = document.body_line
    problems = (
        Problem(
            document.path, first + line_of[link.index] - 1, link.what, link.todo, warning=True, code=link.code
        )
        for link in linked.broken
    )
    return tuple(dict.fromkeys(problems))  # the same link twice on a line is one problem
