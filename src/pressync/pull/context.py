"""The context in which a document is read and written: names for ids and paths for addresses.

Both come from the manifest. One id is a path in one file, a name in the next, and a number where this
repository has no name for it.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.interface import Kind
from pressync.pull.fields import IdNames
from pressync.pull.links import link_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.content.content import Content
    from pressync.model.records import Entry, Manifest, Medium


@dataclass(frozen=True, slots=True)
class PullContext:
    """The tree's content, the manifest's entries, and the names and links for one document."""

    content: Content
    entries: Mapping[str, Entry]
    names: IdNames
    link: Callable[[str], str]


class PullContexts:
    """Makes the context of each document from one tree and the manifest of one site."""

    def __init__(self, content: Content, entries: Mapping[str, Entry], manifest: Manifest) -> None:
        self._content = content
        self._entries = entries
        # A link to a file that is no longer in the tree would be broken.
        self._pages = {path: entry for path, entry in entries.items() if path in content.sources}
        self._media = [medium for medium in manifest.media.values() if self._has(medium)]
        self._names = {(name.field, number): name.text for name, number in manifest.names.items()}
        self._paths = {medium.link: medium.path for medium in self._media}
        self._paths |= {entry.link: path for path, entry in self._pages.items() if entry.link}

    def for_document(self, path: str) -> PullContext:
        """Make the context of the document at a path."""
        folder = posixpath.dirname(path) or "."
        names = IdNames(
            pages={entry.id: page for page, entry in self._pages.items() if entry.kind is Kind.PAGE},
            names=self._names,
            files={medium.id: posixpath.relpath(medium.path, folder) for medium in self._media},
        )
        return PullContext(self._content, self._entries, names, link_writer(path, self._paths))

    def _has(self, medium: Medium) -> bool:
        return self._content.tree.files.get(medium.path) == medium.blob
