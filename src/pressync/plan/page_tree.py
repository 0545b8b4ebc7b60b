"""Finds the page above a record, whether its file names the parent by a path, by a folder or by an id.

Where a file names its parent by an id, the manifest has only the fingerprint of that id. So the page is found
by the fingerprint of its own id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.fingerprint import fingerprint, may_be
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.model.changes import Delete
    from pressync.model.records import Desired, Entry


class PagesAbove:
    """The pages that may be above other records."""

    def __init__(self, pages: Iterable[Entry | Delete]) -> None:
        self._paths = {fingerprint(page.id): page.path for page in pages if page.kind is Kind.PAGE}

    def parent(self, record: Entry | Desired) -> str | None:
        """Give the path of a record's parent; a parent that is named by its id must be one of the pages."""
        if record.parent_path is not None:
            return record.parent_path
        held = may_be(record.fingerprints.get("parent", "")) or ()
        return next((self._paths[digest] for digest in held if digest in self._paths), None)
