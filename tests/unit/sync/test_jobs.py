"""The job of one change, made just before it is sent."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import create, delete, desired, entry, prints, update
from tests.support.states import opened

from pressync.model.changes import CreateCall, DeleteCall, Outcome, Result, UpdateCall
from pressync.model.interface import Kind
from pressync.model.records import Document, Prepared
from pressync.sync.jobs import (
    Delivered,
    Job,
    JobBuilder,
    SentDocuments,
    front_pages,
    is_only_front,
    joined,
    missing_write,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pressync.model.changes import Call
    from pressync.model.records import Entry, Fields
    from pressync.state.state import State

PATH = "content/pages/a.md"
FIELDS: Fields = {"title": "A", "slug": "a", "content": "<p>a</p>"}


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """Open an empty state."""
    with opened(tmp_path) as state:
        yield state


def jobs(state: State, *, permanent: bool = False, overwrite: bool = False, **fields: str) -> JobBuilder:
    """Make jobs of documents that name the title, the slug, the body, and the given fields."""
    named = {**FIELDS, **fields}

    def prepare(path: str, entries: Mapping[str, Entry]) -> Prepared:
        assert entries is state.manifest.entries, "what the run has learned so far"
        document = Document(path, "b" * 40, Kind.PAGE, named, "", 1)
        return Prepared(document, desired(path, fingerprints=prints(path, **fields)), named)

    return JobBuilder(
        state,
        SentDocuments(commit="c" * 40, prepare=prepare, basis=lambda entry, _entries: entry.basis),
        state.manifest.entries,
        permanent=permanent,
        overwrite=overwrite,
    )


def call(job: Job | Outcome) -> Call:
    """Take the call out of a job."""
    assert not isinstance(job, Outcome)
    return job.call


def test_a_create_sends_every_named_field_and_the_status_of_a_new_record(state: State) -> None:
    assert call(jobs(state).build(create(PATH))) == CreateCall(Kind.PAGE, {**FIELDS, "status": "publish"})
    drafted = call(jobs(state, status="draft").build(create(PATH)))
    assert drafted == CreateCall(Kind.PAGE, {**FIELDS, "status": "draft"})


def test_an_update_sends_only_what_differs_now(state: State) -> None:
    state.put(entry(PATH))
    job = jobs(state, title="New").build(update(PATH, "title", "content"))
    assert call(job) == UpdateCall(Kind.PAGE, 7, {"title": "New"})


def test_a_field_that_is_named_no_longer_is_sent_empty(state: State) -> None:
    state.put(entry(PATH, fingerprints=prints(PATH, excerpt="Short")))
    assert call(jobs(state).build(update(PATH))) == UpdateCall(Kind.PAGE, 7, {"excerpt": ""})


def test_an_update_that_has_become_needless_is_kept_and_written_down(state: State) -> None:
    state.put(entry(PATH, blob="0" * 40))
    outcome = jobs(state).build(update(PATH))
    assert isinstance(outcome, Outcome)
    assert outcome.result is Result.KEPT
    assert state.manifest.entries[PATH].blob == "b" * 40


def test_with_overwrite_somebody_elses_value_is_replaced(state: State) -> None:
    state.put(entry(PATH, conflict={"title": "Theirs"}))
    assert isinstance(jobs(state).build(update(PATH)), Outcome)
    state.put(entry(PATH, conflict={"title": "Theirs"}))
    overwriting = jobs(state, overwrite=True).build(update(PATH))
    assert call(overwriting) == UpdateCall(Kind.PAGE, 7, {"title": "A"})


@pytest.mark.parametrize("permanent", [False, True])
def test_a_delete_is_reversible_unless_asked_otherwise(state: State, permanent: bool) -> None:
    job = jobs(state, permanent=permanent).build(delete(PATH))
    assert call(job) == DeleteCall(Kind.PAGE, 7, permanent)


def test_a_page_goes_only_after_the_pages_below_it(state: State) -> None:
    below = entry("content/pages/a/b.md", 8, parent_path=PATH)
    state.put(entry(PATH), below, entry("content/pages/a/c.md", 9, parent_path=PATH))
    made = jobs(state)
    state.drop("content/pages/a/c.md")
    outcome = made.build(delete(PATH))
    assert isinstance(outcome, Outcome)
    assert (outcome.result, outcome.message) == (Result.SKIPPED, "content/pages/a/b.md is still below it")
    state.put(replace(below, parent_path=None))
    assert call(made.build(delete(PATH))) == DeleteCall(Kind.PAGE, 7, permanent=False)


def test_what_was_never_made_cannot_be_updated(state: State) -> None:
    with pytest.raises(ValueError, match="has no record"):
        jobs(state).update(create(PATH))


def test_a_page_goes_only_after_the_pages_that_name_it_by_id(state: State) -> None:
    below = "content/pages/b.md"
    state.put(entry(PATH), entry(below, 8, fingerprints=prints(below, parent=7)))
    outcome = jobs(state).build(delete(PATH))
    assert isinstance(outcome, Outcome)
    assert outcome.message == f"{below} is still below it"
    state.drop(below)
    assert call(jobs(state).build(delete(PATH))) == DeleteCall(Kind.PAGE, 7)


NEW, OLD, OTHER = "content/pages/new.md", "content/pages/old.md", "content/pages/other.md"
BEGINS = dataclasses.replace(
    create(NEW),
    fields=("front_page", "title"),
    desired=desired(NEW, fingerprints=prints(NEW, front_page=True)),
)
ENDS = dataclasses.replace(update(OLD), fields=("front_page",))


def test_the_new_front_page_goes_before_the_old_one() -> None:
    waves = ((ENDS, update(OTHER)), (BEGINS, delete("content/pages/gone.md")))
    outcomes = {NEW: Outcome(BEGINS, Result.DONE)}
    assert front_pages(waves, outcomes) == [BEGINS, ENDS]


def test_only_an_update_can_be_about_the_front_page_alone() -> None:
    assert is_only_front(ENDS)
    assert not is_only_front(BEGINS)
    assert not is_only_front(update(OTHER))


def test_a_skipped_second_write_says_what_is_missing() -> None:
    assert missing_write(BEGINS) == "its front page setting is completed by the next sync"
    assert missing_write(update(OTHER)) == "its links are completed by the next sync"


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
    assert joined(Outcome(new, Result.DONE), failed).message == f"created, but {but}: no"


def test_both_writes_have_one_outcome() -> None:
    before = Outcome(BEGINS, Result.DONE, "slug: changed by the service")
    job = Job(BEGINS, UpdateCall(Kind.PAGE, 7, {"front_page": True}), desired(NEW), entry(NEW))

    def after(result: Result, message: str) -> Delivered:
        return Delivered(job, Outcome(BEGINS, result, message))

    done = joined(before, after(Result.DONE, "front_page: kept"))
    assert done.message == "slug: changed by the service; front_page: kept"
    failed = joined(before, after(Result.FAILED, "the service said no"))
    assert failed.message == "created, but the site's front page is not set: the service said no"
    assert joined(None, after(Result.FAILED, "no")).message == "no"
