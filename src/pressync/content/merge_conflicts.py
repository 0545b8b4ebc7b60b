"""Finds the conflict markers that Git leaves in a text, so that nobody publishes half a merge.

Markdown reads them as prose: `=======` makes a heading of the line above, and `>>>>>>>` makes seven quotes. A
conflict is all three marks in order, each at the start of a line. A page that explains conflicts shows them
in a code block, or puts a backslash before the first, so neither is a conflict.
"""

from __future__ import annotations

import re

from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

_OURS, _BASE, _THEIRS = (re.compile(rf"{re.escape(mark)}(?: |$)") for mark in ("<" * 7, "=" * 7, ">" * 7))
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def unresolved(path: str, text: str) -> Problem | None:
    """Name the line on which the first conflict of a text begins; None if there is none."""
    if "<" * 7 not in text:
        return None
    fence = ""
    begun, between = 0, False
    for number, line in enumerate(text.split("\n"), start=1):
        # Inside of a conflict every line counts: the two sides may have opened different fences.
        if not begun:
            fence = _fence_after(fence, line)
        if not fence and _OURS.match(line):
            begun, between = number, False
        elif begun and _BASE.match(line):
            between = True
        elif between and _THEIRS.match(line):
            what = "a merge was not finished here: Git's conflict markers are in the text"
            return Problem(
                path,
                begun,
                what,
                "keep what is right, and delete the lines with the markers",
                code=Code.MERGE_CONFLICT,
            )
    return None


def _fence_after(fence: str, line: str) -> str:
    """Give the fence of the code block that is open after a line; "" if none is."""
    found = _FENCE.match(line)
    if not found:
        return fence
    mark = found[1]
    if not fence:
        # Backticks in the rest of the line make it inline code.
        return "" if mark[0] == "`" and "`" in line[found.end() :] else mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not line[found.end() :].strip()
    return "" if closes else fence
