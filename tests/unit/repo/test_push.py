"""A committed file reaches its branch, and a reference its remote, whoever pushes meanwhile."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.model.errors import RepositoryError
from pressync.repo import push
from pressync.repo.push import TRIES, RemoteBranch
from pressync.repo.ref import Moved, Reference
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    # Git 2.47 refuses to write this name by `update-ref`.
    (repository.root / ".git" / head).write_text(f"{other}\n", encoding="ascii")


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


NAME = "refs/pressync/live"


@pytest.fixture
def bare(repository: SampleRepository, tmp_path: Path) -> Path:
    """Make a bare repository of one commit."""
    repository.commit({"a.md": "# A\n"})
    bare = tmp_path / "origin.git"
    repository.git("clone", "--quiet", "--bare", ".", str(bare))
    return bare


def cloned(bare: Path, name: str, *options: str) -> Path:
    root = bare.parent / name
    SampleRepository(bare).git("clone", "--quiet", *options, f"file://{bare}", str(root))
    return root


@pytest.fixture
def here(bare: Path) -> Iterator[Reference]:
    """Open the reference in a clone."""
    with Repository(cloned(bare, "here")) as opened:
        yield Reference(opened, NAME, "origin")


@pytest.fixture
def there(bare: Path) -> Iterator[Reference]:
    """Open it in another."""
    with Repository(cloned(bare, "there")) as opened:
        yield Reference(opened, NAME, "origin")


def moved(reference: Reference, text: str) -> str:
    """Fetch, put one file on top, and move there."""
    old = reference.fetch()
    new = reference.commit({"m.json": text.encode()}, old, f"Say {text}")
    reference.move(new, old)
    return new


def test_without_a_remote_it_moves_in_this_clone_alone(repository: SampleRepository) -> None:
    repository.commit()
    with Repository(repository.root) as opened:
        reference = Reference(opened, NAME)
        assert (reference.fetch(), reference.tip) == (None, None)
        first = moved(reference, "1")
        assert reference.tip == first
        assert [reference.file(first, name) for name in ("m.json", "none.json")] == [b"1", None]
        other = reference.commit({"m.json": b"2"}, first, "Say 2")
        for new, old in ((first, None), (other, other)):
            with pytest.raises(Moved):
                reference.move(new, old)


def test_what_one_clone_moves_the_other_fetches(here: Reference, there: Reference) -> None:
    hook = Path(here._repository.root or "") / ".git" / "hooks" / "pre-push"  # noqa: SLF001
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    first = moved(here, "1")
    assert there.fetch() == first
    second = moved(there, "2")
    assert here.fetch() == second
    assert here.file(second, "m.json") == b"2"


@pytest.mark.parametrize("begun", [False, True])
def test_of_two_that_move_at_once_one_is_told(here: Reference, there: Reference, *, begun: bool) -> None:
    if begun:
        moved(here, "0")
    starts = [reference.fetch() for reference in (here, there)]
    first, second = (
        reference.commit({"m.json": text.encode()}, start, text)
        for reference, start, text in zip((here, there), starts, "12", strict=True)
    )
    here.move(first, starts[0])
    with pytest.raises(Moved):
        there.move(second, starts[1])
    assert there.fetch() == first
    assert there.tip == first, "what the loser made is nowhere"


def test_a_push_whose_response_is_lost_was_a_push(here: Reference, bare: Path) -> None:
    old = here.fetch()
    new = here.commit({"m.json": b"1"}, old, "Say 1")
    # The remote is there already when we ask it to move.
    SampleRepository(Path(here._repository.root or "")).git("push", "--quiet", "origin", f"{new}:{NAME}")  # noqa: SLF001
    here.move(new, old)
    assert here.tip == new
    assert SampleRepository(bare).git("rev-parse", NAME) == new


@pytest.mark.sweep
def test_a_remote_that_refuses_says_so_and_nothing_has_moved(here: Reference, bare: Path) -> None:
    hook = bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho this branch is protected >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(RepositoryError, match="origin refuses to move refs/pressync/live") as refused:
        moved(here, "1")
    assert "this branch is protected" in str(refused.value)
    assert here.fetch() is None
    assert here.refusal() == "", "a rehearsal runs no hook"


def test_a_remote_that_is_not_there_is_told_without_its_password(here: Reference, bare: Path) -> None:
    root = SampleRepository(Path(here._repository.root or ""))  # noqa: SLF001
    root.git("remote", "set-url", "origin", "http://ada:hunter2@127.0.0.1:9/site.git")
    with pytest.raises(RepositoryError, match="the remote 'origin' cannot be reached") as refused:
        here.fetch()
    assert "hunter2" not in str(refused.value)
    assert here.refusal()
    assert bare.is_dir()


def test_a_shallow_clone_fetches_the_tip_alone_and_can_move_it(here: Reference, bare: Path) -> None:
    for text in "123":
        moved(here, text)
    with Repository(cloned(bare, "shallow", "--depth=1")) as opened:
        reference = Reference(opened, NAME, "origin")
        reference.fetch()
        assert len(opened.history.commits(NAME, limit=9)) == 1
        last = moved(reference, "4")
    assert SampleRepository(bare).git("rev-list", "--count", NAME) == "4"
    assert here.fetch() == last


def test_a_commit_is_ours_on_behalf_of_whom_git_names_if_it_names_anybody(
    here: Reference, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved(here, "1")
    assert SampleRepository(bare).git("log", "-1", "--format=%an, %cn", NAME) == "pressync, A Writer"
    for name in ("NAME", "EMAIL"):
        monkeypatch.delenv(f"GIT_COMMITTER_{name}")
    root = SampleRepository(Path(here._repository.root or ""))  # noqa: SLF001
    root.git("config", "user.useConfigOnly", "true")
    moved(here, "2")
    assert SampleRepository(bare).git("log", "-1", "--format=%an, %cn", NAME) == "pressync, pressync"


def test_a_reference_of_an_odd_name_beside_it_is_another(here: Reference, bare: Path) -> None:
    SampleRepository(bare).git("update-ref", f"refs/heads/a\u2028b/{NAME}", "HEAD")
    assert here.fetch() is None


# A remote is asked whether it would take a push: nothing is pushed, and nobody is asked.

REFERENCE = "refs/pressync/live"


def refusal(repository: SampleRepository, address: str, *, seconds: float = 30) -> str:
    """Ask a remote of this address."""
    repository.git("remote", "add", "origin", address)
    with Repository(repository.root) as opened:
        return Reference(opened, REFERENCE, "origin").refusal(seconds=seconds)


def test_a_remote_that_takes_it_is_left_as_it_was(repository: SampleRepository, tmp_path: Path) -> None:
    repository.git("init", "--quiet", "--bare", f"{tmp_path}/origin.git")
    assert refusal(repository, f"{tmp_path}/origin.git") == ""
    assert repository.git("ls-remote", "origin") == ""


def test_a_remote_that_never_answers_is_not_waited_for(repository: SampleRepository) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"git://127.0.0.1:{silent.getsockname()[1]}/x.git"
        assert refusal(repository, address, seconds=0.5) == "it did not answer within 0.5 s"


def test_nobody_is_asked_for_a_password_and_the_own_ssh_is_kept(
    repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SSH program of the settings writes what it was called with."""
    program = tmp_path / "ssh"
    program.write_text(
        f'#!/bin/sh\necho "$GIT_TERMINAL_PROMPT $GIT_ASKPASS $*" >> {tmp_path}/called; exit 1\n'
    )
    program.chmod(0o755)
    monkeypatch.delenv("GIT_SSH_COMMAND", raising=False)
    repository.git("config", "core.sshCommand", str(program))
    repository.git("config", "ssh.variant", "ssh")
    assert refusal(repository, "ssh://nobody@127.0.0.1/x.git")
    called = (tmp_path / "called").read_text()
    assert called.startswith("0 true ")
    assert "-oBatchMode=yes" in called
