"""Calls take their turns, and nobody waits for one that will not come."""

from __future__ import annotations

import threading

from pressync.pacer import Pacer


def test_a_paced_run_that_is_stopped_waits_no_longer() -> None:
    stop = threading.Event()
    pacer = Pacer(0.001, stop)
    pacer.wait()
    stop.set()
    pacer.wait()
    assert stop.is_set(), "its turn would have come in a quarter of an hour"
