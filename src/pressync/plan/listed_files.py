"""Compares Git's list of the files of a commit with the records of a manifest, piece by piece.

Both are sorted by the bytes of the path. So nearly all rows are compared as text with what the records let
expect, and only the row that differs is looked at: it is a file that is not a document, or an edited one.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pressync.content import sources
from pressync.repo.file_list import EMPTY_BLOB, regular_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.config.settings import Settings
    from pressync.content.sources import Exclusion
    from pressync.state.manifest.rows import RecordOutline


class ListedFiles:
    """The files of a commit, read from Git's list in pieces; `others` are those that are not documents.

    `edited` gives the blobs of documents that have other bytes than their entries, of which `most` may have.
    """

    def __init__(self, settings: Settings, pieces: Iterator[str], most: int) -> None:
        """Take the text of Git's list in pieces of whole rows, as `file_list.pieces` gives it."""
        self._settings = settings
        self._most = most
        self.edited: dict[str, str] = {}
        self._pieces = pieces
        self._text = ""
        self._at = 0
        self._next: tuple[str, str] | None = None
        # Which folders need a page shows only when all documents are known.
        self._documents: dict[str, str] = {}
        self._made: set[str] = set()
        self.others: dict[str, str] = {}

    def are(self, entries: Sequence[RecordOutline]) -> bool:
        """Tell whether the next documents are those of these entries, and nearly all have the same bytes."""
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
            from pressync.content import sources  # noqa: PLC0415 - few sites have this setting

            content, defaults = self._settings.content, self._settings.site.defaults
            if sources.folder_pages(self._documents, content, defaults).keys() != self._made:
                return False
        return self._next_document() is None

    def _is_next(self, entry: RecordOutline) -> bool:
        found = self._next_document()
        if found == (entry.path, entry.blob):
            self._next = None
            return True
        if self._settings.folders and entry.blob == EMPTY_BLOB and (found is None or found[0] != entry.path):
            # It is the page of a folder that has no file.
            self._made.add(entry.path)
            return True
        # A file in the place of a page that only its folder needed is more than an edit.
        is_of_folder = self._settings.folders and entry.blob == EMPTY_BLOB
        if found and found[0] == entry.path and not is_of_folder and len(self.edited) < self._most:
            self.edited[entry.path] = found[1]
            self._next = None
            return True
        return False

    def _next_document(self) -> tuple[str, str] | None:
        while self._next is None and (self._at < len(self._text) or self._read_on()):
            end = self._text.index("\0", self._at)
            found = regular_file(self._text[self._at : end])
            self._at = end + 1
            if found and self._is_document(found[0]):
                self._next = found
            elif found:
                self.others[found[0]] = found[1]
        return self._next

    def _is_document(self, path: str) -> bool:
        content = self._settings.content
        if not any(sources.documents([path], content)):
            return False
        inner = sources.below(path, content)
        return not (inner and self._settings.exclude and self._exclusion.leaves_out(inner))

    @cached_property
    def _exclusion(self) -> Exclusion:
        from pressync.content.sources import Exclusion  # noqa: PLC0415 - few sites have this setting

        return Exclusion(self._settings.exclude)

    def _read_on(self) -> bool:
        more = next(self._pieces, None)
        if more is not None:
            self._text, self._at = self._text[self._at :] + more, 0
        return more is not None
