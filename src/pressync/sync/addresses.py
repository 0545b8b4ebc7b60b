"""Follows the addresses of pages that move in a run, and expects those of pages that are created.

The service moves the pages below a page without telling us, and the documented interface has no read. So we
assume that a child's address begins with its parent's address, but only if it did so before the move. A new
page gets the address that the pattern of the other responses shows.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from pressync.model.changes import Create
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.records import Entry
from pressync.model.visibility import is_front
from pressync.sync import echo

if TYPE_CHECKING:
    from pressync.state.state import State
    from pressync.sync.jobs import Pending


class AddressTracker:
    """Follows the addresses of one run. Only the deciding thread may use it."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._former: dict[str, set[str]] = {}

    def follow(self, path: str, previous: Entry | None, busy: Collection[str]) -> None:
        """Record the present addresses of a page that was just written, and of the pages below it.

        `previous` is the page's entry from before its write. Pages in `busy` are left out: their own calls
        are under way, and they are followed when the response is here.

        :raises StorageError: the journal cannot be written.
        """
        entry = self._state.manifest.entries.get(path)
        if entry is None:
            return
        parent = self._state.manifest.entries.get(entry.parent_path or "")
        if parent and self._former.get(parent.path):
            # The page above moved after this response was sent, and before it was taken in.
            entry = self._moved_along(parent, entry) or entry
        if previous:
            self._note_move(path, self._start_below(previous), self._start_below(entry))
        if self._former.get(path):
            self._move_children(entry, busy)

    def _move_children(self, entry: Entry, busy: Collection[str]) -> None:
        children: dict[str, list[Entry]] = {}
        for other in self._state.manifest.entries.values():
            if other.parent_path is not None and other.path not in busy:
                children.setdefault(other.parent_path, []).append(other)
        # The loop appends to the list that it walks.
        pages = [entry]
        for page in pages:
            along = (self._moved_along(page, child) for child in children.get(page.path, ()))
            pages += [child for child in along if child]

    def _moved_along(self, page: Entry, child: Entry) -> Entry | None:
        """Move a page along with the one above it; None if its address does not show that it moves.

        The address of a draft stays, and those of the pages below the draft do not.
        """
        if link := self._below(page, child.link):
            self._note_move(child.path, _prefix(child.link), _prefix(link))
            child = echo.moved(child, link)
            self._state.put(child)
        elif _own_start(child):
            return None
        else:
            for start in self._former[page.path]:
                self._note_move(child.path, f"{start}{child.slug}/", self._start_below(child))
        return child

    def _note_move(self, path: str, before: str, after: str) -> None:
        """Note the start of the addresses below a page that it left, unless it came back there."""
        former = self._former.setdefault(path, set())
        if before and before != after:
            former.add(before)
        former.discard(after)

    def _below(self, page: Entry, link: str) -> str | None:
        """Work out the present address of a page below `page`, if `link` is from before `page` moved."""
        start = self._start_below(page)
        all_prefixes = {start, *self._former.get(page.path, ())}
        # A page may move up to the address of its parent, from `/docs/docs/` to `/docs/`, or down again. Then
        # one of its addresses begins with the other. The longest one that still leaves a name is meant.
        nearest = max(
            (at for at in all_prefixes if at and link.startswith(at) and link != at), key=len, default=""
        )
        return start + link.removeprefix(nearest) if start and nearest and nearest != start else None

    def _start_below(self, page: Entry) -> str:
        """Give the start of all addresses below a page.

        WordPress gives a draft an address with its id, and keeps the draft's slug in the addresses below it.
        The front page has the address of the site, and its slug is in the addresses below it.
        """
        own = _own_start(page)
        if own:
            return own
        entries = self._state.manifest.entries
        if parent := entries.get(page.parent_path or ""):
            above = self._start_below(parent)
        else:
            # All pages at the top are beside each other.
            at_top = (e for e in entries.values() if e.kind is page.kind and e.parent_path is None)
            shown = chain(reversed(page.former), (e.link for e in at_top if _own_start(e)))
            above = next((f"{link.rstrip('/').rpartition('/')[0]}/" for link in shown if _prefix(link)), "")
        return f"{above}{page.slug}/" if above else ""


def _own_start(page: Entry) -> str:
    """Give the start of the addresses below a page as its own address shows it, or ""."""
    return "" if is_front(page) else _prefix(page.link)


def _prefix(link: str) -> str:
    """Give the start of all addresses below a page; "" if an address like this one cannot have any.

    Some sites write their addresses with a slash at the end, and many WordPress sites without.
    """
    if "?" in link or "#" in link:
        return ""
    return link if link.endswith("/") else f"{link}/"


