"""Writes a manifest by copying the text that holds the one before, except for the records that changed. Pure.

To encode 100,000 records takes twenty times as long as to write their bytes, and most runs change a few. The
text is the same as `codec` gives. Rows that somebody wrote in another way stay as they are while their record
stays the same; if such text cannot be rewritten in places, `codec` writes all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING

from pressync.model.errors import ManifestError
from pressync.state.manifest import codec
from pressync.state.manifest.lines import two_lines
from pressync.state.manifest.sorted_rows import SortedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from pressync.model.records import Entry, Manifest

# To find a row takes as long as to encode this many.
_FEW = 16


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The pieces of a new text, and the manifest that it holds."""

    pieces: Iterable[bytes]
    held: Manifest


@dataclass(frozen=True, slots=True)
class HeldText:
    """A manifest and its text in memory; the text is empty if there is none."""

    manifest: Manifest
    text: bytes = b""

    def rewritten(self, known: Manifest, changed: Collection[str] | None) -> HeldText:
        """Write another manifest in place of this one; give this one if nothing changes."""
        new = rewrite(self.manifest, known, changed if self.text else None, self.rows)
        return HeldText(new.held, b"".join(new.pieces)) if new else self

    def rows(self) -> SortedRows:
        """Give the rows of the text.

        :raises ManifestError: it is written in another way.
        """
        return SortedRows(BytesIO(self.text), where="manifest")


def rewrite(
    held: Manifest, known: Manifest, changed: Collection[str] | None, rows: Callable[[], SortedRows]
) -> Rewriting | None:
    """Write `known` in place of `held`, which is the manifest of these rows; None if nothing changes.

    `changed` has all paths at which the two may differ; None says that it is not known.
    """
    if changed is not None and len(changed) * _FEW <= len(held.entries):
        after = {path: known.entries.get(path) for path in sorted(changed)}
        try:
            return _in_places(held, known, after, rows())
        except ManifestError:
            # Somebody has written the text in another way.
            pass
    new = _snapshot(known, dict(known.entries.items()))
    return None if new == _snapshot(held, held.entries) else Rewriting(codec.pieces(new), new)


def _in_places(
    held: Manifest, known: Manifest, after: Mapping[str, Entry | None], rows: SortedRows
) -> Rewriting | None:
    entries, edits = dict(held.entries), []
    for path, entry in after.items():
        before = entries.pop(path, None)
        if entry:
            entries[path] = entry
        if before == entry:
            continue
        begin, end = rows.find(path)
        if rows.entry(begin, end) != before:
            raise ManifestError(f"{path} is not at its place")
        edits.append((begin, end, f",{two_lines(entry)}".encode() if entry else b""))
    head = codec.head(known)
    if not edits and head == rows.head:
        return None
    return Rewriting(chain([head], rows.pieces(edits)), _snapshot(known, entries))


def _snapshot(known: Manifest, entries: Mapping[str, Entry]) -> Manifest:
    """Copy the parts that change during a run."""
    unconfirmed = tuple(sorted(known.unconfirmed, key=lambda create: create.key))
    return replace(
        known, entries=entries, names=dict(known.names), media=dict(known.media), unconfirmed=unconfirmed
    )
