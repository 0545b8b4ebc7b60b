"""A remote is asked whether it would take a push: nothing is pushed, and nobody is asked."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from pressync.repo import trial_push
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.support.repository import SampleRepository

REFERENCE = "refs/pressync/live"


def refusal(repository: SampleRepository, address: str, *, seconds: float = 30) -> str:
    """Ask a remote of this address."""
    repository.git("remote", "add", "origin", address)
    with Repository(repository.root) as opened:
        return trial_push.refusal(opened, "origin", REFERENCE, seconds=seconds)


def test_a_remote_that_takes_it_is_left_as_it_was_before_the_first_commit_as_well(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.git("init", "--quiet", "--bare", f"{tmp_path}/origin.git")
    assert refusal(repository, f"{tmp_path}/origin.git") == ""
    assert repository.git("ls-remote", "origin") == ""


def test_a_remote_that_is_not_there_says_so(repository: SampleRepository, tmp_path: Path) -> None:
    assert "does not appear to be a git repository" in refusal(repository, f"{tmp_path}/nowhere.git")


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
