"""Compares the files of a commit with the records of a manifest, where nearly all are the same.

Both lists are sorted by the bytes of the path, so they are read in pieces beside each other. Nearly all rows
of Git's list are compared as text with the expected text, and only a row that differs is looked at. An entry
needs all that makes `Surveyor` keep it unread: its blob, its basis, and no field that is in conflict or
unsure. If one lacks that, there is no answer here, and `plan.build` builds the plan.
"""

from __future__ import annotations

from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING

from pressync.content import basis, sources
from pressync.content.basis import BARE, BasisDigest
from pressync.content.render.layouts import Layouts, sources_below
from pressync.content.sources import Exclusion
from pressync.model.bounds import PAGE, is_path
from pressync.model.fingerprint import is_unsure
from pressync.repo.discover import EMPTY_BLOB, ReadBlob, regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pressync.config.settings import Settings
    from pressync.content.render.links import Unresolved
    from pressync.model.bounds import FileBound
    from pressync.model.interface import Kind
    from pressync.state.manifest.rows import RecordOutline, SortedRows


class ListedFiles:
    """The files of a commit, read from Git's list in pieces; `others` are those that are not documents."""

    def __init__(self, settings: Settings, pieces: Iterator[str]) -> None:
        """Take the text of Git's list in pieces of whole rows, as `discover.pieces` gives it."""
        self._settings = settings
        self._exclusion = Exclusion(settings.left_out)
        self._pieces = pieces
        self._text = ""
        self._at = 0
        self._next: tuple[str, str] | None = None
        # Which folders need a page shows only when all documents are known.
        self._documents: dict[str, str] = {}
        self._made: set[str] = set()
        self.others: dict[str, str] = {}

    def are(self, entries: Sequence[RecordOutline]) -> bool:
        """Tell whether the next documents are those of these entries, with the same bytes."""
        if self._settings.folders:
            self._documents.update({entry.path: entry.blob for entry in entries})
        expected = "".join([f"100644 blob {entry.blob}\t{entry.path}\0" for entry in entries])
        while len(self._text) - self._at < len(expected) and self._read_on():
            pass
        # A made-up entry could contain the end of a row.
        is_whole = expected.count("\0") == len(entries)
        if self._next is None and is_whole and self._text.startswith(expected, self._at):
            self._at += len(expected)
            return True
        return all(map(self._is_next, entries))

    def are_over(self) -> bool:
        """Tell whether no other document follows, and no other folder needs a page."""
        if self._settings.folders:
            for path in self._made:
                del self._documents[path]
            content, defaults = self._settings.content, self._settings.site.defaults
            types, made = self._settings.types, self._made
            if sources.folder_pages(self._documents, content, defaults, types, made).keys() != made:
                return False
        return self._next_document() is None

    def _is_next(self, entry: RecordOutline) -> bool:
        document = self._next_document()
        if document == (entry.path, entry.blob):
            self._next = None
            return True
        if (
            self._settings.folders
            and entry.blob == EMPTY_BLOB
            and (document is None or document[0] != entry.path)
        ):
            # It is the page of a folder that has no file.
            self._made.add(entry.path)
            return True
        return False

    def _next_document(self) -> tuple[str, str] | None:
        while self._next is None and (self._at < len(self._text) or self._read_on()):
            end = self._text.index("\0", self._at)
            file = regular_file(self._text[self._at : end])
            self._at = end + 1
            if file and self._is_document(file[0]):
                self._next = file
            elif file:
                self.others[file[0]] = file[1]
        return self._next

    def _is_document(self, path: str) -> bool:
        content = self._settings.content
        if not any(sources.documents([path], content)):
            return False
        inner = sources.below(path, content)
        return not (inner and self._exclusion.leaves_out(inner))

    def _read_on(self) -> bool:
        more = next(self._pieces, None)
        if more is not None:
            self._text, self._at = self._text[self._at :] + more, 0
        return more is not None


# Most parents are such pages, so their ids are kept while the records go by.
_INDEXES = tuple(f"{stem}.md" for stem in sources.INDEXES)
# One byte is kept for each possible id. A site with higher ids gets its plan built.
_HIGHEST_ID = 1 << 25
_COMMIT, _CONFLICT = attrgetter("commit"), attrgetter("conflict")
_DEPENDENCE = attrgetter("layout", "parent_path", "links", "basis")
_FRONT = attrgetter("fingerprints.front_page")


class _Ids:
    """The ids that records of each kind have, one byte for each possible id."""

    def __init__(self) -> None:
        self._seen: defaultdict[Kind, bytearray] = defaultdict(bytearray)

    def are_new(self, entries: Sequence[RecordOutline]) -> bool:
        """Tell whether no other record had these ids before."""
        highest = max(entry.id for entry in entries)
        if highest > _HIGHEST_ID:
            return False
        for seen in [self._seen[kind] for kind in {entry.kind for entry in entries}]:
            seen.extend(bytes(max(0, highest + 1 - len(seen))))
        for entry in entries:
            seen = self._seen[entry.kind]
            if seen[entry.id]:
                return False
            seen[entry.id] = 1
        return True


