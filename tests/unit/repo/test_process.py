"""Both implementations, on plain Git and on GitPython: their processes, and objects that they lack."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from pressync.model.errors import RepositoryError
from pressync.repo import run_git
from pressync.repo.discover import find
from pressync.repo.port import Blobs, LibraryGit, OutOfTime, PlainGit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.repo.port import GitPort


def test_git_is_ended_when_its_time_is_over(repository: SampleRepository) -> None:
    with pytest.raises(OutOfTime, match="git cat-file took longer"):
        PlainGit(repository.root).run("cat-file", "--batch", seconds=1e-9)


def test_a_machine_without_git_is_told(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    asking = PlainGit(repository.root)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RepositoryError, match="Git is not installed on this machine"):
        find(repository.root)
    with pytest.raises(RepositoryError, match="Git is not installed on this machine"):
        asking.run("status")
    with pytest.raises(RepositoryError, match="Git is not installed on this machine"):
        asking.read("1234")


def test_the_bytes_of_another_blob_are_never_given(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A\n", "b.md": "first row\n"})
    blob, other = (repository.git("rev-parse", f"HEAD:{name}.md") for name in "ab")
    process = run_git.start("cat-file", "--batch", directory=repository.root)
    assert process.stdin
    # An exception has ended a read after its question.
    process.stdin.write(f"{other}\n".encode())
    blobs = Blobs(lambda: process)
    for _ in range(2):
        with pytest.raises(RepositoryError, match=f"for the object {blob}, and gave another answer"):
            blobs.read(blob)
    blobs.close()


def test_a_part_of_a_blob_is_not_the_blob() -> None:
    killed = ("sh", "-c", "read -r blob; echo $blob blob 5; printf abc")
    with subprocess.Popen(killed, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        blobs = Blobs(lambda: process)
        with pytest.raises(RepositoryError, match="gave another answer"):
            blobs.read("a" * 40)


@pytest.mark.parametrize("opening", [PlainGit, lambda working: LibraryGit(working, {})])
def test_a_blob_that_was_not_cloned_and_cannot_be_fetched_is_none(
    repository: SampleRepository, tmp_path: Path, opening: Callable[..., GitPort]
) -> None:
    repository.commit({"a.md": "A\n"})
    opened = opening(repository.partial_clone(tmp_path / "partial"))
    blob = repository.git("rev-parse", "HEAD:a.md")
    assert [opened.read(blob), opened.read(blob)] == [None, None]
    opened.close()


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note the processes that start a session of their own."""
    from git import Git  # noqa: PLC0415 - the port imports it where it is chosen

    started: list[int] = []
    execute = Git.execute

    def noting(self: Git, *arguments: object, **options: object) -> object:
        process = execute(self, *arguments, **options)  # type: ignore[call-overload]
        if options.get("start_new_session"):
            started.append(process.pid)
        return process

    monkeypatch.setattr(Git, "execute", noting)
    return started


def test_one_process_of_its_own_session_reads_all_blobs_until_it_is_closed(
    repository: SampleRepository, children: list[int]
) -> None:
    repository.commit({"a.md": "A", "b.md": "B"})
    opened = LibraryGit(repository.root, {})
    assert [opened.read(repository.git("rev-parse", f"HEAD:{name}.md")) for name in "ab"] == [b"A", b"B"]
    [reader] = children
    assert os.getsid(reader) == reader, "Ctrl-C at the terminal does not reach it"
    opened.close()
    with pytest.raises(ProcessLookupError):
        os.kill(reader, 0)
