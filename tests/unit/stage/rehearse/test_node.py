"""Node and npm: which of them serve, the variables that their programs get, and that these end."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pressync.model.errors import ConfigError
from pressync.stage.rehearse import playground
from pressync.stage.rehearse.playground import FILES

if TYPE_CHECKING:
    from pathlib import Path

NEEDED = {"PATH", "HOME", "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "NPM_CONFIG_REGISTRY"}
SECRET = {"PRESSYNC_PASSWORD", "GITHUB_TOKEN", "NODE_AUTH_TOKEN", "AWS_SECRET_ACCESS_KEY", "NODE_PATH"}
SECRET |= {"npm_config_registry", "npm_config__auth"}


def test_a_program_gets_the_variables_that_it_needs_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in NEEDED | SECRET:
        monkeypatch.setenv(name, "given")
    log = tmp_path / "log"
    command = [sys.executable, "-c", "import os; print(*os.environ, os.environ['TMPDIR'], sep='\\n')"]

    with playground.running_node(command, tmp_path, temporary=tmp_path / "tmp", log=log) as process:
        assert process.wait(60) == 0

    got = set(log.read_text().split("\n"))
    assert got >= NEEDED | {str(tmp_path / "tmp")}
    assert not got & SECRET


def test_a_program_in_a_relative_folder_of_the_path_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, said in (("tree/bin", "v99.0.0"), ("machine", "v22.1.0")):
        (tmp_path / folder).mkdir(parents=True)
        for name in ("node", "npm"):
            program = tmp_path / folder / name
            program.write_text(f'#!/bin/sh\n: > "{program}.ran"\necho {said}\n')
            program.chmod(0o755)
    monkeypatch.chdir(tmp_path / "tree")
    monkeypatch.setenv("PATH", f"bin::.:{tmp_path / 'machine'}")

    found = playground.found_node()

    assert (found.program, found.npm) == (str(tmp_path / "machine/node"), str(tmp_path / "machine/npm"))
    assert not (tmp_path / "tree/bin/node.ran").exists()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"npm": ""}, "Node.js is not installed"),
        ({"node": "v22.1.0"}, "npm is not installed"),
        ({"node": "v18.20.4", "npm": ""}, "Node.js 18.20.4 is too old"),
        ({"node": "unknown", "npm": ""}, "Node.js unknown is too old"),
    ],
)
def test_a_missing_or_old_node_is_named_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], why: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, said in given.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho {said}\n")
        (tmp_path / name).chmod(0o755)

    with pytest.raises(ConfigError, match=why) as raised:
        playground.found_node()

    assert raised.value.todo.startswith("install Node.js 20 or later")
    assert "--on embedded" in raised.value.todo


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_node_ends_when_the_pipe_of_its_parent_closes() -> None:
    command = ["node", "--require", str(FILES / "end_with_parent.cjs"), "-e", "setInterval(() => {}, 1000)"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin
        process.stdin.close()

        assert process.wait(60) == 0


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_a_short_program_of_node_does_not_wait_for_the_pipe() -> None:
    command = ["node", "--require", str(FILES / "end_with_parent.cjs"), "-e", "console.log(1)"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.wait(60) == 0
