"""Text from outside -> text that is safe on a terminal and in a log line.

A title or an error page can hold escape sequences that recolour, retitle or rewrite a terminal, direction
marks that make a line read as another, and characters that nobody sees. A GitHub runner obeys what a line of
a job's log begins with. Everything that pressync prints goes through here.
"""

from __future__ import annotations

import re

# C0 but tab and newline, DEL, C1, the line separators, the marks and overrides of direction, lone surrogates.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
# Characters without a width or a shape of their own: two paths that differ in them look the same.
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u2800\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Joiners and variation selectors belong to letters of some scripts, and to emoji; beside others they hide.
_JOINERS = "\u200c\u200d\ufe00-\ufe0f"
_JOINED = "\u0590-\u1cff\u2190-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff"
# A runner obeys `##[` anywhere in a line, and `::` where a line begins with it, behind any blanks.
_COMMANDS = r"(?<=##)\[|(?:(?<=\n)|\A)(?P<blanks>[^\S\n]*):(?=:)"
_UNSAFE = re.compile(f"[{_CONTROLS}{_INVISIBLE}]|(?<![{_JOINED}])[{_JOINERS}]|{_COMMANDS}")


def printable(text: str) -> str:
    """Write every unsafe character as an escape that can be read; newlines and tabs stay."""
    # Escapes are those of JSON, so that a document that went through here says the same to a program.
    return _UNSAFE.sub(_escaped, text)


def one_line(text: str) -> str:
    """Do the same on one line: newlines and tabs become blanks."""
    return printable(re.sub(r"[\n\t]+", " ", text))


def _escaped(found: re.Match[str]) -> str:
    blanks = found["blanks"] or ""
    units = found[0].removeprefix(blanks).encode("utf-16-be", "surrogatepass")
    pairs = (units[start : start + 2] for start in range(0, len(units), 2))
    return printable(blanks) + "".join(f"\\u{pair.hex()}" for pair in pairs)