class SideBySide:
    """Compares one commit with one manifest.

    `count` and `commits` are the records and their commits, and `former` has path and basis of those that
    keep what a former version made.
    """

    def __init__(
        self, settings: Settings, files: Iterator[str], manifest: SortedRows, read: ReadBlob
    ) -> None:
        """Take Git's list in pieces, the manifest, and the function that reads a blob."""
        self._settings, self._manifest, self._read = settings, manifest, read
        self._files = ListedFiles(settings, files)
        # The blobs of the files that are not documents, by path.
        self.others = self._files.others
        # The ids and addresses of pages that others depend on, by path.
        self._pages: dict[str, tuple[int, str]] = {}
        # Layout, parent, links and basis of the entries. Siblings without links have the same.
        self._dependences: set[tuple[str, str | None, tuple[str, ...], str]] = set()
        self._front_pages = 0
        self.count = 0
        self.former: list[tuple[str, str]] = []
        self.commits: set[str] = set()

    def are_equal(self) -> bool:
        """Tell whether a plan would keep every record unread.

        :raises ManifestError: the manifest cannot be read in pieces.
        :raises RepositoryError: Git cannot list the files, or read a template.
        """
        ids, templates = _Ids(), f"{self._settings.templates}/"
        if not self._is_head_settled():
            return False
        for group in self._manifest.groups():
            entries = self._manifest.outlines(group)
            paths = "/".join([entry.path for entry in entries])
            if not (is_path(paths) and self._are_settled(group, entries) and ids.are_new(entries)):
                return False
            # A template that is also a document is not among the other files, where templates are looked for.
            is_beside = templates in paths and any(entry.path.startswith(templates) for entry in entries)
            if is_beside or not self._files.are(entries):
                return False
            self._note(entries)
        # The plan has a problem for each document but the first that wants to be the front page.
        if not self.count or self._front_pages > 1:
            return False
        return self._files.are_over() and self._are_bases_equal()

    def _is_head_settled(self) -> bool:
        """Tell whether the manifest is of this target, without an unconfirmed create or a rollback."""
        target = self._settings.site.target
        if self._manifest.is_plain(target):
            return True
        from pressync.state.manifest import codec  # noqa: PLC0415 - a plain head needs none of it

        head = codec.decode_head(self._manifest.head, where="", types=self._settings.types)
        return head.target == target and not (head.unconfirmed or head.rolled_back)

    def _are_settled(self, group: bytes, entries: Sequence[RecordOutline]) -> bool:
        """Tell whether no field is in conflict or unsure."""
        if any(map(_CONFLICT, entries)):
            return False
        # An unsure fingerprint shows in the bytes, so in most groups nobody has to look at each one.
        # JSON allows to write it as an escape.
        if b"?" not in group and b"\\" not in group:
            return True
        return not any(
            any(map(is_unsure, entry.fingerprints.values())) for entry in self._manifest.entries(group)
        )

    def _note(self, entries: Sequence[RecordOutline]) -> None:
        self.count += len(entries)
        self.commits.update(map(_COMMIT, entries))
        self._dependences.update(map(_DEPENDENCE, entries))
        self.former += [(entry.path, entry.basis) for entry in entries if len(entry.basis) > BARE]
        self._pages.update({e.path: (e.id, e.link) for e in entries if e.path.endswith(_INDEXES)})
        if fronts := [*filter(None, map(_FRONT, entries))]:
            from pressync.model.visibility import FRONT_PAGE, is_wanted  # noqa: PLC0415 - a site has few

            self._front_pages += sum(is_wanted({FRONT_PAGE: digest}) for digest in fronts)

    def _are_bases_equal(self) -> bool:
        """Tell whether each basis is that of the templates, parents and linked addresses of now."""
        others, pages = self.others, self._pages
        parents = {parent for _, parent, _, _ in self._dependences if parent}
        links = {path for _, _, linked, _ in self._dependences for path in linked}
        if not all(map(is_path, parents)):
            return False
        if missing := (parents | links) - pages.keys() - others.keys():
            pages.update({e.path: (e.id, e.link) for e in self._manifest.outlines_of(missing)})
        resolved = self._addresses(links)
        if resolved is None:
            return False
        digest = BasisDigest(self._settings, self._page_digests())
        for layout, parent, linked, before in self._dependences:
            number, _ = pages.get(parent or "", (0, ""))
            now = digest.of(layout, number, [(path, resolved[path]) for path in linked])
            if before[:BARE] != now:
                return False
        return True

    def _addresses(self, links: set[str]) -> dict[str, str | Unresolved] | None:
        """Give the address of each linked path; None if no page links to one of the uploaded files."""
        if not links and self._manifest.is_plain(self._settings.site.target):
            return {}
        from pressync.content.references import References  # noqa: PLC0415 - it takes 6 ms with the nouns
        from pressync.content.render.links import safe  # noqa: PLC0415 - as above
        from pressync.state.manifest import codec  # noqa: PLC0415 - as above

        head = codec.decode_head(self._manifest.head, where="", types=self._settings.types)
        references, pages = References(self.others, self._settings, head), self._pages
        if references.unused(linked for _, _, linked, _ in self._dependences):
            return None
        resolved = {
            path: safe(pages[path][1]) if path in pages else references.address(path) for path in links
        }
        return resolved | self._names(links)

    def _names(self, links: set[str]) -> dict[str, str]:
        """Give the digest of each name in a vault to which notes link."""
        if not self._settings.markdown.dialect:
            return {}
        from pressync.content.vault import Vault, is_name  # noqa: PLC0415 - few sites have a vault

        rows = self._manifest
        notes = {e.path: e.blob for group in rows.groups() for e in rows.outlines(group)}
        vault = Vault({**self.others, **notes}, self._read_file, self._settings)
        return {link: vault.digest(link) for link in filter(is_name, links)}

    def _read_file(self, _path: str, blob: str, bound: FileBound = PAGE, /) -> bytes:
        return self._read(blob, bound)

    def _page_digests(self) -> Callable[[str], str]:
        settings = self._settings
        layouts = Layouts(sources_below(settings.templates, self.others, self._read_file), settings.types)
        return basis.of_layouts(
            layouts, content=settings.content, blocks=settings.site.blocks, forms=settings.markdown.chosen()
        )
