"""A term or a file that somebody deleted on the site is made again by the sync that needs it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import entry, record
from tests.support.library_repository import Shelf

from pressync.model.changes import Block, Blocked, Result
from pressync.model.errors import ContentError
from pressync.model.fingerprint import fingerprint
from pressync.plan.build import PlanOptions
from pressync.sync.vanished import Vanished

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

ONE, TWO, PAGE = "content/posts/one.md", "content/posts/two.md", "content/pages/page.md"
FRONT = "---\ncategories: [News]\ntags: [a, b]\nfeatured_media: a.png\n---\n"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Sync a post with a category, two tags and a picture, and a page that shows the picture too."""
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    repository.commit({ONE: f"{FRONT}Before.\n", PAGE: "![a](../posts/a.png)\n", "content/posts/a.png": b"a"})
    shelf.sync()
    return shelf


def held(shelf: Shelf, slug: str) -> dict[str, object]:
    return dict(next(record.fields for record in shelf.service.held.values() if record.slug == slug))


def ids(shelf: Shelf) -> dict[str, int]:
    """Give the id of each term by its name, and of the file."""
    terms = {term.name: term.id for some in shelf.service.has.values() for term in some}
    ((file, _),) = shelf.service.files.values()
    return {**terms, "file": file.id}


def test_posts_have_what_was_deleted_after_one_sync(shelf: Shelf, repository: SampleRepository) -> None:
    before = ids(shelf)
    shelf.service.lose("categories", before["News"])
    shelf.service.lose("tags", before["a"])
    shelf.service.lose("featured_media", before["file"])
    repository.commit({ONE: f"{FRONT}After.\n", TWO: f"{FRONT}New.\n"})
    assert {o.change.path: (o.result, o.message) for o in shelf.sync().outcomes} == {
        ONE: (Result.DONE, ""),
        TWO: (Result.DONE, ""),
        # Its picture names the new upload.
        PAGE: (Result.DONE, ""),
    }
    assert (
        "Somebody deleted these on the site: category 'News', content/posts/a.png, tag 'a'. "
        "The sync looks for them, and makes missing terms and files again."
    ) in shelf.heard
    now = ids(shelf)
    assert not {now["a"], now["News"], now["file"]} & set(before.values())
    assert now["b"] == before["b"]
    for slug in ("one", "two"):
        post = held(shelf, slug)
        assert post["categories"] == (now["News"],)
        assert post["tags"] == tuple(sorted((now["a"], now["b"])))
        assert post["featured_media"] == now["file"]
    assert shelf.plan().pending == ()


def test_an_author_who_was_deleted_is_looked_for_and_told_before_anything_is_sent(
    shelf: Shelf, repository: SampleRepository
) -> None:
    shelf.service.people["anna"] = 2
    repository.commit({TWO: "---\nauthor: anna\n---\nNew.\n"})
    shelf.sync()
    del shelf.service.people["anna"]
    # WordPress gives her posts to another user.
    number = shelf.entries()[TWO].id
    there = shelf.service.held[number]
    shelf.service.held[number] = dataclasses.replace(there, fields={**there.fields, "author": 1})
    repository.commit({TWO: "---\nauthor: anna\n---\nEdited.\n"})
    calls = len(shelf.service.calls)
    with pytest.raises(ContentError) as caught:
        shelf.sync()
    assert [problem.what for problem in caught.value.problems] == ["author 'anna': nobody has this name"]
    assert len(shelf.service.calls) == calls
    shelf.service.people["anna"] = 8
    shelf.sync()
    assert held(shelf, "two")["author"] == 8


def test_an_edit_beside_the_loss_is_a_conflict(shelf: Shelf, repository: SampleRepository) -> None:
    shelf.service.lose("tags", ids(shelf)["a"])
    number = shelf.entries()[ONE].id
    there = shelf.service.held[number]
    shelf.service.held[number] = dataclasses.replace(there, fields={**there.fields, "tags": (7, 8)})
    repository.commit({ONE: f"{FRONT}After.\n"})
    (outcome,) = shelf.sync().outcomes
    assert isinstance(outcome.change, Blocked)
    assert (outcome.change.block, outcome.change.fields) == (Block.CONFLICT, ("tags",))


