"""Keeps the documents of a work tree that were read and rendered, as long as nothing in them can differ.

A preview draws a plan and checks every file after each save. In a tree of thousands of files only the saved
one and those that depend on it may be rendered again, or a person would wait for seconds. The basis of a
document names all that it depends on beside its own file, so it decides here as it decides in a plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from pressync.content.content import Content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.config.settings import Settings
    from pressync.content.content import OnRendered
    from pressync.content.prepared_file import PreparedFile
    from pressync.content.render.renderer import Rendered
    from pressync.model.records import Document, Entry, Manifest
    from pressync.repo.repository import Repository, Tree

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _RememberedFile:
    blob: str
    read: PreparedFile
    rendered: tuple[Document, Rendered] | None


class RememberedDocuments:
    """The documents that were read; `open` opens a tree that knows them."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, bool, bool], _RememberedFile] = {}
        self._files: Mapping[str, str] = {}

    def open(
        self,
        repository: Repository,
        tree: Tree,
        settings: Settings,
        *,
        strict: bool = False,
        manifest: Manifest | None = None,
        on_rendered: OnRendered | None = None,
    ) -> Content:
        """Open a tree, as `Content` does. If more than the texts of documents differs, nothing is known."""
        content = _RememberedContent(
            repository, tree, settings, strict=strict, manifest=manifest, on_rendered=on_rendered
        )
        files = tree.files
        differing = {path for path in self._files.keys() | files if self._files.get(path) != files.get(path)}
        if self._files.keys() != files.keys() or not differing <= content.sources.keys():
            self.forget()
        self._files = files
        content.documents = self
        return content

    def forget(self) -> None:
        """Forget all documents."""
        self.known.clear()


class _RememberedContent(Content):
    documents: RememberedDocuments
    _told: tuple[Document, Rendered] | None = None

    def read(
        self,
        path: str,
        entries: Mapping[str, Entry],
        data: bytes | None = None,
        *,
        check: bool = True,
        renamed: Mapping[str, str] = _NOTHING,
    ) -> PreparedFile:
        # The new names of renamed files change the sentences about broken links.
        if data is not None or renamed:
            return super().read(path, entries, data, check=check, renamed=renamed)
        key = (path, check, bool(entries))
        known = self.documents.known.get(key)
        if known and known.blob == self.sources[path] and self._holds(known.read, entries):
            if known.rendered:
                self._tell(*known.rendered)
            return known.read
        self._told = None
        read = super().read(path, entries, check=check)
        self.documents.known[key] = _RememberedFile(self.sources[path], read, self._told)
        return read

    def _tell(self, document: Document, rendered: Rendered) -> None:
        self._told = document, rendered
        super()._tell(document, rendered)

    def _holds(self, read: PreparedFile, entries: Mapping[str, Entry]) -> bool:
        """Tell whether everything beside the file that a document depends on is as it was."""
        if read.prepared is None:
            return True
        desired = read.prepared.desired
        return desired.basis == self.basis(desired.layout, desired.parent_path, desired.links, entries)
