"""The number of calls under way: it halves where the service is overloaded and grows where it is not."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import pytest

from pressync.client.retry import Stopped, Window
from pressync.model.errors import Later, NoAnswer, Refused

if TYPE_CHECKING:
    from pressync.model.errors import ServiceError


def end(window: Window, *errors: ServiceError | None) -> None:
    """Begin as many calls together as there are ends, and end them in this order."""
    with ExitStack() as calls:
        for error in reversed(errors):
            calls.enter_context(suppress(Later, NoAnswer, Refused))
            calls.enter_context(window.place())
            if error:
                calls.callback(_raise, error)


def _raise(error: ServiceError) -> None:
    raise error


def test_one_overload_that_many_calls_meet_counts_once_and_a_refusal_of_a_record_not_at_all() -> None:
    window = Window(8)
    end(window, *[Refused("no", status=400)] * 8)
    assert window.limit == 8
    end(window, *[Later("429")] * 8)
    assert window.limit == 4


def test_it_grows_by_one_after_as_many_good_answers_and_never_beyond_what_the_run_allows() -> None:
    window = Window(8)
    end(window, *[Later("429")] * 8)
    limits = []
    for _ in range(200):
        end(window, None)
        limits.append(window.limit)
    assert limits[:13] == [4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6]
    assert limits[-1] == max(limits) == 8


@pytest.mark.parametrize(("most", "taken"), [(16, 5), (32, 12), (64, 3), (8, 8), (8, 1)])
def test_it_settles_near_what_the_service_takes(most: int, taken: int) -> None:
    window = Window(most)
    rounds = []
    for _ in range(2000):
        rounds.append(window.limit)
        # All that may be under way are; the service answers 429 to those above what it takes.
        ends = [None if place < taken else Later("429") for place in range(window.limit)]
        end(window, *reversed(ends))
    settled = rounds[200:]
    assert max(settled) <= taken + 1
    assert sum(settled) / len(settled) > 0.7 * taken
    assert sum(limit > taken for limit in settled) < len(settled) / 10


def test_while_one_call_waits_as_the_service_asked_no_other_begins() -> None:
    window, begun = Window(4), threading.Event()

    def call() -> None:
        with window.place():
            begun.set()

    with ThreadPoolExecutor() as pool:
        with window.pause():
            waiting = pool.submit(call)
            assert not waiting.done()
            assert not begun.is_set()
        waiting.result(timeout=60)
    assert begun.is_set()


def test_a_call_that_waits_for_its_turn_ends_when_the_run_is_stopped() -> None:
    stop = threading.Event()
    window = Window(1, stop.is_set)
    with ThreadPoolExecutor() as pool, window.place():
        waiting = pool.submit(lambda: window.place().__enter__())
        stop.set()
        with pytest.raises(Stopped):
            waiting.result(timeout=60)


def test_no_more_calls_begin_than_the_limit_allows_also_after_others_have_ended() -> None:
    # In a run that is stopped, a call that finds no place does not wait for one.
    window = Window(2, stopped=lambda: True)
    end(window, None, None)
    with window.place(), window.place(), pytest.raises(Stopped), window.place():
        pass
