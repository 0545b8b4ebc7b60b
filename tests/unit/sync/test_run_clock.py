"""The clock of a run keeps the slowest requests, and counts what the run sent."""

from __future__ import annotations

import pytest

from pressync.client import traffic
from pressync.sync.run_clock import RunClock


def test_the_ten_slowest_requests_are_kept_slowest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, now = RunClock(), [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])

    def send(seconds: int) -> int:
        now[0] += seconds
        return seconds

    for seconds in (3, 1, 12, 5, 7, 2, 9, 4, 8, 6, 11, 10):
        assert clock.timed([f"{seconds}.md", "other.md"], send, seconds) == seconds
    slowest = clock.account().slowest
    assert [each.path for each in slowest] == [f"{n}.md" for n in range(12, 2, -1)]
    assert {each.changes for each in slowest} == {2}


def test_a_request_that_fails_is_timed_too() -> None:
    clock = RunClock()

    def send(_call: str) -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        clock.timed(["a.md"], send, "")
    assert [each.path for each in clock.account().slowest] == ["a.md"]


def test_only_requests_since_its_begin_count() -> None:
    traffic.count(requests=5, sent=5)
    clock = RunClock()
    traffic.count(requests=1, sent=20, received=300)
    account = clock.account()
    assert (account.requests, account.sent, account.received) == (1, 20, 300)
