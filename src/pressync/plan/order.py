"""Puts changes into waves, which are the order of a plan. Pure.

The wave of a write tells before the first call which addresses a create can link to: those of earlier waves.
Two records with one slug under one parent are never in one wave, because WordPress makes duplicates of two
that run together. A run need not wait for a whole wave: `prerequisites.needs` names what each change needs.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.changes import Create, Delete, Update
from pressync.plan.page_tree import PagesAbove
from pressync.plan.prerequisites import Prerequisites, held_place, relocates, wanted_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pressync.model.changes import Change
    from pressync.model.records import Entry
    from pressync.plan.prerequisites import Place, Write

Wave = tuple[Create | Update | Delete, ...]


@dataclass(frozen=True, slots=True)
class Schedule:
    """The waves before the link pass, the updates that only the link pass decides on, and the last waves."""

    waves: tuple[Wave, ...]
    links: tuple[Update, ...]
    last: tuple[Wave, ...]

    def changes(self) -> tuple[Create | Update | Delete, ...]:
        """List all changes in the order in which they are made."""
        return (
            *(change for wave in self.waves for change in wave),
            *self.links,
            *(change for wave in self.last for change in wave),
        )


def first_changes(
    changes: Iterable[Change], entries: Mapping[str, Entry], limit: int | None
) -> tuple[Schedule, int]:
    """Schedule the first changes of the order, at most `limit`; give also the number of the others.

    A parent and a free place come before the changes that need them, so the start of an order is whole.
    """
    changes = list(changes)
    whole = schedule(changes, entries)
    later = {change.path for change in whole.changes()[limit:]} if limit else frozenset[str]()
    return schedule([c for c in changes if c.path not in later], entries) if later else whole, len(later)


def schedule(changes: Iterable[Change], entries: Mapping[str, Entry]) -> Schedule:
    """Order a plan's changes: free wanted slugs, create parents, change records, complete links, delete.

    `entries` are the manifest's, by path; they give the parent of each record.
    """
    changes = list(changes)
    writes = _writes(changes)
    deletes = [c for c in changes if isinstance(c, Delete)]
    early = _early(writes)
    freeing = _freeing(deletes, writes, entries)
    parents = {path: entry.parent_path for path, entry in entries.items()} if writes else {}
    parents.update({write.path: write.desired.parent_path for write in writes})
    return Schedule(
        waves=(
            *_children_first([c for c in deletes if c.path in freeing]),
            *_waves([c for c in writes if c.path in early], {}),
            *_waves([c for c in writes if c.path not in early], parents),
        ),
        links=tuple(c for c in changes if isinstance(c, Update) and c.only_if_moved),
        last=tuple(_children_first([c for c in deletes if c.path not in freeing])),
    )


def wave_numbers(changes: Iterable[Change]) -> dict[str, int]:
    """Give by path the wave of each create, and of each update that must run before or among them."""
    writes = _writes(changes)
    early = _early(writes)
    waves = _waves([c for c in writes if c.path in early], {})
    return {change.path: number for number, wave in enumerate(waves) for change in wave}


def _writes(changes: Iterable[Change]) -> list[Write]:
    return [c for c in changes if isinstance(c, Create) or (isinstance(c, Update) and not c.only_if_moved)]


def _early(writes: Sequence[Write]) -> frozenset[str]:
    """Name the creates, and the updates that a create waits for, directly or through others.

    If another page has the address of a new page, that page must move first. Otherwise the service gives the
    new page an address that ends with `-2`, for good.
    """
    before, by_path = Prerequisites(writes, {}), {write.path: write for write in writes}
    early = [write.path for write in writes if isinstance(write, Create)]
    seen = set(early)
    # The list grows during the loop.
    for path in early:
        for needed in (before.maker(by_path[path]), before.leaving(by_path[path])):
            if needed is not None and needed not in seen:
                seen.add(needed)
                early.append(needed)
    return frozenset(early)


def _waves(writes: Sequence[Write], parents: Mapping[str, str | None]) -> list[Wave]:
    """Put each write after the writes that it waits for, and writes for one place into different waves."""
    waiting = {write.path: write for write in writes}
    before = Prerequisites(writes, parents)
    waves: list[Wave] = []
    while waiting:
        ready = _ready(waiting, before)
        waves += _one_per_place(ready)
        for write in ready:
            del waiting[write.path]
    return waves


def _ready(waiting: Mapping[str, Write], before: Prerequisites) -> list[Write]:
    """Give the writes whose prerequisites are done. If there is a cycle, break it with one write.

    An example of a cycle: two pages swap their slugs, and each waits for the place of the other.

        a.md   slug a -> b   waits for b.md to leave "b"
        b.md   slug b -> a   waits for a.md to leave "a"

    Both wait, so `free` is empty, and `settled[:1]` lets a.md go first. Then b.md no longer waits.

    A cycle gives up one prerequisite after the other, the cheapest first: a free place, the true addresses of
    the pages below, a parent in its place (a page that moves below its own child loses its parent), and the
    parent's record.
    """
    made = [write for write in waiting.values() if before.maker(write) not in waiting]
    placed = [write for write in made if before.mover(write) not in waiting]
    settled = [write for write in placed if before.former_mover(write) not in waiting]
    free = [write for write in settled if before.leaving(write) not in waiting]
    return free or settled[:1] or placed[:1] or made[:1] or [*waiting.values()]


def _one_per_place(writes: Iterable[Write]) -> Iterator[Wave]:
    seen: dict[Place, int] = defaultdict(int)
    waves: dict[int, list[Write]] = defaultdict(list)
    for write in writes:
        if relocates(write):
            place = wanted_place(write)
            waves[seen[place]].append(write)
            seen[place] += 1
        else:
            waves[0].append(write)
    return (tuple(waves[number]) for number in sorted(waves))


def _children_first(deletes: Sequence[Delete]) -> list[Wave]:
    by_path = {delete.path: delete for delete in deletes}
    pages = PagesAbove(deletes)
    levels: dict[int, list[Delete]] = defaultdict(list)
    for delete in deletes:
        depth, parent = 0, by_path.get(pages.parent(delete.entry) or "")
        while parent and depth < len(deletes):
            depth, parent = depth + 1, by_path.get(pages.parent(parent.entry) or "")
        levels[depth].append(delete)
    return [tuple(levels[depth]) for depth in sorted(levels, reverse=True)]


def _freeing(
    deletes: Sequence[Delete], writes: Iterable[Write], entries: Mapping[str, Entry]
) -> frozenset[str]:
    """Name the deletes whose place another record of this plan wants, and all deletes below them.

    Deletes come last, so that a child can move before it loses its parent. But a page that takes the address
    of a deleted page would get `-2` at its end, so such a delete comes first. A delete of a page with a child
    that stays comes last in any case.
    """
    wanted = {wanted_place(write) for write in writes if relocates(write)}
    wanting = [delete for delete in deletes if held_place(delete.entry) in wanted]
    if not wanting:
        return frozenset()
    deleted = {delete.path for delete in deletes}
    pages = PagesAbove(deletes)
    children: dict[str, list[str]] = defaultdict(list)
    for entry in entries.values():
        if (parent := pages.parent(entry)) is not None:
            children[parent].append(entry.path)
    freeing: set[str] = set()
    for delete in wanting:
        family = [delete.path]
        # The list grows during the loop.
        for path in family:
            family.extend(children[path])
        if deleted.issuperset(family):
            freeing.update(family)
    return frozenset(freeing)
