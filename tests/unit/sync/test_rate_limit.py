"""Calls start at the given rate, and a stopped run does not wait."""

from __future__ import annotations

import threading

from pressync.sync.rate_limit import RateLimiter


def test_a_paced_run_that_is_stopped_waits_no_longer() -> None:
    stop = threading.Event()
    limiter = RateLimiter(0.001, stop)
    limiter.wait()
    stop.set()
    limiter.wait()
    assert stop.is_set(), "its turn would have come in a quarter of an hour"


def test_a_turn_beyond_all_clocks_is_waited_for_until_the_run_is_stopped() -> None:
    stop = threading.Event()
    limiter = RateLimiter(1e-300, stop)
    limiter.wait()
    stopping = threading.Timer(0.01, stop.set)
    stopping.start()
    limiter.wait()
    assert stop.is_set()
    stopping.join()
