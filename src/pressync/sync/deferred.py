"""Splits a sync in two parts: first the changes that do not depend on unconfirmed creates, then the rest.

A look-up of an unconfirmed create is certain only after the server had 30 s to finish it. A run that waited
at its start delayed a thousand pages because of one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.model.changes import Block, Blocked, Create, Outcome, Result, Update
from pressync.model.outcomes import RunResult

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.model.changes import Change, Plan

_LATER = "it waits for {}, which is unconfirmed; the next sync writes it"
_BELOW = "a page below it waits for an unconfirmed create; the next sync goes on from here"


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


def blocked_outcomes(plan: Plan) -> list[Outcome]:
    """Give the outcomes of the changes that the plan blocks."""
    return [
        Outcome(c, Result.UNCONFIRMED if c.block is Block.UNCONFIRMED else Result.BLOCKED, c.reason)
        for c in plan.changes
        if isinstance(c, Blocked)
    ]


def first_part(plan: Plan, outcomes: Iterable[Outcome], waiting: Mapping[str, str]) -> RunResult:
    """Give the result of the first part: the changes that wait are skipped so far."""
    ended = {outcome.change.path: outcome for outcome in outcomes}
    # The delete of a page waits if pages below it wait.
    skipped = [
        Outcome(
            change, Result.SKIPPED, _LATER.format(waiting[change.path]) if change.path in waiting else _BELOW
        )
        for change in plan.pending
        if change.path not in ended
    ]
    return RunResult(plan, (*ended.values(), *skipped, *blocked_outcomes(plan)), waiting=True)


def remaining_paths(plan: Plan, outcomes: Iterable[Outcome]) -> list[str]:
    """List the paths that the second part has to send: all except those that failed in the first part."""
    tried = {outcome.change.path for outcome in outcomes if outcome.result not in {Result.DONE, Result.KEPT}}
    return [change.path for change in plan.pending if change.path not in tried]


def ended_early(outcomes: Collection[Outcome]) -> bool:
    """Whether the first part of a run ended by itself, so that nothing more must be sent."""
    results = {outcome.result for outcome in outcomes}
    return Result.SKIPPED in results or (bool(results) and results.isdisjoint({Result.DONE, Result.KEPT}))


def joined(
    so_far: RunResult, outcomes: Iterable[Outcome], second: Iterable[Plan], later: Iterable[Outcome]
) -> RunResult:
    """Join the two parts of a run: one change and one outcome for each path.

    `second` are the plans of the second part: of the whole site, and of the changes that were sent.
    """
    ended = {outcome.change.path: outcome for outcome in outcomes}
    for outcome in later:
        before = ended.get(outcome.change.path)
        if before is None:
            ended[outcome.change.path] = outcome
        elif outcome.result is not Result.KEPT:
            ended[outcome.change.path] = replace(outcome, change=before.change)
    first = so_far.plan
    changes: dict[str, Change] = {}
    for plan in second:
        changes |= {change.path: change for change in plan.changes if change.path not in ended}
    rest = tuple(changes.values())
    problems = dict.fromkeys(problem for plan in (first, *second) for problem in plan.problems)
    notes = dict.fromkeys(note for plan in (first, *second) for note in plan.notes)
    made = tuple(outcome.change for outcome in ended.values())
    joint = replace(first, changes=(*made, *rest), problems=tuple(problems), notes=tuple(notes))
    return RunResult(joint, (*ended.values(), *blocked_outcomes(replace(joint, changes=rest))))
