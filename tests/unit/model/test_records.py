"""The nouns: frozen, and without what they cannot have."""

from __future__ import annotations

import dataclasses
import inspect
from datetime import UTC, datetime

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

NOUNS = [
    noun
    for room in (records, changes, reason)
    for _, noun in inspect.getmembers(room, inspect.isclass)
    if dataclasses.is_dataclass(noun)
]


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_every_noun_is_frozen_and_small(noun: type) -> None:
    assert noun.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(noun)


def test_the_nouns_of_the_manifest_are_frozen_structs_and_no_default_can_be_written_to() -> None:
    for noun in (Entry, Name, NamedId, Medium, UnconfirmedCreate):
        assert noun.__struct_config__.frozen
        assert not noun.__struct_config__.gc
    here, there = entry("a.md"), entry("b.md")
    assert here.changed_by_service is not there.changed_by_service
    assert here.conflict is not there.conflict
    with pytest.raises(TypeError):
        CREATED_WITH["status"] = "draft"  # type: ignore[index]
    assert dict(CREATED_WITH) == {"status": SHOWN_VALUES["status"]}
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
