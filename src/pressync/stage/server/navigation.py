"""Finds the surroundings of a page on the web site: the tree of pages, and the pages before and after it.

A site of few pages shows all of them, each below its parent, as the list of pages of WordPress does. So a
page with pages below it is the head of a group. Of a larger site only the way to the page is open. A level
shows at most fifty pages and links to the list of the others: nobody can navigate in thousands of links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.stage.server.queries import Outline, PublicRecords
    from pressync.stage.server.rows import StoredRecord

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


def around(records: PublicRecords, page: StoredRecord) -> PageContext:
    """Find the surroundings of a page."""
    here = records.outline(page)
    trail = records.ancestors(page)
    tree = _whole(records, here.id) or _on_the_way(records, here, trail)
    return PageContext(tree, tuple(trail), _before(records, here, trail), _after(records, here, trail))


def beside_lists(records: PublicRecords) -> PageContext:
    """Find the surroundings of a list of posts, and of everything else but a page."""
    return PageContext(_whole(records) or _first(records, 0, "/"))


def _whole(records: PublicRecords, current: int = 0) -> Level | None:
    """Show every page below its parent; None if they are too many."""
    pages = records.pages(limit=WIDTH + 1)
    if len(pages) > WIDTH:
        return None
    known = {page.id for page in pages}
    below: dict[int, list[Outline]] = {}
    for page in pages:
        # A page below a draft is shown at the top, as on WordPress.
        below.setdefault(page.parent if page.parent in known else 0, []).append(page)

    def level(parent: int) -> Level | None:
        items = (MenuItem(page, page.id == current, level(page.id)) for page in below.get(parent, ()))
        return Level(tuple(items)) if parent in below else None

    return level(0) or Level(())


def _on_the_way(records: PublicRecords, here: Outline, trail: Sequence[Outline]) -> Level:
    """Open the tree on the way to a page; of those above it, only the topmost has its siblings beside it."""
    below = _first(records, here.id, here.path)
    parent_path = trail[-1].path if trail else "/"
    tree = _beside(records, here, parent_path, below if below.branches else None)
    for above in reversed(trail[1:]):
        tree = Level((MenuItem(above, below=tree),))
    return _beside(records, trail[0], "/", tree, current=False) if trail else tree


def _before(records: PublicRecords, here: Outline, trail: Sequence[Outline]) -> Outline | None:
    """Give the page that a reader of all pages has read before this one."""
    found = records.before(here, limit=1)
    if not found:
        return trail[-1] if trail else None
    while found:
        last, found = found[0], records.last_children(found[0].id, limit=1)
    return last


def _after(records: PublicRecords, here: Outline, trail: Sequence[Outline]) -> Outline | None:
    """Give the page that comes next: the first below it, else the next beside it or beside one above it."""
    found = records.children(here.id, limit=1)
    for page in (here, *reversed(trail)):
        found = found or records.after(page, limit=1)
    return found[0] if found else None


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


def _rest(path: str, found: int) -> str:
    return f"{path}#section" if found > WIDTH else ""
