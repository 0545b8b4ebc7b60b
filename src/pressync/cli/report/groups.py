"""Groups equal changes, outcomes, problems and messages: the first of each, the next places and a count.

A service that cannot create posts blocks each of two thousand posts for the same reason, and a tree of
another tool has the same mistake in each of its files. Nobody finds the few others between so many lines.
Reasons are equal if they have the same code and differ only in facts of one record. Problems are equal if
everything but their place is the same, or if they have the same text for a group. The words of a service have
no code, so they are equal if they differ in quoted values and numbers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.changes import Blocked, Result
from pressync.model.errors import counted_places
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pressync.model.changes import Change, Outcome
    from pressync.model.errors import Problem
    from pressync.model.reason import Reason

# A quoted value ends only before these characters, so that an apostrophe within the value does not end it.
_DIFFERING = re.compile(r"'.*?'(?=[,;.) ]|$)|\d+")
# A line names this many further places.
_NAMED = 2
# A printed command names at most this many paths. Of more paths it names the first, and says how to list all.
_MOST = 5
_COMMAND = re.compile(r"`([^`]*)`")
# These commands take any number of paths at their end.
_TAKES_PATHS = ("pressync sync ", "pressync pull ", "pressync forget ", "git commit ", "git checkout ")
_OPEN_END = (" ID", " N")
# These facts, every number and the path of the change are of one record.
_OF_ONE = frozenset({"slug", "status", "time", "records"})


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
        is_alone = outcome.result in {Result.KEPT, Result.DONE}
        found.setdefault(number if is_alone else (outcome.result, _said(outcome)), []).append(outcome)
    return list(found.values())


def alike(change: Change) -> tuple[object, ...]:
    """Give the part of a change that equal changes share."""
    return type(change), change.kind, *same_reason(change.why, change.path)


def same_reason(why: Reason, path: str) -> tuple[object, ...]:
    """Give the part of a reason that the changes of a group share: its code, and facts not of one record."""
    shared = {
        name: "" if fact == path else fact
        for name, fact in why.facts.items()
        if not isinstance(fact, int) and name not in _OF_ONE
    }
    return why.code, frozenset(shared.items())


def _said(outcome: Outcome) -> object:
    """Give the part of a message that equal outcomes share; the words of a service are all that it gives."""
    if outcome.why:
        return same_reason(outcome.why, outcome.change.path)
    return _compared(general(outcome.message, outcome.change.path))


def general(sentence: str, path: str) -> str:
    """Write a sentence for every path: its own path becomes PATH."""
    return sentence.replace(quote(path), "PATH").replace(path, "PATH")


def sentence(alike: Sequence[tuple[str, str]], *, named: bool = False) -> str:
    """Write the sentence of a group of paths with their sentences, with commands that are for all of them.

    It names the next paths if they need a command of their own, and with `named` in any case.
    """
    (path, text), *rest = alike
    own = any(quote(path) in command for command in _COMMAND.findall(text))
    more = others([other for other, _ in rest]) if own or named else ""
    parts = [_COMMAND.split(each) for _, each in alike]
    if not own or not rest or len({len(each) for each in parts}) > 1:
        return text + more
    if len(alike) > _MOST:
        return f"{text}{more}; `pressync status` lists all paths, with their ids"
    paths = [quote(each) for each, _ in alike]
    # The text stands at the even places, and the commands between it.
    commands = zip(*(each[1::2] for each in parts), strict=True)
    joint = (f"`{_for_all(each, paths)}`" for each in commands)
    joined = "".join(chain(*zip(parts[0][::2], [*joint, ""], strict=True)))
    return joined if all(each in joined for each in paths) else joined + more


def _for_all(commands: Sequence[str], paths: Sequence[str]) -> str:
    """Join the commands of several paths, each about its own."""
    first = commands[0]
    if len(set(commands)) == 1 or first.endswith(_OPEN_END):
        return first
    if first.startswith(_TAKES_PATHS) and first.endswith(f" {paths[0]}"):
        return " ".join((first, *paths[1:]))
    return " && ".join(commands)


def of_messages(pairs: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Group equal messages: pairs of a place and a message, in the order of the first of each group."""
    found: dict[str, list[tuple[str, str]]] = {}
    for place, message in pairs:
        found.setdefault(_compared(message), []).append((place, message))
    return list(found.values())


def _compared(message: str) -> str:
    """Give the part of a message that equal messages share."""
    return _DIFFERING.sub("…", message)


def line(alike: Sequence[tuple[str, str]]) -> str:
    """Write one group: the first place and its message, then the next places and the number of the others."""
    place, message = alike[0]
    return ": ".join(filter(None, (one_line(place), one_line(message)))) + others(
        [each for each, _ in alike[1:]]
    )


def others(places: Sequence[str]) -> str:
    """Name the next places of a group, and count the others; an empty text if there are none."""
    if not places:
        return ""
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return f"; also {', '.join(map(one_line, places[:_NAMED]))}{more}"


def of_problems(problems: Iterable[Problem], *, similar: bool = False) -> list[list[Problem]]:
    """Group equal problems, in the order of the first of each group; `similar` ignores numbers and values."""
    found: dict[Problem, list[Problem]] = {}
    for problem in problems:
        key = problem.group
        if similar:
            what, todo = (_compared(general(text, problem.path)) for text in (problem.what, problem.todo))
            key = replace(key, what=what, todo=todo)
        found.setdefault(key, []).append(problem)
    return list(found.values())


def count_problems(problems: Sequence[Problem], word: str) -> str:
    """Count problems as they are printed: the lines, and the places if there are more of them."""
    return counted_places(len(of_problems(problems)), len(problems), word)


def merged_problem(alike: Sequence[Problem]) -> Problem:
    """Make one problem of a group: at the first place, and it names the next places and counts the others."""
    first, *rest = alike
    what = first.alike if any(each.what != first.what for each in rest) and first.alike else first.what
    more = others([place(each) for each in rest])
    return replace(first, what=what, todo=f"{first.todo}{more}" if first.todo else more.removeprefix("; "))


def place(problem: Problem) -> str:
    """Give the path of a problem, with its line if it is known."""
    return f"{problem.path}:{problem.line}" if problem.line else problem.path
