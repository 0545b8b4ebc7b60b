"""Turns the attributes of kramdown, like `{: .class}`, into what Markdown has, and names all other syntax.

Attributes stand behind a block, in a line of their own, or behind a link. An id of a heading is the target of
links, so it stays. A class has no meaning on another site. Abbreviations, formulas and the emoji codes of a
plugin have no form in Markdown, so they stay as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.importers import attributes, code_lines
from pressync.importers.item import Place, Remainder
from pressync.model.emoji_code import EMOJI_CODE

if TYPE_CHECKING:
    from collections.abc import Sequence

_BLOCK = re.compile(r"[ \t>]*\{:(?!:)([^{}\n]{0,500})\}[ \t]*$")
_BEHIND = re.compile(r"(?<=[)\]*_`>])\{:([^{}\n]{0,300})\}(?!`)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_ID = re.compile(r"#([\w-]+)")
_TOC = re.compile(r"[ \t]*(?:[*+-]|\d+\.)[ \t]+\S.*$")
_CODE = re.compile(r"`[^`\n]*`")
_VERBATIM = re.compile(
    r"^[ ]{0,3}(?P<abbreviation>\*\[[^\[\]\n]{1,200}\]:)"
    r"|(?P<formula>\$\$(?:[^$\n]|\n(?!\n)){1,2000}\$\$)"
    rf"|(?P<emoji_code>{EMOJI_CODE})",
    re.MULTILINE,
)


def verbatim(text: str, place: Place, *, has_emoji: bool) -> tuple[Remainder, ...]:
    """Name what the site will show as it is written; a plugin may have made pictures of emoji codes."""
    shown = "\n".join("" if is_code else _CODE.sub("`", line) for line, is_code in code_lines.lines(text))
    found = []
    for match in _VERBATIM.finditer(shown):
        kind = str(match.lastgroup).replace("_", " ")
        line = place.line + shown.count("\n", 0, match.start()) if place.line else 0
        if kind != "emoji code" or has_emoji:
            found.append(Remainder(kind, Place(place.path, line), match[0].strip()))
    return tuple(found)


def replaced(text: str, place: Place) -> tuple[str, tuple[Remainder, ...]]:
    """Convert all lists of attributes; `place` is the place of the text's first line."""
    if "{:" not in text and "{#" not in text:
        return text, ()
    rows: list[str] = []
    left: list[Remainder] = []
    for number, (line, is_code) in enumerate(code_lines.lines(text)):
        at = Place(place.path, place.line + number if place.line else 0)
        if is_code or "{:" not in line:
            rows.append(line)
        elif block := _BLOCK.match(line):
            left += _block(rows, block[1].strip(), at)
        else:
            rows.append(_inline(line, at, left))
    joined, further = attributes.of_headings("\n".join(rows), place)
    return joined, attributes.joined(left, further)


def _block(rows: list[str], written: str, at: Place) -> Sequence[Remainder]:
    """Take the attributes of the block before: an id goes to a heading, and a list of contents goes away."""
    above = rows[-1] if rows else ""
    if written in {"toc", "TOC"}:
        if _TOC.match(above):
            rows.pop()
        rows.append("")
        return [Remainder("table of contents", at, f"{{:{written}}}")]
    found = _ID.search(written)
    rest = written
    if found and _HEADING.match(above):
        rows[-1] = f"{above.rstrip()} {{#{found[1]}}}"
        rest = written.replace(found[0], "").strip()
    rows.append("")
    return [Remainder("attribute list", at, f"{{: {written}}}")] if rest else []


def _inline(line: str, at: Place, left: list[Remainder]) -> str:
    """Drop the attributes behind a link, a picture or a word."""

    def drop(found: re.Match[str]) -> str:
        left.append(Remainder("attribute list", at, found[0]))
        return ""

    return _BEHIND.sub(drop, line)
