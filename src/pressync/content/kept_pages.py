"""Keeps what a plan has read for the sync that sends it, within bounds.

Git, YAML, Markdown and the template take most of the time that a page takes to be sent. The text of a page is
kept once: as HTML if nothing that the HTML depends on is still missing, else as Markdown. The texts are in a
file, because those of a thousand pages would take more memory than a run has for all of its pages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from pressync.content.kept_texts import KeptTexts
from pressync.content.render.link_targets import Unresolved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.content.documents import ParsedFile
    from pressync.content.kept_texts import TextPlace
    from pressync.content.render.link_targets import Resolve
    from pressync.model.records import Desired, Document, Prepared

# At most this many documents, each of at most this many characters, are kept.
_MOST, _SHORT = 1000, 10_000


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page as the plan prepared it, its HTML, and the addresses that went into the HTML, by path.

    The document has no body.
    """

    document: Document
    desired: Desired
    content: str
    addresses: Mapping[str, str | Unresolved]

    def holds(self, resolve: Resolve) -> bool:
        """Tell whether its HTML would be the same now."""
        return all(resolve(path) == address for path, address in self.addresses.items())


class _Read(NamedTuple):
    """A document that was read, without its body."""

    reading: ParsedFile
    body: TextPlace


class _Rendered(NamedTuple):
    """A page that was prepared, without its HTML."""

    document: Document
    desired: Desired
    addresses: Mapping[str, str | Unresolved]
    content: TextPlace


class KeptPages:
    """The kept documents of one tree, by path: those that were only read, and those that were prepared."""

    def __init__(self) -> None:
        self._texts = KeptTexts()
        # Most documents are prepared as soon as they are read. So the last one is not in the file yet.
        self._last: ParsedFile | None = None
        self._read: dict[str, _Read] = {}
        self._prepared: dict[str, _Rendered] = {}

    def reading(self, path: str, parse: Callable[[str], ParsedFile], *, keep: bool) -> ParsedFile:
        """Give a document that was read, or read it now; keep it if there is room, or give it away."""
        reading = self._held(path, keep=keep) or parse(path)
        if keep and path not in self._read:
            self._last = reading
        return reading

    def _held(self, path: str, *, keep: bool) -> ParsedFile | None:
        last, self._last = self._last, None
        if last and last.document:
            if last.document.path == path:
                return last
            if place := self._kept(last.document.path, last.document.body):
                bare = replace(last.document, body="")
                self._read[bare.path] = _Read(replace(last, document=bare), place)
        held = self._read.get(path) if keep else self._read.pop(path, None)
        body = self._texts.read(held.body) if held else None
        if held is None or held.reading.document is None or body is None:
            return None
        return replace(held.reading, document=replace(held.reading.document, body=body))

    def keep_prepared(self, prepared: Prepared, addresses: Mapping[str, str | Unresolved]) -> None:
        """Keep a prepared page in the place of what was read, unless it has to be rendered again."""
        document = prepared.document
        if Unresolved.UNKNOWN not in addresses.values() and (
            place := self._kept(document.path, f"{prepared.fields['content']}")
        ):
            self._read.pop(document.path, None)
            self._last = None
            bare = replace(document, body="")
            self._prepared[document.path] = _Rendered(bare, prepared.desired, addresses, place)

    def prepared(self, path: str) -> KeptPage | None:
        """Give a prepared page, and keep it."""
        return self._page(self._prepared.get(path))

    def take_prepared(self, path: str) -> KeptPage | None:
        """Give a prepared page away."""
        return self._page(self._prepared.pop(path, None))

    def _page(self, held: _Rendered | None) -> KeptPage | None:
        content = self._texts.read(held.content) if held else None
        if held is None or content is None:
            return None
        return KeptPage(held.document, held.desired, content, held.addresses)

    def _kept(self, path: str, text: str) -> TextPlace | None:
        """Keep a text if there is room."""
        is_kept = path in self._read or path in self._prepared
        has_room = len(text) <= _SHORT and (is_kept or len(self._read) + len(self._prepared) < _MOST)
        return self._texts.keep(text) if has_room else None
