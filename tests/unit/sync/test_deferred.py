"""Which changes wait for creates of the last moment, and how they are told."""

from __future__ import annotations

from dataclasses import replace

from tests.support.builders import blocked, create, delete, entry, plan, update

from pressync.model.changes import Block, Outcome, Result
from pressync.sync.deferred import run_result, waiting_changes

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
    run = run_result(plan(create(A, links=(LOST,)), create(B), SENT_CREATE), [done(B)], {A: LOST})
    assert [(outcome.change.path, outcome.result) for outcome in run.outcomes] == [
        (B, Result.DONE),
        (A, Result.SKIPPED),
        (LOST, Result.UNCONFIRMED),
    ]
    assert f"waits for {LOST}" in run.outcomes[1].message


def test_interrupted_a_delete_that_waited_for_the_pages_below_it_is_told_as_skipped() -> None:
    run = run_result(plan(delete(A), create(B, links=(LOST,)), SENT_CREATE), [], {B: LOST})
    assert [(outcome.change.path, outcome.result) for outcome in run.outcomes] == [
        (A, Result.SKIPPED),
        (B, Result.SKIPPED),
        (LOST, Result.UNCONFIRMED),
    ]
