"""Git's list of files is read in pieces, in the order of the bytes of the paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.errors import RepositoryError
from pressync.repo import discover
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

FILES = {"b/c.md": "c", "b.md": "b", "ä.md": "ä", "line\nbreak.md": "x", "run.sh": "#!/bin/sh\n"}


@pytest.mark.parametrize("size", [7, 1 << 16])
def test_the_rows_are_those_of_the_whole_tree_in_byte_order(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(discover, "_PIECE", size)
    commit = repository.commit(FILES)
    rows = "".join(discover.pieces(repository.root, commit)).split("\0")[:-1]
    found = [discover.regular_file(row) for row in rows]
    assert dict(filter(None, found)) == Repository(repository.root).tree(commit).files
    paths = [row.partition("\t")[2].encode() for row in rows]
    assert paths == sorted(paths)


def test_a_link_is_not_a_regular_file(repository: SampleRepository) -> None:
    (repository.root / "link.md").symlink_to("a.md")
    commit = repository.commit()
    (row,) = "".join(discover.pieces(repository.root, commit)).split("\0")[:-1]
    assert discover.regular_file(row) is None


def test_a_commit_that_does_not_exist_is_an_error(repository: SampleRepository) -> None:
    with pytest.raises(RepositoryError):
        [*discover.pieces(repository.root, "0" * 40)]


def test_blobs_are_read_by_one_process_and_a_missing_one_is_an_error(repository: SampleRepository) -> None:
    commit = repository.commit({"a.md": "A", "b.md": "B"})
    files = Repository(repository.root).tree(commit).files
    with discover.blobs(discover.find(repository.root)) as read:
        assert [read(files["a.md"]), read(files["b.md"])] == [b"A", b"B"]
        with pytest.raises(RepositoryError):
            read("0" * 40)


def test_links_and_submodules_are_told_apart_from_files() -> None:
    rows = (
        f"100644 blob {'a' * 40}\ta.md",
        f"100755 blob {'b' * 40}\ttab\tand\nline.md",
        f"120000 blob {'a' * 40}\tlink",
        f"160000 commit {'b' * 40}\tsub",
    )
    said = "".join(f"{each}\0" for each in rows)
    files = {"a.md": "a" * 40, "tab\tand\nline.md": "b" * 40}
    assert discover.regular_files(said) == (files, frozenset({"link", "sub"}))
