"""The documents of one tree, rendered with the ids and addresses of the manifest's entries.

The plan needs fingerprints, and the sync later prepares each document again when it sends it. By then the
addresses and ids that were missing may be known. All problems of a file are reported at once.
"""

from __future__ import annotations

import dataclasses
import os
import posixpath
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pressync.client.dialects import capabilities_of
from pressync.content import rules, sources
from pressync.content.basis import BARE, BasisDigest
from pressync.content.read_files import KeptFiles, LeftOutDocuments, ReadFile
from pressync.content.references import References
from pressync.content.render.diagrams import blob_of, is_here
from pressync.content.render.links import Unresolved, safe
from pressync.content.render.renderer import Rendered, Renderer
from pressync.content.rules import NO_CHANGE, NO_RULES, AppliedRules, Rule
from pressync.content.sent_form import SentForm, sent_form
from pressync.content.sources import Exclusion, FolderReadmes
from pressync.content.vault import is_name
from pressync.model.bounds import FileTooLarge
from pressync.model.errors import Code, ContentError, PressyncError, Problem
from pressync.model.fingerprint import created_with, fingerprint, fingerprints, with_line_feeds
from pressync.model.records import CREATED_WITH, Desired, Manifest, Prepared, Source
from pressync.model.visibility import FRONT_PAGE
from pressync.repo.discover import EMPTY_BLOB

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping

    from pressync.config.settings import Settings
    from pressync.content.documents import DocumentReader
    from pressync.model.changes import Change
    from pressync.model.records import Document, Entry, Name, NoUser, Value
    from pressync.repo.repository import Repository, Tree

    OnRendered = Callable[[Document, Rendered], None]

_NONE: Mapping[Any, str] = MappingProxyType({})


