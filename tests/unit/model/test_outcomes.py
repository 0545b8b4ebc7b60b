"""The rows of a plan and the counts of a run, which every output shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import blocked, create, delete, keep, plan, update

from pressync.model.changes import Outcome, Result
from pressync.model.outcomes import ACTIONS, KeptManifest, RunResult, action, change_row, digest

if TYPE_CHECKING:
    from pressync.model.changes import Change


def test_each_kind_of_change_has_a_word_of_its_own() -> None:
    changes = (create("a.md"), update("b.md", "title"), delete("c.md"), keep("d.md"), blocked("e.md"))
    assert [action(change) for change in changes] == ["create", "update", "delete", "keep", "blocked"]
    assert len(set(ACTIONS.values())) == len(changes)


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


def test_the_digest_covers_the_target_and_what_is_sent_and_not_what_is_kept() -> None:
    reviewed = digest(plan(create("a.md")))
    assert digest(plan(create("a.md"), keep("d.md"))) == reviewed
    assert digest(plan(create("a.md", title="Other", fingerprints={"title": "x"}))) != reviewed
    assert digest(plan(create("a.md"), target="https://elsewhere.test")) != reviewed


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
