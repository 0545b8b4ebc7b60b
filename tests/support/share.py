"""Which tests run when: all of them every night, a share of the longest in `.ci/run`, the least in the suite.

Two cases of a sweep that follow each other differ in one point. With a share of the cases each fault and most
places are still tried, but not each fault at each place. A run takes the same share each time, so a commit
has one result; `PRESSYNC_TEST_TURN` is the number of another share.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from _pytest.mark import MarkDecorator, ParameterSet

Case = TypeVar("Case")

# `.ci/run` sets the variables. They are read here, because no test sees a PRESSYNC_ variable while it runs.
IS_SHARED = os.environ.get("PRESSYNC_TEST_SHARE") == "1"
# Another number takes other cases; the usual one could be any.
_USUAL = 802
TURN = int(os.environ.get("PRESSYNC_TEST_TURN") or _USUAL) if IS_SHARED else 0


def share(cases: Sequence[Case], every: int, start: int = 0) -> Sequence[Case]:
    """Give every so many of the cases where a share is asked for, from `start` on; else all of them."""
    return cases[(start + TURN) % every :: every] if IS_SHARED else cases


def in_turn(number: int, turns: int) -> MarkDecorator:
    """Leave a test out of a share, but for each so manieth turn."""
    is_left_out = IS_SHARED and (number + TURN) % turns != 0
    return pytest.mark.skipif(is_left_out, reason="another PRESSYNC_TEST_TURN takes it")


def part(rows: Iterable[Any], every: int, start: int = 0, turns: int = 1) -> list[ParameterSet]:
    """Leave the rows that try one promise again to the sweeps, but for every so many of them.

    Where a share is asked for, a run takes one of so many `turns` of what is left to the sweeps.
    """
    sets = [row if isinstance(row, tuple) else (row,) for row in rows]
    kept = {number: pytest.param(*row) for number, row in enumerate(sets) if number % every == start}
    others = {n: pytest.param(*row, marks=pytest.mark.sweep) for n, row in enumerate(sets) if n not in kept}
    tried = {**kept, **{n: others[n] for n in share(sorted(others), turns)}}
    return [tried[number] for number in sorted(tried)]
