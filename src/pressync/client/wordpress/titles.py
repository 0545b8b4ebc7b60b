"""Escapes titles and the names of terms, which WordPress considers HTML.

WordPress published the title `<script>` as that element, which broke the page (measured). So the beginnings
of tags and entities are escaped, as the editor does it. Nothing else is escaped: every other title is in the
database as its author wrote it.
"""

from __future__ import annotations

import html.entities
import re

_ENTITY = re.compile(r"&(#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
# The beginning of a tag or a comment, as a browser reads it; `<3` is neither.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_MISREAD = re.compile(rf"&(?={_ENTITY.pattern[1:]})")


def escape(text: str) -> str:
    """Make the title to send for this text; `unescape` is the inverse."""
    return _TAG.sub("&lt;", _MISREAD.sub("&amp;", text))


def unescape(title: str) -> str:
    """Give the text that a browser shows for a title."""
    return _ENTITY.sub(_character, title)


def _character(entity: re.Match[str]) -> str:
    name = entity[1]
    if name.startswith("#"):
        return html.unescape(entity[0])
    return html.entities.html5.get(f"{name};", entity[0])