class Content:
    """The documents and templates of one tree."""

    def __init__(
        self,
        repository: Repository,
        tree: Tree,
        settings: Settings,
        *,
        strict: bool = False,
        renew: bool = False,
        manifest: Manifest | None = None,
        on_rendered: OnRendered | None = None,
        refuses_drawing: Callable[[], str] = lambda: "the command `mermaid` is not run here",
    ) -> None:
        """Open a tree; `manifest` has the known names and files, and may get more of them later.

        `on_rendered` is called for each checked document. `refuses_drawing` says why the command that draws
        diagrams may not run; "" if it may. With `renew`, no page keeps the form of a former
        version.
        """
        self.repository, self.tree, self.settings, self._strict = repository, tree, settings, strict
        self.renew = renew
        self._on_rendered = on_rendered
        self.refuses_drawing = refuses_drawing
        self.exclusion = Exclusion(left_out := settings.left_out)
        self.sources: dict[str, str] = {
            path: tree.files[path]
            for path in sources.documents(tree.files, settings.content)
            if not (left_out and self.excludes(path))
        }
        if settings.folders:
            had = _made(manifest)
            made = sources.folder_pages(
                self.sources, settings.content, settings.site.defaults, settings.types, had
            )
            self.sources |= made
            self.tree = tree = replace(tree, files={**tree.files, **made})
        self.references = References(tree.files, settings, manifest or Manifest(settings.site.target))
        self._kept = KeptFiles(keeps=on_rendered is None)
        self._left_out = LeftOutDocuments(settings)
        # The slug of each README by the rules of today, and by the former ones.
        self._slugs: dict[str, tuple[str, ...]] = {}
        # The renderer is made on first use.
        self._basis = BasisDigest(settings, lambda layout: self.renderer.digest(layout))  # noqa: PLW0108

    def excludes(self, path: str) -> bool:
        """Tell whether the settings leave a file of the content folder out."""
        inner = sources.below(path, self.settings.content)
        return bool(inner) and self.exclusion.leaves_out(inner)

    @cached_property
    def renderer(self) -> Renderer:
        """The renderer with the templates of the tree, which are read and compiled on first use."""
        read = self.repository.read_file
        return Renderer.of_files(self.tree.files, read, self.settings, absent=self._absent)

    def _absent(self, path: str) -> tuple[str, str] | None:
        """Say what is at a path that the tree has not, and what to do; None if nothing is there."""
        above = (path, *sources.folders_of(path))
        # The methods of `Path` raise for a name of thousands of characters.
        root = self.repository.root
        on_disk = (root and os.path.islink(f"{root}/{path}") for path in above)  # noqa: PTH114
        if any(path in self.tree.symlinks for path in above) or any(on_disk):
            return "only a symbolic link leads to", "link to the file itself"
        if not self.tree.submodules.isdisjoint(above):
            return "is in a submodule, whose files the site does not get", "link to its address on the site"
        is_uncommitted = root and os.path.isfile(f"{root}/{path}")  # noqa: PTH113
        return ("is not committed", "add it, and commit it") if is_uncommitted else None

    @cached_property
    def reader(self) -> DocumentReader:
        """It reads the files of the tree."""
        from pressync.content.documents import DocumentReader  # noqa: PLC0415 - few runs read a file

        return DocumentReader(self.settings, readmes=self.readmes)

    @cached_property
    def readmes(self) -> frozenset[str]:
        """The READMEs that are the pages of their folders."""
        return sources.readmes(self.sources)

    def parse(self, path: str, data: bytes | None = None) -> ReadFile:
        """Read one document without rendering it; `data` is as for `read`."""
        source = Source(path, self.sources[path] if data is None else "")
        self._begin_work(source.blob.removeprefix(EMPTY_BLOB))
        data = self._left_out.taken(path) if data is None else data
        try:
            data = self.repository.read_file(path, source.blob) if data is None else data
            read = self.reader.read(source, data)
        except FileTooLarge as error:
            read = ReadFile(None, (Problem(path, 0, error.what, error.todo, code=Code.TOO_LARGE),))
        return self._left_out.noted(source, read)

    def _begin_work(self, blob: str) -> None:
        """Prepare to read many documents; `blob` is the id of one."""
        self.repository.port.begin_work(blob)

    def read(
        self,
        path: str,
        entries: Mapping[str, Entry],
        data: bytes | None = None,
        *,
        check: bool = True,
        renamed: Mapping[str, str] = _NONE,
    ) -> ReadFile:
        """Read, render and check one document with the given entries; all problems are reported at once.

        `data` is its content, if that is not in the tree. Without `check`, text that only looks wrong passes.
        The problem of a broken link names the new path that `renamed` has for a file.
        """
        from pressync.content import document_checks  # noqa: PLC0415 - as in `parse`

        reading = self._kept.reading(path, self.parse, keep=check) if data is None else self.parse(path, data)
        reading, ruled = self._by_rules(reading, entries, data)
        if (document := reading.document) is None:
            return ReadFile(None, reading.problems, reading.left_out)
        problems = [*reading.problems]
        parent_path, parent_problem = self.parent(document, self.folder_readmes(entries))
        if parent_problem:
            problems.append(parent_problem)
        rendered, addresses = self._rendered(document, entries, renamed, check=check)
        problems += (*rendered.problems, *self._undrawn(path, addresses))
        problems += self.references.problems(document)
        problems += document_checks.front_page(document, self.settings)
        if self._strict:
            problems = [problem._replace(warning=False) for problem in problems]
        if any(not problem.warning for problem in problems):
            return ReadFile(None, tuple(problems))
        form = self._in_form(document, rendered.content, addresses, entries.get(path))
        marks = form.mark + rules.marks(ruled.kept) if ruled.kept else form.mark
        prepared = self._prepared(
            document, form, entries, links=rendered.links, parent_path=parent_path, marks=marks
        )
        return ReadFile(document, tuple(problems), prepared=_by(ruled.ruled, prepared), addresses=addresses)

    def _rendered(
        self, document: Document, entries: Mapping[str, Entry], renamed: Mapping[str, str], *, check: bool
    ) -> tuple[Rendered, Mapping[str, str | Unresolved]]:
        """Render a document, and check it; also give the addresses that went into the HTML, by path."""
        from pressync.content import document_checks  # noqa: PLC0415 - as in `parse`

        addresses: dict[str, str | Unresolved] = {}
        rendered = self.renderer.render(
            document,
            resolve=lambda target: addresses.setdefault(target, self._resolve(target, entries)),
            uploadable=self.references.accepts,
            renamed=renamed,
        )
        if check:
            self._tell(document, rendered)
            if problems := tuple(document_checks.problems(document, rendered, self.renderer)):
                rendered = dataclasses.replace(rendered, problems=(*problems, *rendered.problems))
        return rendered, addresses

    def _in_form(
        self, document: Document, body: str, addresses: Mapping[str, str | Unresolved], entry: Entry | None
    ) -> SentForm:
        """Give a body in the form to send."""
        former = partial(
            self.renderer.render,
            document,
            resolve=lambda target: addresses.get(target, Unresolved.MISSING),
            uploadable=self.references.accepts,
            previous=True,
        )
        sent, may_keep, links = None, False, set[str]()
        if entry:
            sent, may_keep = entry.fingerprints.get("content"), entry.blob == document.blob and not self.renew
            links = {*entry.links} - {*self.references.with_files(document, ())}
        return sent_form(self.references, former, body, addresses, sent, links=links, may_keep=may_keep)

    def _by_rules(
        self, reading: ReadFile, entries: Mapping[str, Entry], data: bytes | None
    ) -> tuple[ReadFile, AppliedRules]:
        """Read a document again by the former rules that its record keeps, because its file is that of then.

        A text that is not in the tree is one of then, or such a text with an edit of the site.
        """
        document = reading.document
        entry = entries.get(document.path) if document else None
        if document is None or entry is None or not entry.fingerprints:
            return reading, NO_CHANGE
        now = self._digests(document, self.folder_readmes(entries))
        if rules.agrees(entry, now):
            return reading, NO_CHANGE
        source = Source(document.path, document.blob)
        data = self.repository.read(document.blob) if data is None else data
        before = self.reader.read(source, data, rules.EVERY).document
        was = self._digests(before, ()) if before else now
        if now["parent"] not in entries:
            # Somebody has added that page. No rule has moved this one.
            was = {**was, "parent": now["parent"]}
        shown = rules.shown(entry, now, was)
        # The folder of a README changes as a whole, with that file.
        is_in_place = document.path in self.readmes and document.path not in self.folder_readmes(entries)
        kept = shown if document.blob in {"", entry.blob} else rules.NO_RULES
        kept = kept | {Rule.README} if is_in_place else kept - {Rule.README}
        return self.reader.read(source, data, kept) if kept else reading, AppliedRules(kept, shown - kept)

    def _digests(self, document: Document, readmes: Container[str]) -> rules.Digests:
        """Give the fingerprints of the fields that rules decide; a tag is digested by its name."""
        fields = document.fields
        given = {name: fingerprint(fields[name]) if name in fields else None for name in rules.OF_FILES}
        tags = self.references.fingerprints(document).get("tags", given["tags"])
        return {**given, "tags": tags, "parent": self.parent(document, readmes)[0]}

    def folder_readmes(self, entries: Mapping[str, Entry]) -> Container[str]:
        """Give the READMEs that are the pages of their folders on the site, too."""
        if not self.readmes:
            return ()
        return FolderReadmes(self.readmes, lambda path: self._is_in_place(path, entries))

    def _is_in_place(self, path: str, entries: Mapping[str, Entry]) -> bool:
        """Tell whether the record of a README is still an ordinary page: its file is that of then."""
        entry = entries.get(path)
        if entry is None or entry.blob not in {"", self.sources[path]}:
            return False
        if path not in self._slugs:
            data, source = self.repository.read(self.sources[path]), Source(path, self.sources[path])
            read = (self.reader.read(source, data, former).document for former in (NO_RULES, rules.EVERY))
            self._slugs[path] = tuple(str(document.fields["slug"]) if document else "" for document in read)
        now, before = self._slugs[path]
        if now != before:
            return entry.fingerprints.get("slug") == fingerprint(before)
        # Its front matter names the slug, so the pages beside it show the rule.
        folder = f"{posixpath.dirname(path)}/"
        below = [entry.parent_path for entry in entries.values() if entry.path.startswith(folder)]
        return path not in below and len(below) > 1

    def _undrawn(self, path: str, addresses: Mapping[str, str | Unresolved]) -> Iterator[Problem]:
        """Warn if a document needs the picture of a diagram and the command for it is not here."""
        unmade = [path for path, at in addresses.items() if at is Unresolved.UNKNOWN and blob_of(path)]
        if unmade and not is_here(self.settings.markdown.mermaid):
            fault = "the command `mermaid` is not on this machine, so the picture of a diagram cannot be made"
            todo = "install it, or leave `mermaid` out below `[markdown]`"
            yield Problem(path, 0, fault, todo, warning=True, code=Code.DIAGRAM)

    def _tell(self, document: Document, rendered: Rendered) -> None:
        if self._on_rendered:
            self._on_rendered(document, rendered)

    def read_for_plan(self, path: str, entries: Mapping[str, Entry], renamed: Mapping[str, str]) -> ReadFile:
        """Read a document as `read` does, and keep it for the next plan and for the sync that sends it.

        If a plan has read it before, the document has no body.
        """
        if self._on_rendered:
            return self.read(path, entries, renamed=renamed)
        if again := self._again(self._kept.prepared(path), entries):
            return ReadFile(again.document, prepared=again)
        read = self.read(path, entries, renamed=renamed)
        if read.prepared and not read.problems:
            self._kept.keep_prepared(read.prepared, read.addresses)
        return read

    def _again(self, kept: ReadFile | None, entries: Mapping[str, Entry]) -> Prepared | None:
        """Give a kept page with the ids of these entries; None if its HTML would be another one now."""
        page = kept.prepared if kept else None
        if kept is None or page is None:
            return None
        if any(self._resolve(path, entries) != address for path, address in kept.addresses.items()):
            return None
        content, above = f"{page.fields['content']}", page.desired.parent_path
        links = tuple(sorted({*page.desired.links} - {*page.desired.front_files}))
        digests = {name: digest for name, digest in page.desired.fingerprints.items() if name != "parent"}
        marks = page.desired.basis[BARE:]
        form = SentForm(content, "", digests)
        made = self._prepared(page.document, form, entries, links=links, parent_path=above, marks=marks)
        return _by(page.desired.ruled, made)

    def prepare(
        self,
        path: str,
        entries: Mapping[str, Entry],
        refused: Mapping[Name | str, str | NoUser] = _NONE,
        data: bytes | None = None,
        *,
        fields: Collection[str] | None = None,
    ) -> Prepared:
        """Read a document again, to send it; the plan has read it before.

        `refused` says why a name or a file (by path) does not have an id yet; `data` is as for `read`. The
        call sends these `fields`, or all.

        :raises ContentError: a name or a file in it has no id, or it can no longer be read, which is
            possible only if a template has changed.
        """
        prepared = self._again(self._kept.prepared(path, keep=False), entries) if data is None else None
        if prepared is None:
            read = self.read(path, entries, data, check=False)
            if read.prepared is None:
                raise ContentError(read.errors)
            prepared = read.prepared
        desired = prepared.desired if fields is None else prepared.desired.sending(fields)
        missing = self.references.missing(desired, refused)
        if missing:
            raise ContentError(missing)
        return prepared

    def text(self, path: str, entries: Mapping[str, Entry]) -> str | None:
        """Give the HTML of a document as it would be sent; None if it cannot be rendered."""
        try:
            prepared = self.read(path, entries, check=False).prepared
        except PressyncError:
            return None
        return str(prepared.fields.get("content", "")) if prepared else None

    def date(self, path: str, entries: Mapping[str, Entry]) -> str:
        """Give the date of a document as `Desired` has it; "" if it names none or cannot be read."""
        read = self.read(path, entries).prepared if path in self.sources else None
        return read.desired.date if read else ""

    def laid_out(self, document: Document, entries: Mapping[str, Entry], *, every_link: bool = False) -> str:
        """Render a document's body without its template, with the source lines of each block."""
        return self.renderer.laid_out(
            document,
            resolve=lambda target: self._resolve(target, entries),
            uploadable=self.references.accepts,
            every_link=every_link,
        )

    def parent(self, document: Document, readmes: Container[str]) -> tuple[str | None, Problem | None]:
        """Find the path of a document's parent; a parent in front matter wins over the folder's."""
        if not document.kind.row.hierarchical or isinstance(document.parent, int):
            return None, None
        if document.parent is None:
            return self.folder_parent(document.path, readmes), None
        content, types = self.settings.content, self.settings.types
        parent = sources.named_by(document.path, document.parent, self.sources, content, types)
        if parent is not None:
            return parent, None
        problem = f"its parent '{document.parent}' is not a document here"
        todo = "name a page by its path, or by its id on the site"
        itself = {document.path: document.path}
        if sources.named_by("", document.parent, itself, content, types):
            problem, todo = "it names itself as its parent", "name another page, or leave `parent:` out"
        return None, Problem(document.path, document.parent_line, problem, todo, code=Code.MISSING_PARENT)

    def folder_parent(self, path: str, readmes: Container[str]) -> str | None:
        """Find the parent by the folders, for a page whose front matter names none."""
        content, types = self.settings.content, self.settings.types
        return sources.folder_parent(path, self.sources, content, types, readmes)

    def links_to_aliases(self, changes: Iterable[Change]) -> frozenset[str]:
        """Give the links of a vault that may mean a document of these changes by one of its aliases."""
        vault = self.renderer.vault if self.settings.markdown.dialect else None
        return frozenset(link for change in changes if vault for link in vault.links_to_aliases(change.path))

    def basis(
        self, layout: str, parent_path: str | None, links: tuple[str, ...], entries: Mapping[str, Entry]
    ) -> str:
        """Digest everything beside the file itself that its fields depend on."""
        parent = entries.get(parent_path) if parent_path else None
        addresses = ((target, self._resolve(target, entries)) for target in links)
        return self._basis.of(layout, parent.id if parent else 0, addresses)

    def _resolve(self, target: str, entries: Mapping[str, Entry]) -> str | Unresolved:
        if is_name(target) and self.renderer.vault:
            return self.renderer.vault.digest(target)
        if target in self.sources:
            entry, blob = entries.get(target), self.sources.get(target)
            # A plan of few files knows the blobs of these alone. The other files did not change.
            if blob and (entry is None or entry.blob != blob) and self._leaves_itself_out(target):
                return Unresolved.NOT_A_DOCUMENT
            return safe(entry.link) if entry else Unresolved.UNKNOWN
        return self.references.address(target)

    def _leaves_itself_out(self, path: str) -> bool:
        """Tell whether the front matter of a document keeps it off the site: links to it would be dead."""
        if (is_left_out := self._left_out.known.get(path)) is not None:
            return is_left_out
        return self._left_out.has(Source(path, self.sources[path]), self.repository.read_file, self.parse)

    def _prepared(
        self,
        document: Document,
        form: SentForm,
        entries: Mapping[str, Entry],
        *,
        links: tuple[str, ...],
        parent_path: str | None,
        marks: str = "",
    ) -> Prepared:
        """Make the fields to send, and their fingerprints as far as the form does not have them."""
        fields = {**document.fields, "content": form.content}
        fields = {name: with_line_feeds(value) for name, value in fields.items()}
        fields |= _parent(document, parent_path, entries)
        front = sources.wants_front_page(document, self.settings)
        if front is not None and capabilities_of(self.settings.site.dialect).front_page:
            fields[FRONT_PAGE] = front
        digests = {name: form.fingerprints.get(name) or fingerprint(value) for name, value in fields.items()}
        digests |= self.references.fingerprints(document)
        shown, links = links, self.references.with_files(document, links)
        if parent_path is not None and parent_path not in entries:
            # The parent gets its id with its create. This fingerprint differs from the fingerprint of any id.
            digests["parent"] = fingerprint(f"the id of {parent_path}")
        layout, ids = self.renderer.layouts.of(document), self.references.ids(document)
        desired = Desired(
            path=document.path,
            blob=document.blob,
            kind=document.kind,
            slug=str(fields.get("slug", "")),
            title=str(fields.get("title", "")),
            fingerprints=digests,
            parent_path=parent_path,
            basis=self.basis(layout, parent_path, links, entries) + marks,
            layout=layout,
            create_only=created_with(frozenset(CREATED_WITH.keys() - fields.keys())),
            links=links,
            front_files=() if links is shown else tuple(sorted({*links} - {*shown})),
            bound_id=document.bound_id,
            protect=document.protect,
            aliases=document.aliases,
            mentions=self.references.supported(document),
            date=f"{fields['date_gmt']}Z" if "date_gmt" in fields else str(fields.get("date", "")),
            by_id=fingerprints(ids),
        )
        return Prepared(document, desired, {**fields, **ids})


def _parent(document: Document, parent_path: str | None, entries: Mapping[str, Entry]) -> dict[str, Value]:
    """Give the id of the parent, 0 for one that has no record yet; nothing for a record without a parent."""
    if parent_path is not None:
        return {"parent": entries[parent_path].id if parent_path in entries else 0}
    if document.kind.row.hierarchical and isinstance(document.parent, int):
        return {"parent": document.parent}
    return {}


def _made(manifest: Manifest | None) -> set[str]:
    """Give the pages that folders without a page have on the site."""
    entries = manifest.entries.items() if manifest else ()
    return {path for path, entry in entries if entry.blob == EMPTY_BLOB and path.endswith("/index.md")}


def _by(ruled: frozenset[str], prepared: Prepared) -> Prepared:
    """Note the rules that change the record now."""
    return replace(prepared, desired=replace(prepared.desired, ruled=ruled)) if ruled else prepared
