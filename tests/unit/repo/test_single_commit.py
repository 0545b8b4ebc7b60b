"""The one commit that pressync makes: one file and nothing else, whatever Git is in the middle of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model.errors import RepositoryError
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


def test_one_file_is_committed_and_what_else_is_staged_stays_staged(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A"})
    repository.write("a.md", "staged, and not meant")
    repository.git("add", "a.md")
    manifest = repository.write(".pressync/site.json", "{}")
    with Repository(repository.root) as opened:
        made = opened.commit_file(manifest, "Sync [skip ci]")
    assert made == repository.head()
    assert repository.git("log", "-1", "--format=%s") == "Sync [skip ci]"
    assert repository.git("show", "--name-only", "--format=", "HEAD") == ".pressync/site.json"
    assert repository.git("diff", "--cached", "--name-only") == "a.md"


def test_a_file_without_a_change_makes_no_commit(repository: SampleRepository) -> None:
    head = repository.commit({"m.json": "{}"})
    with Repository(repository.root) as opened:
        assert opened.commit_file(repository.root / "m.json", "Again") is None
        assert opened.commit_file(repository.root / "never-written.json", "Nothing") is None
    assert repository.head() == head


def test_an_ignored_file_is_committed_all_the_same(repository: SampleRepository) -> None:
    repository.commit({".gitignore": ".pressync/\n"})
    manifest = repository.write(".pressync/site.json", "{}")
    with Repository(repository.root) as opened:
        assert opened.commit_file(manifest, "Sync") == repository.head()


def test_hooks_that_check_a_commit_are_left_out(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A"})
    hook = repository.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    manifest = repository.write("m.json", "{}")
    with Repository(repository.root) as opened:
        assert opened.commit_file(manifest, "Sync") == repository.head()


def test_what_git_refuses_is_told_in_its_own_words(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"a.md": "A"})
    manifest = repository.write("m.json", "{}")
    repository.git("config", "user.useConfigOnly", "true")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{who}_NAME")
        monkeypatch.delenv(f"GIT_{who}_EMAIL")
    with (
        Repository(repository.root) as opened,
        pytest.raises(RepositoryError, match=r"git commit failed: .*ident"),
    ):
        opened.commit_file(manifest, "Sync")


def test_a_commit_after_a_look_at_the_working_tree_is_whole(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A"})
    manifest = repository.write("m.json", "seen by the look at the working tree")
    with Repository(repository.root) as opened:
        opened.worktree([""])
        opened.commit_file(manifest, "Sync")
    assert repository.git("show", "HEAD:m.json") == "seen by the look at the working tree"
    assert repository.git("fsck", "--strict") == ""


def merging(repository: SampleRepository, head: str) -> None:
    """Let Git take for unfinished what HEAD has already, as it does while it calls its last hook."""
    repository.commit({"a.md": "A"})
    repository.git("checkout", "--quiet", "-b", "other")
    other = repository.commit({"b.md": "B"})
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "other")
    repository.git("update-ref", head, other)


@pytest.mark.parametrize("head", ["MERGE_HEAD", "CHERRY_PICK_HEAD"])
def test_at_the_end_of_a_merge_or_a_pick_the_file_is_a_commit_of_its_own(
    repository: SampleRepository, head: str
) -> None:
    merging(repository, head)
    before = repository.head()
    manifest = repository.write("m.json", "{}")
    with Repository(repository.root) as opened:
        made = opened.commit_file(manifest, "Sync [skip ci]")
    assert made == repository.head()
    assert repository.git("log", "-1", "--format=%P %s") == f"{before} Sync [skip ci]"
    assert repository.git("show", "--name-only", "--format=", "HEAD") == "m.json"
    assert repository.git("reflog", "-1", "--format=%gs") == "commit: Sync [skip ci]"
    assert repository.git("status", "--porcelain") == ""


def test_in_a_merge_that_has_more_to_commit_git_refuses(repository: SampleRepository) -> None:
    merging(repository, "MERGE_HEAD")
    repository.write("a.md", "not committed yet")
    repository.git("add", "a.md")
    manifest = repository.write("m.json", "{}")
    with (
        Repository(repository.root) as opened,
        pytest.raises(RepositoryError, match=r"git commit failed: .*during a merge"),
    ):
        opened.commit_file(manifest, "Sync")


def test_between_several_picks_nothing_is_committed_or_staged(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A"})
    (repository.root / ".git/sequencer").mkdir()
    manifest = repository.write("m.json", "{}")
    with (
        Repository(repository.root) as opened,
        pytest.raises(RepositoryError, match="picking or reverting several commits; commit this file"),
    ):
        opened.commit_file(manifest, "Sync")
    assert repository.git("status", "--porcelain") == "?? m.json"
