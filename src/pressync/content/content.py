"""The documents of one tree, rendered with the ids and addresses of the manifest's entries.

The plan needs fingerprints, and the sync later prepares each document again when it sends it. By then the
addresses and ids that were missing may be known.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from pressync.content import folder_pages, front_page, import_tables, sources
from pressync.content.basis import BasisDigest
from pressync.content.exclusion import Exclusion
from pressync.content.kept_pages import KeptPages
from pressync.content.prepared_file import PreparedFile
from pressync.content.references import References
from pressync.content.render.link_targets import Unresolved, safe
from pressync.content.render.renderer import Renderer, desired_fields
from pressync.model.errors import ContentError, Problem
from pressync.model.fingerprint import created_with, fingerprint
from pressync.model.interface import Kind
from pressync.model.problem_codes import Code
from pressync.model.records import CREATED_WITH, Desired, Manifest, Prepared, Source
from pressync.repo.file_list import EMPTY_BLOB

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.config.settings import Settings
    from pressync.content.document_reader import DocumentReader
    from pressync.content.documents import ParsedFile
    from pressync.content.kept_pages import KeptPage
    from pressync.content.render.renderer import Rendered
    from pressync.model.records import Document, Entry, Name
    from pressync.repo.repository import Repository, Tree

    OnRendered = Callable[[Document, Rendered], None]

_NONE: Mapping[Name | str, str] = MappingProxyType({})
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Content:
    """The documents and templates of one tree."""

    def __init__(
        self,
        repository: Repository,
        tree: Tree,
        settings: Settings,
        *,
        strict: bool = False,
        manifest: Manifest | None = None,
        on_rendered: OnRendered | None = None,
    ) -> None:
        """Open a tree; `manifest` has the known names and files, and may get more of them later.

        `on_rendered` is called for each checked document.
        """
        self.repository, self.tree, self.settings, self._strict = repository, tree, settings, strict
        self._on_rendered = on_rendered
        self.exclusion = Exclusion(settings.exclude)
        self.sources: dict[str, str] = {
            path: tree.files[path]
            for path in sources.documents(tree.files, settings.content)
            if not (settings.exclude and self.excludes(path))
        }
        if settings.folders:
            made = folder_pages.added(self.sources, settings.content, settings.site.defaults)
            self.sources |= made
            self.tree = tree = replace(tree, files={**tree.files, **made})
        self.references = References(tree.files, settings, manifest or Manifest(settings.site.target))
        self.tables = import_tables.tables(tree.files, repository.read)
        self._kept = KeptPages()
        self._basis = BasisDigest(settings, self.tables, self._digest_of)

    def excludes(self, path: str) -> bool:
        """Tell whether the settings leave a file of the content folder out."""
        inner = sources.below(path, self.settings.content)
        return bool(inner) and self.exclusion.leaves_out(inner)

    @cached_property
    def renderer(self) -> Renderer:
        """The renderer with the templates of the tree, which are read and compiled on first use."""
        return Renderer.of_files(self.tree.files, self.repository.read, self.settings)

    def _digest_of(self, layout: str) -> str:
        return self.renderer.digest(layout)

    @cached_property
    def reader(self) -> DocumentReader:
        """It reads the files of the tree."""
        from pressync.content.document_reader import DocumentReader  # noqa: PLC0415 - few runs read a file

        return DocumentReader(self.settings, self.tables)

    def parse(self, path: str, data: bytes | None = None) -> ParsedFile:
        """Read one document without rendering it; `data` is as for `read`."""
        source = Source(path, self.sources[path] if data is None else "")
        self.repository.begin_work(source.blob.removeprefix(EMPTY_BLOB))
        return self.reader.read(source, self.repository.read(source.blob) if data is None else data)

    def read(
        self,
        path: str,
        entries: Mapping[str, Entry],
        data: bytes | None = None,
        *,
        check: bool = True,
        renamed: Mapping[str, str] = _NOTHING,
    ) -> PreparedFile:
        """Read, render and check one document with the given entries; all problems are reported at once.

        `data` is its content, if that is not in the tree. Without `check`, text that only looks wrong passes.
        The problem of a broken link names the new path that `renamed` has for a file.
        """
        from pressync.content.checks import one_document  # noqa: PLC0415 - as in `parse`

        reading = self._kept.reading(path, self.parse, keep=check) if data is None else self.parse(path, data)
        problems = [*self.tables.problems, *reading.problems]
        document = reading.document
        if document is None:
            return PreparedFile(None, tuple(problems), reading.left_out)
        parent_path, parent_problem = self.parent(document)
        if parent_problem:
            problems.append(parent_problem)
        addresses: dict[str, str | Unresolved] = {}
        rendered = self.renderer.render(
            document,
            resolve=lambda target: addresses.setdefault(target, self._resolve(target, entries)),
            uploadable=self.references.accepts,
            renamed=renamed,
        )
        if check:
            self._tell(document, rendered)
            problems += one_document.problems(document, rendered)
        problems += rendered.problems
        problems += (*self.references.problems(document), *front_page.problems(document, self.settings))
        if self._strict:
            problems = [replace(problem, warning=False) for problem in problems]
        if any(not problem.warning for problem in problems):
            return PreparedFile(None, tuple(problems))
        content = self.references.with_ids(rendered.content, addresses, entries.get(path))
        prepared = self._prepared(document, content, entries, links=rendered.links, parent_path=parent_path)
        return PreparedFile(prepared, tuple(problems), addresses=addresses)

    def _tell(self, document: Document, rendered: Rendered) -> None:
        if self._on_rendered:
            self._on_rendered(document, rendered)

    def read_for_plan(
        self, path: str, entries: Mapping[str, Entry], renamed: Mapping[str, str]
    ) -> PreparedFile:
        """Read a document as `read` does, and keep it for the next plan and for the sync that sends it.

        If a plan has read it before, the document has no body.
        """
        if self._on_rendered:
            return self.read(path, entries, renamed=renamed)
        if again := self._again(self._kept.prepared(path), entries):
            return PreparedFile(again, ())
        read = self.read(path, entries, renamed=renamed)
        if read.prepared and not read.problems:
            self._kept.keep_prepared(read.prepared, read.addresses)
        return read

    def _again(self, kept: KeptPage | None, entries: Mapping[str, Entry]) -> Prepared | None:
        """Give a kept page with the ids of these entries; None if it must be read again."""
        if kept is None or not kept.holds(lambda target: self._resolve(target, entries)):
            return None
        document, desired, content = kept.document, kept.desired, kept.content
        digests = {name: digest for name, digest in desired.fingerprints.items() if name != "parent"}
        above, links = desired.parent_path, desired.links
        return self._prepared(document, content, entries, links=links, parent_path=above, known=digests)

    def prepare(
        self,
        path: str,
        entries: Mapping[str, Entry],
        refused: Mapping[Name | str, str] = _NONE,
        data: bytes | None = None,
    ) -> Prepared:
        """Read a document again, to send it; the plan has read it before.

        `refused` says why a name or a file (by path) has no id yet; `data` is as for `read`.

        :raises ContentError: a name or a file in it has no id, or it can no longer be read, which is
            possible only if a template has changed.
        """
        prepared = self._again(self._kept.take_prepared(path), entries) if data is None else None
        if prepared is None:
            read = self.read(path, entries, data, check=False)
            if read.prepared is None:
                raise ContentError(read.errors)
            prepared = read.prepared
        missing = self.references.missing(prepared.desired, refused)
        if missing:
            raise ContentError(missing)
        return prepared

    def date(self, path: str, entries: Mapping[str, Entry]) -> str:
        """Give the date of a document as `Desired` has it; "" if it names none or cannot be read."""
        read = self.read(path, entries).prepared if path in self.sources else None
        return read.desired.date if read else ""

    def laid_out(self, document: Document, entries: Mapping[str, Entry]) -> str:
        """Render a document's body without its template, with the source lines of each block."""
        return self.renderer.laid_out(
            document,
            resolve=lambda target: self._resolve(target, entries),
            uploadable=self.references.accepts,
        )

    def parent(self, document: Document) -> tuple[str | None, Problem | None]:
        """Find the path of a document's parent; a parent in front matter wins over the folder's."""
        if document.kind is Kind.POST or isinstance(document.parent, int):
            return None, None
        if document.parent is None:
            return sources.folder_parent(document.path, self.sources, self.settings.content), None
        found = sources.named_by(document.path, document.parent, self.sources, self.settings.content)
        if found is not None:
            return found, None
        what = f"its parent '{document.parent}' is not a document here"
        todo = "name a page by its path, or by its id on the site"
        return None, Problem(document.path, document.parent_line, what, todo, code=Code.MISSING_PARENT)

    def folder_parent(self, path: str) -> str | None:
        """Find the parent by the folders, for a page whose front matter names none."""
        return sources.folder_parent(path, self.sources, self.settings.content)

    def basis(
        self, layout: str, parent_path: str | None, links: tuple[str, ...], entries: Mapping[str, Entry]
    ) -> str:
        """Digest everything beside the file itself that its fields depend on."""
        parent = entries.get(parent_path) if parent_path else None
        addresses = ((target, self._resolve(target, entries)) for target in links)
        return self._basis.of(layout, parent.id if parent else 0, addresses)

    def _resolve(self, target: str, entries: Mapping[str, Entry]) -> str | Unresolved:
        if target in self.sources:
            entry = entries.get(target)
            return safe(entry.link) if entry else Unresolved.UNKNOWN
        return self.references.address(target)

    def _parent_id(
        self, document: Document, parent_path: str | None, entries: Mapping[str, Entry]
    ) -> int | None:
        if isinstance(document.parent, int):
            return document.parent
        if parent_path is None:
            return None
        parent = entries.get(parent_path)
        return parent.id if parent else 0

    def _prepared(
        self,
        document: Document,
        content: str,
        entries: Mapping[str, Entry],
        *,
        links: tuple[str, ...],
        parent_path: str | None,
        known: Mapping[str, str] = _NOTHING,
    ) -> Prepared:
        """Make the fields to send, and their fingerprints as far as they are not `known`."""
        record = desired_fields(document, content, self._parent_id(document, parent_path, entries))
        fields = {**record, **front_page.fields(document, self.settings)}
        digests = {name: known.get(name) or fingerprint(value) for name, value in fields.items()}
        digests |= self.references.fingerprints(document)
        links = self.references.with_files(document, links)
        if parent_path is not None and parent_path not in entries:
            # The parent gets its id with its create. This fingerprint differs from the fingerprint of any id.
            digests["parent"] = fingerprint(f"the id of {parent_path}")
        layout = self.renderer.layout_of(document)
        desired = Desired(
            path=document.path,
            blob=document.blob,
            kind=document.kind,
            slug=str(fields.get("slug", "")),
            title=str(fields.get("title", "")),
            fingerprints=digests,
            parent_path=parent_path,
            basis=self.basis(layout, parent_path, links, entries),
            layout=layout,
            create_only=created_with(frozenset(CREATED_WITH.keys() - fields.keys())),
            links=links,
            bound_id=document.bound_id,
            protect=document.protect,
            aliases=document.aliases,
            mentions=self.references.supported(document),
            date=f"{fields['date_gmt']}Z" if "date_gmt" in fields else str(fields.get("date", "")),
        )
        return Prepared(document, desired, {**fields, **self.references.ids(document)})
