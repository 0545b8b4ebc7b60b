"""Reads documents with the settings of one site and the tables of one tree.

It is a module beside `content` because YAML and the code that interprets front matter take 25 ms to load, and
most runs read no file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.content import documents
from pressync.content.documents import Defaults
from pressync.content.front_matter.authors import Authors

if TYPE_CHECKING:
    from pressync.config.settings import Settings
    from pressync.content.documents import ReadResult
    from pressync.content.import_tables import ImportTables
    from pressync.model.records import Source


class DocumentReader:
    """Reads each file in the same way."""

    def __init__(self, settings: Settings, tables: ImportTables) -> None:
        self.defaults = Defaults(settings.site.defaults)
        self._content = settings.content
        self._tables = tables
        self._authors = Authors({**tables.users, **settings.authors})
        self._host = urlsplit(settings.site.url or "").netloc.lower()

    def read(self, source: Source, data: bytes) -> ReadResult:
        """Read the bytes of one file, without rendering them."""
        return documents.read(
            source,
            data,
            content=self._content,
            defaults=self.defaults,
            authors=self._authors,
            tables=self._tables,
            host=self._host,
        )
