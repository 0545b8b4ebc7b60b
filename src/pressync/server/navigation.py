"""The tree beside each page: root pages, the way to the current page, its siblings and its children.

A level shows at most fifty pages and links to the list of the others. Nobody can navigate in a tree of
thousands of links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.server.queries import Outline, PublicRecords
    from pressync.server.record import StoredRecord

WIDTH = 50


@dataclass(frozen=True, slots=True)
class MenuItem:
    """A page in the tree; `below` is the level under it if the tree is expanded there."""

    page: Outline
    current: bool = False
    below: Level | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """Pages under one parent; `rest` is the path of the complete list if some pages are left out."""

    branches: tuple[MenuItem, ...]
    rest: str = ""


@dataclass(frozen=True, slots=True)
class PageContext:
    """The surroundings of a page: the tree, the public pages above it, the pages before and after it."""

    tree: Level
    trail: tuple[Outline, ...] = ()
    before: Outline | None = None
    after: Outline | None = None


def root_level(records: PublicRecords) -> PageContext:
    """Show only the root pages, for views that do not show a page."""
    return PageContext(_first(records, 0, "/"))


def around(records: PublicRecords, page: StoredRecord) -> PageContext:
    """Show the surroundings of a page."""
    here = records.outline(page)
    trail = records.ancestors(page)
    below = _first(records, here.id, here.path)
    beside = _beside(records, here, trail[-1].path if trail else "/", below if below.branches else None)
    before, after = records.before(here, limit=1), records.after(here, limit=1)
    return PageContext(
        _upwards(records, trail, beside),
        tuple(trail),
        before[0] if before else None,
        after[0] if after else None,
    )


def _first(records: PublicRecords, parent: int, path: str) -> Level:
    pages = records.children(parent, limit=WIDTH + 1)
    return Level(tuple(MenuItem(page) for page in pages[:WIDTH]), _rest(path, len(pages)))


def _beside(
    records: PublicRecords, page: Outline, parent_path: str, below: Level | None, *, current: bool = True
) -> Level:
    """Show a page between its siblings; near one end, show more siblings of the other side."""
    before, after = records.before(page, limit=WIDTH), records.after(page, limit=WIDTH)
    half = WIDTH // 2
    start = max(0, len(before) - max(half, WIDTH - 1 - len(after)))
    shown_before = before[start:]
    shown_after = after[: WIDTH - 1 - len(shown_before)]
    branches = (
        *(MenuItem(each) for each in shown_before),
        MenuItem(page, current, below),
        *(MenuItem(each) for each in shown_after),
    )
    return Level(branches, _rest(parent_path, len(before) + 1 + len(after)))


def _upwards(records: PublicRecords, trail: list[Outline], level: Level) -> Level:
    """Put a level under the pages above it, one page per level; show the topmost among the root pages."""
    for page in reversed(trail[1:]):
        level = Level((MenuItem(page, below=level),))
    return _beside(records, trail[0], "/", level, current=False) if trail else level


def _rest(path: str, found: int) -> str:
    return f"{path}#section" if found > WIDTH else ""
