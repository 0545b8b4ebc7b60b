"""The implementation on GitPython: its one reading process, and the objects that it cannot get."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pressync.repo.process import LibraryGit

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository


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


def test_a_blob_that_was_not_cloned_and_cannot_be_fetched_is_none(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({"a.md": "A\n"})
    opened = LibraryGit(repository.partial_clone(tmp_path / "partial"), {})
    blob = repository.git("rev-parse", "HEAD:a.md")
    assert [opened.read(blob), opened.read(blob)] == [None, None]
    opened.close()
