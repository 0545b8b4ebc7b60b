"""Puts changes into waves, which are the order of a plan, and names what each change waits for. Pure.

The wave of a write tells before the first call which addresses a create can link to: those of earlier waves.
A text that shows a later address is completed afterwards. Two records with one slug under one parent are
never in one wave, because WordPress makes duplicates of two that run together. A run need not wait for a
whole wave: a page waits for its parent's record, a free place and the addresses in its text (`needs`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, TypeGuard

from pressync.model.changes import Change, Create, Delete, Update
from pressync.model.fingerprint import fingerprint, may_be
from pressync.model.visibility import FRONT_PAGE
from pressync.plan import reasons

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pressync.model.interface import Kind
    from pressync.model.records import Desired, Entry


Write = Create | Update
# The place of a record: its kind, the fingerprint of its parent's id, its slug. Two records cannot share one.
Place = tuple["Kind", str, str]
_TOP = fingerprint(0)
Wave = tuple[Create | Update | Delete, ...]


class PagesAbove:
    """The pages that may be above other records.

    Where a file names its parent by an id, the manifest has only the fingerprint of that id. So such a page
    is found by the fingerprint of its own id.
    """

    def __init__(self, pages: Iterable[Entry | Delete]) -> None:
        self._paths = {fingerprint(page.id): page.path for page in pages if page.kind.row.hierarchical}

    def parent(self, record: Entry | Desired) -> str | None:
        """Give the path of a record's parent; a parent that is named by its id must be one of the pages."""
        if record.parent_path is not None:
            return record.parent_path
        held = may_be(record.fingerprints.get("parent", "")) or ()
        return next((self._paths[digest] for digest in held if digest in self._paths), None)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The waves before the link pass, the updates that only the link pass decides on, and the last waves."""

    waves: tuple[Wave, ...]
    links: tuple[Update, ...]
    last: tuple[Wave, ...]

    def changes(self) -> tuple[Create | Update | Delete, ...]:
        """List all changes in the order in which they are made."""
        return (*chain.from_iterable(self.waves), *self.links, *chain.from_iterable(self.last))


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
    """Order a plan's changes: free wanted slugs, create parents, change records, complete links, delete."""
    changes = list(changes)
    writes = _writes(changes)
    deletes = [c for c in changes if isinstance(c, Delete)]
    early = _early(writes)
    freeing = _freeing(deletes, writes, entries)
    parents = {path: entry.parent_path for path, entry in entries.items()} if writes else {}
    parents.update({write.path: write.desired.parent_path for write in writes})
    before = _children_first([c for c in deletes if c.path in freeing])
    first = _waves([c for c in writes if c.path in early], {})
    then = _waves([c for c in writes if c.path not in early], parents)
    links = [c for c in changes if isinstance(c, Update) and c.only_if_moved]
    last = _children_first([c for c in deletes if c.path not in freeing])
    return Schedule(waves=(*before, *first, *then), links=tuple(links), last=tuple(last))


def wave_numbers(changes: Iterable[Change]) -> dict[str, int]:
    """Give by path the wave of each create, and of each update that must run before or among them."""
    writes = _writes(changes)
    early = _early(writes)
    waves = _waves([c for c in writes if c.path in early], {})
    return {change.path: number for number, wave in enumerate(waves) for change in wave}


def _is_write(change: Change) -> TypeGuard[Write]:
    return isinstance(change, Create) or (isinstance(change, Update) and not change.only_if_moved)


