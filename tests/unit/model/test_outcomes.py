"""The nouns: frozen, without what they cannot have, and counted in the same way by every output."""

from __future__ import annotations

import dataclasses
import inspect
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import create, desired, entry, keep, plan, update

from pressync.model import changes, reason, records
from pressync.model.changes import (
    Block,
    Create,
    CreateCall,
    Delete,
    DeleteCall,
    Outcome,
    Result,
    Update,
)
from pressync.model.interface import SHOWN_VALUES, Kind
from pressync.model.outcomes import KeptManifest, RunResult
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
    from pressync.model.changes import Change


@pytest.mark.parametrize(
    ("results", "counts"),
    [
        ((Result.DONE, Result.FAILED), {"done": 1, "failed": 1, "kept": 1}),
        ((Result.KEPT, Result.UNCONFIRMED), {"in_doubt": 1, "kept": 2}),
        ((Result.SKIPPED, Result.BLOCKED), {"skipped": 1, "blocked": 1, "kept": 1}),
    ],
)
def test_a_run_counts_each_result(results: tuple[Result, ...], counts: dict[str, int]) -> None:
    changes: tuple[Change, ...] = (create("a.md"), update("b.md", "title"))
    outcomes = tuple(Outcome(change, result) for change, result in zip(changes, results, strict=True))
    told = RunResult(plan(*changes, keep("d.md")), outcomes).counts
    assert told == {**dict.fromkeys(told, 0), **counts}


@pytest.mark.parametrize(
    ("kept", "step"),
    [
        (KeptManifest(".pressync/m.json", committed=True), ""),
        (KeptManifest(".pressync/m.json", committed=False), "next: commit .pressync/m.json, so that"),
        (KeptManifest("m.json", committed=False, ignored=True), "next: take m.json out of .gitignore and"),
        (KeptManifest("a\nb.json", committed=False), "next: commit a b.json"),
    ],
)
def test_the_next_step_is_to_commit_the_manifest_until_that_is_done(kept: KeptManifest, step: str) -> None:
    assert kept.next_step.startswith(step)
    assert bool(kept.next_step) is not kept.committed
    assert kept.next_step.isprintable()


def test_a_create_cannot_have_an_id_and_a_delete_cannot_lack_one() -> None:
    for create_ in (Create, CreateCall):
        assert "id" not in {field.name for field in dataclasses.fields(create_)}
    for change in (Update, Delete, DeleteCall):
        (number,) = (field for field in dataclasses.fields(change) if field.name == "id")
        assert (number.type, number.default) == ("int", dataclasses.MISSING)
    assert not DeleteCall(Kind.PAGE, 7).permanent
    # These words are part of the face.
    assert [block.value for block in Block] == ["blocked", "conflict", "in_doubt"]
    assert [result.value for result in Result] == ["done", "failed", "skipped", "blocked", "in_doubt", "kept"]


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
