"""Git tells in every kind of repository where it looks for hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.app.hooks import installation
from pressync.model.errors import RepositoryError

if TYPE_CHECKING:
    from pathlib import Path


def test_hooks_are_in_the_git_directory_that_all_work_trees_share(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    repository.git("worktree", "add", "--quiet", str(tmp_path / "tree"))
    found = [installation.find(folder) for folder in (repository.root / "content/pages", tmp_path / "tree")]
    assert [each.hooks for each in found] == [repository.root / ".git/hooks"] * 2
    assert [each.root for each in found] == [repository.root, tmp_path / "tree"]
    assert [each.common for each in found] == [repository.root / ".git"] * 2
    assert not any(each.is_shared or each.is_husky for each in found)


def test_a_submodule_has_hooks_of_its_own(repository: SampleRepository, tmp_path: Path) -> None:
    other = SampleRepository.create(tmp_path / "other")
    other.commit({"content/pages/a.md": "# A\n"})
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "site")
    found = installation.find(repository.root / "site")
    assert found.hooks == repository.root / ".git/modules/site/hooks"
    assert found.root == repository.root / "site"
    assert not found.is_shared


def test_a_bare_repository_has_no_root(tmp_path: Path, repository: SampleRepository) -> None:
    repository.git("init", "--quiet", "--bare", str(tmp_path / "bare.git"))
    found = installation.find(tmp_path / "bare.git")
    assert (found.root, found.base, found.hooks) == (None, tmp_path / "bare.git", tmp_path / "bare.git/hooks")


@pytest.mark.parametrize(
    ("path", "shared", "husky"),
    [
        (".githooks", False, False),
        (".husky/_", False, True),
        ("/dev/null", True, False),
        ("../hooks", True, False),
    ],
)
def test_a_configured_folder_is_this_repositorys_or_shared_or_huskys(
    repository: SampleRepository, path: str, shared: bool, husky: bool
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    repository.git("config", "core.hooksPath", path)
    found = installation.find(repository.root / "content")
    assert found.hooks_path == path
    assert found.hooks.resolve() == (repository.root / path).resolve()
    assert (found.is_shared, found.is_husky) == (shared, husky)


def test_what_git_tells_a_hook_is_not_taken_for_where_it_is_asked(
    repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", "index")
    assert installation.find(repository.root).root == repository.root


def test_without_a_repository_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="not in a Git repository"):
        installation.find(tmp_path)


def test_inside_of_a_git_directory_there_is_no_working_tree(repository: SampleRepository) -> None:
    with pytest.raises(RepositoryError, match="inside a Git directory"):
        installation.find(repository.root / ".git")
