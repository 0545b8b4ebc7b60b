"""What a document is read and written with: words for ids, paths for addresses, both from the manifest.

It must not know the wire. It exists because the same id is a path in one file, a name in the next and a
number where this repository has no word for it.
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
    """The tree's content, the manifest's entries, and for one document its words and its links."""

    content: Content
    entries: Mapping[str, Entry]
    words: IdNames
    link: Callable[[str], str]


class PullContexts:
    """All that the site has of one tree; gives each document its surroundings."""

    def __init__(self, content: Content, entries: Mapping[str, Entry], site: Manifest) -> None:
        self._content = content
        self._entries = entries
        # What is no longer in the tree cannot be linked to.
        self._pages = {path: entry for path, entry in entries.items() if path in content.sources}
        self._media = [medium for medium in site.media.values() if self._has(medium)]
        self._names = {(name.field, number): name.text for name, number in site.names.items()}
        self._places = {medium.link: medium.path for medium in self._media}
        self._places |= {entry.link: path for path, entry in self._pages.items() if entry.link}

    def of(self, path: str) -> PullContext:
        """Give the surroundings of the document at a path."""
        folder = posixpath.dirname(path) or "."
        words = IdNames(
            pages={entry.id: page for page, entry in self._pages.items() if entry.kind is Kind.PAGE},
            names=self._names,
            files={medium.id: posixpath.relpath(medium.path, folder) for medium in self._media},
        )
        return PullContext(self._content, self._entries, words, link_writer(path, self._places))

    def _has(self, medium: Medium) -> bool:
        return self._content.tree.files.get(medium.path) == medium.blob
