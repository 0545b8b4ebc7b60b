"""Which templates there are: the one that a document uses, and the sources that go into a page of it.

It must not know Markdown or files, and loads no Jinja2. What decided its shape: these questions are asked in
every run, and Jinja2 takes longer to load than Git takes to compare two trees, so what a template pulls in
is read off its text wherever the text says it plainly.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.records import Document

_DEFAULT = "default.html"

# The four tags that name another template, and after it what can follow a plain name, which is all of it.
# In a comment or a raw block they mean nothing: then the digest counts a source too many, which costs a
# reading of the pages when that changes, and nothing else.
_REFERENCE = re.compile(
    r"""\{%[-+]?\s*(?:extends|include|import|from)\b\s*
    (?: (?P<quote>["'])(?P<name>[^"'\\]*)(?P=quote)
        \s*(?:[-+]?%\}|import\b|as\b|ignore\s+missing\b|with(?:out)?\s+context\b) )?""",
    re.VERBOSE,
)


class Layouts:
    """The templates of one repository, by name."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = dict(sources)

    def of(self, document: Document) -> str:
        """Name the template that a document uses; "" for none: the body as it is.

        `layout:` names one, with `.html` understood, and an empty one says none. Where front matter
        names none, it is the kind's own template, or else the default one, if they are there.
        """
        if document.layout is None:
            own = f"{document.kind.value}.html"
            return next((name for name in (own, _DEFAULT) if name in self._sources), "")
        if not document.layout or posixpath.splitext(document.layout)[1]:
            return document.layout
        return f"{document.layout}.html"

    def unasked(self) -> list[str]:
        """List the templates that are there to be used by documents that name none."""
        names = [f"{kind.value}.html" for kind in Kind]
        return [name for name in (*names, _DEFAULT) if name in self._sources]

    def sources_of(self, layout: str) -> dict[str, str]:
        """Gather the source of a template and of all that it can pull in, by name.

        All templates are given where the names are computed or cannot be read.
        """
        found: dict[str, str] = {}
        waiting = [layout]
        while waiting:
            name = waiting.pop()
            if name in found or name not in self._sources:
                continue
            found[name] = self._sources[name]
            named = _named(found[name])
            if named is None:
                return self._sources
            waiting += named
        return found


def _named(source: str) -> list[str] | None:
    """Name the templates that a source pulls in; None where nobody can tell before it is filled."""
    named = [reference["name"] for reference in _REFERENCE.finditer(source)]
    if None not in named:
        return named
    from pressync.content.render.templates import references  # noqa: PLC0415 - only what is not said plainly

    return references(source)