# An address that ends with a date's folders: WordPress offers them for posts, with and without the day.
_DATED = re.compile(r"(?P<start>.*/)(?P<date>[0-9]{4}/[0-9]{2}/(?:[0-9]{2}/)?)", re.DOTALL)
_TOP = fingerprint(0)
# Only a record that visitors see has an address with its slug. A draft has one with its id.
_SHOWN = frozenset(map(fingerprint, ("publish", "private")))
# A place in the tree of pages: a page at the top has depth 0, and so has each post.
_Level = tuple[Kind, int]
# After more wrong than right addresses, and more than these, nothing is expected of that kind any more. After
# more patterns than these that a response contradicted, neither.
_FEW = 3


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The start of the addresses of one kind, the number of parts of a date, and what follows the slug."""

    start: str
    date_parts: int
    end: str


# A page that links to a page of the same run needed a second write, because its own create came before the
# other's response. Addresses are regular: a page is below its parent by its slug, or beside it on some
# services, and a post is below the start of all posts or below its date. So one page of each depth shows the
# pattern, and the others link at once. Only a page that got a wrong address is written again.
class ExpectedAddresses(Mapping[str, Entry]):
    """The manifest's entries, and for creates one with only an address; for the deciding thread alone."""

    def __init__(self, state: State, changes: Iterable[Pending]) -> None:
        self._state = state
        self._coming = {change.path: change for change in changes if isinstance(change, Create)}
        self._patterns: dict[Kind, _Pattern] = {}
        # Whether the pages of a depth are beside those at the top, by their addresses, and not below others.
        self._flat: dict[_Level, bool] = {}
        # By path: the address that was expected, and how many patterns of its kind were left before.
        self._given: dict[str, tuple[str, int]] = {}
        self._left: Counter[Kind] = Counter()
        self._contradicted: Counter[Kind] = Counter()
        self._right: Counter[Kind] = Counter()
        self._wrong: Counter[Kind] = Counter()
        self._tried: Counter[_Level] = Counter()
        self._chain: frozenset[str] = frozenset()
        linked = {
            path
            for change in self._coming.values()
            if change.completed_later
            for path in change.desired.links
        }
        deepest: Counter[Kind] = Counter()
        for path in linked & self._coming.keys():
            kind = self._coming[path].kind
            deepest[kind] = max(deepest[kind], self._depth(path))
        self._wanted = {(kind, depth) for kind, most in deepest.items() for depth in range(most + 1)}
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
            kind = self._coming[path].kind
            self._given[path] = link, self._left[kind]
            entry = Entry(path, kind, 0, "", link, "", "", "", "", {})
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def teaches(self, change: Pending) -> bool:
        """Tell whether the response to this create can show a pattern that other pages wait for."""
        if not isinstance(change, Create) or not self._is_regular(change):
            return False
        level = change.kind, self._depth(change.path)
        if change.path in self._chain:
            return any(kind == change.kind and depth >= level[1] for kind, depth in self._unknown)
        above_is_known = change.kind in self._patterns or not level[1]
        return level in self._unknown and above_is_known and self._tried[level] < _FEW

    @property
    def _unknown(self) -> set[_Level]:
        return {
            (kind, depth)
            for kind, depth in self._wanted
            if ((kind, depth) not in self._flat if depth else kind not in self._patterns)
        }

    def leading(self, changes: Sequence[Pending]) -> Sequence[Pending]:
        """Put creates that show a pattern first, of each kind one page and then one below the other.

        The changes may run in any order. A page that links to no page of this run goes before one that would
        need a second write.
        """
        unknown = self._unknown
        if not unknown:
            return changes
        chains: defaultdict[Kind, list[list[Create]]] = defaultdict(list)
        for change in changes:
            if isinstance(change, Create) and (change.kind, self._depth(change.path)) in unknown:
                chain = self._new_above(change)
                if all(map(self._is_regular, chain)):
                    chains[change.kind].append(chain)
        first: dict[str, Create] = {}
        for some in chains.values():
            top = min(
                (c for c in some if c[-1].desired.parent_path is None),
                key=lambda chain: chain[-1].completed_later,
                default=[],
            )
            below = (c for c in some if c[-1].desired.parent_path is not None)
            deepest = max(below, key=self._shows_most, default=[])
            first |= {change.path: change for change in (*top, *deepest)}
            self._chain |= {change.path for change in deepest}
        return (*first.values(), *(change for change in changes if change.path not in first))

    def _shows_most(self, chain: Sequence[Create]) -> tuple[int, int]:
        """Rank chains of pages: the deepest is best, and of these the one that waits for the fewest."""
        last = chain[-1]
        depth, above = self._depth(last.path), {change.path for change in chain}
        others = {*last.desired.links} & self._coming.keys() - above
        return depth, -sum(self._depth(path) < depth for path in others)

    def _new_above(self, change: Create) -> list[Create]:
        """List the new pages above a new page, and that page, from the top."""
        chain, parent = [change], change.desired.parent_path
        while parent is not None and (above := self._coming.get(parent)) and above not in chain:
            chain.append(above)
            parent = above.desired.parent_path
        return chain[::-1]

    def _depth(self, path: str) -> int:
        """Give the number of pages above a page."""
        seen = {path}
        while True:
            coming, entry = self._coming.get(path), self._entries.get(path)
            page = coming.desired if coming else entry
            parent = page.parent_path if page else None
            if parent is None or parent in seen:
                return len(seen) - 1
            seen.add(parent)
            path = parent

    def take(self, path: str) -> None:
        """Learn from the response to a create, and expect nothing more of a create that has failed."""
        change, entry = self._coming.get(path), self._entries.get(path)
        if change is None:
            return
        if entry is None:
            del self._coming[path]
            return
        self._tried[entry.kind, self._depth(path)] += 1
        given, left = self._given.pop(path, ("", 0))
        # An address that was expected by a pattern which is left since says nothing of the present one.
        if given and left == self._left[entry.kind]:
            right = given == entry.link
            (self._right if right else self._wrong)[entry.kind] += 1
            if not right:
                self._correct(entry)
        self._learn(entry)

    def _correct(self, entry: Entry) -> None:
        """Leave a pattern that a response contradicts."""
        kind, level = entry.kind, (entry.kind, self._depth(entry.path))
        if entry.parent_path is None:
            # An older record may have shown a pattern that the site has left.
            if self._patterns.pop(kind, None):
                self._contradicted[kind] += 1
                self._leave(kind)
        elif level in self._flat and self._wrong[kind] > self._right[kind]:
            shown = self._is_flat(entry)
            if shown is not None and shown is not self._flat[level]:
                self._flat[level] = shown
                self._contradicted[kind] += 1
                self._leave(kind)

    def _leave(self, kind: Kind) -> None:
        """Begin a new pattern: the wrong addresses of the one that is left do not count against it."""
        self._left[kind] += 1
        del self._right[kind], self._wrong[kind]

    def _learn(self, entry: Entry) -> None:
        """Learn the pattern of a kind, or of a depth of it, from an address, if none is known."""
        if entry.parent_path is not None:
            self._learn_depth(entry)
            return
        if entry.kind in self._patterns or not entry.slug:
            return
        if entry.fingerprints.get("parent", _TOP) != _TOP:
            return
        start, slug, end = entry.link.rpartition(entry.slug)
        if slug and start.endswith("/") and end in {"", "/"}:
            dated = _DATED.fullmatch(start) if entry.kind.row.dated else None
            parts = dated["date"].count("/") if dated else 0
            self._patterns[entry.kind] = _Pattern(dated["start"] if dated else start, parts, end)

    def _learn_depth(self, entry: Entry) -> None:
        """Learn from an address whether the pages of its depth are below others, if that is not known."""
        level = entry.kind, self._depth(entry.path)
        shown = None if level in self._flat else self._is_flat(entry)
        if shown is not None:
            was_assumed = self._assumed(level)
            self._flat[level] = shown
            if shown is not was_assumed:
                self._leave(entry.kind)

    def _is_flat(self, entry: Entry) -> bool | None:
        """Tell whether the address of a page below another is beside the others; None if it shows neither."""
        pattern, above = self._patterns.get(entry.kind), self._entries.get(entry.parent_path or "")
        start = above and pattern and _start_below(above, pattern)
        if not pattern or not entry.slug or not start:
            return None
        if entry.link == f"{start}{entry.slug}{pattern.end}":
            return False
        return True if entry.link == f"{pattern.start}{entry.slug}{pattern.end}" else None

    def _assumed(self, level: _Level) -> bool:
        """Tell whether a depth is flat, or assume it of the nearest depth above of which it is known."""
        kind, depth = level
        return next((self._flat[kind, n] for n in range(depth, 0, -1) if (kind, n) in self._flat), False)

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
        kind, desired = change.kind, change.desired
        if self._contradicted[kind] > _FEW or self._wrong[kind] > max(_FEW, self._right[kind]):
            return None
        start: str | None = pattern.start
        if desired.parent_path is not None and not self._assumed((kind, self._depth(path))):
            above = self._entries.get(desired.parent_path)
            expected = "" if above else self._expected(desired.parent_path, below | {path})
            start = _start_below(above, pattern) if above else _with_slash(expected or "")
            if start is None:
                return None
        elif pattern.date_parts:
            date = re.match(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", desired.date)
            if date is None:
                return None
            start = f"{pattern.start}{'/'.join(date.groups()[: pattern.date_parts])}/"
        return f"{start}{desired.slug}{pattern.end}"


def _start_below(above: Entry, pattern: _Pattern) -> str | None:
    """Give the start of the addresses below a page; None if an address like its own cannot have any."""
    if not is_front(above):
        return _with_slash(above.link)
    # Its address is that of the site. The pages below keep its slug in theirs.
    return None if above.parent_path else _with_slash(f"{pattern.start}{above.slug}{pattern.end}")


def _with_slash(link: str) -> str | None:
    return (link and _prefix(link)) or None
