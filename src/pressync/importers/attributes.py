"""Turns lists of attributes after headings, like `{#id .class}`, into what Markdown has.

An id is the target of links, so it stays: as the heading's own id if that is the same, else as an empty
link in front of the text. A class has no meaning on another site, and is named as a remainder.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.importers import code_lines
from pressync.importers.item import Place, Remainder

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADING = re.compile(
    r"( {0,3}#{1,6}[ \t]+)(.*?)[ \t]*\{:?[ \t]*([#.][^{}<>\n]{0,200}|[\w-]+=[^{}<>\n]{0,200})\}[ \t]*#*$"
)
_ID = re.compile(r"""#([^\s.#=]+)|(?<!\S)id=(["']?)([^\s"'{}]+)\2(?!\S)""")


def of_headings(text: str, place: Place) -> tuple[str, tuple[Remainder, ...]]:
    """Convert the lists of attributes of all headings; `place` is the place of the text's first line."""
    if "{" not in text:
        return text, ()
    rows: list[str] = []
    remainders: list[Remainder] = []
    for number, (line, is_code) in enumerate(code_lines.lines(text)):
        found = None if is_code else _HEADING.match(line)
        if not found:
            rows.append(line)
            continue
        name = _ID.search(found[3])
        rows.append(f"{found[1]}{_anchor(name[1] or name[3], found[2]) if name else ''}{found[2]}")
        if found[3].strip() != (name[0] if name else ""):
            at = Place(place.path, place.line + number if place.line else 0)
            remainders.append(Remainder("attribute list", at, f"{{{found[3]}}}"))
    return "\n".join(rows), tuple(remainders)


def _anchor(name: str, heading: str) -> str:
    is_own = name == "-".join(re.sub(r"[^\w\s-]", "", heading.lower()).split())
    return "" if is_own else f'<a id="{name}"></a>'


def joined(*parts: Sequence[Remainder]) -> tuple[Remainder, ...]:
    """Join remainders in the order of their lines."""
    return tuple(sorted((each for part in parts for each in part), key=lambda each: each.place.line))
