"""Git merges two texts that were one."""

from __future__ import annotations

import pytest

from pressync.model.errors import RepositoryError
from pressync.repo.merge_file import MergedText, merge

NAMES = ("here", "before", "there")


def test_edits_in_different_places_are_put_together() -> None:
    base = "a\nb\nc\nd\ne\n"
    assert merge(base.replace("a", "A"), base, base.replace("e", "E"), names=NAMES) == MergedText(
        "A\nb\nc\nd\nE\n", 0
    )


def test_edits_of_one_line_are_marked_with_all_three_sides() -> None:
    merged = merge("x\n", "a\n", "y\n", names=NAMES)
    assert merged == MergedText("<<<<<<< here\nx\n||||||| before\na\n=======\ny\n>>>>>>> there\n", 1)


@pytest.mark.parametrize(
    ("ours", "base", "theirs", "expected"),
    [("a\n", "a\n", "b\n", "b\n"), ("b\n", "a\n", "a\n", "b\n"), ("b\n", "a\n", "b\n", "b\n")],
)
def test_an_edit_of_one_side_alone_is_taken(ours: str, base: str, theirs: str, expected: str) -> None:
    assert merge(ours, base, theirs, names=NAMES) == MergedText(expected, 0)


def test_what_git_cannot_merge_is_an_error() -> None:
    with pytest.raises(RepositoryError, match="binary"):
        merge("a\0\n", "b\n", "c\n", names=NAMES)
