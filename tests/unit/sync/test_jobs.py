"""The job of one change, made just before it is sent."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
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

    from pressync.model.changes import Call, Create, Update
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

    def prepare(change: Create | Update, entries: Mapping[str, Entry]) -> Prepared:
        path = change.path
        assert dict(entries.items()) == dict(state.manifest.entries.items()), (
            "what the run has learned so far"
        )
        document = Document(path, "b" * 40, Kind.PAGE, named, "", 1)
        return Prepared(document, desired(path, fingerprints=prints(path, **fields)), named)

    return JobBuilder(
        state,
        SentDocuments(commit="c" * 40, prepare=prepare, basis=lambda entry, _entries: entry.basis),
        state.manifest.entries,
        permanent=permanent,
        overwrite=overwrite,
    )


def test_a_document_is_rendered_and_noted_with_one_address_of_a_page_that_is_settled_meanwhile(
    state: State,
) -> None:
    other = "content/posts/b-3.5.md"
    expected, real = entry(other, 0, link="https://example.org/b-3.5/"), entry(other, 8)
    known: dict[str, Entry] = {other: expected}

    def prepare(change: Create | Update, entries: Mapping[str, Entry]) -> Prepared:
        content = f'<a href="{entries[other].link}">b</a>'
        # A connection takes the response to the other create right now.
        known[other] = real
        document = Document(change.path, "b" * 40, Kind.PAGE, {"content": content}, "", 1)
        made = structs.replace(desired(change.path), basis=entries[other].link, links=(other,))
        return Prepared(document, made, {"content": content})

    def basis(_entry: Entry, entries: Mapping[str, Entry]) -> str:
        return entries[other].link

    documents = SentDocuments(commit="c" * 40, prepare=prepare, basis=basis)
    job = JobBuilder(state, documents, known, permanent=False, overwrite=False).build(create(PATH))
    assert not isinstance(job, Outcome)
    assert job.desired is not None
    assert job.fields["content"] == f'<a href="{job.desired.basis}">b</a>'
    assert job.desired.basis != real.link, "the run sends the page again when it knows the address"


def call(job: Job | Outcome) -> Call:
    """Take the call out of a job."""
    assert not isinstance(job, Outcome)
    return job.call


@pytest.mark.parametrize(
    ("held", "change", "fields", "sent"),
    [
        ({}, create(PATH), {}, CreateCall(Kind.PAGE, {**FIELDS, "status": "publish"})),
        ({}, create(PATH), {"status": "draft"}, CreateCall(Kind.PAGE, {**FIELDS, "status": "draft"})),
        # An update sends only what differs now, and empties what is named no longer.
        (
            {"fingerprints": prints(PATH)},
            update(PATH, "title", "content"),
            {"title": "New"},
            UpdateCall(Kind.PAGE, 7, {"title": "New"}),
        ),
        (
            {"fingerprints": prints(PATH, excerpt="Short")},
            update(PATH),
            {},
            UpdateCall(Kind.PAGE, 7, {"excerpt": ""}),
        ),
    ],
)
def test_a_change_is_the_call_with_all_that_it_has_to_send(
    state: State, held: dict[str, Any], change: Create | Update, fields: dict[str, Any], sent: Call
) -> None:
    if held:
        state.put(entry(PATH, **held))
    assert call(jobs(state, **fields).build(change)) == sent


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


@pytest.mark.parametrize(
    "members", [{"parent_path": PATH}, {"fingerprints": prints("content/pages/b.md", parent=7)}]
)
def test_a_page_goes_only_after_the_pages_below_it(state: State, members: dict[str, Any]) -> None:
    below = entry("content/pages/b.md", 8, **members)
    state.put(entry(PATH), below, entry("content/pages/a/c.md", 9, parent_path=PATH))
    made = jobs(state)
    state.drop("content/pages/a/c.md")
    outcome = made.build(delete(PATH))
    assert isinstance(outcome, Outcome)
    assert (outcome.result, outcome.message) == (Result.SKIPPED, "content/pages/b.md is still below it")
    state.drop(below.path)
    assert call(made.build(delete(PATH))) == DeleteCall(Kind.PAGE, 7, permanent=False)
    permanent = jobs(state, permanent=True).build(delete(PATH))
    assert call(permanent) == DeleteCall(Kind.PAGE, 7, permanent=True)


def test_what_was_never_made_cannot_be_updated(state: State) -> None:
    with pytest.raises(ValueError, match="has no record"):
        jobs(state).update(create(PATH))


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


def test_a_skipped_second_write_says_what_is_missing() -> None:
    assert (is_only_front(ENDS), is_only_front(BEGINS), is_only_front(update(OTHER))) == (True, False, False)
    assert missing_write(BEGINS) == "its front page setting is completed by the next sync"
    assert missing_write(update(OTHER)) == "its links are completed by the next sync"


@pytest.mark.parametrize(
    ("sent", "but"),
    [
        ({"sticky": True}, "another write took it off the list of sticky posts"),
        ({"content": "x", "sticky": True}, "its links are not complete"),
        ({"front_page": True}, "the site's front page is not set"),
    ],
)
def test_both_writes_have_one_outcome_that_says_what_lacks(sent: dict[str, str | bool], but: str) -> None:
    before = Outcome(BEGINS, Result.DONE, "slug: changed by the service")
    job = Job(BEGINS, UpdateCall(Kind.PAGE, 7, sent), desired(NEW), entry(NEW))

    def after(result: Result, message: str) -> Delivered:
        return Delivered(job, Outcome(BEGINS, result, message))

    done = joined(before, after(Result.DONE, "kept"))
    assert done.message == "slug: changed by the service; kept"
    assert joined(before, after(Result.FAILED, "no")).message == f"created, but {but}: no"
    assert joined(None, after(Result.FAILED, "no")).message == "no"
