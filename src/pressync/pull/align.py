"""A merge of three versions of some lines: the changes from the base to theirs are applied to ours. Pure.

The base is the old HTML as our converter writes it, "theirs" is the new HTML as the converter writes it, and
"ours" is the author's Markdown. Where base and theirs agree, nobody edited the lines, so these keep the
author's list markers and line width.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.pull.bounded_diff import matcher

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Two writers of the same words differ in these: markers of lists and emphasis, rules, escapes, blanks.
_MARKER = re.compile(r"^(\s*)(?:[*+-]|(\d+)[.)])\s+")
_RULE = re.compile(r":-+:?|-{2,}:?|`{3,}|~{3,}")
_MARKS = re.compile(r"[\\*_<>|\s]+")


def apply_changes(base: Sequence[str], theirs: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Apply the changes from `base` to `theirs` to `ours`; where the match is not clear, take theirs."""
    merged: list[str] = []
    at_base = at_theirs = at_ours = 0
    for base_line, theirs_line, ours_line, size in _common(base, theirs, ours):
        current, new = ours[at_ours:ours_line], theirs[at_theirs:theirs_line]
        edited = base[at_base:base_line] != new
        merged += _replaced(current, new) if edited else current
        merged += ours[ours_line : ours_line + size]
        at_base, at_theirs, at_ours = base_line + size, theirs_line + size, ours_line + size
    return merged


def _replaced(current: Sequence[str], new: Sequence[str]) -> list[str]:
    """Replace lines by new ones, and keep the author's blank lines before and after them."""
    filled = [number for number, line in enumerate(current) if line.strip()]
    if not filled or not new or not new[0].strip() or not new[-1].strip():
        return list(new)
    return [*current[: filled[0]], *new, *current[filled[-1] + 1 :]]


def _common(
    base: Sequence[str], theirs: Sequence[str], ours: Sequence[str]
) -> Iterator[tuple[int, int, int, int]]:
    """Give the runs of lines that all three have: the start in each version, and the length."""
    words, our_words = [_words(line) for line in base], [_words(line) for line in ours]
    others = {
        line + offset: match + offset
        for line, match, size in matcher(words, our_words).get_matching_blocks()
        for offset in range(size)
    }
    for line, match, size in matcher(base, theirs).get_matching_blocks():
        for offset in range(size):
            if line + offset in others:
                yield line + offset, match + offset, others[line + offset], 1
    yield len(base), len(theirs), len(ours), 0


def _words(line: str) -> str:
    """Give the words of a line without the marks in which writers differ."""
    marked = _MARKER.sub(lambda found: f"{found[2] or ''}- ", line)
    return _MARKS.sub(" ", _RULE.sub("--", marked)).strip()
