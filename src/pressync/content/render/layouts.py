"""Finds the template of a document, and the sources of all templates that go into a page.

Every run needs this, and Jinja2 takes longer to load than Git takes to compare two trees. So this module
reads the names of included templates from the source text wherever they are written plainly.
"""

from __future__ import annotations

import posixpath
import re
import sys
from typing import TYPE_CHECKING

from pressync.model.bounds import MIB, TEMPLATE, FileTooLarge, UnreadSource
from pressync.model.errors import Problem
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.records import Document
    from pressync.repo.discover import ReadAtPath

_DEFAULT = "default.html"
# `pages.html` is nearly `page.html`, and `post.html` is not.
_NEAR = 0.85
# All templates of a repository are held in memory, so together they have at most this many characters.
_TOGETHER = 32 * MIB
# A warning names this many templates.
_NAMED = 5

# The four tags that name another template, with everything that can follow a plain name. In a comment or a
# raw block they have no effect. Then the digest covers one source too many, and the only cost is that pages
# are read once more when that source changes.
_REFERENCE = r"""(?x)
    \{%[-+]?\s*(?:extends|include|import|from)\b\s*
    (?: (?P<quote>["'])(?P<name>[^"'\\]*)(?P=quote)
        \s*(?:[-+]?%\}|import\b|as\b|ignore\s+missing\b|with(?:out)?\s+context\b) )?"""


def sources_below(folder: str, files: Mapping[str, str], read: ReadAtPath) -> dict[str, str]:
    """Read the templates among the files of a tree, which are blobs by path."""
    prefix, sources, held = f"{folder}/", dict[str, str](), 0
    for path, blob in files.items():
        if folder and path.startswith(prefix):
            try:
                source = read(path, blob, TEMPLATE).decode(errors="replace")
            except FileTooLarge as error:
                source = UnreadSource(error.what)
            held += len(source)
            if held > _TOGETHER:
                source = UnreadSource(f"with this file the templates have more than {_TOGETHER // MIB} MiB")
            sources[path.removeprefix(prefix)] = source
    return sources


class Layouts:
    """The templates of one repository, by name."""

    def __init__(self, sources: Mapping[str, str], types: SiteTypes = DOCUMENTED_TYPES) -> None:
        self._sources, self._types = dict(sources), types

    def of(self, document: Document) -> str:
        """Name the template that a document asks for; "" if it has none, and the body stays as it is.

        `layout:` names a template, without `.html` if you like; an empty `layout:` means none. Without
        `layout:` it is the template of the kind, else the default template, if they exist.
        """
        if document.layout is None:
            return self._unasked(document)
        if not document.layout or posixpath.splitext(document.layout)[1]:
            return document.layout
        return f"{document.layout}.html"

    def filled(self, document: Document) -> str:
        """Name the template that a document is put into: a layout of another tool does not count."""
        return self._unasked(document) if self.foreign(document) else self.of(document)

    def foreign(self, document: Document) -> Problem | None:
        """Warn of a layout that another tool knows: no template has its name, or nearly its name.

        A layout without a line comes from `pressync.toml`, which only pressync reads.
        """
        if not document.layout_line:
            return None
        wanted = self.of(document)
        if not wanted or wanted in self._sources:
            return None
        import difflib  # noqa: PLC0415 - needed only after a mistake

        if difflib.get_close_matches(wanted, self._sources, 1, _NEAR):
            return None
        from pressync.model.errors import Code  # noqa: PLC0415 - the digest of a page needs no codes

        names = ", ".join(sorted(self._sources)[:_NAMED])
        problem, todo = "its layout belongs to another tool", "it is left out; there are no templates here"
        if names:
            problem = f"there is not a template for its layout '{document.layout}'"
            todo = f"it is left out; the templates are {names}"
        line = document.layout_line
        return Problem(document.path, line, problem, todo, warning=True, code=Code.FOREIGN_VALUE)

    def _unasked(self, document: Document) -> str:
        own = sys.intern(f"{document.kind}.html")
        return next((name for name in (own, _DEFAULT) if name in self._sources), "")

    def defaults(self) -> list[str]:
        """List the existing templates that documents without `layout:` use."""
        names = [f"{kind}.html" for kind in self._types.kinds]
        return [name for name in (*names, _DEFAULT) if name in self._sources]

    def sources_of(self, layout: str) -> dict[str, str]:
        """Give the source of a template and of all templates that it can include, by name.

        If a name is computed or cannot be read, or the template does not exist, all templates are given.
        """
        if layout and layout not in self._sources:
            return self._sources
        sources: dict[str, str] = {}
        waiting = [layout]
        while waiting:
            name = waiting.pop()
            if name in sources or name not in self._sources:
                continue
            sources[name] = self._sources[name]
            named: list[str] | None = [
                reference["name"] for reference in re.finditer(_REFERENCE, sources[name])
            ]
            if named and None in named:
                from pressync.content.render.templates import references  # noqa: PLC0415 - few are not plain

                named = references(sources[name])
            if named is None:
                return self._sources
            waiting += named
        return sources
