"""HTML whose code WordPress leaves alone: of each shortcode and address one character is a reference. Pure.

It must not know blocks, records or Markdown. What decided its shape: when WordPress shows a text it looks for
shortcodes and for addresses on lines of their own everywhere, in code too, so that `[gallery]` in an example
becomes a gallery. A reference every browser shows as its character. It has a zero in front (`&#091;`), as
WordPress's own filter for users who may not write all HTML spells it: so it stays through that filter, and no
renderer of ours writes it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.html.tokens import RAW

if TYPE_CHECKING:
    from collections.abc import Callable

BRACKET, SLASH = "&#091;", "&#047;"

_MARKUP = re.compile(r"(<!---?>|<!--|-->|<[^<>]*>)")
_ELEMENT = re.compile(r"<(/?)([a-z][^\s/<>]*)", re.IGNORECASE)
_COMMENT, _COMMENT_END = "<!--", "-->"
_CODE = frozenset({"code", "pre"})

# What begins a shortcode, whatever follows its name. One of one letter is an index (`a[i]`) far more often.
_SHORTCODE = re.compile(r"\[(?=/?[A-Za-z_][\w:.-])")
# An address on a line of its own, as WordPress looks for one to show a player in its place.
_LONE_ADDRESS = re.compile(r'^([^\S\n]*https?:/)/(?=[^\s<>"]+[^\S\n]*$)', re.MULTILINE | re.IGNORECASE)
_REFERENCE = re.compile(f"{BRACKET}|{SLASH}")
_CHARACTERS = {BRACKET: "[", SLASH: "/"}


def escape_shortcodes(html: str) -> str:
    """Write the code in this HTML so that WordPress leaves it alone. Linear in its length."""
    return _with_code(html, lambda code: _LONE_ADDRESS.sub(rf"\1{SLASH}", _SHORTCODE.sub(BRACKET, code)))


def unescape_shortcodes(html: str) -> str:
    """Write the characters themselves again, in code; elsewhere somebody else wrote the references."""
    return _with_code(html, lambda code: _REFERENCE.sub(lambda found: _CHARACTERS[found[0]], code))


def _with_code(html: str, write: Callable[[str], str]) -> str:
    """Write each text in code anew. In comments and scripts there is none, whatever it looks like."""
    parts = _MARKUP.split(html)
    element = hidden = ""
    for number, part in enumerate(parts):
        if number % 2 == 0:
            parts[number] = write(part) if element and not hidden else part
            continue
        found = _ELEMENT.match(part)
        is_end, name = (bool(found[1]), found[2].lower()) if found else (False, "")
        if hidden:
            ends = part.endswith(_COMMENT_END) if hidden == _COMMENT else is_end and name == hidden
            hidden = "" if ends else hidden
        elif part == _COMMENT or (RAW.fullmatch(name) and not is_end):
            hidden = name or part
        elif name in _CODE and not element and not is_end:
            element = name
        elif is_end and name == element:
            element = ""
    return "".join(parts)
