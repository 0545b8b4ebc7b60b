"""A sync that is killed or refused at any instant loses nothing and makes nothing twice.

After every strike the test finishes the run: it resolves unconfirmed creates if the site cannot be read, and
syncs once more. Then the site must hold each record of the commit once, the manifest must know the records,
and one more sync must send nothing.
"""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.durability.sweeps import strace
from tests.support.share import share
from tests.support.strict_service import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from tests.durability.sweeps.conftest import Tally
    from tests.durability.sweeps.stage import Stage
    from tests.durability.sweeps.strace import Point, Watched

    Counted = Callable[[], AbstractContextManager[Tally]]

_KILL = "signal=KILL"
# The calls that write the journal, make it durable, send and receive; and all rarer calls.
_GROUPS = {
    "writes": {"pwrite64"},
    "syncs": {"fdatasync"},
    "sends": {"sendto"},
    "receives": {"recvfrom"},
    "the rest": {*strace.STORING, *strace.SPEAKING} - {"pwrite64", "fdatasync", "sendto", "recvfrom"},
}
# The bytes of the response that have arrived when the client dies; None: the service has not acted yet.
_RESPONSES = {
    "before the service acts": None,
    "before its response": b"",
    "within its response": b"HTTP/1.1 200 OK\r\nConte",
}

needs_strace = pytest.mark.skipif(
    not strace.is_allowed(), reason="strace is not here, or may not look into other processes"
)


def _points(stage: Stage, watched: Watched) -> list[Point]:
    """Let one run go through, and name the points where it can be struck."""
    stage.put_up()
    found = strace.points(watched, stage.log, stage.files)
    stage.content.assert_shown(stage.site.entries(), stage.service.shown)
    return found


def _strike(stage: Stage, watched: Watched, point: Point, effect: str, tally: Tally) -> None:
    done = strace.strike(watched, stage.log, point, effect)
    assert "Traceback" not in done.stderr, f"{point}: {done.stderr}"
    if effect == _KILL:
        # A thread may make one call less than in the run that was counted.
        tally["runs killed" if done.returncode == -signal.SIGKILL else "runs that had ended"] += 1
    else:
        tally[f"runs struck by {effect.partition('=')[2]}"] += 1


def _struck(stage: Stage, watched: Watched, points: Iterable[Point], effect: str, tally: Tally) -> None:
    for point in points:
        stage.put_up()
        _strike(stage, watched, point, effect, tally)
        stage.finish(tally)


def test_killed_at_a_few_requests(stage: Stage, watched: Watched, counted: Counted) -> None:
    with counted() as tally:
        _killed_at_requests(stage, watched, [3], None, tally)
        _killed_at_requests(stage, watched, [5], b"", tally)
        assert tally["runs killed"] == 2


@needs_strace
@pytest.mark.sweep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("group", _GROUPS)
def test_killed_at_any_system_call(stage: Stage, watched: Watched, group: str, counted: Counted) -> None:
    points = share([point for point in _points(stage, watched) if point.call in _GROUPS[group]], 18)
    with counted() as tally:
        _struck(stage, watched, points, _KILL, tally)
        # A response may come in more or fewer pieces, so that a run has fewer points than were counted.
        assert tally["runs killed"] >= 0.7 * len(points)


@needs_strace
@pytest.mark.sweep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("word", ["TERM", "INT"])
def test_asked_to_stop_at_any_line_of_the_journal(
    stage: Stage, watched: Watched, word: str, counted: Counted
) -> None:
    lines = [
        point for point in _points(stage, watched) if point.file == stage.journal and point.call == "pwrite64"
    ]
    with counted() as tally:
        _struck(stage, watched, share(lines, 18, 2 * (word == "INT")), f"signal={word}", tally)


@needs_strace
@pytest.mark.sweep
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("calls", "error"),
    [({"pwrite64", "ftruncate"}, "ENOSPC"), ({"fdatasync", "fsync"}, "EIO"), ({"rename", "openat"}, "EIO")],
    ids=["full at writes", "broken at syncs", "broken at names"],
)
def test_refused_by_the_disk_at_any_call(
    stage: Stage, watched: Watched, calls: set[str], error: str, counted: Counted
) -> None:
    points = share([point for point in _points(stage, watched) if point.call in calls], 18)
    with counted() as tally:
        _struck(stage, watched, points, f"error={error}", tally)


@pytest.mark.sweep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("response", _RESPONSES)
def test_killed_at_any_request(
    stage: Stage, watched: Watched, response: str, concurrency: int, counted: Counted
) -> None:
    stage.put_up()
    stage.site.sync(concurrency=concurrency)
    # Four calls at a time come in another order in each run. There every second request is struck, and the
    # others in the next of the three moments, so that each request is struck in one of them at least.
    step, moment = 1 if concurrency == 1 else 2, [*_RESPONSES].index(response)
    numbers = range(1 + moment % step, len(stage.service.received) + 1, step)
    with counted() as tally:
        started = replace(watched, arguments=stage.arguments(concurrency=concurrency))
        _killed_at_requests(stage, started, share(numbers, 18, moment), _RESPONSES[response], tally)


def _killed_at_requests(
    stage: Stage, watched: Watched, numbers: Iterable[int], response: bytes | None, tally: Tally
) -> None:
    """Kill the client while the service is silent at one of its requests."""
    program = watched.program
    for number in numbers:
        stage.put_up()
        silent = Fault(acts=response is not None, sends=response or b"", end="hang")
        stage.service.faults.extend([*[None] * (number - 1), silent])
        process = program.start(watched.arguments, watched.environ, stage.log.with_suffix(".said"))
        os.kill(process, signal.SIGCONT)
        stage.service.wait_for_requests(number, program.has_ended)
        if not program.has_ended():
            os.kill(process, signal.SIGKILL)
        tally["runs killed"] += program.wait() == -signal.SIGKILL
        stage.finish(tally)


@needs_strace
@pytest.mark.sweep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("start", share(range(2), 2))
def test_killed_again_while_it_recovers(stage: Stage, watched: Watched, start: int, counted: Counted) -> None:
    points = [
        point for point in _points(stage, watched) if point.call in {"pwrite64", "sendto", "rename", "unlink"}
    ]
    with counted() as tally:
        for first in points[start::14]:
            for second in points[start + 3 :: 16]:
                stage.put_up()
                _strike(stage, watched, first, _KILL, tally)
                _strike(stage, watched, second, _KILL, tally)
                stage.finish(tally)
