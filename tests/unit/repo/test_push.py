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


def test_where_nobody_came_first_the_commit_itself_goes_and_asking_first_leaves_no_trace(
    branch: RemoteBranch, clone: SampleRepository, origin: SampleRepository
) -> None:
    made = clone.commit({FILE: "2"}, "Two")
    before = origin.git("for-each-ref")
    branch.require_push()
    assert origin.git("for-each-ref") == before
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


@pytest.mark.parametrize(
    ("file", "theirs", "asked"),
    [
        (FILE, {FILE: "theirs"}, (b"1", b"ours", b"theirs")),
        ("state/new, of it.json", {"README.md": "Read on"}, (None, b"ours", None)),
    ],
)
def test_both_sides_and_the_base_of_the_file_are_merged(
    branch: RemoteBranch,
    clone: SampleRepository,
    origin: SampleRepository,
    *,
    file: str,
    theirs: dict[str, str],
    asked: tuple[bytes | None, bytes, bytes | None],
) -> None:
    origin.commit(theirs)
    sides = []

    def both(base: bytes | None, own: bytes, theirs: bytes | None) -> bytes:
        sides.append((base, own, theirs))
        return b"both"

    branch.publish(clone.commit({file: "ours"}), file, both)
    assert sides == [asked]
    assert (origin.root / file).read_text() == "both"


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


def test_without_an_open_remote_it_may_not_push(branch: RemoteBranch, clone: SampleRepository) -> None:
    clone.git("remote", "set-url", "origin", "http://ada:secret@127.0.0.1:9/site.git")
    with pytest.raises(RepositoryError, match="contents: write") as closed:
        branch.require_push()
    assert "secret" not in str(closed.value)
    clone.git("remote", "remove", "origin")
    with pytest.raises(RepositoryError):
        branch.require_push()


# The one commit that pressync makes: one file and nothing else, whatever Git is in the middle of.


def test_one_file_is_committed_whatever_is_staged_ignored_or_checked(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A", ".gitignore": ".pressync/\n"})
    repository.write("a.md", "staged, and not meant")
    repository.git("add", "a.md")
    hook = repository.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    manifest = repository.write(".pressync/site.json", "{}")
    with Repository(repository.root) as opened:
        opened.worktree([""])
        made = push.commit_file(opened, manifest, "Sync [skip ci]")
    assert made == repository.head()
    assert repository.git("log", "-1", "--format=%s") == "Sync [skip ci]"
    assert repository.git("show", "--name-only", "--format=", "HEAD") == ".pressync/site.json"
    assert repository.git("diff", "--cached", "--name-only") == "a.md"
    assert repository.git("fsck", "--strict") == "", (
        "what the look wrote beside the repository is not missing"
    )


def merging(repository: SampleRepository, head: str) -> None:
    """Let Git take for unfinished what HEAD has already, as it does while it calls its last hook."""
    repository.commit({"a.md": "A"})
    repository.git("checkout", "--quiet", "-b", "other")
    other = repository.commit({"b.md": "B"})
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "other")
    repository.git("update-ref", head, other)


@pytest.mark.parametrize("head", ["MERGE_HEAD", "CHERRY_PICK_HEAD"])
def test_at_the_end_of_a_merge_the_file_is_its_own_commit(repository: SampleRepository, head: str) -> None:
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


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("a merge", r"git commit failed: .*during a merge"),
        ("several picks", "picking or reverting several commits; commit this file"),
        ("no author", r"git commit failed: .*ident"),
    ],
)
def test_where_git_refuses_or_is_amid_several_picks_nothing_is_committed(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch, state: str, said: str
) -> None:
    if state == "a merge":
        merging(repository, "MERGE_HEAD")
        repository.write("a.md", "not committed yet")
        repository.git("add", "a.md")
    else:
        repository.commit({"a.md": "A"})
    if state == "several picks":
        (repository.root / ".git/sequencer").mkdir()
    if state == "no author":
        repository.git("config", "user.useConfigOnly", "true")
        for name in ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"):
            monkeypatch.delenv(f"GIT_{name}")
    head, manifest = repository.head(), repository.write("m.json", "{}")
    with Repository(repository.root) as opened, pytest.raises(RepositoryError, match=said):
        push.commit_file(opened, manifest, "Sync")
    assert repository.head() == head
    if state == "several picks":
        assert repository.git("status", "--porcelain") == "?? m.json"
