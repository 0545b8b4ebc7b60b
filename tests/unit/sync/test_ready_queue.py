"""The queue of a run: what is ready, in the order of the schedule, and never before what it needs."""

from __future__ import annotations

import pytest
from tests.support.builders import create

from pressync.sync.ready_queue import ReadyQueue


def queue_of(paths: str, **needed: str) -> ReadyQueue:
    """Make a queue of changes of one letter each; `needed` names the letters that a letter needs."""
    return ReadyQueue([create(path) for path in paths], needed)


def ready(queue: ReadyQueue) -> str:
    """Take all that is ready now."""
    found = ""
    while (change := queue.next()) is not None:
        found += change.path
    return found


def test_without_needs_all_changes_are_ready_in_their_order() -> None:
    assert ready(queue_of("cab")) == "cab"


def test_a_change_is_ready_when_all_that_it_needs_have_ended() -> None:
    queue = queue_of("abcd", d="ab")
    assert ready(queue) == "abc"
    queue.end("a")
    assert ready(queue) == ""
    queue.end("b")
    assert ready(queue) == "d"


def test_of_those_that_are_ready_the_first_of_the_order_goes_first() -> None:
    queue = queue_of("abcd", b="a")
    queue.next()
    queue.end("a")
    assert ready(queue) == "bcd"


def test_a_need_that_is_not_a_change_ends_when_it_is_told() -> None:
    queue = ReadyQueue([create("a"), create("b")], {"b": ["picture.png"]})
    assert ready(queue) == "a"
    queue.end("picture.png")
    assert ready(queue) == "b"


def test_a_queue_is_active_until_all_changes_have_ended() -> None:
    queue = queue_of("ab")
    ready(queue)
    queue.end("a")
    assert queue.is_active
    queue.end("b")
    assert not queue.is_active


def test_a_change_ends_once() -> None:
    queue = queue_of("abc", c="ab")
    ready(queue)
    queue.end("a")
    with pytest.raises(KeyError):
        queue.end("a")
    assert ready(queue) == ""
    queue.end("b")
    assert ready(queue) == "c"
