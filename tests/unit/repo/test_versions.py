"""Which blobs a path has had."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.bounds import PAGE
from pressync.repo.repository import Repository
from pressync.repo.versions import at_commits, ever, lines, was_removed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository


@pytest.fixture
def opened(repository: SampleRepository) -> Iterator[Repository]:
    """Open the sample repository."""
    with Repository(repository.root) as opened:
        yield opened


def test_a_blob_is_found_by_commit_and_path(repository: SampleRepository, opened: Repository) -> None:
    first = repository.commit({"a.md": "one", "ü b.md": "ü"})
    second = repository.commit({"a.md": "two"})
    asked = {
        (first, "a.md"),
        (second, "a.md"),
        (second, "ü b.md"),
        (first, "c.md"),
        ("", "a.md"),
        ("0" * 40, "a.md"),
    }
    found = at_commits(opened, asked)
    assert {pair: opened.read(blob).decode() for pair, blob in found.items()} == {
        (first, "a.md"): "one",
        (second, "a.md"): "two",
        (second, "ü b.md"): "ü",
    }
    assert at_commits(opened, set()) == {}


def test_every_blob_of_a_path_is_found_through_merges_and_removals(
    repository: SampleRepository, opened: Repository
) -> None:
    repository.commit({"a.md": "one", "b.md": "b"})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"a.md": "two"})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"b.md": "again"})
    repository.git("merge", "--quiet", "--no-edit", "topic")
    repository.remove("a.md")
    head = repository.commit()
    found = ever(opened, head, {"a.md", "never.md"})
    assert {path: sorted(map(opened.read, blobs)) for path, blobs in found.items()} == {
        "a.md": [b"one", b"two"]
    }


def test_a_removal_is_seen_only_between_the_two_commits(
    repository: SampleRepository, opened: Repository
) -> None:
    first = repository.commit({"a.md": "one"})
    repository.remove("a.md")
    removed = repository.commit()
    again = repository.commit({"a.md": "two"})
    assert was_removed(opened, "a.md", first, again)
    assert not was_removed(opened, "a.md", removed, again)
    assert not was_removed(opened, "a.md", again, first)
    assert not was_removed(opened, "a.md", "0" * 40, again)
    assert not was_removed(opened, "a.md", "", again)


def test_the_lines_that_a_file_ever_had_are_found_by_a_pattern(
    repository: SampleRepository, opened: Repository
) -> None:
    repository.commit({"a.md": "# One\ntext\n", "b.md": "# Other\n"})
    repository.commit({"a.md": "# Much\n" + " " * PAGE.most})
    repository.commit({"a.md": "# Two\n## Three\n"})
    assert lines(opened, "a.md", "^#+ ") == ["# Two", "## Three", "# One"], "no version above the bound"
    assert lines(opened, "never.md", "^#+ ") == []
