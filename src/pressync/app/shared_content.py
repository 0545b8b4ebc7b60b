"""Reads the documents of one tree for many sites: what no site decides is read and rendered once.

A site decides the addresses in a page, its ids and its fields. The Markdown of a file, its front matter and
its HTML before the links are resolved are the same for all sites whose settings read files alike.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from pressync.content.content import Content
from pressync.content.read_files import KeptFiles, KeptTexts, LeftOutDocuments, ReadFile, TextPlace
from pressync.content.render.renderer import FormedBody, Rendered, Renderer
from pressync.model.bounds import PAGE
from pressync.model.fingerprint import small_digest
from pressync.model.interface import DOCUMENTED_TYPES
from pressync.model.records import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.config.settings import Settings
    from pressync.content.render.links import Unresolved
    from pressync.model.records import Document, Entry
    from pressync.repo.repository import Repository, Tree

# At most this many documents are kept, of about two kilobytes each without their texts.
_MOST = 10_000
# The settings of a site that decide nothing of how files are read. A new one counts until it is named here.
_OF_ONE_SITE: dict[str, Any] = {
    "name": "",
    "url": None,
    "user": None,
    "manifest": "",
    "branch": None,
    "remote": None,
    "password_command": (),
    "allow_http": False,
    "notify": False,
    "approve": False,
}


class SharedContent:
    """Opens the content of the sites of one run, one site after the other."""

    def __init__(self) -> None:
        self._tree = ""
        self._readings: list[tuple[Settings, _Readings]] = []

    def open(self, repository: Repository, tree: Tree, settings: Settings, **options: Any) -> Content:  # noqa: ANN401 - those of `Content`
        """Open a tree as `Content` does; the sites before it have read what is alike."""
        if settings.folders or settings.markdown.dialect:
            # The manifest of a site decides which folders have pages, and a note depends on the other notes.
            return Content(repository, tree, settings, **options)
        return _ContentOfSite(repository, tree, settings, readings=self._of(tree, settings), **options)

    def _of(self, tree: Tree, settings: Settings) -> _Readings:
        if tree.id != self._tree:
            # A sync may have committed the manifest.
            self._tree, self._readings = tree.id, []
        # Without what only the service of one site has to do with. `schema` is the digest of all that `types`
        # and `site_schema` are made of.
        site = settings.site._replace(**_OF_ONE_SITE)
        alike = settings._replace(site=site, sites=(), origins={}, types=DOCUMENTED_TYPES, site_schema=None)
        for key, readings in self._readings:
            if key == alike:
                return readings
        self._readings.append((alike, _Readings(settings)))
        return self._readings[-1][1]


def _digest(document: Document) -> str:
    return small_digest(document.body.encode(errors="surrogatepass"))


class _Readings:
    """Keeps the files and pages of one tree for the sites whose settings read it alike."""

    def __init__(self, settings: Settings) -> None:
        self.files = KeptFiles(most=_MOST, longest=PAGE.most)
        self.left_out = LeftOutDocuments(settings)
        self.renderer: _KeepingRenderer | None = None
        self.texts = KeptTexts()
        self.pages: dict[str, _Page] = {}


class _Page(NamedTuple):
    """A finished page without an address of a site; its document is without the body."""

    document: Document
    digest: str
    place: TextPlace
    links: tuple[str, ...]
    addresses: Mapping[str, str | Unresolved]
    is_checked: bool


class _ContentOfSite(Content):
    """The documents of one site, most of which were read for another."""

    def __init__(self, *arguments: Any, readings: _Readings, **options: Any) -> None:  # noqa: ANN401 - as above
        super().__init__(*arguments, **options)
        self._readings = readings
        self._left_out = readings.left_out

    def parse(self, path: str, data: bytes | None = None) -> ReadFile:
        """Read one document, or give what another site has read."""
        if data is not None:
            return super().parse(path, data)
        held = self._readings.files.read_before(path)
        if held:
            return self._left_out.noted(Source(path, self.sources[path]), held)
        read = super().parse(path)
        if read.document and not read.names_addresses:
            self._readings.files.keep_read(read)
        return read

    def _rendered(
        self, document: Document, entries: Mapping[str, Entry], renamed: Mapping[str, str], *, check: bool
    ) -> tuple[Rendered, Mapping[str, str | Unresolved]]:
        """Render and check a document, or give the page of another site if it has the same addresses."""
        kept = self._readings.pages.get(document.path)
        bare, digest = replace(document, body=""), _digest(document)
        if kept and (kept.document, kept.digest) == (bare, digest) and kept.is_checked >= check:
            is_same = all(self._resolve(path, entries) == there for path, there in kept.addresses.items())
            page = self._readings.texts.read(kept.place) if is_same else None
            if page is not None:
                return Rendered(page, kept.links, ()), kept.addresses
        rendered, addresses = super()._rendered(document, entries, renamed, check=check)
        # Other sites have other addresses.
        is_of_all = not rendered.problems and not any(isinstance(at, str) for at in addresses.values())
        if is_of_all and (place := self._readings.texts.keep(rendered.content)):
            page_ = _Page(bare, digest, place, rendered.links, addresses, is_checked=check)
            self._readings.pages[document.path] = page_
        return rendered, addresses

    @cached_property
    def renderer(self) -> Renderer:
        """The renderer of all these sites, with compiled templates."""
        if self._readings.renderer is None:
            self._readings.renderer = _KeepingRenderer.of_files(
                self.tree.files, self.repository.read_file, self.settings, absent=self._absent
            )
        return self._readings.renderer


class _KeepingRenderer(Renderer):
    """It keeps the HTML of each body before its links are resolved."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - those of `Renderer`
        super().__init__(*arguments, **options)
        self._texts = KeptTexts()
        self._places: dict[tuple[str, bool, bool], tuple[str, TextPlace]] = {}

    def _formed(
        self, document: Document, *, placed: bool = False, former: bool = False, previous: bool = False
    ) -> FormedBody:
        if previous:
            return super()._formed(document, previous=True)
        # A former rule may leave a heading in the body.
        key, digest = (document.path, placed, former), _digest(document)
        kept, place = self._places.get(key, ("", None))
        page = self._texts.read(place) if place and kept == digest else None
        if page is not None:
            return FormedBody(page)
        formed = super()._formed(document, placed=placed, former=former)
        if not formed.faults and (place := self._texts.keep(formed.page)):
            self._places[key] = digest, place
        return formed
