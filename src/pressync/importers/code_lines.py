"""Tells which lines of Markdown are in a fenced block of code.

Other tools' syntax in code is an example and stays as it is. A full parser of Markdown would not give the
lines back unchanged, so only the fences are followed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^`\n]*)$")


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Give each line, and whether it is code; a fence counts as code."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if not fence:
            fence = found[1] if found else ""
            yield line, bool(found)
            continue
        yield line, True
        if found and found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip():
            fence = ""
