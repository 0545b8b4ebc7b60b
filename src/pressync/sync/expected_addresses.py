"""Expects the addresses of pages before they are created, by the pattern that the service's responses show.

A page that links to a page of the same run needed a second write, because its own create came before the
other's response. Addresses are regular: a page is below its parent by its slug, and a post is below the same
start, or below its date. So the link is written at once. The response to the other create confirms the
address, and only a page that got a wrong one is written again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.changes import Create
from pressync.model.fingerprint import fingerprint
from pressync.model.front_page import is_front
from pressync.model.interface import Kind
from pressync.model.records import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pressync.state.state import State
    from pressync.sync.jobs import Pending

# An address that ends with a date's folders: WordPress offers them for posts, with and without the day.
_DATED = re.compile(r"(?P<start>.*/)(?P<date>[0-9]{4}/[0-9]{2}/(?:[0-9]{2}/)?)", re.DOTALL)
_TOP = fingerprint(0)
# Only a record that visitors see has an address with its slug. A draft has one with its id.
_SHOWN = frozenset(map(fingerprint, ("publish", "private")))
# After more wrong than right addresses, and more than these, nothing is expected of that kind any more.
_FEW = 3


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The start of the addresses of one kind, the number of parts of a date, and what follows the slug."""

    start: str
    date_parts: int
    end: str


class ExpectedAddresses(Mapping[str, Entry]):
    """The entries of the manifest, and for creates of this run an entry that has nothing but an address.

    Only the deciding thread may use it.
    """

    def __init__(self, state: State, changes: Iterable[Pending]) -> None:
        self._state = state
        self._coming = {change.path: change for change in changes if isinstance(change, Create)}
        self._patterns: dict[Kind, _Pattern] = {}
        self._given: dict[str, str] = {}
        self._right: Counter[Kind] = Counter()
        self._wrong: Counter[Kind] = Counter()
        self._tried: Counter[Kind] = Counter()
        self._flat: set[Kind] = set()
        linked = {
            path
            for change in self._coming.values()
            if change.completed_later
            for path in change.desired.links
        }
        self._wanted = {self._coming[path].kind for path in linked & self._coming.keys()}
        if self._wanted:
            for entry in self._entries.values():
                self._learn(entry)

    @property
    def _entries(self) -> Mapping[str, Entry]:
        return self._state.manifest.entries

    def __getitem__(self, path: str) -> Entry:
        entry = self._entries.get(path)
        if entry is None:
            link = self._expected(path, frozenset())
            if link is None:
                raise KeyError(path)
            self._given[path] = link
            entry = Entry(path, self._coming[path].kind, 0, "", link, "", "", "", "", {})
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def teaches(self, change: Pending) -> bool:
        """Tell whether the response to this create can show a pattern that other pages wait for."""
        return (
            isinstance(change, Create)
            and change.kind in self._wanted
            and change.kind not in self._patterns
            and self._tried[change.kind] < _FEW
            and change.desired.parent_path is None
            and self._is_regular(change)
        )

    def leading(self, changes: Sequence[Pending]) -> Sequence[Pending]:
        """Put a create that shows a pattern first, one of each kind. The changes may run in any order.

        A page that links to no page of this run goes before one that would need a second write.
        """
        teaching = [c for c in reversed(changes) if isinstance(c, Create) and self.teaches(c)]
        by_links = sorted(teaching, key=lambda change: change.completed_later, reverse=True)
        first = {change.kind: change for change in by_links}
        return (*first.values(), *(c for c in changes if first.get(c.kind) is not c)) if first else changes

    def take(self, path: str) -> None:
        """Learn from the response to a create, and expect nothing more of a create that has failed."""
        change, entry = self._coming.get(path), self._entries.get(path)
        if change is None:
            return
        if entry is None:
            del self._coming[path]
            return
        self._tried[entry.kind] += 1
        if given := self._given.pop(path, ""):
            right = given == entry.link
            (self._right if right else self._wrong)[entry.kind] += 1
            if not right:
                self._correct(entry)
        self._learn(entry)

    def _correct(self, entry: Entry) -> None:
        """Leave a pattern that a response contradicts."""
        pattern = self._patterns.get(entry.kind)
        if entry.parent_path is None:
            # An older record may have shown a pattern that the site has left.
            self._patterns.pop(entry.kind, None)
        elif pattern and entry.link == f"{pattern.start}{entry.slug}{pattern.end}":
            self._flat.add(entry.kind)

    def _learn(self, entry: Entry) -> None:
        """Learn the pattern of a kind from an address, if none is known."""
        if entry.kind in self._patterns or entry.parent_path is not None or not entry.slug:
            return
        if entry.fingerprints.get("parent", _TOP) != _TOP:
            return
        start, slug, end = entry.link.rpartition(entry.slug)
        if slug and start.endswith("/") and end in {"", "/"}:
            dated = _DATED.fullmatch(start) if entry.kind is Kind.POST else None
            parts = dated["date"].count("/") if dated else 0
            self._patterns[entry.kind] = _Pattern(dated["start"] if dated else start, parts, end)

    def _is_regular(self, change: Create) -> bool:
        desired = change.desired
        status = desired.fingerprints.get("status") or desired.create_only.get("status")
        top = desired.parent_path is not None or desired.fingerprints.get("parent", _TOP) == _TOP
        return bool(desired.slug) and status in _SHOWN and top

    def _expected(self, path: str, below: frozenset[str]) -> str | None:
        change = self._coming.get(path)
        pattern = self._patterns.get(change.kind) if change else None
        if change is None or pattern is None or path in below or not self._is_regular(change):
            return None
        if self._wrong[change.kind] > max(_FEW, self._right[change.kind]):
            return None
        desired = change.desired
        start: str | None = pattern.start
        if desired.parent_path is not None and change.kind not in self._flat:
            above = self._entries.get(desired.parent_path)
            if above and is_front(above):
                # Its address is that of the site. The pages below keep its slug in theirs.
                start = None if above.parent_path else f"{pattern.start}{above.slug}{pattern.end}"
            else:
                start = above.link if above else self._expected(desired.parent_path, below | {path})
            if not start or "?" in start or "#" in start:
                return None
            start = start if start.endswith("/") else f"{start}/"
        elif pattern.date_parts:
            date = re.match(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", desired.date)
            if date is None:
                return None
            start = f"{pattern.start}{'/'.join(date.groups()[: pattern.date_parts])}/"
        return f"{start}{desired.slug}{pattern.end}"
