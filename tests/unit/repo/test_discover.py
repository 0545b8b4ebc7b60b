"""Where a repository is, and the file with its settings."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from pressync.model.bounds import FileBound, FileTooLarge
from pressync.model.errors import RepositoryError
from pressync.repo.discover import (
    at_head,
    branch,
    committed,
    counted,
    find,
    is_inside_git_directory,
    prefix,
    stages,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository


def test_a_repository_is_found_from_any_folder_whether_bare_or_a_work_tree(
    tmp_path: Path, repository: SampleRepository
) -> None:
    root = repository.root
    repository.commit({"a folder/a.md": "A\n"})
    for folder in (root / "a folder", root / ".git"):
        place = find(folder)
        assert (place.root, place.git) == (root, root / ".git")
    assert find(root / "a folder").working == root
    bare = tmp_path / "bare.git"
    repository.git("clone", "--quiet", "--bare", ".", str(bare))
    assert (find(bare).root, find(bare).working) == (None, bare)
    repository.git("worktree", "add", "--quiet", str(tmp_path / "other"))
    place = find(tmp_path / "other")
    assert (place.root, place.common) == (tmp_path / "other", root / ".git")
    assert place.git != place.common
    odd = tmp_path / "two\nlines"
    repository.git("clone", "--quiet", ".", str(odd))
    assert find(odd)[:3] == (odd, odd / ".git", odd / ".git")
    (root / ".git/config").write_text("[core\n", encoding="utf-8")
    with pytest.raises(RepositoryError, match="bad config line 1"):
        find(root)


def test_no_repository_is_looked_for_above_where_git_would(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"deep/a.md": "A\n"})
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository.root))
    with pytest.raises(RepositoryError, match="not in a Git repository"):
        find(repository.root / "deep")


def test_a_working_tree_is_found_together_with_its_head(repository: SampleRepository) -> None:
    assert at_head(repository.root) is None, "there is no commit"
    commit = repository.commit({"deep/a.md": "A\n"})
    found = at_head(repository.root / "deep")
    assert found
    assert (found.root, found.commit, found.branch) == (repository.root, commit, "refs/heads/main")
    repository.git("checkout", "--quiet", "--detach")
    found = at_head(repository.root)
    assert found
    assert (found.commit, found.branch, branch(repository.root)) == (commit, "HEAD", "")


def test_a_folder_is_named_from_the_root(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({"deep/a.md": "A\n"})
    assert [prefix(repository.root / name) for name in ("", "deep")] == ["", "deep/"]
    inside = [is_inside_git_directory(repository.root / name) for name in ("deep", ".git", ".git/refs")]
    assert inside == [False, True, True]
    with pytest.raises(RepositoryError, match="not in a Git repository"):
        prefix(tmp_path)


def test_one_file_is_read_as_head_and_a_merge_have_it(repository: SampleRepository) -> None:
    repository.commit({"a.md": "one\n"})
    repository.git("switch", "--quiet", "--create", "side")
    side = repository.commit({"a.md": "side\n"})
    repository.git("switch", "--quiet", "main")
    repository.commit({"a.md": "main\n"})
    file, bound, few = repository.root / "a.md", FileBound(9, "it has", ""), FileBound(2, "it has", "")
    assert [committed(repository.root, name, bound) for name in ("a.md", "no.md")] == [b"main\n", None]
    assert stages(file, bound) is None
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "--quiet", side)
    assert stages(file, bound) == ("one", "main", "side")
    with pytest.raises(FileTooLarge):
        committed(repository.root, "a.md", few)
    with pytest.raises(FileTooLarge):
        stages(file, few)


def test_a_renamed_file_is_one_change_under_two_names() -> None:
    assert counted("R  new.md\0?? not untracked\0 M b.md\0?? c.md\0") == (2, 1)
    assert counted("") == (0, 0)
