"""The entry point: a process of its own, with its standard streams open or closed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pytest
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.repository import SampleRepository


def ended(
    terminal: Terminal, *arguments: str, before: Sequence[str] = (), output: BinaryIO | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run pressync in a process of its own."""
    command = [*before, sys.executable, "-m", "pressync", "-C", str(terminal.repository.root), *arguments]
    environ = {**os.environ, **terminal.environ}
    return subprocess.run(command, env=environ, check=False, stdout=output, stderr=subprocess.PIPE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no file that is always full")
@pytest.mark.sweep
def test_a_full_disk_behind_standard_output_is_told(terminal: Terminal) -> None:
    with Path("/dev/full").open("wb") as full:
        told = ended(terminal, "plan", output=full)
    assert told.returncode == 1
    assert told.stderr.startswith(b"Error: No space left on device")


@pytest.mark.sweep
def test_with_its_standard_files_closed_a_sync_is_done(terminal: Terminal) -> None:
    closed = ("/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh")
    assert ended(terminal, "sync", "--yes", before=closed).returncode == 0
    assert "Nothing to do" in terminal.run("plan").stdout


def test_problems_that_end_a_sync_are_grouped_as_those_of_check_are(repository: SampleRepository) -> None:
    terminal = Terminal(repository, {})
    posts = {f"content/posts/p{n}.md": "---\nauthor: Nobody Here\n---\n# A post\n" for n in range(9)}
    terminal.repository.commit(posts)
    told = terminal.run("sync", "--yes", exits=2).stderr
    assert told.count("'Nobody Here'") == 1
    assert "and 6 more" in " ".join(told.split())
