"""Git asked as a process: what it says, and the bytes of blobs."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.model.errors import RepositoryError
from pressync.repo import run_git
from pressync.repo.discover import find
from pressync.repo.process import Blobs, GitProcess, OutOfTime

if TYPE_CHECKING:
    from pathlib import Path


def test_git_is_ended_when_its_time_is_over(repository: SampleRepository) -> None:
    with pytest.raises(OutOfTime, match="git cat-file took longer"):
        GitProcess(find(repository.root)).run("cat-file", "--batch", seconds=1e-9)


def test_git_is_asked_in_plain_words_whatever_the_language(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    status, said, complaint = GitProcess(find(repository.root)).run("rev-parse", "--verify", "nothing")
    assert (status, said, complaint) == (128, "", "fatal: Needed a single revision")


def test_a_machine_without_git_is_told(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    asking = GitProcess(find(repository.root))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RepositoryError, match="Git is not installed on this machine"):
        find(repository.root)
    with pytest.raises(RepositoryError, match="Git is not installed on this machine"):
        asking.run("status")
    with pytest.raises(RepositoryError, match="Git is not installed on this machine"):
        asking.blobs().read("1234")


def test_blobs_are_read_one_after_the_other_whatever_they_hold(repository: SampleRepository) -> None:
    texts = {"a.md": "A\n", "empty.md": "", "lines.md": "\n\n", "b.md": "x" * 200_000}
    repository.commit(texts)
    blobs = GitProcess(find(repository.root)).blobs()
    for path, text in texts.items():
        assert blobs.read(repository.git("rev-parse", f"HEAD:{path}").strip()) == text.encode()
    assert blobs.read("1234") is None
    assert blobs.read("two words\n") is None
    blobs.close()


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


def test_a_blob_that_was_not_cloned_and_cannot_be_fetched_is_none(
    tmp_path: Path, repository: SampleRepository
) -> None:
    repository.commit({"a.md": "A\n", "b.md": "B\n"})
    repository.git("config", "uploadpack.allowFilter", "true")
    source = f"file://{repository.root}"
    clone = ["git", "clone", "--quiet", "--bare", "--filter=blob:none", source, str(tmp_path / "partial")]
    subprocess.run(clone, check=True, capture_output=True)
    partial = SampleRepository(tmp_path / "partial")
    partial.git("remote", "set-url", "origin", "/nowhere")
    blobs = GitProcess(find(partial.root)).blobs()
    for path in ("a.md", "b.md", "a.md"):
        assert blobs.read(repository.git("rev-parse", f"HEAD:{path}").strip()) is None
