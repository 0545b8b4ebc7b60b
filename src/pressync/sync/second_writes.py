"""The second writes of a run: which changes need one, and one outcome for both writes. Pure.

The address of a page may be known only after another page is written, and the front page is a setting of the
site and not of the page. So some records are written twice, and people must see one outcome for each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.model.calls import UpdateCall
from pressync.model.changes import Delete, Result, Update
from pressync.model.front_page import FRONT_PAGE, is_wanted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.changes import Create, Outcome
    from pressync.plan.order import Wave
    from pressync.sync.delivery import Delivered
    from pressync.sync.jobs import Pending

_WRITTEN = frozenset({Result.DONE, Result.KEPT})


def is_only_front(change: Pending) -> bool:
    """Tell whether a change sets the front page and writes no record."""
    return isinstance(change, Update) and change.fields == (FRONT_PAGE,)


def front_pages(waves: Iterable[Wave], outcomes: Mapping[str, Outcome]) -> list[Create | Update]:
    """Give the changes that set the front page or take it back, after the waves have their outcomes.

    The new front page goes first, so that visitors always find one. A record that was not written waits.
    """
    fronts = [
        change
        for wave in waves
        for change in wave
        if not isinstance(change, Delete)
        and FRONT_PAGE in change.fields
        and (change.path not in outcomes or outcomes[change.path].result in _WRITTEN)
    ]
    return sorted(fronts, key=lambda change: not is_wanted(change.desired.fingerprints))


def missing(change: Pending) -> str:
    """Say what the next sync does for a record whose second write was not sent."""
    is_front = not isinstance(change, Delete) and FRONT_PAGE in change.fields
    return f"its {'front page setting is' if is_front else 'links are'} completed by the next sync"


def joined(before: Outcome | None, delivered: Delivered) -> Outcome:
    """Join the outcome of a second write with that of the first: one change has one outcome."""
    outcome = delivered.outcome
    if before is None:
        return outcome
    if outcome.result is Result.DONE:
        return replace(outcome, message="; ".join(filter(None, (before.message, outcome.message))))
    call = delivered.job.call
    is_front = isinstance(call, UpdateCall) and FRONT_PAGE in call.fields
    but = "the site's front page is not set" if is_front else "its links are not complete"
    change = delivered.job.change
    what = "updated" if isinstance(change, Update) else "created"
    return replace(outcome, change=change, message=f"{what}, but {but}: {outcome.message}")
