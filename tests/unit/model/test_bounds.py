"""What a manifest can hold: a path inside the repository that can be printed, and a record with an id."""

from __future__ import annotations

import pytest
from tests.support.builders import entry

from pressync.model.bounds import check_entry, check_path, is_path
from pressync.model.errors import ManifestError


@pytest.mark.parametrize(
    "path",
    ["a.md", "content/pages/ü b/ç.md", "a..b/...c", "a/..b.md", "...", ".hidden/x", "日本/語.md", "a\u00a0b"],
)
def test_a_path_inside_the_repository_is_a_path(path: str) -> None:
    assert is_path(path)


@pytest.mark.parametrize("path", ["", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b"])
def test_a_path_that_leaves_the_tree_is_none(path: str) -> None:
    assert not is_path(path)


@pytest.mark.parametrize("path", ["a\0", "a\nb", "a\x1b[2J", "a\x85", "a\x9bb", "a\udcff", "\ud800"])
def test_a_path_that_leaves_the_line_or_is_no_text_is_none(path: str) -> None:
    assert not is_path(path)


def test_what_it_cannot_hold_is_refused_with_the_way_out() -> None:
    check_path("a.md")
    with pytest.raises(ManifestError) as refused:
        check_path("a\n.md")
    assert str(refused.value) == (
        "the manifest cannot hold the path 'a\\n.md', so nothing is sent for it; "
        "rename the file: use UTF-8 without control characters"
    )


def test_an_entry_has_a_path_and_an_id() -> None:
    check_entry(entry("a.md", 1))
    with pytest.raises(ManifestError, match="the manifest cannot hold the path"):
        check_entry(entry("../a.md", 1))
    with pytest.raises(ManifestError, match=r"a\.md: 0 is not a record id; use an id of 1 or more"):
        check_entry(entry("a.md", 0))
