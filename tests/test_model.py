"""The nouns: frozen, without what they cannot have, and countable."""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import FrozenInstanceError, replace

import pytest
from tests.builders import blocked, create, delete, desired, entry, keep, plan, update

from pressync import model
from pressync.interface import SHOWN_VALUES
from pressync.model import CREATED_WITH, Block, Create, Delete, Result, Update

NOUNS = [noun for _, noun in inspect.getmembers(model, dataclasses.is_dataclass)]


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_every_noun_is_frozen_and_small(noun: type) -> None:
    assert noun.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(noun)


def test_a_noun_cannot_be_changed_but_copied() -> None:
    here = entry("a.md")
    with pytest.raises(FrozenInstanceError):
        here.id = 8  # type: ignore[misc]
    assert replace(here, id=8).id == 8


def test_shared_defaults_cannot_be_written_to() -> None:
    with pytest.raises(TypeError):
        entry("a.md").bent["slug"] = "x"  # type: ignore[index]
    with pytest.raises(TypeError):
        CREATED_WITH["status"] = "draft"  # type: ignore[index]


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


def test_a_create_sends_the_only_status_that_the_interface_shows() -> None:
    assert dict(CREATED_WITH) == {"status": SHOWN_VALUES["status"]}


def test_no_noun_of_a_plan_holds_a_body() -> None:
    assert "body" not in {field.name for field in dataclasses.fields(desired("a.md"))}


def test_the_words_of_blocks_and_results_are_part_of_the_face() -> None:
    assert [block.value for block in Block] == ["blocked", "conflict", "in_doubt"]
    assert [result.value for result in Result] == ["done", "failed", "skipped", "blocked", "in_doubt", "kept"]
