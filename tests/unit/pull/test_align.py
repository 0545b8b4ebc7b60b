"""What was changed from the base to theirs, done to ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.pull import bounded_diff
from pressync.pull.align import apply_changes

if TYPE_CHECKING:
    import pytest


def test_lines_that_were_not_edited_stay_in_the_authors_hand() -> None:
    base, theirs = ["- a", "- b", "- c"], ["- a", "- B", "- c"]
    assert apply_changes(base, theirs, ["* a", "* b", "* c"]) == ["* a", "- B", "* c"]


def test_new_lines_come_and_deleted_ones_go() -> None:
    base = ["| a | b |", "| :-: | --- |", "| 1 | 2 |", "| 3 | 4 |"]
    theirs = [*base[:3], "| new | row |"]
    ours = ["| a  | b  |", "|:--:|----|", "| 1  | 2  |", "| 3  | 4  |"]
    assert apply_changes(base, theirs, ours) == [*ours[:3], "| new | row |"]


def test_blank_lines_that_only_the_author_has_stay_around_an_edit() -> None:
    assert apply_changes(["a", "b", "c"], ["a", "B", "c"], ["a", "", "b", "", "c"]) == ["a", "", "B", "", "c"]


def test_where_nothing_is_alike_theirs_is_taken() -> None:
    assert apply_changes(["a"], ["b"], ["x", "y"]) == ["b"]
    assert apply_changes(["a"], ["a"], ["x", "y"]) == ["x", "y"]


def test_an_edit_of_a_long_page_leaves_the_other_lines_and_takes_little_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_diff, "_MOST", 5000)
    base = [line for number in range(150) for line in (f"- Item {number}", "")]
    ours = [line.replace("- ", "* ") for line in base]
    theirs = [*base[:100], "- Edited", *base[101:]]
    assert apply_changes(base, theirs, ours) == [*ours[:100], "- Edited", *ours[101:]]
