"""Nobody but its owner reads what a clone keeps in its Git directory, whatever the umask."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.support.terminal import Terminal

from pressync.cli.main import pressync
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

EVERYBODY = 0o077


@pytest.fixture(
    params=[0o000, *(pytest.param(mask, marks=pytest.mark.sweep) for mask in (0o022, 0o077))],
    ids=oct,
    autouse=True,
)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """Run with this umask."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def terminal(repository: SampleRepository) -> Terminal:
    """Give a terminal in a repository of one page; its site is the embedded one."""
    repository.commit({"content/pages/a.md": "# A\n"})
    return Terminal(repository, {})


def opened(folder: Path) -> list[str]:
    """List what others may do anything with."""
    found = [folder, *folder.rglob("*")]
    return [f"{path} {path.stat().st_mode & 0o777:o}" for path in found if path.stat().st_mode & EVERYBODY]


def notes(repository: SampleRepository) -> Path:
    return repository.root / ".git/pressync"


def test_notes_journal_cache_and_database_are_for_their_owner_alone(terminal: Terminal) -> None:
    terminal.run("hook", "install")
    terminal.run("sync", "--yes")
    terminal.run("plan")
    terminal.run("sync", "--yes")
    terminal.run("hook", "run", "post-commit")
    there = notes(terminal.repository)
    kinds = {path.suffix or path.name for path in there.rglob("*") if path.is_file()}
    assert {".lock", ".made", ".seen", ".db"} <= kinds
    assert opened(there) == []


def test_what_was_left_open_is_closed_by_the_next_run(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    there = notes(terminal.repository)
    for path in (there, *there.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    terminal.repository.commit({"content/pages/b.md": "# B\n"})
    terminal.run("sync", "--yes")
    assert opened(there) == []


def test_a_server_that_runs_and_its_log_are_no_exception(terminal: Terminal) -> None:
    there = notes(terminal.repository)
    (there / "serve").mkdir(parents=True)
    (there / "serve").chmod(0o777)
    words = ["-C", str(terminal.repository.root), "serve", "--port", "0", "--detach"]
    subprocess.run([sys.executable, "-m", "pressync", *words], capture_output=True, check=True)
    try:
        terminal.run("sync", "--yes")
        assert {path.suffix for path in (there / "serve").iterdir()} >= {".db", ".db-wal", ".json", ".log"}
        assert opened(there) == []
    finally:
        terminal.run("serve", "--stop")


def test_the_manifest_of_a_bare_repository_is_one_of_its_notes(terminal: Terminal, tmp_path: Path) -> None:
    server = tmp_path / "server.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", terminal.repository.root, server], check=True)
    assert CliRunner().invoke(pressync, ["-C", str(server), "sync", "--yes"]).exit_code == 0
    assert list((server / "pressync").glob("*.json"))
    assert opened(server / "pressync") == []


def test_a_link_is_left_and_so_is_what_it_leads_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    outside.chmod(0o644)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/link").symlink_to(outside)
    atomic_files.make_private(tmp_path / "notes")
    assert outside.stat().st_mode & 0o777 == 0o644
