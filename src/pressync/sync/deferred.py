"""Splits a sync around creates in doubt: the rest goes first, and what depends on them follows at the end.

A create in doubt can be looked up for certain only when the server had 30 s to finish it. A run that waited
before everything else kept a thousand pages back for one.
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


def waiting_changes(plan: Plan, young: Mapping[str, str]) -> dict[str, str]:
    """Name the writes of a plan that wait for creates in doubt, each with the path it waits for.

    `young` has their slugs, by path. The pages that link to one of them wait, those that may want its slug
    (the server may still be giving it away), and the new pages below such a page. The pages below a create
    in doubt itself are blocked in the plan.
    """
    held: dict[str, str] = {}
    by_slug = {slug: path for path, slug in young.items()}
    writes = [change for change in plan.pending if isinstance(change, Create | Update)]
    for change in writes:
        if linked := sorted(set(young).intersection(change.desired.links)):
            held[change.path] = linked[0]
        elif change.desired.slug in by_slug:
            held[change.path] = by_slug[change.desired.slug]
    above = {change.path: change.desired.parent_path for change in writes}
    made = {change.path for change in writes if isinstance(change, Create)}
    for path, direct in above.items():
        parent, seen = direct, {path}
        while parent in made and parent not in seen:
            seen.add(parent)
            if parent in held:
                held.setdefault(path, held[parent])
            parent = above[parent]
    return held


def blocked_outcomes(plan: Plan) -> list[Outcome]:
    """Give an outcome to each change that the plan blocks."""
    return [
        Outcome(c, Result.IN_DOUBT if c.block is Block.IN_DOUBT else Result.BLOCKED, c.reason)
        for c in plan.changes
        if isinstance(c, Blocked)
    ]


def first_part(plan: Plan, outcomes: Iterable[Outcome], held: Mapping[str, str]) -> RunResult:
    """Give the run that made all but what waits for creates in doubt."""
    ended = {outcome.change.path: outcome for outcome in outcomes}
    # The delete of a page waits with the pages below it that wait.
    skipped = [
        Outcome(change, Result.SKIPPED, _LATER.format(held[change.path]) if change.path in held else _BELOW)
        for change in plan.pending
        if change.path not in ended
    ]
    return RunResult(plan, (*ended.values(), *skipped, *blocked_outcomes(plan)), waiting=True)


def remaining_paths(plan: Plan, outcomes: Iterable[Outcome]) -> list[str]:
    """Name what a second plan has to send: all but what the first part of the run tried in vain."""
    tried = {outcome.change.path for outcome in outcomes if outcome.result not in {Result.DONE, Result.KEPT}}
    return [change.path for change in plan.pending if change.path not in tried]


def ended_early(outcomes: Collection[Outcome]) -> bool:
    """Whether the first part of a run came to an end of its own, so that nothing more is to be sent."""
    results = {outcome.result for outcome in outcomes}
    return Result.SKIPPED in results or (bool(results) and results.isdisjoint({Result.DONE, Result.KEPT}))


def has_more(plan: Plan, before: Plan) -> bool:
    """Whether a plan has changes that the one before had not, for which nobody was asked."""
    asked = {(type(change), change.path) for change in before.pending}
    return any((type(change), change.path) not in asked for change in plan.pending)


def joined(
    so_far: RunResult, outcomes: Iterable[Outcome], second: Iterable[Plan], later: Iterable[Outcome]
) -> RunResult:
    """Put the two parts of a run together: one change and one outcome for each path.

    `second` are the plans of the second part: of the whole site, and of what was sent, as it was sent.
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
