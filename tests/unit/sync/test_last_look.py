"""A run knows a record for a few seconds after it has read or written it."""

from __future__ import annotations

import time

from tests.support.builders import create, delete, keep, plan, update

from pressync.model.interface import Kind
from pressync.sync.last_look import RECENT, LastLook

A, B, C = "content/pages/a.md", "content/pages/b.md", "content/pages/c.md"


def test_what_a_plan_changes_is_known_for_a_few_seconds() -> None:
    now = 1000.0
    known = LastLook(lambda: now)
    known.saw(plan(update(A, number=7), delete(B, 8), keep(C, 9), create("content/pages/d.md")), at=now)
    seen = {number for number in range(10) if known.is_recent((Kind.PAGE, number))}
    assert seen == {7, 8}, "the records that are kept are not written"
    now += RECENT
    assert known.is_recent((Kind.PAGE, 7))
    now += 0.1
    assert not known.is_recent((Kind.PAGE, 7))


def test_a_long_run_holds_no_more_than_it_has_just_seen() -> None:
    now = 1000.0
    known = LastLook(lambda: now)
    for number in range(100):
        now += 1
        known.knows([(Kind.PAGE, number)], at=now)
        recent = range(max(0, number - int(RECENT)), number + 1)
        assert [n for n in range(100) if known.is_recent((Kind.PAGE, n))] == [*recent]
    assert len(known) < 3 * RECENT


def test_the_clock_never_goes_back() -> None:
    known = LastLook()
    before = known.now()
    assert before <= known.now()
    assert known.now() >= time.clock_gettime(time.CLOCK_MONOTONIC) - 1, "it counts the time of sleep as well"
