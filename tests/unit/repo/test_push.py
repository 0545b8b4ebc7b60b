"""A committed file reaches its branch on a real remote, whoever pushes meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.model.errors import RepositoryError
from pressync.repo import push
from pressync.repo.push import TRIES, RemoteBranch
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


FILE = "state/live.json"


@pytest.fixture
def origin(tmp_path: Path) -> SampleRepository:
    made = SampleRepository.create(tmp_path / "origin")
    made.git("config", "receive.denyCurrentBranch", "updateInstead")
    made.commit({FILE: "1", "README.md": "Read"})
    return made


@pytest.fixture
def clone(origin: SampleRepository, tmp_path: Path) -> SampleRepository:
    origin.git("clone", "--quiet", f"file://{origin.root}", str(tmp_path / "clone"))
    return SampleRepository(tmp_path / "clone")


@pytest.fixture
def branch(clone: SampleRepository) -> Iterator[RemoteBranch]:
    with Repository(clone.root) as repository:
        yield RemoteBranch(repository, "main")


def ours(_base: bytes | None, own: bytes, _theirs: bytes | None) -> bytes:
    """Merge by taking our side."""
    return own


def test_where_nobody_came_first_the_commit_itself_goes(
    branch: RemoteBranch, clone: SampleRepository, origin: SampleRepository
) -> None:
    made = clone.commit({FILE: "2"}, "Two")
    assert branch.publish(made, FILE, ours) == made == origin.head()


def test_upon_what_others_pushed_only_the_file_is_changed_and_the_working_tree_stays(
    branch: RemoteBranch, clone: SampleRepository, origin: SampleRepository
) -> None:
    theirs = origin.commit({"README.md": "Read on", "new.md": "New"})
    made = clone.commit({FILE: "2"}, "Two\n\nAnd why.")
    published = branch.publish(made, FILE, ours)
    assert origin.head() == published != made
    assert origin.git("rev-parse", "HEAD^") == theirs
    assert origin.git("show", "--no-patch", "--format=%B") == "Two\n\nAnd why."
    assert origin.git("diff", "--name-only", "HEAD^") == FILE
    assert clone.head() == made
    assert clone.git("status", "--porcelain") == ""
    assert not (clone.root / "new.md").exists()


def test_both_sides_and_the_base_of_the_file_are_merged(
    branch: RemoteBranch, clone: SampleRepository, origin: SampleRepository
) -> None:
    origin.commit({FILE: "theirs"})
    made = clone.commit({FILE: "ours"})
    asked = []

    def both(base: bytes | None, own: bytes, theirs: bytes | None) -> bytes:
        asked.append((base, own, theirs))
        return b"both"

    branch.publish(made, FILE, both)
    assert asked == [(b"1", b"ours", b"theirs")]
    assert (origin.root / FILE).read_text() == "both"


def test_a_file_that_is_new_on_one_side_has_no_other(
    branch: RemoteBranch, clone: SampleRepository, origin: SampleRepository
) -> None:
    origin.commit({"README.md": "Read on"})
    made = clone.commit({"state/new, of it.json": "1"})
    asked = []

    def first(base: bytes | None, own: bytes, theirs: bytes | None) -> bytes:
        asked.append((base, own, theirs))
        return own

    branch.publish(made, "state/new, of it.json", first)
    assert asked == [(None, b"1", None)]
    assert (origin.root / "state/new, of it.json").read_text() == "1"


def test_somebody_who_is_always_first_ends_it(
    branch: RemoteBranch, clone: SampleRepository, origin: SampleRepository
) -> None:
    pushes: list[str] = []

    def quicker(_base: bytes | None, own: bytes, _theirs: bytes | None) -> bytes:
        pushes.append(origin.commit({"README.md": f"Read {len(pushes)}"}))
        return own

    origin.commit({"README.md": "Read on"})
    with pytest.raises(RepositoryError, match="refuses the push to main"):
        branch.publish(clone.commit({FILE: "2"}), FILE, quicker)
    assert len(pushes) == TRIES


def test_a_branch_with_rules_says_so_at_once(
    branch: RemoteBranch, clone: SampleRepository, origin: SampleRepository
) -> None:
    hook = origin.root / ".git/hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho this branch is protected >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    branch.require_push()
    with pytest.raises(RepositoryError, match="this branch is protected"):
        branch.publish(clone.commit({FILE: "2"}), FILE, ours)


def test_asking_whether_it_may_push_leaves_no_trace(
    branch: RemoteBranch, clone: SampleRepository, origin: SampleRepository
) -> None:
    origin.commit({"README.md": "Read on"})
    clone.commit({FILE: "2"})
    before = origin.git("for-each-ref")
    branch.require_push()
    assert origin.git("for-each-ref") == before


def test_without_a_remote_or_with_a_closed_one_it_may_not_and_no_password_is_shown(
    branch: RemoteBranch, clone: SampleRepository
) -> None:
    clone.git("remote", "set-url", "origin", "http://ada:secret@127.0.0.1:9/site.git")
    with pytest.raises(RepositoryError, match="contents: write") as closed:
        branch.require_push()
    assert "secret" not in str(closed.value)
    clone.git("remote", "remove", "origin")
    with pytest.raises(RepositoryError):
        branch.require_push()


# The one commit that pressync makes: one file and nothing else, whatever Git is in the middle of.


def test_one_file_is_committed_and_what_else_is_staged_stays_staged(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A"})
    repository.write("a.md", "staged, and not meant")
    repository.git("add", "a.md")
    manifest = repository.write(".pressync/site.json", "{}")
    with Repository(repository.root) as opened:
        made = push.commit_file(opened, manifest, "Sync [skip ci]")
    assert made == repository.head()
    assert repository.git("log", "-1", "--format=%s") == "Sync [skip ci]"
    assert repository.git("show", "--name-only", "--format=", "HEAD") == ".pressync/site.json"
    assert repository.git("diff", "--cached", "--name-only") == "a.md"


def test_an_ignored_file_is_committed_all_the_same(repository: SampleRepository) -> None:
    repository.commit({".gitignore": ".pressync/\n"})
    manifest = repository.write(".pressync/site.json", "{}")
    with Repository(repository.root) as opened:
        assert push.commit_file(opened, manifest, "Sync") == repository.head()


def test_hooks_that_check_a_commit_are_left_out(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A"})
    hook = repository.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    manifest = repository.write("m.json", "{}")
    with Repository(repository.root) as opened:
        assert push.commit_file(opened, manifest, "Sync") == repository.head()


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
        push.commit_file(opened, manifest, "Sync")


def test_a_commit_after_a_look_at_the_working_tree_is_whole(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A"})
    manifest = repository.write("m.json", "seen by the look at the working tree")
    with Repository(repository.root) as opened:
        opened.worktree([""])
        push.commit_file(opened, manifest, "Sync")
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
        made = push.commit_file(opened, manifest, "Sync [skip ci]")
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
        push.commit_file(opened, manifest, "Sync")


def test_between_several_picks_nothing_is_committed_or_staged(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A"})
    (repository.root / ".git/sequencer").mkdir()
    manifest = repository.write("m.json", "{}")
    with (
        Repository(repository.root) as opened,
        pytest.raises(RepositoryError, match="picking or reverting several commits; commit this file"),
    ):
        push.commit_file(opened, manifest, "Sync")
    assert repository.git("status", "--porcelain") == "?? m.json"
