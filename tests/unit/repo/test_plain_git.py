"""The implementation on plain `git`: one process for all blobs, and the objects that it cannot get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.repo.discover import find
from pressync.repo.plain_git import PlainGit
from pressync.repo.process import GitProcess

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.support.repository import SampleRepository


def test_one_process_reads_all_blobs(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit({"a.md": "A", "b.md": "B"})
    started: list[GitProcess] = []
    blobs = GitProcess.blobs
    monkeypatch.setattr(GitProcess, "blobs", lambda git: started.append(git) or blobs(git))  # type: ignore[func-returns-value]
    opened = PlainGit(GitProcess(find(repository.root)))
    assert [opened.read(repository.git("rev-parse", f"HEAD:{name}.md")) for name in "ab"] == [b"A", b"B"]
    assert len(started) == 1
    opened.close()


def test_a_blob_that_was_not_cloned_and_cannot_be_fetched_is_none(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({"a.md": "A\n"})
    opened = PlainGit(GitProcess(find(repository.partial_clone(tmp_path / "partial"))))
    blob = repository.git("rev-parse", "HEAD:a.md")
    assert [opened.read(blob), opened.read(blob)] == [None, None]
    opened.close()
