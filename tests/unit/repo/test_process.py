"""The implementation on plain `git`: what it says, and one process for all blobs."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from pressync.model.errors import RepositoryError
from pressync.repo import run_git
from pressync.repo.discover import find
from pressync.repo.port import OutOfTime
from pressync.repo.process import Blobs, PlainGit

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository


def test_git_is_ended_when_its_time_is_over(repository: SampleRepository) -> None:
    with pytest.raises(OutOfTime, match="git cat-file took longer"):
        PlainGit(repository.root).run("cat-file", "--batch", seconds=1e-9)


def test_git_is_asked_in_plain_words_whatever_the_language(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    status, said, complaint = PlainGit(repository.root).run("rev-parse", "--verify", "nothing")
    assert (status, said, complaint) == (128, "", "fatal: Needed a single revision")


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


def test_one_process_reads_all_blobs(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit({"a.md": "A", "b.md": "B"})
    started: list[str] = []
    start = run_git.start

    def noting(*words: str, **more: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401
        started.append(words[-1])
        return start(*words, **more)

    monkeypatch.setattr(run_git, "start", noting)
    opened = PlainGit(repository.root)
    assert [opened.read(repository.git("rev-parse", f"HEAD:{name}.md")) for name in "ab"] == [b"A", b"B"]
    assert started == ["--batch"]
    opened.close()


def test_a_blob_that_was_not_cloned_and_cannot_be_fetched_is_none(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({"a.md": "A\n"})
    opened = PlainGit(repository.partial_clone(tmp_path / "partial"))
    blob = repository.git("rev-parse", "HEAD:a.md")
    assert [opened.read(blob), opened.read(blob)] == [None, None]
    opened.close()
