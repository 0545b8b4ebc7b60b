"""What must change: five classes that cannot be what makes no sense, and countable plans of them."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import get_args

import pytest
from tests.support.builders import blocked, create, delete, keep, plan, update

from pressync.model.changes import Block, Call, Create, CreateCall, Delete, DeleteCall, Result, Update
from pressync.model.interface import Kind


def test_a_create_cannot_have_an_id_and_a_delete_cannot_lack_one() -> None:
    assert "id" not in {field.name for field in dataclasses.fields(Create)}
    for change in (Update, Delete):
        (number,) = (field for field in dataclasses.fields(change) if field.name == "id")
        assert (number.type, number.default) == ("int", dataclasses.MISSING)


def test_what_a_plan_would_send_is_pending() -> None:
    changes = (create("a.md"), update("b.md"), delete("c.md"), keep("d.md"), blocked("e.md"))
    assert plan(*changes).pending == changes[:3]


def test_second_writes_are_counted_over_creates_and_updates() -> None:
    again = replace(create("a.md"), completed_later=True)
    also = replace(update("b.md"), completed_later=True)
    assert plan(again, also, create("c.md"), delete("d.md")).second_writes == 2


def test_the_words_of_blocks_and_results_are_part_of_the_face() -> None:
    assert [block.value for block in Block] == ["blocked", "conflict", "in_doubt"]
    assert [result.value for result in Result] == ["done", "failed", "skipped", "blocked", "in_doubt", "kept"]


@pytest.mark.parametrize("call", get_args(Call), ids=lambda call: call.__name__)
def test_a_call_is_frozen_and_small(call: type) -> None:
    assert call.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(call)


def test_a_create_has_no_id_and_a_delete_cannot_lack_one() -> None:
    assert "id" not in {field.name for field in dataclasses.fields(CreateCall)}
    with pytest.raises(TypeError):
        DeleteCall(Kind.PAGE)  # type: ignore[call-arg]


def test_a_delete_can_be_undone_unless_somebody_asked_for_more() -> None:
    assert not DeleteCall(Kind.PAGE, 7).permanent
