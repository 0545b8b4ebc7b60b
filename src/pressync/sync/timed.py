"""Notes in each outcome how long its request took, so that people see which records are slow."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.sync.delivery import Delivered, Delivery
    from pressync.sync.jobs import Job


def deliver(delivery: Delivery, jobs: Sequence[Job]) -> list[Delivered]:
    """Deliver jobs; all of one request took its time, pauses and repetitions included.

    :raises StorageError: as `Delivery.deliver`.
    """
    begun = monotonic()
    parts = delivery.deliver(jobs)
    seconds = monotonic() - begun
    return [replace(part, outcome=replace(part.outcome, seconds=seconds)) for part in parts]
