"""The share of the longest tests that `.ci/run` takes. The nightly workflow, and a run by hand, take all.

Two cases of a sweep that follow each other differ in one point. With every second case each fault and each
place are still tried, but not each fault at each place.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Case = TypeVar("Case")

# `.ci/run` sets the variable. It is read here, because no test sees a PRESSYNC_ variable while it runs.
IS_SHARED = os.environ.get("PRESSYNC_TEST_SHARE") == "1"


def share(cases: Sequence[Case], every: int, start: int = 0) -> Sequence[Case]:
    """Give every so many of the cases where a share is asked for, from `start` on; else all of them."""
    return cases[start % every :: every] if IS_SHARED else cases
