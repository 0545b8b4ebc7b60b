"""Merges equal problems of many files into one: the first of them, with the next places and a count.

A tree of another tool has the same mistake in each of its files, and thousands of equal lines hide the few
that differ. Two problems are equal if everything but their place is the same, or if they have the same text
for a group. The name of a broken link's target is what people need, so most problems have no such text.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.cli.report import warning_groups
from pressync.cli.report.change_groups import general
from pressync.model.errors import counted_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pressync.model.errors import Problem


def groups(problems: Iterable[Problem], *, similar: bool = False) -> list[list[Problem]]:
    """Group equal problems, in the order of the first of each group; `similar` ignores numbers and values."""
    found: dict[Problem, list[Problem]] = {}
    for problem in problems:
        key = problem.group
        if similar:
            what, todo = (
                warning_groups.compared(general(text, problem.path)) for text in (problem.what, problem.todo)
            )
            key = replace(key, what=what, todo=todo)
        found.setdefault(key, []).append(problem)
    return list(found.values())


def count(problems: Sequence[Problem], word: str) -> str:
    """Count problems as they are printed: the lines, and the places if there are more of them."""
    return counted_places(len(groups(problems)), len(problems), word)


def merged(alike: Sequence[Problem]) -> Problem:
    """Make one problem of a group: at the first place, and it names the next places and counts the others."""
    first, *others = alike
    what = first.alike if any(each.what != first.what for each in others) and first.alike else first.what
    more = warning_groups.others([place(each) for each in others])
    return replace(first, what=what, todo=f"{first.todo}{more}" if first.todo else more.removeprefix("; "))


def place(problem: Problem) -> str:
    """Give the path of a problem, with its line if it is known."""
    return f"{problem.path}:{problem.line}" if problem.line else problem.path
