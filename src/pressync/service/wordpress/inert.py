"""HTML whose code WordPress shows as it is written, and back again. Pure.

It must not know blocks or records. What decided its shape: when WordPress shows a text it looks for
shortcodes and for addresses on lines of their own everywhere, in code too, so that `[gallery]` in an example
becomes a gallery. One character of each is written as a reference, which every browser shows as that
character. It has a zero in front (`&#091;`), as WordPress's own filter for users who may not write all HTML
spells it: so it stays through that filter, and no renderer of ours writes it.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"(<[^<>]*>)")
_CODE = re.compile(r"<(/?)(code|pre)\b", re.IGNORECASE)

# What begins a shortcode. A name of one letter is an index (`a[i]`) far more often.
_SHORTCODE = re.compile(r"\[(?=/?[A-Za-z_][\w:.-]+(?:[\s\]/]|$))")
# An address on a line of its own, as WordPress looks for one to show a player in its place.
_LONE_ADDRESS = re.compile(r'^([^\S\n]*https?:/)/(?=[^\s<>"]+[^\S\n]*$)', re.MULTILINE)

_REFERENCE = re.compile(r"&#0(0*)(91|47);")
_CHARACTERS = {"91": "[", "47": "/"}


def inert(html: str) -> str:
    """Write code so that WordPress leaves it alone; `restored` is the inverse, for every text."""
    # A reference that the text has already gets one more zero, and means the same.
    parts = _TAG.split(_REFERENCE.sub(r"&#00\1\2;", html))
    element = ""
    for number, part in enumerate(parts):
        is_tag = number % 2 == 1
        if element and not is_tag:
            parts[number] = _LONE_ADDRESS.sub(r"\1&#047;", _SHORTCODE.sub("&#091;", part))
        elif is_tag and (found := _CODE.match(part)):
            is_end, name = bool(found[1]), found[2].lower()
            if not element and not is_end:
                element = name
            elif element == name and is_end:
                element = ""
    return "".join(parts)


def restored(html: str) -> str:
    """Give the HTML that `inert` made this of."""
    return _REFERENCE.sub(_one_less, html)


def _one_less(found: re.Match[str]) -> str:
    zeros, number = found.groups()
    return f"&#{zeros}{number};" if zeros else _CHARACTERS[number]
