"""Keeps what a plan has read for the sync that sends it, within bounds.

Git, YAML, Markdown and the template take most of the time that a page takes to be sent. The text of a page is
kept once: as HTML if nothing that the HTML depends on is still missing, else as Markdown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.content.render.link_targets import Unresolved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.content.documents import ReadResult
    from pressync.content.render.link_targets import Resolve
    from pressync.model.records import Prepared

# At most this many documents, each of at most this many characters, are kept.
_MOST, _SHORT = 1000, 10_000


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page as the plan prepared it, and the addresses that went into its HTML, by path.

    The document has no body.
    """

    prepared: Prepared
    addresses: Mapping[str, str | Unresolved]

    def holds(self, resolve: Resolve) -> bool:
        """Tell whether its HTML would be the same now."""
        return all(resolve(path) == address for path, address in self.addresses.items())


class KeptPages:
    """The kept documents of one tree, by path: those that were only read, and those that were prepared."""

    def __init__(self) -> None:
        self._read: dict[str, ReadResult] = {}
        self._prepared: dict[str, KeptPage] = {}

    def reading(self, path: str, parse: Callable[[str], ReadResult], *, keep: bool) -> ReadResult:
        """Give a document that was read, or read it now; keep it if there is room, or give it away."""
        reading = self._read.pop(path, None) or parse(path)
        if keep and reading.document and self._has_room(path, reading.document.body):
            self._read[path] = reading
        return reading

    def keep_prepared(self, prepared: Prepared, addresses: Mapping[str, str | Unresolved]) -> None:
        """Keep a prepared page in the place of what was read, unless it has to be rendered again."""
        path = prepared.document.path
        if Unresolved.UNKNOWN not in addresses.values() and self._has_room(
            path, f"{prepared.fields['content']}"
        ):
            self._read.pop(path, None)
            document = replace(prepared.document, body="")
            self._prepared[path] = KeptPage(replace(prepared, document=document), addresses)

    def prepared(self, path: str) -> KeptPage | None:
        """Give a prepared page, and keep it."""
        return self._prepared.get(path)

    def take_prepared(self, path: str) -> KeptPage | None:
        """Give a prepared page away."""
        return self._prepared.pop(path, None)

    def _has_room(self, path: str, text: str) -> bool:
        is_kept = path in self._read or path in self._prepared
        return len(text) <= _SHORT and (is_kept or len(self._read) + len(self._prepared) < _MOST)
