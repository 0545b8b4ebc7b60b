"""HTML whose code WordPress leaves alone, and the very same HTML back again. Pure.

It must not know blocks or records. What decided its shape: what comes back is compared with what was sent,
so no two texts may become one. `markup.code` alone would make `[gallery]` and a reference that an author
wrote the same.
"""

from __future__ import annotations

import re

from pressync.html.shortcodes import guarded

_REFERENCE = re.compile(r"&#0(0*)(91|47);")
_CHARACTERS = {"91": "[", "47": "/"}


def escape(html: str) -> str:
    """Write code so that WordPress leaves it alone; `restored` is the inverse, for every text."""
    # A reference that the text has already gets one more zero, and means the same.
    return guarded(_REFERENCE.sub(r"&#00\1\2;", html))


def unescape(html: str) -> str:
    """Give the HTML that `inert` made this of."""
    return _REFERENCE.sub(_one_less, html)


def _one_less(found: re.Match[str]) -> str:
    zeros, number = found.groups()
    return f"&#{zeros}{number};" if zeros else _CHARACTERS[number]
