"""Makes text from outside safe to print on a terminal and in a log line.

A title or an error page can hold escape sequences that change a terminal, direction marks that make a line
read as another, and invisible characters. A GitHub runner obeys commands in the log of a job. pressync prints
nothing from outside that has not gone through this module.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# C0 without tab and newline, DEL, C1, line separators, direction marks and overrides, lone surrogates.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
# Characters that have no width or shape: two paths that differ only in them look the same.
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u2800\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Joiners and variation selectors belong to letters of some scripts, and to emoji. Elsewhere they are
# invisible.
_JOINERS = "\u200c\u200d\ufe00-\ufe0f"
_JOINED = "\u0590-\u1cff\u2190-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff"
# A runner obeys `##[` anywhere in a line. It obeys `::` at the start of a line, also after blanks.
_COMMANDS = r"(?<=##)\[|(?:(?<=\n)|\A)(?P<blanks>[^\S\n]*):(?=:)"
# It takes 1 ms to compile, and a run with nothing to do prints nothing from outside.
_UNSAFE = f"[{_CONTROLS}{_INVISIBLE}]|(?<![{_JOINED}])[{_JOINERS}]|{_COMMANDS}"


def printable(text: str) -> str:
    """Write every unsafe character as an escape that can be read; newlines and tabs stay."""
    # The escapes are those of JSON, so a JSON document says the same to a program as before.
    return re.sub(_UNSAFE, _escaped, text)


def one_line(text: str) -> str:
    """Write every unsafe character as an escape, and newlines and tabs as blanks."""
    return printable(re.sub(r"[\n\t]+", " ", text))


def _escaped(unsafe: re.Match[str]) -> str:
    blanks = unsafe["blanks"] or ""
    units = unsafe[0].removeprefix(blanks).encode("utf-16-be", "surrogatepass")
    pairs = (units[start : start + 2] for start in range(0, len(units), 2))
    return printable(blanks) + "".join(f"\\u{pair.hex()}" for pair in pairs)


def counted(number: int, word: str, words: str = "") -> str:
    """Give a number with its word: "1 record", "2 records"; `words` are others than the word with an s."""
    return f"{number} {word if number == 1 else words or f'{word}s'}"


def listed(things: Sequence[str], most: int = 3) -> str:
    """Name the first few, and count the others."""
    more = f" and {len(things) - most} more" if len(things) > most else ""
    return ", ".join(things[:most]) + more


def shortened(text: str, most: int) -> str:
    """Cut a text that has more characters than `most`; an ellipsis shows where."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
