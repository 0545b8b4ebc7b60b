"""The words of the overlay about a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tests.support.builders import blocked, create, keep, plan, update
from tests.support.plan_samples import HOSTILE, PROBLEMS

from pressync.app.comparisons import Comparison
from pressync.app.preview.facts import WorkTreeFacts
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.app.comparisons import Comparisons
    from pressync.model.changes import Change

ABOUT = "content/pages/about.md"


class Sides:
    """Comparisons that were made before."""

    def __init__(self, *known: Comparison) -> None:
        self._known = {each.path: each for each in known}

    def of(self, changes: Sequence[Change]) -> Iterator[Comparison]:
        """Give those of some changes."""
        yield from (self._known[change.path] for change in changes if change.path in self._known)


def facts(*changes: Change, problems: Sequence[Problem] | None = None, long: int = 0) -> WorkTreeFacts:
    """Make the facts of a plan."""
    sides = Sides(Comparison(ABOUT, "+" + "x" * long, "<p>a</p>"))
    return WorkTreeFacts(plan(*changes), cast("Comparisons", sides), {ABOUT: "/about/"}, problems=problems)


def test_a_change_with_both_sides() -> None:
    said = facts(update(ABOUT, "content"), create("content/pages/new.md")).of(ABOUT)
    assert (said["action"], said["reason"], said["address"]) == ("update", "content changed", "/about/")
    assert said["sides"] == {
        "source": "+",
        "rendered": "<p>a</p>",
        "why": "",
        "heading": "Rendered: as last sent | the work tree",
    }
    assert said["changes"] == [
        ["update", ABOUT, "/about/", "content changed"],
        [
            "create",
            "content/pages/new.md",
            "/-/preview/file?path=content/pages/new.md",
            "new document",
        ],
    ]


def test_a_page_that_is_up_to_date_and_one_that_no_file_makes() -> None:
    known = facts(keep(ABOUT))
    assert known.of(ABOUT)["reason"] == "a sync would send nothing"
    assert known.of(None)["reason"] == "this page is not a file of its own"
    assert known.of("content/pages/left-out.md")["reason"] == "no sync changes this file"
    assert known.of(ABOUT)["changes"] == []


def test_a_problem_of_this_file_comes_before_the_errors_of_others() -> None:
    own = Problem(ABOUT, 3, "no number", "write one", code=Code.VALUE)
    said = facts(keep(ABOUT), problems=(*PROBLEMS, own)).of(ABOUT)
    assert said["action"] == "problem"
    assert said["problems"] == [
        ["error", f"{ABOUT}:3: no number; write one"],
        ["error", "content/pages/bad.md:3: no number; write one"],
    ]
    assert facts(keep(ABOUT), problems=PROBLEMS).of(ABOUT)["action"] == "keep"


def test_the_overlay_lists_the_first_changes_and_counts_the_others() -> None:
    said = facts(*(blocked(f"{number}.md", "no") for number in range(250))).of(None)
    assert (len(cast("list[object]", said["changes"])), said["more"]) == (200, 50)


def test_sides_that_are_too_long_are_not_sent() -> None:
    sides = cast("dict[str, str]", facts(update(ABOUT), long=2_000_000).of(ABOUT)["sides"])
    assert (sides["source"], sides["rendered"]) == ("", "")
    assert sides["why"].endswith("`pressync plan --diff` prints them")


def test_no_text_from_outside_has_a_line_of_its_own() -> None:
    said = facts(blocked(ABOUT, HOSTILE)).of(ABOUT)
    assert str(said["reason"]).isprintable()
