"""Says of one page of the preview what a sync would send, what `check` says, and how both sides differ.

The words are data for the script of the overlay. They are those of the real plan of the work tree against the
site, and not those of the stage, which already has the text of the files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.app.preview.overlay import address_of_file
from pressync.model.changes import Blocked, Create, Delete, Keep, Update
from pressync.model.outcomes import action
from pressync.model.printable import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pressync.app.comparisons import Comparison, Comparisons
    from pressync.model.changes import Change, Plan
    from pressync.model.errors import Problem

# The overlay lists at most this many changes, and this many problems.
_MOST = 200
# A longer comparison is not sent to the browser.
_LONGEST = 2_000_000
PROBLEM = "problem"
_BROKEN = "the file has problems, so nothing of it would be sent; "
_LAST_GOOD, _NO_PAGE = "the page is the last good one", "it has no page yet"


@dataclass(frozen=True, slots=True)
class WorkTreeFacts:
    """All that is known of one state of the work tree.

    `problems` are those of `check`, and None until it has read every file; until then those of the plan
    count. `addresses` are the paths on the stage by the paths of the documents, and `with_paths` leads the
    links of a text to the stage. `trouble` are sentences about the preview itself.
    """

    plan: Plan
    comparisons: Comparisons
    addresses: Mapping[str, str]
    with_paths: Callable[[str], str] = str
    trouble: Sequence[str] = ()
    problems: Sequence[Problem] | None = None

    def of(self, path: str | None) -> dict[str, object]:
        """Give the facts about the page of a document; None stands for a page that is not of a document."""
        problems = self.plan.problems if self.problems is None else self.problems
        own = [problem for problem in problems if problem.path == path]
        # A problem that leaves a document out concerns whoever looks at any page.
        others = [problem for problem in problems if problem.path != path and not problem.warning]
        change = next((each for each in self.plan.changes if each.path == path), None)
        word, reason = _said(change, own, is_document=path is not None)
        if word == PROBLEM:
            reason += _LAST_GOOD if path in self.addresses else _NO_PAGE
        compared = next(self.comparisons.of([change]), None) if change else None
        pending = [each for each in self.plan.changes if not isinstance(each, Keep)]
        return {
            "path": one_line(path or ""),
            "address": self.address(path) if path else None,
            "action": word,
            "reason": one_line(reason),
            "problems": [
                *(["error", one_line(sentence)] for sentence in self.trouble),
                *_listed([*own, *others][:_MOST]),
            ],
            "checked": self.problems is not None,
            "sides": self._sides(compared, change) if compared else None,
            "changes": [
                [action(each), one_line(each.path), self.address(each.path), one_line(each.reason)]
                for each in pending[:_MOST]
            ],
            "more": max(0, len(pending) - _MOST),
        }

    def address(self, path: str) -> str:
        """Give the address of a document on the stage, or that of a page about it."""
        return self.addresses.get(path) or address_of_file(path)

    def _sides(self, compared: Comparison, change: Change | None) -> dict[str, str]:
        too_long = len(compared.source) + len(compared.rendered or "") > _LONGEST
        why = "the two sides are too long to show here; `pressync plan --diff` prints them"
        return {
            "source": "" if too_long else printable(compared.source),
            "rendered": "" if too_long else self.with_paths(compared.rendered or ""),
            "why": why if too_long else compared.why,
            "heading": f"Rendered: {self._live(change)} | the work tree",
        }

    def _live(self, change: Change | None) -> str:
        if isinstance(change, Create):
            return "nothing yet"
        return "the site now" if self.plan.compared else "as last sent"


def _said(change: Change | None, problems: Iterable[Problem], *, is_document: bool) -> tuple[str, str]:
    """Give the word for a page and the sentence behind it."""
    if any(not problem.warning for problem in problems):
        return PROBLEM, _BROKEN
    match change:
        case Create() | Update() | Delete() | Blocked():
            return action(change), change.reason
        case Keep():
            return action(change), change.reason or "a sync would send nothing"
        case None:
            return "", "no sync changes this file" if is_document else "this page is not a file of its own"


def _listed(problems: Iterable[Problem]) -> list[list[str]]:
    return [[problem.severity, one_line(str(problem))] for problem in problems]
