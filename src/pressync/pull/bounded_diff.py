"""Finds what two sequences have in common, as `difflib` does, with an upper limit on the work. Pure.

The time of `difflib` grows with the square of the length where the same lines come back often, and with the
cube at worst. The texts come from outside. Where too much work is left, only equal beginnings and ends are
found. Such a diff is longer, and still correct.
"""

from __future__ import annotations

from difflib import Match, SequenceMatcher
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

# A processor looks at this many pairs of equal items in a second. Ordinary pages need a hundredth of them; a
# page of 2,000 lines needs 13 million if each of its lines is edited.
_MOST = 20_000_000


class Work:
    """The pairs of equal items that may still be looked at; several comparisons can share them."""

    def __init__(self) -> None:
        self.left = _MOST


class _Matcher(SequenceMatcher[Any]):
    a: Sequence[Hashable]
    b: Sequence[Hashable]
    b2j: dict[Hashable, list[int]]

    def __init__(self, a: Sequence[Hashable], b: Sequence[Hashable], work: Work, *, autojunk: bool) -> None:
        super().__init__(None, a, b, autojunk)
        self._work = work
        self.costs = [0, *accumulate(1 + len(self.b2j.get(item, ())) for item in a)]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        ahi, bhi = len(self.a) if ahi is None else ahi, len(self.b) if bhi is None else bhi
        self._work.left -= self.costs[ahi] - self.costs[alo]
        if self._work.left >= 0:
            return super().find_longest_match(alo, ahi, blo, bhi)
        ours, theirs = self.a[alo:ahi], self.b[blo:bhi]
        if size := _equal_at_the_beginning(ours, theirs):
            return Match(alo, blo, size)
        size = _equal_at_the_beginning(ours[::-1], theirs[::-1])
        return Match(ahi - size, bhi - size, size)


def _equal_at_the_beginning(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    pairs = zip(a, b, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def matcher(
    a: Sequence[Hashable], b: Sequence[Hashable], *, autojunk: bool = False, work: Work | None = None
) -> SequenceMatcher[Any]:
    """Compare two sequences; with `autojunk`, items that come often are matched only beside others.

    Where the work is too much without `autojunk`, it is done with it.
    """
    given = work or Work()
    made = _Matcher(a, b, given, autojunk=autojunk)
    # The last of the costs is the work of the first of many looks at all items.
    may_retry = not autojunk and work is None
    if may_retry and made.costs[-1] > _MOST // 5:
        return matcher(a, b, autojunk=True)
    made.get_matching_blocks()
    return matcher(a, b, autojunk=True) if may_retry and given.left < 0 else made


def unified(before: str, after: str, old: str, new: str, around: int) -> Iterator[str]:
    """Give the lines of a unified diff of two texts with its two names; nothing if both are equal."""
    ours, theirs = before.splitlines(), after.splitlines()
    hunks = [*matcher(ours, theirs, autojunk=True).get_grouped_opcodes(around)]
    yield from (f"--- {old}", f"+++ {new}") if hunks else ()
    for hunk in hunks:
        (_, i, _, k, _), (_, _, j, _, m) = hunk[0], hunk[-1]
        yield f"@@ -{_range(i, j)} +{_range(k, m)} @@"
        for tag, *(i, j, k, m) in hunk:
            if tag == "equal":
                yield from (f" {line}" for line in ours[i:j])
            else:
                yield from (f"-{line}" for line in ours[i:j])
                yield from (f"+{line}" for line in theirs[k:m])


def _range(start: int, stop: int) -> str:
    size = stop - start
    return f"{start + 1}" if size == 1 else f"{start + bool(size)},{size}"
