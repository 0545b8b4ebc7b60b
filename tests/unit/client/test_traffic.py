"""Requests and bytes are counted for the process, and a run subtracts what was before it."""

from __future__ import annotations

from pressync.client import traffic


def test_a_difference_of_two_counts_is_what_came_between() -> None:
    before = traffic.now()
    traffic.count(requests=1, sent=30)
    traffic.count(received=500)
    assert traffic.now().since(before) == traffic.Traffic(1, 30, 500)
