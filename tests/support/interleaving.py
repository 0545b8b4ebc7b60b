"""Lets the answers to calls come at the worst moments: between two looks of a run into its entries.

The connections settle entries while the deciding thread works. On a machine with nothing else to do, they are
seldom so quick that a look-up and the next one of the same page differ.
"""

from __future__ import annotations

import random
import threading
from concurrent.futures import wait
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from unittest import mock

from pressync.state.journal_lines import _Live
from pressync.sync.apply import ApplyLoop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.model.changes import Outcome
    from pressync.model.records import Entry


@contextmanager
def settled_between_reads(seed: int) -> Iterator[None]:
    """Before one look-up in three of a deciding thread, wait until all that is under way is settled."""
    chance = random.Random(seed)  # noqa: S311 - a seeded walk, no secret
    loops: dict[threading.Thread, ApplyLoop] = {}
    run, look_up = ApplyLoop.run, _Live.__getitem__

    def running(loop: ApplyLoop) -> list[Outcome]:
        loops[threading.current_thread()] = loop
        return run(loop)

    def looking_up(entries: _Live, path: str) -> Entry:
        loop = loops.get(threading.current_thread())
        if loop and loop.under_way and chance.random() < 1 / 3:
            wait(loop.under_way)
        return look_up(entries, path)

    with ExitStack() as patched:
        patched.enter_context(mock.patch.object(ApplyLoop, "run", running))
        patched.enter_context(mock.patch.object(_Live, "__getitem__", looking_up))
        yield
