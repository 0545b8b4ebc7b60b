"""Names the terms of a site: one that has parents by its path."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Term:
    """A category or tag. `name` is the displayed name; `parent` is 0 at the top."""

    id: int
    name: str
    slug: str
    parent: int


# A term below more others than this has no path. The paths of 10,000 in a line have 50 million names.
DEEPEST_TERM = 100


def paths_of(terms: Iterable[Term], *, nested: bool) -> dict[int, str]:
    """Name terms by id; a `nested` one by its path (`News/World`).

    Of two terms with one name, the older has it. The slug stands for a name that has a slash or is taken. A
    term below more than `DEEPEST_TERM` others is left out.
    """
    ordered = sorted(terms, key=lambda term: term.id)
    taken: set[tuple[int, str]] = set()
    parts: dict[int, str] = {}
    for term in ordered:
        above = term.parent if nested else 0
        is_clear = term.name.strip() and not (nested and "/" in term.name)
        key = (above, term.name.casefold())
        parts[term.id] = term.name if is_clear and key not in taken else unquote(term.slug)
        taken.add(key)
    parents = {term.id: term.parent for term in ordered}
    paths = {number: _path(number, parts, parents) if nested else name for number, name in parts.items()}
    return {number: path for number, path in paths.items() if path is not None}


def clear_paths(terms: Iterable[Term], *, nested: bool) -> dict[int, str]:
    """Name terms as `paths_of` does, without those that share a name with another one at the same place."""
    rows = {term.id: term for term in terms}
    keys = {n: (term.parent if nested else 0, term.name.casefold()) for n, term in rows.items()}
    count = Counter(keys.values())
    shared = {number for number, key in keys.items() if count[key] > 1}

    def line(number: int) -> Iterator[int]:
        for _ in range(DEEPEST_TERM + 1):
            yield number
            number = rows[number].parent if nested and number in rows else 0

    paths = paths_of(rows.values(), nested=nested)
    return {number: path for number, path in paths.items() if shared.isdisjoint(line(number))}


def _path(number: int, parts: Mapping[int, str], parents: Mapping[int, int]) -> str | None:
    line: dict[int, str] = {}
    while number in parts and number not in line:
        if len(line) > DEEPEST_TERM:
            return None
        line[number] = parts[number]
        number = parents[number]
    return "/".join(reversed(line.values()))
