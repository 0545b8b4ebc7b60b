"""Tells which lines of Markdown are in a fenced block of code.

Other tools' syntax in code is an example and stays as it is. A full parser of Markdown would not give the
lines back unchanged, so only the fences are followed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"[ \t>]*(?P<item>(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$")
# A fence this many columns further right does not end a block; one this many further left ends its list.
_FAR = 4


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Give each line, and whether it is code; a fence counts as code."""
    fence, column = "", 0
    for line in text.split("\n"):
        if fence and line.strip() and _indentation(line) <= column - _FAR:
            fence = ""  # The list that holds the block ends here, and so does the block.
        found = _FENCE.match(line)
        if not fence:
            fence, column = (found["fence"], found.start("fence")) if found else ("", 0)
            yield line, bool(found)
            continue
        yield line, True
        if found and _ends(found, fence, column):
            fence = ""


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


def _ends(found: re.Match[str], fence: str, column: int) -> bool:
    own = found["fence"]
    is_bare = not found["item"] and not found["info"].strip()
    return is_bare and own[0] == fence[0] and len(own) >= len(fence) and found.start("fence") < column + _FAR
