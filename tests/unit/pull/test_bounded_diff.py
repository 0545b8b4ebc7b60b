"""Comparisons are those of `difflib`, until they would take too long."""

from __future__ import annotations

import difflib
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from pressync.pull import bounded_diff
from pressync.pull.bounded_diff import Work, matcher, unified

if TYPE_CHECKING:
    import pytest

LINES = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=12)
# Words of a small alphabet: each item equals half of the other side.
HOSTILE = ["a", "b"] * 500, ["b", "b", "a"] * 333


@given(LINES, LINES, st.booleans())
def test_an_ordinary_comparison_is_that_of_difflib(a: list[str], b: list[str], autojunk: bool) -> None:
    compared = matcher(a, b, autojunk=autojunk)
    assert compared.get_opcodes() == SequenceMatcher(None, a, b, autojunk).get_opcodes()


@given(LINES, LINES, st.integers(0, 3))
def test_a_unified_diff_is_that_of_difflib(a: list[str], b: list[str], around: int) -> None:
    shown = difflib.unified_diff(a, b, "old", "new", lineterm="", n=around)
    assert list(unified(a, b, "old", "new", around)) == list(shown)


def test_where_the_work_ends_only_the_beginning_and_the_end_are_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_diff, "_MOST", 1000)
    a, b = HOSTILE
    work = Work()
    found = matcher(["begins", *a, "ends", "so"], ["begins", *b, "ends", "so"], work=work).get_opcodes()
    assert found == [("equal", 0, 1, 0, 1), ("replace", 1, 1001, 1, 1000), ("equal", 1001, 1003, 1000, 1002)]
    assert work.left < 0


def test_items_that_come_often_are_left_out_before_the_work_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = [line for number in range(150) for line in (f"Paragraph {number}", "")]
    after = [*before[:100], "Edited", *before[101:]]
    wanted = matcher(before, after).get_opcodes()
    assert [tag for tag, *_ in wanted] == ["equal", "replace", "equal"]
    monkeypatch.setattr(bounded_diff, "_MOST", 5000)
    assert matcher(before, after).get_opcodes() == wanted
