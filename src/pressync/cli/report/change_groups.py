"""Groups changes and outcomes whose sentences differ only in their own path, a number or a quoted value.

A service that cannot create posts blocks each of two thousand posts with the same sentence. One line with the
first places and a count says it all.
"""

from __future__ import annotations

import re
from itertools import chain
from shlex import quote
from typing import TYPE_CHECKING

from pressync.cli.report import warning_groups
from pressync.model.changes import Blocked, Result

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pressync.model.changes import Change, Outcome

# A printed command names at most this many paths. Of more paths it names the first, and says how to list all.
_MOST = 5
_COMMAND = re.compile(r"`([^`]*)`")
# These commands take any number of paths at their end.
_TAKES_PATHS = ("pressync sync ", "pressync pull ", "pressync forget ", "git commit ", "git checkout ")
_OPEN_END = (" ID", " N")


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


def sentence(alike: Sequence[tuple[str, str]], *, named: bool = False) -> str:
    """Write the sentence of a group of paths with their sentences, with commands that are for all of them.

    It names the next paths if they need a command of their own, and with `named` in any case.
    """
    (path, text), *others = alike
    own = any(quote(path) in command for command in _COMMAND.findall(text))
    more = warning_groups.others([other for other, _ in others]) if own or named else ""
    parts = [_COMMAND.split(each) for _, each in alike]
    if not own or not others or len({len(each) for each in parts}) > 1:
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
