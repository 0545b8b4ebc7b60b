"""The pace of long work in words."""

from __future__ import annotations

import pytest

from pressync.cli import pace

SLOWEST = "12.3 s content/pages/docs/a-long-name.md"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (45, "45 s"), (119, "119 s"), (120, "2 min"), (3599, "1 h 0 min"), (7500, "2 h 5 min")],
)
def test_a_time_is_written_for_people(seconds: float, words: str) -> None:
    assert pace.span(seconds) == words


def test_a_log_line_tells_the_rate_the_time_left_and_the_slowest_call() -> None:
    assert pace.log_line("Syncing", 500, 20500, 50, "") == "Syncing: 500 of 20500, 10/s, about 33 min left"
    assert pace.log_line("Syncing", 5, 10, 10, "3.1 s a.md") == (
        "Syncing: 5 of 10, 0.5/s, about 10 s left; slowest: 3.1 s a.md"
    )


def test_the_lines_of_a_log_become_rare_in_a_long_run() -> None:
    assert [pace.log_pause(seconds) for seconds in (0, 30, 300, 36000)] == [5, 5, 30, 60]


@pytest.mark.parametrize(("done", "seconds"), [(0, 0.0), (0, 5.0), (2, 0.007)])
def test_a_rate_needs_something_done_and_a_second(done: int, seconds: float) -> None:
    assert pace.beside_bar(done, seconds, "", 60) == ""


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (60, "40/s, slowest 12.3 s content/pages/docs/a-long-name.md"),
        (30, "40/s, slowest 12.3 s …name.md"),
        (20, "40/s"),
        (3, ""),
    ],
)
def test_beside_a_bar_is_as_much_as_there_is_room_for(width: int, words: str) -> None:
    shown = pace.beside_bar(200, 5, SLOWEST, width)
    assert shown == words or (len(shown) <= width and shown.startswith(words[:21]))
    assert len(shown) <= width
