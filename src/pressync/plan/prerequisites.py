"""Names the changes that each change of a schedule waits for. Pure.

A page waits for its parent's record, for a free place and for the addresses that its text shows, and for
nothing else. So a run sends a page as soon as these are there. A change never waits for one of its own wave
or of a later one: where changes wait for each other in a circle, the order has chosen which goes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Create, Delete, Update
from pressync.model.fingerprint import fingerprint
from pressync.plan.page_tree import PagesAbove

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pressync.model.interface import Kind
    from pressync.model.records import Entry

Write = Create | Update

# The place of a record: its kind, the fingerprint of its parent's id, its slug. Two records cannot share one.
Place = tuple["Kind", str, str]
_TOP = fingerprint(0)


def needs(
    waves: Sequence[Sequence[Create | Update | Delete]], entries: Mapping[str, Entry]
) -> dict[str, frozenset[str]]:
    """Name by path the changes of earlier waves that each change waits for.

    `entries` are the manifest's, by path; they give the parent of each record.
    """
    wave_of = {change.path: number for number, wave in enumerate(waves) for change in wave}
    writes = [change for wave in waves for change in wave if not isinstance(change, Delete)]
    parents: dict[str, str | None] = {}
    if any(isinstance(write, Update) and relocates(write) for write in writes):
        parents = {path: entry.parent_path for path, entry in entries.items()}
        parents.update({write.path: write.desired.parent_path for write in writes})
    before = Prerequisites(writes, parents)
    # The last change that holds or takes a place, in the order of the schedule.
    at: dict[Place, str] = {}
    found: dict[str, frozenset[str]] = {}
    # Siblings wait for the same page. One set for all of them takes a fifth of the memory.
    alike: dict[frozenset[str], frozenset[str]] = {}
    below = _deletes_below([change for wave in waves for change in wave if isinstance(change, Delete)])
    for number, wave in enumerate(waves):
        for change in wave:
            named = (
                below.get(change.path, ())
                if isinstance(change, Delete)
                else [*_named(before, change), at.get(wanted_place(change)) if relocates(change) else None]
            )
            earlier = frozenset(
                path for path in named if path is not None and wave_of.get(path, number) < number
            )
            found[change.path] = alike.setdefault(earlier, earlier)
        for change in wave:
            if isinstance(change, Delete):
                at[held_place(change.entry)] = change.path
            elif relocates(change):
                at[wanted_place(change)] = change.path
    return found


def _named(before: Prerequisites, write: Write) -> Iterator[str | None]:
    yield before.maker(write)
    yield before.mover(write)
    yield before.former_mover(write)
    yield before.leaving(write)
    for target in write.desired.links:
        yield target
        yield before.moving_from(target, write.path)


def _deletes_below(deletes: Sequence[Delete]) -> dict[str, list[str]]:
    pages = PagesAbove(deletes)
    below: dict[str, list[str]] = {}
    for delete in deletes:
        if (parent := pages.parent(delete.entry)) is not None:
            below.setdefault(parent, []).append(delete.path)
    return below


class Prerequisites:
    """The writes that a write waits for: its parent's record and address, and a free place."""

    def __init__(self, writes: Iterable[Write], parents: Mapping[str, str | None]) -> None:
        self._parents = parents
        self._moving = {w.path for w in writes if isinstance(w, Update) and relocates(w)}
        # An update gives a parent its record only if it binds the record for the first time.
        self._making = {w.path for w in writes if isinstance(w, Create) or not w.entry.commit}
        self._leaving = {
            held_place(w.entry): w.path
            for w in writes
            if isinstance(w, Update)
            and w.entry.slug
            and wanted_place(w) != held_place(w.entry)
            and relocates(w)
        }

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

    def leaving(self, write: Write) -> str | None:
        """Name the write that leaves the place that this one wants."""
        return self._leaving.get(wanted_place(write)) if relocates(write) else None

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
