"""What must change and how it ended: plans and runs that every output counts in the same way."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, get_args

import pytest
from tests.support.builders import create, delete, keep, plan, update

from pressync.model.changes import (
    Block,
    Call,
    Create,
    CreateCall,
    Delete,
    DeleteCall,
    Outcome,
    Result,
    Update,
)
from pressync.model.interface import Kind
from pressync.model.outcomes import KeptManifest, RunResult, change_row

if TYPE_CHECKING:
    from pressync.model.changes import Change


def test_a_create_has_no_id_in_its_row_and_a_delete_no_fields() -> None:
    assert change_row(create("a.md"))["id"] is None
    assert change_row(delete("c.md", 9)) == {
        "action": "delete",
        "path": "c.md",
        "kind": "page",
        "id": 9,
        "fields": [],
        "reason": delete("c.md", 9).reason,
        "code": "removed",
        "facts": {},
    }


@pytest.mark.parametrize(
    ("results", "counts"),
    [
        ((Result.DONE, Result.FAILED), {"done": 1, "failed": 1, "kept": 1}),
        ((Result.KEPT, Result.UNCONFIRMED), {"in_doubt": 1, "kept": 2}),
        ((Result.SKIPPED, Result.BLOCKED), {"skipped": 1, "blocked": 1, "kept": 1}),
    ],
)
def test_a_run_counts_each_result_and_every_record_that_stays_as_kept(
    results: tuple[Result, ...], counts: dict[str, int]
) -> None:
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
    assert "id" not in {field.name for field in dataclasses.fields(Create)}
    for change in (Update, Delete):
        (number,) = (field for field in dataclasses.fields(change) if field.name == "id")
        assert (number.type, number.default) == ("int", dataclasses.MISSING)


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
