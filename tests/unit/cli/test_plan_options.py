"""The options of one `pressync plan`."""

from __future__ import annotations

import pytest

from pressync.cli.commands import plan
from pressync.cli.main import Globals
from pressync.cli.plan_options import PlanCommandOptions


def options(*words: str) -> PlanCommandOptions:
    """Read the words behind `pressync plan` as Click does."""
    context = plan.command.make_context("plan", list(words), obj=Globals())
    return PlanCommandOptions(**context.params)


def test_each_option_is_a_field_of_its_name() -> None:
    assert {parameter.name for parameter in plan.command.params} == set(PlanCommandOptions._fields)
    assert options("--diff", "a.md", "b.md") == options("a.md", "b.md")._replace(diff=True)


@pytest.mark.parametrize("words", [(), ("--site", "live"), ("--exit-code",), ("--format", "json")])
def test_a_plain_plan_can_be_answered_from_the_note_of_the_last_run(words: tuple[str, ...]) -> None:
    assert options(*words).is_plain


@pytest.mark.parametrize(
    ("words", "covers_head"),
    [
        (("a.md",), False),
        (("--worktree",), False),
        (("--ref", "v1"), False),
        (("--out", "plan.json"), True),
        (("--strict",), True),
        (("--drift",), True),
        (("--format", "html"), True),
    ],
)
def test_another_plan_is_drawn(words: tuple[str, ...], covers_head: bool) -> None:
    assert not options(*words).is_plain
    assert options(*words).covers_head is covers_head


@pytest.mark.parametrize(
    "words", [("--diff",), ("--overwrite",), ("--max-delete", "5"), ("--format", "html")]
)
def test_a_plan_that_shows_or_allows_more_is_not_the_usual_one(words: tuple[str, ...]) -> None:
    assert options("--summary", "--keep-going").is_usual
    assert not options(*words).is_usual
