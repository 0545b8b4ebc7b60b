"""Groups changes and outcomes whose sentences differ only in their own path, a number or a quoted value.

A service that cannot create posts blocks each of two thousand posts with the same sentence. One line with the
first places and a count says it all.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from pressync.cli.report import warning_groups
from pressync.model.changes import Blocked, Result

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pressync.model.changes import Change, Outcome


def of_changes(changes: Iterable[Change], apart: Collection[str] = ()) -> list[list[Change]]:
    """Group the blocked changes, but not those at the paths `apart`; any other change is its own group."""
    found: dict[object, list[Change]] = {}
    for number, change in enumerate(changes):
        alone = not isinstance(change, Blocked) or change.path in apart
        found.setdefault(number if alone else alike(change), []).append(change)
    return list(found.values())


def of_outcomes(outcomes: Iterable[Outcome]) -> list[list[Outcome]]:
    """Group the outcomes that are not done, in the order of the first of each group."""
    found: dict[object, list[Outcome]] = {}
    for number, outcome in enumerate(outcomes):
        message = warning_groups.compared(general(outcome.message, outcome.change.path))
        key = number if outcome.result in {Result.KEPT, Result.DONE} else (outcome.result, message)
        found.setdefault(key, []).append(outcome)
    return list(found.values())


def alike(change: Change) -> tuple[object, ...]:
    """Give the part of a change that equal changes share."""
    message = general(change.reason, change.path)
    return type(change), change.kind, warning_groups.compared(message)


def general(sentence: str, path: str) -> str:
    """Write a sentence for every path: its own path becomes PATH."""
    return sentence.replace(quote(path), "PATH").replace(path, "PATH")
