"""The steps of an operation are known before it runs, however large its result would be."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from pressync.content.render.operation_cost import (
    CHARACTERS,
    made_by_function,
    made_by_operator,
    size,
)

HUGE = 10**9


def test_a_text_counts_by_its_length_and_a_list_by_its_items() -> None:
    assert sum(size("x" * 10 * CHARACTERS)) == 10
    assert sum(size([1, 2, 3])) == sum(size({1, 2, 3})) == 4
    assert sum(size({"a": ["b", "c"]})) == 5


def test_a_list_in_a_list_counts_each_time_that_it_is_read() -> None:
    shared = ["x"] * 100
    assert sum(size([shared] * 100)) > 100 * 100


def test_a_sum_of_steps_can_stop_early_in_a_value_that_contains_itself() -> None:
    endless: list[object] = []
    endless.append(endless)
    assert sum(islice(size(endless), 1000)) == 1000


@pytest.mark.parametrize(
    ("operator", "left", "right"),
    [("*", "x", HUGE), ("*", HUGE, "x"), ("*", [0], HUGE), ("%", f"%{HUGE}d", 1), ("%", "%*d", (HUGE, 1))],
)
def test_an_operator_with_a_huge_result_has_a_huge_cost(operator: str, left: Any, right: Any) -> None:  # noqa: ANN401
    assert made_by_operator(operator, left, right) >= HUGE // CHARACTERS


@pytest.mark.parametrize(("operator", "left", "right"), [("*", 6, 7), ("*", "x", -1), ("+", "a", "b")])
def test_a_small_result_costs_nothing(operator: str, left: Any, right: Any) -> None:  # noqa: ANN401
    assert made_by_operator(operator, left, right) == 0


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("center", ("x", HUGE)),
        ("format", (f"{{:{HUGE}}}", 1)),
        ("format", ("{:{}}", 1, HUGE)),
        ("indent", ("x\n" * 10, HUGE)),
        ("replace", ("x" * 10**6, "x", "y" * 10**6)),
        ("lipsum", ("", HUGE)),
        ("expandtabs", ("\t", HUGE)),
        ("sum", ([["x"] * 10**4] * 10**4, [])),
    ],
)
def test_a_function_with_a_huge_result_has_a_huge_cost(name: str, given: tuple[Any, ...]) -> None:
    assert made_by_function(name, given, {}) >= HUGE // CHARACTERS


def test_an_argument_by_name_counts_like_any_other() -> None:
    assert made_by_function("center", ("x",), {"width": HUGE}) == made_by_function("center", ("x", HUGE), {})


def test_not_a_number_is_not_a_width() -> None:
    assert made_by_function("center", ("x", float("nan")), {}) == 0


def test_other_functions_cost_only_what_they_read() -> None:
    assert made_by_function("upper", ("x" * 10**6,), {}) == 0
