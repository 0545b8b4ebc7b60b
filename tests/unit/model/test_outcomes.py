"""What must change and how it ended: plans and runs that every output counts in the same way."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import create, keep, plan, update

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
from pressync.model.interface import Kind
from pressync.model.outcomes import KeptManifest, RunResult

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
    for create_ in (Create, CreateCall):
        assert "id" not in {field.name for field in dataclasses.fields(create_)}
    for change in (Update, Delete, DeleteCall):
        (number,) = (field for field in dataclasses.fields(change) if field.name == "id")
        assert (number.type, number.default) == ("int", dataclasses.MISSING)
    assert not DeleteCall(Kind.PAGE, 7).permanent
    # These words are part of the face.
    assert [block.value for block in Block] == ["blocked", "conflict", "in_doubt"]
    assert [result.value for result in Result] == ["done", "failed", "skipped", "blocked", "in_doubt", "kept"]
