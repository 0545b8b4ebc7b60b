"""No child of a command inherits a secret: Git and a `password_command` write their environment down."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.strict_service import serving

from pressync.client.credentials import basic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

PASSWORD, TOKEN, SERVE_TOKEN = "open sesame", "tell-nobody-1", "ask-everybody-2"
SECRETS = {"PRESSYNC_PASSWORD": PASSWORD, "PRESSYNC_SERVE_TOKEN": SERVE_TOKEN}


class Machine:
    """A repository, and a PATH whose Git notes what it inherits before it is Git."""

    def __init__(self, repository: SampleRepository, folder: Path) -> None:
        self._repository = repository
        self._seen = folder / "seen.txt"
        self.program = folder / "git"
        self.program.write_text(f'#!/bin/sh\nenv >> "{self._seen}"\nexec {shutil.which("git")} "$@"\n')
        self.program.chmod(0o755)
        path = f"{folder}{os.pathsep}{os.environ['PATH']}"
        self.environ = {**os.environ, **SECRETS, "PATH": path}

    def run(self, *arguments: str, exits: int = 0, said: str = "") -> str:
        """Run pressync as a process; what its children inherited, by then."""
        done = subprocess.run(
            [sys.executable, "-m", "pressync", *arguments],
            cwd=self._repository.root,
            env=self.environ,
            input=said,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == exits, done.stderr
        return self._seen.read_text() if self._seen.exists() else ""


def assert_no_secret(inherited: str) -> None:
    assert "PATH=" in inherited, "no child was seen"
    for word in (PASSWORD, TOKEN, SERVE_TOKEN, *SECRETS, "PRESSYNC_TOKEN"):
        assert word not in inherited


@pytest.fixture
def machine(repository: SampleRepository, tmp_path: Path) -> Machine:
    repository.commit({"content/pages/about.md": "# About\n"})
    folder = tmp_path / "bin"
    folder.mkdir()
    return Machine(repository, folder)


@pytest.fixture
def strict(machine: Machine) -> Iterator[StrictService]:
    with serving() as service:
        service.authorization = basic("editor", PASSWORD).reveal()
        machine.environ |= {"PRESSYNC_URL": service.url, "PRESSYNC_USER": "editor"}
        yield service


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, marks=pytest.mark.sweep)
        for words in (["status"], ["check"], ["config"], ["hook", "install"], ["redirects"])
    ],
    ids=lambda words: words[0],
)
def test_git_does_not_inherit_the_password(machine: Machine, words: list[str]) -> None:
    assert_no_secret(machine.run(*words))


def test_a_sync_and_a_hook_still_have_the_password_and_hand_it_to_nobody(
    machine: Machine, strict: StrictService, repository: SampleRepository
) -> None:
    for words in (["plan"], ["sync", "--yes"], ["sync", "--yes"], ["hook", "install", "--branch", "main"]):
        assert_no_secret(machine.run(*words))
    assert len(strict.pages) == 1
    repository.commit({"content/pages/new.md": "# New\n"})
    assert_no_secret(machine.run("hook", "run", "post-commit", "--branch", "main"))
    assert len(strict.pages) == 2


@pytest.mark.sweep
def test_a_token_is_taken_out_as_well(machine: Machine, strict: StrictService) -> None:
    strict.authorization = f"Bearer {TOKEN}"
    machine.environ["PRESSYNC_TOKEN"] = TOKEN
    assert_no_secret(machine.run("sync", "--yes"))
    assert len(strict.pages) == 1


@pytest.mark.sweep
def test_a_password_command_inherits_no_other_secret(
    repository: SampleRepository, machine: Machine, strict: StrictService
) -> None:
    del machine.environ["PRESSYNC_PASSWORD"], machine.environ["PRESSYNC_URL"]
    command = machine.program.with_name("ask")
    command.write_text(f'#!/bin/sh\nenv >> "{machine.program.with_name("asked.txt")}"\necho {PASSWORD}\n')
    command.chmod(0o755)
    table = f'[sites.live]\nurl = "{strict.url}"\nuser = "editor"\npassword_command = ["{command}"]\n'
    repository.commit({"pressync.toml": table})
    machine.run("sync", "--yes")
    assert len(strict.pages) == 1
    assert SERVE_TOKEN not in machine.program.with_name("asked.txt").read_text()


@pytest.mark.sweep
def test_a_detached_server_has_its_own_token_alone(machine: Machine) -> None:
    folder = machine.program.parent / "site"
    machine.run("serve", "--detach", "--port", "0", "--data", str(folder))
    try:
        assert_no_secret(machine.run("plan"))
        pid = (folder / "running.json").read_text().split('"pid": ')[1].split(",")[0]
        if os.path.exists(f"/proc/{pid}/environ"):  # noqa: PTH110 - not where there is no /proc
            with open(f"/proc/{pid}/environ") as given:  # noqa: PTH123 - the same
                inherited = given.read()
            assert PASSWORD not in inherited
            assert SERVE_TOKEN in inherited
    finally:
        machine.run("serve", "--stop", "--data", str(folder))
