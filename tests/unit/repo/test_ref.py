"""A reference that holds files and moves forward only; of two who push at once, one is told."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.model.errors import RepositoryError
from pressync.repo.ref import Moved, Reference
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "refs/pressync/live"


@pytest.fixture
def origin(repository: SampleRepository, tmp_path: Path) -> Path:
    """Make a bare repository of one commit."""
    repository.commit({"a.md": "# A\n"})
    bare = tmp_path / "origin.git"
    repository.git("clone", "--quiet", "--bare", ".", str(bare))
    return bare


def clone(origin: Path, name: str, *options: str) -> Path:
    root = origin.parent / name
    SampleRepository(origin).git("clone", "--quiet", *options, f"file://{origin}", str(root))
    return root


@pytest.fixture
def here(origin: Path) -> Iterator[Reference]:
    """Open the reference in a clone."""
    with Repository(clone(origin, "here")) as opened:
        yield Reference(opened, NAME, "origin")


@pytest.fixture
def there(origin: Path) -> Iterator[Reference]:
    """Open it in another."""
    with Repository(clone(origin, "there")) as opened:
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


def test_a_push_whose_response_is_lost_was_a_push(here: Reference, origin: Path) -> None:
    old = here.fetch()
    new = here.commit({"m.json": b"1"}, old, "Say 1")
    # The remote is there already when we ask it to move.
    SampleRepository(Path(here._repository.root or "")).git("push", "--quiet", "origin", f"{new}:{NAME}")  # noqa: SLF001
    here.move(new, old)
    assert here.tip == new
    assert SampleRepository(origin).git("rev-parse", NAME) == new


@pytest.mark.sweep
def test_a_remote_that_refuses_says_so_and_nothing_has_moved(here: Reference, origin: Path) -> None:
    hook = origin / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho this branch is protected >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(RepositoryError, match="origin refuses to move refs/pressync/live") as refused:
        moved(here, "1")
    assert "this branch is protected" in str(refused.value)
    assert here.fetch() is None
    assert here.refusal() == "", "a rehearsal runs no hook"


def test_a_remote_that_is_not_there_is_told_without_its_password(here: Reference, origin: Path) -> None:
    root = SampleRepository(Path(here._repository.root or ""))  # noqa: SLF001
    root.git("remote", "set-url", "origin", "http://ada:hunter2@127.0.0.1:9/site.git")
    with pytest.raises(RepositoryError, match="the remote 'origin' cannot be reached") as refused:
        here.fetch()
    assert "hunter2" not in str(refused.value)
    assert here.refusal()
    assert origin.is_dir()


def test_a_shallow_clone_fetches_the_tip_alone_and_can_move_it(here: Reference, origin: Path) -> None:
    for text in "123":
        moved(here, text)
    with Repository(clone(origin, "shallow", "--depth=1")) as opened:
        reference = Reference(opened, NAME, "origin")
        reference.fetch()
        assert len(opened.history.commits(NAME, limit=9)) == 1
        last = moved(reference, "4")
    assert SampleRepository(origin).git("rev-list", "--count", NAME) == "4"
    assert here.fetch() == last


def test_a_commit_is_ours_on_behalf_of_whom_git_names_if_it_names_anybody(
    here: Reference, origin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved(here, "1")
    assert SampleRepository(origin).git("log", "-1", "--format=%an, %cn", NAME) == "pressync, A Writer"
    for name in ("NAME", "EMAIL"):
        monkeypatch.delenv(f"GIT_COMMITTER_{name}")
    root = SampleRepository(Path(here._repository.root or ""))  # noqa: SLF001
    root.git("config", "user.useConfigOnly", "true")
    moved(here, "2")
    assert SampleRepository(origin).git("log", "-1", "--format=%an, %cn", NAME) == "pressync, pressync"


def test_a_reference_of_an_odd_name_beside_it_is_another(here: Reference, origin: Path) -> None:
    SampleRepository(origin).git("update-ref", f"refs/heads/a\u2028b/{NAME}", "HEAD")
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
