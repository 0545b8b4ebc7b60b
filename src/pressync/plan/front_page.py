"""Says in a plan which page becomes the front page of the site, or no longer is. Pure.

A site has one front page. Two files that want to be it would take it from each other, in every sync that
changes one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Create, Keep, Update
from pressync.model.errors import Code, Problem
from pressync.model.reason import NO_REASON, Reason, ReasonCode
from pressync.model.visibility import FRONT_PAGE, is_wanted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.model.changes import Change

_BEGINS = Reason(ReasonCode.FRONT_PAGE, sentence="it becomes the front page of the site")
_ENDS = Reason(
    ReasonCode.NO_FRONT_PAGE,
    sentence="it is no longer the front page; if the site still shows it there, the site goes back to "
    "its posts",
)


def reason(wanted: Mapping[str, str], fields: Collection[str]) -> Reason:
    """Say what a change of these fields does to the front page; `wanted` are the document's fingerprints."""
    if FRONT_PAGE not in fields:
        return NO_REASON
    return _BEGINS if is_wanted(wanted) else _ENDS


def without(fields: Iterable[str]) -> list[str]:
    """Give the fields of the record itself."""
    return [name for name in fields if name != FRONT_PAGE]


def problems(changes: Iterable[Change]) -> list[Problem]:
    """Give a problem for each document but the first that wants to be the front page."""
    wanted = {}
    for change in changes:
        if isinstance(change, Create | Update | Keep):
            digests = (change.entry if isinstance(change, Keep) else change.desired).fingerprints
            if is_wanted(digests):
                wanted[change.path] = digests
    return among(wanted)


def among(wanted: Mapping[str, Mapping[str, str]]) -> list[Problem]:
    """Do the same for fingerprints by path."""
    first, *others = sorted(path for path, digests in wanted.items() if is_wanted(digests)) or [""]
    what, todo = f"{first} is the front page already, and a site has one", "take it back in one of the two"
    return [Problem(path, 0, what, todo, code=Code.FRONT_PAGE) for path in others]