@pytest.mark.parametrize(
    ("field", "stored", "there", "is_lost"),
    [
        ("tags", (3, 4, 5), (4,), True),
        ("tags", (3, 4), (4,), True),
        ("tags", (3, 4), (4, 9), False),
        ("tags", (3, 9), (4,), False),
        ("categories", (3,), (1,), True),
        ("categories", (9,), (1,), False),
        ("featured_media", 3, 0, True),
        ("featured_media", 9, 0, False),
        ("featured_media", 3, 8, False),
        ("author", 3, 1, True),
        ("author", 9, 1, False),
    ],
)
def test_a_field_that_only_lost_deleted_ids_is_as_the_site_left_it(
    field: str, stored: tuple[int, ...] | int, there: tuple[int, ...] | int, is_lost: bool
) -> None:
    known = entry("a.md")
    known = replace(
        known,
        fingerprints={**known.fingerprints, field: "the names"},
        changed_by_service={field: fingerprint(stored)},
        conflict={field: "seen before"},
    )
    answer = record("a.md")
    there_now = dataclasses.replace(answer, fields={**answer.fields, field: there})
    left = Vanished({field: frozenset({3, 5})}).as_left(known, there_now)
    if not is_lost:
        assert left is known
        return
    assert left.fingerprints[field] == fingerprint(there)
    assert (left.changed_by_service, left.conflict, left.blob) == ({}, {}, "")


def test_a_drift_plan_says_that_the_category_is_gone_and_which_command_makes_it_anew(shelf: Shelf) -> None:
    shelf.service.lose("categories", ids(shelf)["News"])
    (change,) = (change for change in shelf.drift().changes if isinstance(change, Blocked))
    assert change.reason == (
        "categories changed, because category 'News' was deleted on the site; "
        f"`pressync sync --overwrite {ONE}` makes it anew"
    )


def test_a_drift_plan_shows_what_the_sync_of_an_edited_post_does(
    shelf: Shelf, repository: SampleRepository
) -> None:
    before, file = ids(shelf), repository.root / ".pressync"
    shelf.service.lose("categories", before["News"])
    shelf.service.lose("featured_media", before["file"])
    repository.commit({ONE: f"{FRONT}After.\n"})
    journal = {path: path.read_bytes() for path in file.rglob("*") if path.is_file()}
    planned = shelf.drift()
    assert {path: path.read_bytes() for path in file.rglob("*") if path.is_file()} == journal
    assert not any(isinstance(change, Blocked) for change in planned.changes)
    outcomes = shelf.sync().outcomes
    assert {change.path for change in planned.pending} == {one.change.path for one in outcomes} == {ONE, PAGE}
    assert {one.result for one in outcomes} == {Result.DONE}


def test_that_command_makes_it_anew_in_one_run(shelf: Shelf) -> None:
    before = ids(shelf)["News"]
    shelf.service.lose("categories", before)
    (outcome,) = shelf.sync(PlanOptions(paths=(ONE,), overwrite=True), overwrite=True).outcomes
    assert (outcome.result, outcome.message) == (Result.DONE, "")
    assert held(shelf, "one")["categories"] == (ids(shelf)["News"],) != (before,)
    assert not any(isinstance(change, Blocked) for change in shelf.drift().changes)


def test_a_drift_plan_does_not_explain_a_choice_of_an_editor_by_another_deleted_term(shelf: Shelf) -> None:
    shelf.service.lose("tags", ids(shelf)["a"])
    post = next(r for r in shelf.service.held.values() if r.slug == "one")
    edited = dataclasses.replace(post, fields={**post.fields, "tags": (), "categories": (77,)})
    shelf.service.held[post.id] = edited
    (change,) = (change for change in shelf.drift().changes if isinstance(change, Blocked))
    assert change.reason.startswith("categories, tags changed on the site since the last sync")
