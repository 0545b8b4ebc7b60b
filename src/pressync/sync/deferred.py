"""Leaves the changes that depend on creates of the last moment to the next sync.

A look-up of an unconfirmed create is certain only after the server had 30 s to finish it. The other changes
do not wait for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Block, Blocked, Create, Outcome, Result, Update
from pressync.model.outcomes import RunResult
from pressync.model.reason import Reason, ReasonCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.changes import Plan

_BELOW = Reason(
    ReasonCode.PARENT_WAITS,
    sentence="a page below it waits for an unconfirmed create; the next sync goes on from here",
)


def waiting_changes(plan: Plan, recent: Mapping[str, str]) -> dict[str, str]:
    """List the writes of a plan that wait for recent unconfirmed creates, each with the path it waits for.

    `recent` has the slugs of these creates, by path. A page waits if it links to one of them, or if it wants
    the same slug, because the server may still be assigning that slug. New pages below such a page wait too.
    The plan itself blocks the pages below an unconfirmed create.
    """
    waiting: dict[str, str] = {}
    by_slug = {slug: path for path, slug in recent.items()}
    writes = [change for change in plan.pending if isinstance(change, Create | Update)]
    for change in writes:
        if linked := sorted(set(recent).intersection(change.desired.links)):
            waiting[change.path] = linked[0]
        elif change.desired.slug in by_slug:
            waiting[change.path] = by_slug[change.desired.slug]
    above = {change.path: change.desired.parent_path for change in writes}
    made = {change.path for change in writes if isinstance(change, Create)}
    for path, direct in above.items():
        parent, seen = direct, {path}
        while parent in made and parent not in seen:
            seen.add(parent)
            if parent in waiting:
                waiting.setdefault(path, waiting[parent])
            parent = above[parent]
    return waiting


def _later(path: str | None) -> Reason:
    if path is None:
        return _BELOW
    said = f"it waits for {path}, which is unconfirmed; the next sync writes it"
    return Reason(ReasonCode.WAITS, {"waits_for": path}, said)


def _blocked(plan: Plan) -> list[Outcome]:
    """Give the outcomes of the changes that the plan blocks."""
    return [
        Outcome.because(c, Result.UNCONFIRMED if c.block is Block.UNCONFIRMED else Result.BLOCKED, c.why)
        for c in plan.changes
        if isinstance(c, Blocked)
    ]


def run_result(plan: Plan, outcomes: Iterable[Outcome], waiting: Mapping[str, str]) -> RunResult:
    """Give the result of a run: the changes that wait are skipped."""
    ended = {outcome.change.path: outcome for outcome in outcomes}
    # The delete of a page waits if pages below it wait.
    skipped = [
        Outcome.because(change, Result.SKIPPED, _later(waiting.get(change.path)))
        for change in plan.pending
        if change.path not in ended
    ]
    return RunResult(plan, (*ended.values(), *skipped, *_blocked(plan)))
