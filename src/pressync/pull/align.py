"""Three versions of some lines -> one: what changed from the base to theirs, done to ours. Pure.

It must not know what the lines mean. What decided its shape: the base is the old HTML in the converter's
hand, theirs the new HTML in the same hand, ours the author's own Markdown. Lines in which base and theirs
agree were not edited, and stay in the author's hand, whatever list marker or line width that is.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Where two hands differ though the words are the same: markers of lists and emphasis, rules, escapes, blanks.
_MARKER = re.compile(r"^(\s*)(?:[*+-]|(\d+)[.)])\s+")
_RULE = re.compile(r":-+:?|-{2,}:?|`{3,}|~{3,}")
_MARKS = re.compile(r"[\\*_<>|\s]+")


def apply_changes(base: Sequence[str], theirs: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Do to `ours` what was done to `base` to make it `theirs`; where that is not clear, take theirs."""
    merged: list[str] = []
    at_base = at_theirs = at_ours = 0
    for base_line, theirs_line, ours_line, size in _common(base, theirs, ours):
        mine, new = ours[at_ours:ours_line], theirs[at_theirs:theirs_line]
        edited = base[at_base:base_line] != new
        merged += _in_the_place_of(mine, new) if edited else mine
        merged += ours[ours_line : ours_line + size]
        at_base, at_theirs, at_ours = base_line + size, theirs_line + size, ours_line + size
    return merged


def _in_the_place_of(mine: Sequence[str], new: Sequence[str]) -> list[str]:
    """Put new lines between the blank ones that the author left before and behind the old ones."""
    told = [number for number, line in enumerate(mine) if line.strip()]
    if not told or not new or not new[0].strip() or not new[-1].strip():
        return list(new)
    return [*mine[: told[0]], *new, *mine[told[-1] + 1 :]]


def _common(
    base: Sequence[str], theirs: Sequence[str], ours: Sequence[str]
) -> Iterator[tuple[int, int, int, int]]:
    """Give the runs of lines that all three have: where each begins in each, and how long it is."""
    words, our_words = [_words(line) for line in base], [_words(line) for line in ours]
    others = {
        line + offset: match + offset
        for line, match, size in SequenceMatcher(None, words, our_words, autojunk=False).get_matching_blocks()
        for offset in range(size)
    }
    for line, match, size in SequenceMatcher(None, base, theirs, autojunk=False).get_matching_blocks():
        for offset in range(size):
            if line + offset in others:
                yield line + offset, match + offset, others[line + offset], 1
    yield len(base), len(theirs), len(ours), 0


def _words(line: str) -> str:
    """Give what a line says in any hand."""
    marked = _MARKER.sub(lambda found: f"{found[2] or ''}- ", line)
    return _MARKS.sub(" ", _RULE.sub("--", marked)).strip()
