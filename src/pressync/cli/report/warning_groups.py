"""Merges equal warnings about many files into one line: the message, the first places and a count.

A first sync of a large tree can give the same warning for thousands of records. Such warnings differ only in
numbers and quoted values, so the comparison of two warnings leaves these out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A quoted value ends only before these characters, so that an apostrophe within the value does not end it.
_DIFFERING = re.compile(r"'.*?'(?=[,;.) ]|$)|\d+")
# A line names this many further places.
_NAMED = 2


def groups(pairs: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Group equal messages: pairs of a place and a message, in the order of the first of each group."""
    found: dict[str, list[tuple[str, str]]] = {}
    for place, message in pairs:
        found.setdefault(compared(message), []).append((place, message))
    return list(found.values())


def compared(message: str) -> str:
    """Give the part of a message that equal messages share."""
    return _DIFFERING.sub("…", message)


def line(alike: Sequence[tuple[str, str]]) -> str:
    """Write one group: the first place and its message, then the next places and the number of the others."""
    place, message = alike[0]
    return ": ".join(filter(None, (one_line(place), one_line(message)))) + others(
        [each for each, _ in alike[1:]]
    )


def others(places: Sequence[str]) -> str:
    """Name the next places of a group, and count the others; an empty text if there are none."""
    if not places:
        return ""
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return f"; also {', '.join(map(one_line, places[:_NAMED]))}{more}"