def _writes(changes: Iterable[Change]) -> list[Write]:
    return [change for change in changes if _is_write(change)]


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
        for needed in (before.maker(by_path[path]), *before.leaving(by_path[path])):
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
    The service gives a.md the slug `b-2`. After the waves, a second write takes `b` (`sync/jobs`).

    A cycle gives up one prerequisite after the other, the cheapest first: a free place, the true addresses of
    the pages below, a parent in its place (a page that moves below its own child loses its parent), and the
    parent's record.
    """
    made = [write for write in waiting.values() if before.maker(write) not in waiting]
    placed = [write for write in made if before.mover(write) not in waiting]
    settled = [write for write in placed if before.former_mover(write) not in waiting]
    free = [write for write in settled if waiting.keys().isdisjoint(before.leaving(write))]
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


def needs(
    waves: Sequence[Sequence[Create | Update | Delete]], entries: Mapping[str, Entry]
) -> dict[str, frozenset[str]]:
    """Name by path the changes of earlier waves that each change waits for."""
    wave_of = {change.path: number for number, wave in enumerate(waves) for change in wave}
    writes = [change for wave in waves for change in wave if not isinstance(change, Delete)]
    parents: dict[str, str | None] = {}
    if any(isinstance(write, Update) and relocates(write) for write in writes):
        parents = {path: entry.parent_path for path, entry in entries.items()}
        parents.update({write.path: write.desired.parent_path for write in writes})
    before = Prerequisites(writes, parents)
    # The last write that takes a place, in the order of the schedule: it waits for those before it.
    at: dict[Place | None, str] = {}
    needed: dict[str, frozenset[str]] = {}
    # Siblings wait for the same page. One set for all of them takes a fifth of the memory.
    alike: dict[frozenset[str], frozenset[str]] = {}
    deletes = [change for wave in waves for change in wave if isinstance(change, Delete)]
    pages = PagesAbove(deletes)
    below: dict[str | None, list[str]] = defaultdict(list)
    freed: dict[Place | None, list[str]] = defaultdict(list)
    for delete in deletes:
        below[pages.parent(delete.entry)].append(delete.path)
        freed[held_place(delete.entry)].append(delete.path)
    for number, wave in enumerate(waves):
        for change in wave:
            named: list[str | None] = []
            if isinstance(change, Delete):
                named += below.get(change.path, ())
            else:
                place = wanted_place(change) if relocates(change) else None
                named += (*_named(before, change), at.get(place), *freed.get(place, ()))
            earlier = frozenset(
                path for path in named if path is not None and wave_of.get(path, number) < number
            )
            needed[change.path] = alike.setdefault(earlier, earlier)
        at |= {wanted_place(c): c.path for c in wave if not isinstance(c, Delete) and relocates(c)}
    return needed


def _named(before: Prerequisites, write: Write) -> Iterator[str | None]:
    yield before.maker(write)
    yield before.mover(write)
    yield before.former_mover(write)
    yield from before.leaving(write)
    for target in write.desired.links:
        yield target
        yield before.moving_from(target, write.path)


class Prerequisites:
    """The writes that a write waits for: its parent's record and address, and a free place."""

    def __init__(self, writes: Iterable[Write], parents: Mapping[str, str | None]) -> None:
        self._parents = parents
        self._moving = {w.path for w in writes if isinstance(w, Update) and relocates(w)}
        # An update gives a parent its record only if it binds the record for the first time.
        self._making = {w.path for w in writes if isinstance(w, Create) or not w.entry.commit}
        self._leaving: dict[Place, list[str]] = defaultdict(list)
        for w in writes:
            if isinstance(w, Update) and w.entry.slug and relocates(w):
                held = held_place(w.entry)
                if held != wanted_place(w):
                    self._leaving[held].append(w.path)

    def maker(self, write: Write) -> str | None:
        """Name the write that gives this one's parent its record."""
        parent = write.desired.parent_path
        return parent if parent in self._making else None

    def mover(self, write: Write) -> str | None:
        """Name the nearest page that moves, above the place that this write takes.

        The service moves all pages below a page and does not report it. So an address from an earlier
        response would be wrong, and no response would show that.
        """
        return self.moving_from(write.desired.parent_path, write.path)

    def former_mover(self, write: Write) -> str | None:
        """Name the nearest page that moves, above the place that this write leaves."""
        return None if isinstance(write, Create) else self.moving_from(write.entry.parent_path, write.path)

    def leaving(self, write: Write) -> Sequence[str]:
        """Name the writes that leave the place that this one wants: two pages of unknown parents may."""
        return self._leaving.get(wanted_place(write), ()) if relocates(write) else ()

    def moving_from(self, path: str | None, below: str) -> str | None:
        """Name the nearest page that moves, from `path` upwards and not as far as `below`."""
        seen = {below}
        while self._moving and path is not None and path not in seen:
            if path in self._moving:
                return path
            seen.add(path)
            path = self._parents.get(path)
        return None


