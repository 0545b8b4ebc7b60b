"""What was changed from the base to theirs, done to ours."""

from __future__ import annotations

from pressync.pull.align import apply_changes


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
