"""Text from outside -> text that is safe on a terminal and in a log line.

A title or an error page can hold escape sequences that recolour, retitle or rewrite a terminal, and
direction marks that make a line read as another. Everything that pressync prints goes through here.
"""

from __future__ import annotations

import re

# C0 but tab and newline, DEL, C1, the line separators, the marks and overrides of direction, lone
# surrogates; and the bracket of `##[`, which a GitHub runner obeys anywhere in a line of a job's log.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
    r"|(?<=##)\["
)


def printable(text: str) -> str:
    """Write every unsafe character as an escape that can be read; newlines and tabs stay."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    """Do the same on one line: newlines and tabs become blanks."""
    return printable(re.sub(r"[\n\t]+", " ", text))
