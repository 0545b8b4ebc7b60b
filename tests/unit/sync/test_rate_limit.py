"""Calls take their turns, and nobody waits for one that will not come."""

from __future__ import annotations

import threading

from pressync.sync.rate_limit import RateLimiter


def test_a_paced_run_that_is_stopped_waits_no_longer() -> None:
    stop = threading.Event()
    pacer = RateLimiter(0.001, stop)
    pacer.wait()
    stop.set()
    pacer.wait()
    assert stop.is_set(), "its turn would have come in a quarter of an hour"


def test_a_turn_beyond_all_clocks_is_waited_for_until_the_run_is_stopped() -> None:
    stop = threading.Event()
    pacer = RateLimiter(1e-300, stop)
    pacer.wait()
    stopping = threading.Timer(0.01, stop.set)
    stopping.start()
    pacer.wait()
    assert stop.is_set()
    stopping.join()