def relocates(write: Write) -> bool:
    """Tell whether a write takes a place."""
    return isinstance(write, Create) or not {"slug", "parent"}.isdisjoint(write.fields)


def wanted_place(write: Write) -> Place:
    """Give the place that a write takes or keeps."""
    return write.kind, write.desired.fingerprints.get("parent", _TOP), write.desired.slug


def held_place(entry: Entry) -> Place:
    """Give the place that a record has."""
    return entry.kind, entry.fingerprints.get("parent", _TOP), entry.slug


def may_move(changes: Iterable[Change], parents: Mapping[str, str | None]) -> frozenset[str]:
    """Name the paths whose address may change: creates, moved records, and all pages below them."""
    changes = list(changes)
    moving = {
        change.path for change in changes if isinstance(change, Create | Update) and may_move_itself(change)
    }
    if not moving:
        return frozenset()
    children: dict[str, list[str]] = defaultdict(list)
    for path, parent in parents.items():
        if parent is not None:
            children[parent].append(path)
    # The pages below a page keep their addresses when it becomes the front page.
    stays = {c.path for c in changes if isinstance(c, Update) and _is_moved_by(c) == {FRONT_PAGE}}
    spread = [path for path in moving if path in children and path not in stays]
    while spread:
        below = [child for child in children[spread.pop()] if child not in moving]
        moving.update(below)
        spread += [child for child in below if child in children]
    return frozenset(moving)


def may_move_itself(change: Create | Update) -> bool:
    """Tell whether a change may change the address of its own record."""
    if isinstance(change, Create) or not change.entry.link:
        return True
    return bool(_is_moved_by(change))


def _is_moved_by(change: Update) -> set[str]:
    """Give the fields of an update with which the address of its record may change."""
    row, fields = change.kind.row, {"slug", "status"}
    if row.hierarchical:
        fields.add("parent")
    if row.front:
        fields.add(FRONT_PAGE)
    if row.dated:
        fields |= {"date", "date_gmt"}
    return fields.intersection(change.fields)


def settle_links(
    changes: Iterable[Change],
    moving: Collection[str],
    wave_of: Mapping[str, int],
    parents: Mapping[str, str | None],
) -> list[Change]:
    """Mark the changes that link to an address which is set or changed after their own write.

    `wave_of` gives the wave of each create, and of each update before or among the creates. The addresses
    of earlier waves are known, unless a page above moves later. All other updates come later, at the same
    time. A page becomes the front page after all waves.
    """
    last = len(wave_of)
    changes = list(changes)
    fronts = {c.path for c in changes if isinstance(c, Create | Update) and FRONT_PAGE in c.fields}

    def waves_of(path: str | None) -> Iterator[int]:
        """Give the waves of a page and of those above it, as far as their addresses may change."""
        seen: set[str] = set()
        while path is not None and path in moving and path not in seen:
            yield wave_of.get(path, last)
            seen.add(path)
            path = parents.get(path)

    def is_late(change: Create | Update) -> bool:
        own = wave_of.get(change.path, last)
        return any(
            target in fronts or any(wave >= own for wave in waves_of(target))
            for target in change.desired.links
        )

    return [
        replace(change, completed_later=is_late(change)) if _is_write(change) else change
        for change in changes
    ]


def linked_update(desired: Desired, entry: Entry, targets: Collection[str]) -> Update:
    """Make the update of an up-to-date record that links to pages whose address this run may change."""
    reason = reasons.links_to(targets)
    path, kind = desired.path, desired.kind
    return Update(path, kind, entry.id, ("content",), reason, desired, entry, only_if_moved=True)
