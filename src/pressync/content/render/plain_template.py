"""Fills a template that does nothing but insert values, with the same bytes as Jinja2 gives.

To load Jinja2 and to compile such a template takes a tenth of the work of a check of one edited page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Self

from pressync.model.bounds import MIB, UnreadSource

if TYPE_CHECKING:
    from pressync.model.records import Document

_VALUE = re.compile(r"\{\{\s*(content|title|slug|kind|path)\s*\}\}")
# Jinja2 reads these in the texts beside the values: tags, comments, and line ends, which it makes equal.
_READ = re.compile(r"\{[{%#]|\{\Z|\r")
# Jinja2 limits the tokens of a source and the length of a page. A template with more of them is left to it.
_MOST_VALUES, _LONGEST = 100, MIB


class PlainTemplate(NamedTuple):
    """The texts of a template, and the names of the values between them."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, source: str) -> Self | None:
        """Read a source; None if only Jinja2 can."""
        if isinstance(source, UnreadSource):
            return None
        texts, names = zip(*_pairs(source), strict=True)
        is_plain = len(names) <= _MOST_VALUES and not any(map(_READ.search, texts))
        return cls(texts, names[:-1]) if is_plain else None

    def fill(self, document: Document, body: str) -> str | None:
        """Insert the values of a document and its rendered body; None if only Jinja2 can."""
        values = {"content": body, "kind": str(document.kind), "path": document.path}
        written = [self.texts[0]]
        for name, text in zip(self.names, self.texts[1:], strict=True):
            value = values.get(name, document.fields.get(name, ""))
            if not isinstance(value, str):
                return None
            written += [value if name == "content" else _escaped(value), text]
        page = "".join(written).rstrip()
        if len(page) > _LONGEST:
            return None
        return f"{page}\n" if page else ""


def _pairs(source: str) -> list[tuple[str, str]]:
    """Give each text of a source with the name of the value behind it; "" behind the last one."""
    parts = _VALUE.split(source)
    return list(zip(parts[::2], [*parts[1::2], ""], strict=True))


def _escaped(value: str) -> str:
    from markupsafe import escape  # noqa: PLC0415 - most plain templates insert the content alone

    return str(escape(value))
