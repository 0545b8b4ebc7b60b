"""Writes a title, which is plain text for people and HTML for WordPress, and the id of a heading. Pure."""

from __future__ import annotations

import html
import html.entities
import re

_ENTITY = re.compile(r"&(#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
# The beginning of a tag or a comment, as a browser reads it; `<3` is neither.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_MISREAD = re.compile(rf"&(?={_ENTITY.pattern[1:]})")


def escape_title(text: str) -> str:
    """Make the title to send for this text; `unescape_title` is the inverse."""
    return _TAG.sub("&lt;", _MISREAD.sub("&amp;", text))


def unescape_title(title: str) -> str:
    """Give the text that a browser shows for a title."""
    return _ENTITY.sub(_character_of, title)


def heading_id(text: str) -> str:
    """Give the id that the renderer makes of a heading's text; a second one also gets a number."""
    return re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")


def _character_of(entity: re.Match[str]) -> str:
    name = entity[1]
    if name.startswith("#"):
        return html.unescape(entity[0])
    return html.entities.html5.get(f"{name};", entity[0])
