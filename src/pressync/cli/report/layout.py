"""Colour, columns and paragraphs of text for people.

A terminal shows letters of East Asian scripts two columns wide and accents not at all, so a text is measured
as a terminal shows it. The caller gives the width of the terminal. Without one nothing is broken into lines,
because a pipe and a log want one line for one thing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

GREEN, YELLOW, RED, DIM, BOLD = "32", "33", "31", "2", "1"
# One very long path must not push the next columns of all rows off the screen.
_WIDEST = 60
# A report goes on below the path of a change.
_INDENT = 4
# A word, or a command between backquotes with what follows it: people copy a command, so it stays whole.
_WORD = re.compile(r"(\s*)((?:`[^`]*`|[^\s`]|`)+)")


# The edits of a file stand behind this mark.
DIFF = "      | "
_PAINT = re.compile(r"\x1b\[\d*m")


def paint(text: str, code: str, *, colour: bool) -> str:
    """Colour a text, if the caller wants colour."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour and text else text


def width(text: str) -> int:
    """Count the columns that a terminal needs for a text; its only control characters are our colours."""
    if "\x1b" in text:
        text = _PAINT.sub("", text)
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write rows of cells as lines with aligned columns, without columns that are empty in all rows."""
    places = range(max(map(len, rows), default=0))
    widest = [max(width(row[place]) for row in rows if place < len(row)) for place in places]
    widths = [min(size, _WIDEST) for size in widest]
    return [
        "  ".join(
            cell + " " * (column - width(cell)) for cell, column in zip(row, widths, strict=False) if column
        ).rstrip()
        for row in rows
    ]


def wrapped(text: str, columns: int | None, indent: int) -> str:
    """Break a line at blanks, so that it fits into the columns; the lines after the first are indented."""
    if columns is None or width(text) <= columns:
        return text
    margin = " " * min(indent, columns // 3)
    lines = [""]
    for gap, word in _WORD.findall(text):
        if lines[-1].strip() and width(lines[-1] + gap + word) > columns:
            lines.append(margin + word)
        else:
            lines[-1] += gap + word
    return "\n".join(lines)


def fitted(report: str, columns: int | None) -> str:
    """Break every line of a report except those of a diff, where the end of a line means something."""
    if columns is None:
        return report
    return "\n".join(
        line if line.startswith(DIFF) else wrapped(line, columns, _INDENT) for line in report.split("\n")
    )


def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
