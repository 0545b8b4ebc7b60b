"""The plan and the run for reviewers: folded, escaped, and never longer than there is room."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.builders import create, plan, update
from tests.support.plan_samples import IN_STEP, PLAN, PROBLEMS, REFUSED, RUN, hostile_plan, hostile_run
from tests.unit.cli.report.test_markdown import page, rendered

from pressync.cli.report import review

WHOLE = 65_536


def folds(text: str) -> list[str]:
    """List what the folds count, in their order."""
    return re.findall(r"<summary>(.*?)</summary>", text)


def test_the_numbers_come_first_and_each_kind_is_folded_below_them() -> None:
    assert review.plan(replace(PLAN, problems=PROBLEMS), limit=WHOLE, notes=["A note."]) == (
        "### pressync: plan for production at `c0ffee0000`\n"
        "\n"
        "Plan: 1 to create, 1 to update, 1 to delete, 1 blocked, 2 in step.\n"
        "\n"
        "A note.\n"
        "\n<details><summary>1 problem</summary>\n"
        "\n"
        "| place | what | what to do |\n"
        "| --- | --- | --- |\n"
        "| `content/pages/bad.md:3` | no number | write one |\n"
        "\n</details>\n"
        "\n<details><summary>1 blocked</summary>\n"
        "\n"
        "| file | record | why |\n"
        "| --- | --- | --- |\n"
        "| `content/posts/hello.md` | page | the service cannot create a post |\n"
        "\n</details>\n"
        "\n<details><summary>1 to delete</summary>\n"
        "\n"
        "| file | record | why |\n"
        "| --- | --- | --- |\n"
        "| `content/pages/old.md` | page 8 | its file was removed |\n"
        "\n</details>\n"
        "\n<details><summary>1 to create</summary>\n"
        "\n"
        "| file | record | why |\n"
        "| --- | --- | --- |\n"
        "| `content/pages/new.md` | page | new document |\n"
        "\n</details>\n"
        "\n<details><summary>1 to update</summary>\n"
        "\n"
        "| file | record | why |\n"
        "| --- | --- | --- |\n"
        "| `content/pages/about.md` | page 7 | content, title changed |\n"
        "\n</details>\n"
        "\n<details><summary>1 warning</summary>\n"
        "\n"
        "| place | what | what to do |\n"
        "| --- | --- | --- |\n"
        "| `content/pages/odd.md` | two of one slug |  |\n"
        "\n</details>\n"
    )


def test_with_nothing_to_do_there_is_a_sentence() -> None:
    assert review.plan(IN_STEP, limit=WHOLE, title="drift of") == (
        "### pressync: drift of production at `c0ffee0000`\n\nNothing to do: 1 record in step.\n"
    )


def test_what_sync_would_refuse_stands_before_the_changes() -> None:
    assert folds(review.plan(REFUSED, limit=WHOLE)) == ["1 reason why sync would refuse", "1 to delete"]


def test_a_run_shows_what_needs_a_person_first_and_where_the_rest_is() -> None:
    shown = review.run(RUN, limit=WHOLE)
    assert folds(shown) == ["1 failed", "1 blocked", "2 done"]
    assert "| `content/pages/about.md` | update | page 7 | https:\u200b//site.test/" in _plain(shown)


def test_why_there_is_no_plan_is_told_with_the_problems() -> None:
    shown = review.failure(["1 problem in the content, nothing was sent"], PROBLEMS, limit=WHOLE)
    assert shown.startswith("### pressync\n\n1 problem in the content")
    assert folds(shown) == ["1 problem", "1 warning"]


@pytest.mark.parametrize("limit", [2_000, 20_000, WHOLE])
def test_whole_rows_are_left_out_and_counted(limit: int) -> None:
    creates = [create(f"content/pages/{'x' * 50}{number}.md") for number in range(2_000)]
    updates = [update(f"content/pages/{number}.md", "title", number=number + 1) for number in range(9)]
    shown = review.plan(plan(*creates, *updates), limit=limit)
    assert len(shown) <= limit
    assert folds(shown) == ["2000 to create", "9 to update"]
    rows = shown.count("| new document |") + shown.count("| title changed |")
    left = sum(int(number) for number in re.findall(r"^… and (\d+) more", shown, re.MULTILINE))
    assert rows + left == 2_009
    assert rendered(shown).count("<tr>") == rows + 2, "every row is whole"


@given(
    st.lists(st.text(alphabet="ab|`<@\n", min_size=1, max_size=400), max_size=60), st.integers(1_000, 9_000)
)
def test_no_text_makes_it_longer_than_there_is_room(names: list[str], limit: int) -> None:
    assert len(review.plan(plan(*map(create, names)), limit=limit)) <= limit


@pytest.mark.parametrize(
    "shown", [review.plan(hostile_plan(), limit=WHOLE), review.run(hostile_run(), limit=WHOLE)]
)
def test_nothing_from_outside_is_rendered(shown: str) -> None:
    seen = page(shown)
    ours = {"details", "summary", "h3", "p", "code", "table", "thead", "tbody", "tr", "th", "td"}
    assert seen.tags <= ours
    assert "evil.test" in "".join(seen.cells), "it is shown, and that is all"


def _plain(text: str) -> str:
    return text.replace("&#8203;", "\u200b")
