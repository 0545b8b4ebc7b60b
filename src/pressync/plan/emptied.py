"""Warns of updates that take the whole text off a page. Pure.

A crash of an editor or a full disk leaves an empty file, and an empty file is a valid document. So the person
hears of it before the site shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Update
from pressync.model.errors import Code, Problem
from pressync.model.fingerprint import fingerprint, may_be

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pressync.model.changes import Change

_NOTHING = fingerprint("")
_TODO = "bring the text back with Git, or remove the file to take the page off the site"


def problems(changes: Iterable[Change], known: Collection[Problem], *, strict: bool) -> Iterator[Problem]:
    """Warn of the updates that empty a record; the files of the `known` problems were warned of already."""
    warned = {problem.path for problem in known if problem.code is Code.NO_TEXT}
    for change in changes:
        if isinstance(change, Update) and change.path not in warned and _is_emptied(change):
            what = f"the file has no text any more, and a sync empties {change.kind} {change.id}"
            yield Problem(change.path, 0, what, _TODO, warning=not strict, code=Code.NO_TEXT)


def _is_emptied(change: Update) -> bool:
    had = may_be(change.entry.fingerprints.get("content", _NOTHING))
    return (
        "content" in change.fields
        and change.desired.fingerprints.get("content") == _NOTHING
        and _NOTHING not in (had or {_NOTHING})
    )
