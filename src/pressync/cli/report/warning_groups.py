"""Warnings that say the same of many files become one line: what it is, a count, and the first places. Pure.

A first sync of a large tree can have the same warning of thousands of records, which differ only in the
values that they quote and in numbers. So these are left out where two warnings are compared.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A quoted value ends before what may follow one, so that an apostrophe within does not end it.
_DIFFERING = re.compile(r"'.*?'(?=[,;.) ]|$)|\d+")
# So many further places are named.
_NAMED = 2


def groups(said: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Put together what is said alike: pairs of a place and a message, in the order of the first of each."""
    found: dict[str, list[tuple[str, str]]] = {}
    for place, message in said:
        found.setdefault(_DIFFERING.sub("…", message), []).append((place, message))
    return list(found.values())


def line(alike: Sequence[tuple[str, str]]) -> str:
    """Write one group: the first place and its message, then the next places and how many are left."""
    place, message = alike[0]
    return ": ".join(filter(None, (one_line(place), one_line(message)))) + others(
        [each for each, _ in alike[1:]]
    )


def others(places: Sequence[str]) -> str:
    """Name the next places of a group, and count the rest; nothing if there are none."""
    if not places:
        return ""
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return f"; also {', '.join(map(one_line, places[:_NAMED]))}{more}"
