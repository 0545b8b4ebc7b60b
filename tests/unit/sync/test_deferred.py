"""A run in two parts: which changes wait for unconfirmed creates, and how both parts make one result."""

from __future__ import annotations

from dataclasses import replace

from tests.support.builders import blocked, create, delete, entry, keep, plan, update

from pressync.model.changes import Block, Outcome, Result
from pressync.model.outcomes import RunResult
from pressync.sync.deferred import ended_early, first_part, joined, remaining_paths, waiting_changes

LOST, A, B = "content/pages/lost.md", "content/pages/a.md", "content/pages/b.md"
YOUNG = {LOST: "lost"}
SENT_CREATE = replace(blocked(LOST, "no answer came"), block=Block.UNCONFIRMED)


def done(path: str) -> Outcome:
    """Give the outcome of a create that is done."""
    return Outcome(create(path), Result.DONE, "", entry(path))


def test_a_page_that_links_to_an_unconfirmed_create_waits_for_it() -> None:
    assert waiting_changes(plan(create(A, links=(LOST,)), create(B), SENT_CREATE), YOUNG) == {A: LOST}


def test_an_update_waits_as_a_create_does_and_a_delete_waits_for_nothing() -> None:
    assert waiting_changes(plan(update(A, links=(LOST,)), delete(B)), YOUNG) == {A: LOST}


def test_a_page_that_may_want_the_slug_of_an_unconfirmed_create_waits_for_it() -> None:
    other = "content/pages/docs/lost.md"
    assert waiting_changes(plan(create(other)), YOUNG) == {other: LOST}


def test_a_new_page_below_one_that_waits_waits_too_however_deep() -> None:
    child, grandchild = "content/pages/a/child.md", "content/pages/a/child/grandchild.md"
    found = waiting_changes(
        plan(create(A, links=(LOST,)), create(child, parent_path=A), create(grandchild, parent_path=child)),
        YOUNG,
    )
    assert found == {A: LOST, child: LOST, grandchild: LOST}


def test_a_page_below_one_that_has_its_record_already_waits_for_nothing() -> None:
    child = "content/pages/a/child.md"
    assert waiting_changes(plan(update(A, links=(LOST,)), create(child, parent_path=A)), YOUNG) == {A: LOST}


def test_interrupted_each_page_that_waited_is_skipped_with_what_it_waited_for() -> None:
    run = first_part(plan(create(A, links=(LOST,)), create(B), SENT_CREATE), [done(B)], {A: LOST})
    assert [(outcome.change.path, outcome.result) for outcome in run.outcomes] == [
        (B, Result.DONE),
        (A, Result.SKIPPED),
        (LOST, Result.UNCONFIRMED),
    ]
    assert f"waits for {LOST}" in run.outcomes[1].message
    assert run.waiting


def test_interrupted_a_delete_that_waited_for_the_pages_below_it_is_told_as_skipped() -> None:
    run = first_part(plan(delete(A), create(B, links=(LOST,)), SENT_CREATE), [], {B: LOST})
    assert [(outcome.change.path, outcome.result) for outcome in run.outcomes] == [
        (A, Result.SKIPPED),
        (B, Result.SKIPPED),
        (LOST, Result.UNCONFIRMED),
    ]


def test_what_failed_before_the_wait_is_not_to_do_after_it() -> None:
    tried = [Outcome(create(A), Result.FAILED, "no"), done(B)]
    assert remaining_paths(plan(create(A), update(B), create(LOST)), tried) == [B, LOST]


def test_a_run_ended_early_if_it_skipped_anything_or_got_nothing_done() -> None:
    assert not ended_early([])
    assert not ended_early([done(A), Outcome(create(B), Result.FAILED, "no")])
    assert ended_early([done(A), Outcome(create(B), Result.SKIPPED, "stopped")])
    assert ended_early([Outcome(create(B), Result.FAILED, "no")])


def test_both_parts_together_have_one_change_and_one_outcome_for_each_path() -> None:
    so_far = RunResult(plan(create(A), create(B, links=(LOST,)), SENT_CREATE), ())
    whole = plan(create(LOST), create(B), keep(A), keep("content/pages/c.md"))
    run = joined(so_far, [done(A)], (whole, plan(create(LOST), create(B))), [done(LOST), done(B)])
    assert run.counts == {"done": 3, "failed": 0, "skipped": 0, "blocked": 0, "in_doubt": 0, "kept": 1}
    assert sorted(change.path for change in run.plan.changes) == [A, B, "content/pages/c.md", LOST]


def test_what_is_still_unconfirmed_after_the_wait_is_unconfirmed_in_the_account() -> None:
    so_far = RunResult(plan(create(A), SENT_CREATE), ())
    run = joined(so_far, [done(A)], (plan(keep(A), SENT_CREATE),), ())
    assert run.counts["in_doubt"] == 1
    assert run.counts["done"] == 1


def test_a_page_that_was_written_in_both_parts_is_told_once_with_its_last_end() -> None:
    so_far = RunResult(plan(create(A)), ())
    second = plan(update(A, "content"))
    failed = Outcome(update(A), Result.FAILED, "no")
    (outcome,) = joined(so_far, [done(A)], (second,), [failed]).outcomes
    assert (outcome.change, outcome.result) == (create(A), Result.FAILED)
    kept = Outcome(update(A), Result.KEPT, "nothing to send after all")
    (outcome,) = joined(so_far, [done(A)], (second,), [kept]).outcomes
    assert outcome.result is Result.DONE
