"""Escapes the code in HTML so that WordPress does not change it, and restores exactly the same HTML.

The text that comes back is compared with the text that was sent, so two texts must never be escaped to the
same one. `html.shortcodes` alone would not distinguish `[gallery]` from a character reference that an author
wrote for it.
"""

from __future__ import annotations

import re

from pressync.html.shortcodes import escape_shortcodes

# A text without this has nothing that `unescape` changes.
REFERENCE_START = "&#0"
_REFERENCE = re.compile(rf"{REFERENCE_START}(0*)(91|47);")
_CHARACTERS = {"91": "[", "47": "/"}


def escape(html: str) -> str:
    """Escape the code in a text; `unescape` is the inverse for every text."""
    # A reference that the text has already gets one more zero, which does not change its meaning.
    return escape_shortcodes(_REFERENCE.sub(r"&#00\1\2;", html))


def unescape(html: str) -> str:
    """Restore the HTML that `escape` changed."""
    return _REFERENCE.sub(_one_less, html)


def _one_less(found: re.Match[str]) -> str:
    zeros, number = found.groups()
    return f"&#{zeros}{number};" if zeros else _CHARACTERS[number]
