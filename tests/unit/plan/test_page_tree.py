"""The page above a record is known by its path or by the fingerprint of its id."""

from __future__ import annotations

import pytest
from tests.support.builders import delete, desired, entry, prints

from pressync.model.fingerprint import fingerprint, unsure
from pressync.model.interface import Kind
from pressync.plan.page_tree import PagesAbove

DOCS, GUIDE = "docs.md", "guide.md"
PAGES = PagesAbove([delete(DOCS, 12), entry("blog.md", 13, kind=Kind.POST)])


def test_a_parent_that_a_file_or_a_folder_names_is_the_parent() -> None:
    assert PAGES.parent(entry(GUIDE, parent_path="other.md")) == "other.md"


def test_a_parent_that_is_named_by_its_id_is_found_among_the_pages() -> None:
    below = prints(GUIDE, parent=12)
    assert PAGES.parent(desired(GUIDE, fingerprints=below)) == DOCS
    assert PAGES.parent(entry(GUIDE, fingerprints=below)) == DOCS


def test_a_parent_may_be_one_of_two_if_the_last_write_got_no_response() -> None:
    either = {"parent": unsure(fingerprint(0), fingerprint(12))}
    assert PAGES.parent(entry(GUIDE, fingerprints=either)) == DOCS
    assert PAGES.parent(entry(GUIDE, fingerprints={"parent": unsure(fingerprint(0))})) is None


@pytest.mark.parametrize("number", [0, 13, 99])
def test_the_top_a_post_and_an_unknown_id_are_not_one_of_the_pages(number: int) -> None:
    assert PAGES.parent(entry(GUIDE, fingerprints=prints(GUIDE, parent=number))) is None
