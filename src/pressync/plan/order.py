"""Changes -> waves: which may be under way at the same time, and which must wait for which. Pure.

The decision that shaped it: waves are barriers. A child waits for the whole wave of its parent, which
costs a little at the end of each wave and makes it certain, before anything is sent, which links a
create can already know, and that two records of one slug under one parent are never under way together
(WordPress makes real duplicates then).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.changes import Create, Delete, Update
from pressync.model.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pressync.model.changes import Change
    from pressync.model.interface import Kind
    from pressync.model.records import Entry

Write = Create | Update
Wave = tuple[Create | Update | Delete, ...]

# Where a record stands: its kind, the fingerprint of its parent's id, its slug. No two can have one place.
_Place = tuple["Kind", str, str]
_TOP = fingerprint(0)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The waves before the link pass, the updates that only the link pass decides on, the waves after."""

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


def schedule(changes: Iterable[Change], entries: Mapping[str, Entry]) -> Schedule:
    """Order a plan's changes: slugs set free, parents made, records changed, links completed, deletes.

    `entries` are the manifest's, by path; they tell what stands below what.
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
    """Give the wave of each create, and of each update that has to go before or among them, by path."""
    writes = _writes(changes)
    early = _early(writes)
    waves = _waves([c for c in writes if c.path in early], {})
    return {change.path: number for number, wave in enumerate(waves) for change in wave}


def _writes(changes: Iterable[Change]) -> list[Write]:
    return [c for c in changes if isinstance(c, Create) or (isinstance(c, Update) and not c.only_if_moved)]


def _early(writes: Sequence[Write]) -> frozenset[str]:
    """Name the creates, and the updates that a create waits for, directly or through others.

    A page that is made where another one stands now must not come before that one has moved on, or the
    service gives it an address with `-2` at its end, for good.
    """
    before, by_path = _Before(writes, {}), {write.path: write for write in writes}
    early = [write.path for write in writes if isinstance(write, Create)]
    seen = set(early)
    # The list grows while it is walked.
    for path in early:
        for needed in (before.maker(by_path[path]), before.leaving(by_path[path])):
            if needed is not None and needed not in seen:
                seen.add(needed)
                early.append(needed)
    return frozenset(early)


class _Before:
    """What a write waits for among the others: its parent's record and address, and a free place."""

    def __init__(self, writes: Iterable[Write], parents: Mapping[str, str | None]) -> None:
        self._parents = parents
        self._moving = {w.path for w in writes if isinstance(w, Update) and _relocates(w)}
        # An update makes a parent's record known only when it binds it for the first time.
        self._making = {w.path for w in writes if isinstance(w, Create) or not w.entry.commit}
        self._leaving = {
            _held(w.entry): w.path
            for w in writes
            if isinstance(w, Update) and w.entry.slug and _wanted(w) != _held(w.entry) and _relocates(w)
        }

    def maker(self, write: Write) -> str | None:
        """Name the write that gives this one's parent its record."""
        parent = write.desired.parent_path
        return parent if parent in self._making else None

    def mover(self, write: Write) -> str | None:
        """Name the nearest moving page above the place that this write takes.

        The service moves all that is below a page without a word. So an address that was echoed before
        would not be true any more, and nobody would say so.
        """
        return self._moving_from(write.desired.parent_path, write.path)

    def former_mover(self, write: Write) -> str | None:
        """Name the nearest moving page above the place that this write leaves."""
        return None if isinstance(write, Create) else self._moving_from(write.entry.parent_path, write.path)

    def leaving(self, write: Write) -> str | None:
        """Name the write that leaves the place which this one wants."""
        return self._leaving.get(_wanted(write)) if _relocates(write) else None

    def _moving_from(self, path: str | None, below: str) -> str | None:
        seen = {below}
        while self._moving and path is not None and path not in seen:
            if path in self._moving:
                return path
            seen.add(path)
            path = self._parents.get(path)
        return None


def _waves(writes: Sequence[Write], parents: Mapping[str, str | None]) -> list[Wave]:
    """Let nothing go before what it waits for; of those that want one place, one a wave."""
    waiting = {write.path: write for write in writes}
    before = _Before(writes, parents)
    waves: list[Wave] = []
    while waiting:
        ready = _ready(waiting, before)
        waves += _without_twins(ready)
        for write in ready:
            del waiting[write.path]
    return waves


def _ready(waiting: Mapping[str, Write], before: _Before) -> list[Write]:
    """List those that wait for nothing. Where all wait (two pages swap their slugs), one goes first.

    What is given up first costs least: a free place, a true address of the pages below, a parent that
    is in its place (a page moved below one of its own children loses its parent), a parent's record.
    """
    made = [write for write in waiting.values() if before.maker(write) not in waiting]
    placed = [write for write in made if before.mover(write) not in waiting]
    settled = [write for write in placed if before.former_mover(write) not in waiting]
    free = [write for write in settled if before.leaving(write) not in waiting]
    return free or settled[:1] or placed[:1] or made[:1] or [*waiting.values()]


def _without_twins(writes: Iterable[Write]) -> Iterator[Wave]:
    seen: dict[_Place, int] = defaultdict(int)
    waves: dict[int, list[Write]] = defaultdict(list)
    for write in writes:
        place = _wanted(write)
        waves[seen[place]].append(write)
        seen[place] += 1
    return map(tuple, waves.values())


def _children_first(deletes: Sequence[Delete]) -> list[Wave]:
    by_path = {delete.path: delete for delete in deletes}
    levels: dict[int, list[Delete]] = defaultdict(list)
    for delete in deletes:
        depth, parent = 0, by_path.get(delete.entry.parent_path or "")
        while parent and depth < len(deletes):
            depth, parent = depth + 1, by_path.get(parent.entry.parent_path or "")
        levels[depth].append(delete)
    return [tuple(levels[depth]) for depth in sorted(levels, reverse=True)]


def _freeing(
    deletes: Sequence[Delete], writes: Iterable[Write], entries: Mapping[str, Entry]
) -> frozenset[str]:
    """Name the deletes whose place another record of this plan wants, and all deletes below them.

    Deletes go last, so that no child loses its parent before it has moved; but a page that takes over
    a removed page's address would be made with `-2` at its end. One with a child that stays goes last.
    """
    wanted = {_wanted(write) for write in writes if _relocates(write)}
    wanting = [delete for delete in deletes if _held(delete.entry) in wanted]
    if not wanting:
        return frozenset()
    deleted = {delete.path for delete in deletes}
    children: dict[str, list[str]] = defaultdict(list)
    for entry in entries.values():
        if entry.parent_path is not None:
            children[entry.parent_path].append(entry.path)
    freeing: set[str] = set()
    for delete in wanting:
        family = [delete.path]
        # The list grows while it is walked.
        for path in family:
            family.extend(children[path])
        if deleted.issuperset(family):
            freeing.update(family)
    return frozenset(freeing)


def _relocates(write: Write) -> bool:
    return isinstance(write, Create) or not {"slug", "parent"}.isdisjoint(write.fields)


def _wanted(write: Write) -> _Place:
    return write.kind, write.desired.fingerprints.get("parent", _TOP), write.desired.slug


def _held(entry: Entry) -> _Place:
    return entry.kind, entry.fingerprints.get("parent", _TOP), entry.slug
