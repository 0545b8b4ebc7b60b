"""Titles and names of terms as WordPress must be given them: it takes them for HTML.

Pure. It must not know records or calls. What decided its shape: a title that says `<script>` was published
as that element and took the page with it (measured), so what would be a tag or an entity is escaped, as
the editor does it, and nothing else: every other title stays in the database as it was written.
"""

from __future__ import annotations

import html.entities
import re

_ENTITY = re.compile(r"&(#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
# What a browser takes for the beginning of a tag or a comment; `<3` is none.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_MISREAD = re.compile(rf"&(?={_ENTITY.pattern[1:]})")


def escape(text: str) -> str:
    """Give the title to send for this text; `unescape` is its inverse."""
    return _TAG.sub("&lt;", _MISREAD.sub("&amp;", text))


def unescape(title: str) -> str:
    """Give the text that a title is shown as, whoever wrote it."""
    return _ENTITY.sub(_character, title)


def _character(entity: re.Match[str]) -> str:
    name = entity[1]
    if name.startswith("#"):
        return html.unescape(entity[0])
    return html.entities.html5.get(f"{name};", entity[0])
