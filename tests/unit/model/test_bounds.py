"""How large files may be, and what a manifest can hold: a path that can be printed, a record with an id."""

from __future__ import annotations

from io import BytesIO

import pytest
from tests.support.builders import entry

from pressync.model.bounds import MANIFEST, MIB, FileTooLarge, check_entry, check_path, is_path, names_git
from pressync.model.errors import ManifestError


@pytest.mark.parametrize(
    "path",
    [
        *("a.md", "content/pages/ü b/ç.md", "a..b/...c", "a/..b.md", "...", ".hidden/x", "日本/語.md"),
        *("a\u00a0b", "a.git/x.md", ".github/x.md", ".gitignore", "git/x.md", "git~2", "x/..git"),
    ],
)
def test_a_path_inside_the_repository_is_a_path(path: str) -> None:
    assert is_path(path)
    assert not names_git(path)


@pytest.mark.parametrize(
    "path",
    [
        *("", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b"),
        *("a\0", "a\nb", "a\x1b[2J", "a\x85", "a\x9bb", "a\udcff", "\ud800"),
    ],
)
def test_a_path_that_leaves_the_tree_or_the_line_or_is_no_text_is_none(path: str) -> None:
    assert not is_path(path)


@pytest.mark.parametrize(
    "path",
    [
        *(".git", "a/.GIT/config", "a/.git./x.md", "a/.git /x.md", "git~1/x.md", "a/GIT~1"),
        *(".git::$INDEX_ALLOCATION/x.md", "a\\.git\\x.md", ".g\u200cit/x.md"),
    ],
)
def test_a_path_in_the_folder_of_git_is_none_on_any_disk(path: str) -> None:
    assert names_git(path)
    assert not is_path(path)


def test_what_it_cannot_hold_is_refused_with_the_way_out() -> None:
    check_path("a.md")
    check_entry(entry("a.md", 1))
    with pytest.raises(ManifestError) as refused:
        check_path("a\n.md")
    assert str(refused.value) == (
        "the manifest cannot hold the path 'a\\n.md', so nothing is sent for it; "
        "rename the file: use UTF-8 without control characters"
    )
    with pytest.raises(ManifestError, match="the manifest cannot hold the path"):
        check_entry(entry("../a.md", 1))
    with pytest.raises(ManifestError, match=r"a\.md: 0 is not a record id; use an id of 1 or more"):
        check_entry(entry("a.md", 0))


_ROW = b'\n{"path":"a.md",\n "id":1},' + b" " * 600


@pytest.mark.parametrize("size", [0, 1, 16 * MIB, 40 * MIB])
def test_a_manifest_is_read_whatever_its_size_as_long_as_it_has_rows(size: int) -> None:
    text = (_ROW * (1 + size // len(_ROW)))[:size]
    assert MANIFEST.take(BytesIO(text).read, size) == text


@pytest.mark.parametrize(
    ("text", "size", "what"),
    [
        (b"", MANIFEST.most + 1, "the file has 1,024.0 MiB, and a manifest has at most 1,024 MiB"),
        (b" " * (50 * MIB), 50 * MIB, "the file has 50.0 MiB, and its first 32 MiB have 0 rows"),
        (b"{}" * (20 * MIB), 40 * MIB, "the file has more than 4,000,000 rows"),
    ],
)
def test_a_file_of_other_rows_is_not_read_to_its_end(text: bytes, size: int, what: str) -> None:
    file = BytesIO(text)
    with pytest.raises(FileTooLarge) as refused:
        MANIFEST.take(file.read, size)
    assert refused.value.what == what
    assert file.tell() <= 32 * MIB
