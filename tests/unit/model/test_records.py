"""The nouns: frozen, and without what they cannot have."""

from __future__ import annotations

import dataclasses
import inspect
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import desired, entry

from pressync.model import changes, reason, records
from pressync.model.interface import SHOWN_VALUES
from pressync.model.records import (
    CREATED_WITH,
    Entry,
    Medium,
    Name,
    NamedId,
    UnconfirmedCreate,
    new_id,
)

if TYPE_CHECKING:
    import msgspec


NOUNS = [
    noun
    for room in (records, changes, reason)
    for _, noun in inspect.getmembers(room, inspect.isclass)
    if dataclasses.is_dataclass(noun)
]


WRITTEN = [Entry, Name, NamedId, Medium, UnconfirmedCreate]


@pytest.mark.parametrize("noun", WRITTEN, ids=lambda noun: noun.__name__)
def test_a_noun_that_the_manifest_holds_is_a_frozen_struct_that_the_collector_does_not_walk(
    noun: type[msgspec.Struct],
) -> None:
    assert noun.__struct_config__.frozen
    assert not noun.__struct_config__.gc


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_every_noun_is_frozen_and_small(noun: type) -> None:
    assert noun.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(noun)


def test_two_entries_share_no_default_that_can_be_written_to() -> None:
    here, there = entry("a.md"), entry("b.md")
    assert here.changed_by_service is not there.changed_by_service
    assert here.conflict is not there.conflict


def test_shared_defaults_cannot_be_written_to() -> None:
    with pytest.raises(TypeError):
        CREATED_WITH["status"] = "draft"  # type: ignore[index]


def test_a_create_sends_the_only_status_that_the_interface_shows() -> None:
    assert dict(CREATED_WITH) == {"status": SHOWN_VALUES["status"]}


def test_no_noun_of_a_plan_holds_a_body() -> None:
    assert "body" not in {field.name for field in dataclasses.fields(desired("a.md"))}


def test_ids_sort_as_they_were_made_also_within_one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        at = 0

        @classmethod
        def now(cls, _zone: object) -> datetime:
            cls.at += 2000
            return datetime(2026, 1, 31, 10, 15, 0, cls.at, UTC)

    monkeypatch.setattr("pressync.model.records.datetime", Clock)
    made = [new_id() for _ in range(400)]
    assert made == sorted(made)
    assert made[0].startswith("20260131-101500-")
