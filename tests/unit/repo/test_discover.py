"""Where a repository is, the file with its settings, and paths as people type them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pressync.model.bounds import FileBound, FileTooLarge
from pressync.model.errors import ConfigError, RepositoryError
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
from pressync.repo.paths import WorkingPlace, is_below, resolved

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


def test_a_repository_is_found_from_any_folder(tmp_path: Path, repository: SampleRepository) -> None:
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


KNOWN = ("content/pages/a.md", "content/pages/a/b.md", "templates/page.html", "docs/a.md")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make the folders of a repository."""
    for name in ("content/pages/a", "docs", "drafts"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def found(argument: str, root: Path | None, folder: str = "") -> str:
    place = WorkingPlace((root or Path.cwd()) / folder, root, "content")
    return resolved([argument], place, KNOWN)[0]


@pytest.mark.parametrize(
    ("folder", "argument", "expected"),
    [
        ("", "content/pages/a.md", "content/pages/a.md"),
        ("", "./content//pages/a.md", "content/pages/a.md"),
        ("", "content/pages", "content/pages"),
        ("", "content/pages/", "content/pages"),
        ("content/pages", "a.md", "content/pages/a.md"),
        ("content/pages", "../../docs/a.md", "docs/a.md"),
        ("content/pages", "docs/a.md", "docs/a.md"),
        ("", "pages/a.md", "content/pages/a.md"),
        ("drafts", "pages/a.md", "content/pages/a.md"),
        ("docs", "a.md", "docs/a.md"),
        ("", "/content/pages/a.md", "content/pages/a.md"),
        ("", ".", ""),
        ("content", ".", "content"),
        ("content/pages", "../..", ""),
    ],
)
def test_a_path_is_looked_for_here_first(root: Path, folder: str, argument: str, expected: str) -> None:
    assert found(argument, root, folder) == expected


def test_a_repository_behind_a_symbolic_link_is_the_same_one(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    assert found("a.md", root, "link/docs") == "docs/a.md"
    assert found(str(link / "docs/a.md"), root) == "docs/a.md"


@pytest.mark.parametrize(
    "argument", ["nothing.md", "/etc/hosts", "../outside.md", "content/pages/a.markdown"]
)
def test_what_is_not_there_is_told(root: Path, argument: str) -> None:
    with pytest.raises(ConfigError, match="is not a committed file or folder, and not in the manifest"):
        found(argument, root)


def test_a_dot_in_a_folder_that_holds_nothing_known_is_not_the_whole_repository(root: Path) -> None:
    assert found(".", root, "drafts") == "drafts"


def test_a_bare_repository_knows_paths_from_its_root_alone() -> None:
    assert found("content/pages/a.md", None) == "content/pages/a.md"
    assert found("pages", None) == "content/pages"
    assert found(".", None) == ""
    with pytest.raises(ConfigError):
        found("drafts", None)


def test_what_is_below_a_chosen_path() -> None:
    chosen: list[list[str]] = [["a"], ["a/b.md"], [""], ["c", "a"], [], ["a/b"]]
    assert [is_below("a/b.md", each) for each in chosen] == [True, True, True, True, False, False]
    assert not is_below("ab.md", ["a"])
