"""Of two records of one file, the one that the site has is taken, then the one that was written later."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import entry, manifest
from tests.support.library_repository import Shelf

from pressync.app.clashing_records import chosen
from pressync.model.errors import NoAnswer
from pressync.model.records import Manifest, Name
from pressync.state.manifest.merge import merge

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.model.records import Entry

PATH = "content/pages/about.md"
OLD = entry(PATH, 1)
NEW = replace(entry(PATH, 4), modified_gmt="2024-02-01T00:00:00")


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    """Make a repository of one page, and a site."""
    repository.commit({PATH: "# About\n"})
    return Shelf(repository.root, "https://site.test/wp-json")


def choose(shelf: Shelf, ours: Entry, theirs: Entry) -> tuple[int, str]:
    """Give the id that the file has afterwards, and the sentence."""
    merged = merge(None, manifest(ours), manifest(theirs))
    with shelf.workspace() as workspace:
        found, (sentence,) = chosen(workspace, merged)
    return found.entries[PATH].id, sentence


@pytest.mark.parametrize(("ours", "theirs"), [(OLD, NEW), (NEW, OLD)])
def test_the_only_one_that_the_site_has_is_taken_whatever_the_times_say(
    shelf: Shelf, ours: Entry, theirs: Entry
) -> None:
    shelf.service.hold(1, slug="about")
    shelf.service.hold(4, slug="about__trashed", status="trash")
    number, sentence = choose(shelf, ours, theirs)
    assert number == 1
    assert "page 1 stays, because the site has it, and not the other" in sentence


@pytest.mark.parametrize(("ours", "theirs"), [(OLD, NEW), (NEW, OLD)])
def test_of_two_that_the_site_has_the_one_that_was_written_later_is_taken(
    shelf: Shelf, ours: Entry, theirs: Entry
) -> None:
    shelf.service.hold(1, slug="about")
    shelf.service.hold(4, slug="about-2")
    number, sentence = choose(shelf, ours, theirs)
    assert number == 4
    assert sentence == (
        f"{PATH} was page 4 in one place and page 1 in the other: page 4 stays, because it was written "
        f"later; delete page 1 on the site, or take it instead with `pressync forget {PATH}` and "
        f"`pressync adopt {PATH} 1`"
    )


def test_a_site_that_does_not_answer_leaves_it_to_the_times(shelf: Shelf) -> None:
    shelf.service.deaf = NoAnswer("it did not answer")
    assert choose(shelf, OLD, NEW)[0] == 4


def test_without_times_the_later_commit_counts(shelf: Shelf, repository: SampleRepository) -> None:
    before, after = repository.head(), repository.commit({PATH: "# About us\n"})
    earlier, later = replace(OLD, commit=before), replace(entry(PATH, 4), commit=after)
    assert choose(shelf, earlier, later)[0] == choose(shelf, later, earlier)[0] == 4


def test_without_any_evidence_ours_stays(shelf: Shelf) -> None:
    number, sentence = choose(shelf, OLD, replace(OLD, id=4))
    assert (number, "the manifest that is in use has it" in sentence) == (1, True)


def test_a_term_that_was_made_twice_keeps_our_id_without_a_word(shelf: Shelf) -> None:
    name = Name("tags", "a")
    merged = merge(None, Manifest("x", names={name: 1}), Manifest("x", names={name: 2}))
    with shelf.workspace() as workspace:
        found, sentences = chosen(workspace, merged)
    assert (found.names, sentences) == ({name: 1}, ())
