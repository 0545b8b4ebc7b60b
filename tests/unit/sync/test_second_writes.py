"""The second writes of a run: who needs one, in which order, and one outcome for both writes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.builders import create, delete, desired, entry, prints, update

from pressync.model.changes import Outcome, Result, UpdateCall
from pressync.model.interface import Kind
from pressync.sync import jobs
from pressync.sync.jobs import Delivered, Job

NEW, OLD, OTHER = "content/pages/new.md", "content/pages/old.md", "content/pages/other.md"
BEGINS = replace(
    create(NEW),
    fields=("front_page", "title"),
    desired=desired(NEW, fingerprints=prints(NEW, front_page=True)),
)
ENDS = replace(update(OLD), fields=("front_page",))


def test_the_new_front_page_goes_before_the_old_one() -> None:
    waves = ((ENDS, update(OTHER)), (BEGINS, delete("content/pages/gone.md")))
    outcomes = {NEW: Outcome(BEGINS, Result.DONE)}
    assert jobs.front_pages(waves, outcomes) == [BEGINS, ENDS]


def test_a_page_that_was_not_written_does_not_become_the_front_page() -> None:
    for result in (Result.FAILED, Result.SKIPPED, Result.UNCONFIRMED):
        assert jobs.front_pages(((BEGINS,),), {NEW: Outcome(BEGINS, result)}) == []


def test_only_an_update_can_be_about_the_front_page_alone() -> None:
    assert jobs.is_only_front(ENDS)
    assert not jobs.is_only_front(BEGINS)
    assert not jobs.is_only_front(update(OTHER))


def test_a_skipped_second_write_says_what_is_missing() -> None:
    assert jobs.missing_write(BEGINS) == "its front page setting is completed by the next sync"
    assert jobs.missing_write(update(OTHER)) == "its links are completed by the next sync"


@pytest.mark.parametrize(
    ("sent", "but"),
    [
        ({"sticky": True}, "another write took it off the list of sticky posts"),
        ({"content": "x", "sticky": True}, "its links are not complete"),
    ],
)
def test_a_second_write_that_fails_says_what_the_record_lacks(sent: dict[str, str | bool], but: str) -> None:
    new = create(OTHER)
    job = Job(new, UpdateCall(Kind.POST, 7, sent), desired(OTHER), entry(OTHER))
    failed = Delivered(job, Outcome(new, Result.FAILED, "no"))
    assert jobs.joined(Outcome(new, Result.DONE), failed).message == f"created, but {but}: no"


def test_both_writes_have_one_outcome() -> None:
    before = Outcome(BEGINS, Result.DONE, "slug: changed by the service")
    job = Job(BEGINS, UpdateCall(Kind.PAGE, 7, {"front_page": True}), desired(NEW), entry(NEW))

    def after(result: Result, message: str) -> Delivered:
        return Delivered(job, Outcome(BEGINS, result, message))

    done = jobs.joined(before, after(Result.DONE, "front_page: kept"))
    assert done.message == "slug: changed by the service; front_page: kept"
    failed = jobs.joined(before, after(Result.FAILED, "the service said no"))
    assert failed.message == "created, but the site's front page is not set: the service said no"
    assert jobs.joined(None, after(Result.FAILED, "no")).message == "no"
