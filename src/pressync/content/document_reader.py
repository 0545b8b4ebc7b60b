"""Reads documents with the settings of one site and the tables of one tree.

It is a module beside `content` because YAML and the code that interprets front matter take 25 ms to load, and
most runs read no file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.content import documents
from pressync.content.documents import Defaults
from pressync.content.front_matter.authors import Authors
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code
from pressync.repo.file_list import EMPTY_BLOB

if TYPE_CHECKING:
    from pressync.config.settings import Settings
    from pressync.content.documents import ParsedFile
    from pressync.content.import_tables import ImportTables
    from pressync.model.records import Source

_TODO = "write its text, bring it back with Git, or remove the file"


class DocumentReader:
    """Reads each file in the same way."""

    def __init__(self, settings: Settings, tables: ImportTables) -> None:
        self.defaults = Defaults(settings.site.defaults)
        self._content = settings.content
        self._folders = bool(settings.folders)
        self._tables = tables
        self._authors = Authors({**tables.users, **settings.authors})
        self._host = urlsplit(settings.site.url or "").netloc.lower()

    def read(self, source: Source, data: bytes) -> ParsedFile:
        """Read the bytes of one file, without rendering them."""
        result = documents.read(
            source,
            data,
            content=self._content,
            defaults=self.defaults,
            authors=self._authors,
            tables=self._tables,
            host=self._host,
        )
        if result.document is None or (data and not data.isspace()) or self._may_be_made(source):
            return result
        empty = Problem(source.path, 0, "the file is empty", _TODO, warning=True, code=Code.NO_TEXT)
        return replace(result, problems=(*result.problems, empty))

    def _may_be_made(self, source: Source) -> bool:
        """Tell whether this may be the page that the settings give to a folder, which has no file."""
        return self._folders and source.blob == EMPTY_BLOB and source.path.endswith("/index.md")
