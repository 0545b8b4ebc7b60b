"""Checks that need several documents at once: cycles of parents, and two documents with one address. Pure."""

from __future__ import annotations

from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING
from unicodedata import normalize

from pressync.model.errors import Code, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.interface import Kind
    from pressync.model.records import Desired, Entry

# Two records with the same of these want the same address.
ADDRESS = attrgetter("kind", "parent_path", "slug")


def parent_cycles(found: Mapping[str, Desired], entries: Mapping[str, Entry]) -> list[Problem]:
    """Give a problem for each document that is its own ancestor."""
    if not found:
        return []

    def parent(path: str) -> str | None:
        known = found.get(path) or entries.get(path)
        return known.parent_path if known else None

    problems = []
    for path in found:
        seen = {path}
        here = parent(path)
        while here is not None and here not in seen:
            seen.add(here)
            here = parent(here)
        if here == path:
            problems.append(
                Problem(
                    path,
                    0,
                    "it is its own ancestor",
                    "correct `parent:` in one of the pages",
                    code=Code.PARENT_CYCLE,
                )
            )
    return problems


def same_address(desired: Iterable[Desired], entries: Mapping[str, Entry]) -> list[Problem]:
    """Warn of documents with the same slug and parent: the service changes the slug of all but one."""
    wanted: dict[tuple[Kind, str | None, str], list[str]] = defaultdict(list)
    groups = {}
    paths = set()
    for document in desired:
        paths.add(document.path)
        groups[ADDRESS(document)] = group = wanted[_address(document)]
        group.append(document.path)
    for entry in entries.values() if wanted else ():
        if entry.path not in paths and (key := ADDRESS(entry)) in groups:
            groups[key].append(entry.path)
    return [
        Problem(
            group[0],
            0,
            f"it wants the same address as {', '.join(group[1:3])}{_also_one_file(*group[:2])}",
            "give one of them another `slug:`, or the service will add a number",
            warning=True,
            code=Code.SAME_ADDRESS,
        )
        for group in wanted.values()
        if len(group) > 1
    ]


def _address(document: Desired) -> tuple[Kind, str | None, str]:
    """Give what is equal for two documents at one address; a letter with an accent may be one sign or two."""
    kind, parent, slug = ADDRESS(document)
    return kind, parent, slug if slug.isascii() else normalize("NFC", slug)


def _also_one_file(one: str, other: str) -> str:
    """Say that two paths are one file on other systems, or nothing; they may look the same here."""
    same = normalize("NFC", one).casefold() == normalize("NFC", other).casefold()
    return " (and on macOS and Windows both are one file)" if same else ""
