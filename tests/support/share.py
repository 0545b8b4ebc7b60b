"""The share of the longest tests that a landing tries. Whoever runs them by hand, and each night, tries all.

Each case of a sweep differs from the next in one point of many. Half of the points, with each fault and each
place among them, find what all of them find, but for the odd one that the night finds.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Case = TypeVar("Case")

# `.ci/run` sets it. It is read while the tests are collected: while they run, the variable is not there.
IS_SHARED = os.environ.get("PRESSYNC_TEST_SHARE") == "1"


def share(cases: Sequence[Case], every: int, start: int = 0) -> Sequence[Case]:
    """Give every so many of the cases where a share is asked for, from `start` on; else all of them."""
    return cases[start % every :: every] if IS_SHARED else cases
