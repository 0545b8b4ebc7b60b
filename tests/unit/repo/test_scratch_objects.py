"""The place beside a repository: Git writes there, reads both, and nothing is left in either."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pressync.repo import scratch_objects
from pressync.repo.scratch_objects import ScratchObjects

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.repository import SampleRepository

ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"


def git(repository: SampleRepository, environ: Mapping[str, str], *arguments: str, given: str = "") -> str:
    done = subprocess.run(
        ["git", "-C", repository.root, *arguments],
        env={**os.environ, **environ},
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def writing(place: ScratchObjects, repository: SampleRepository) -> dict[str, str]:
    return place.writing(repository.root / ".git/index", repository.root / ".git/objects")


@pytest.mark.parametrize("name", ["plain", "with a: colon", 'with "quotes"', "with a \\ backslash"])
def test_what_is_written_there_is_read_there_and_gone_with_it(
    repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    repository.commit({"a.md": "A"})
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    place = ScratchObjects()
    beside = writing(place, repository)
    blob = git(repository, beside, "hash-object", "-w", "--stdin", given="new")
    git(repository, beside, "update-index", "--add", "--cacheinfo", f"100644,{blob},new.md")
    assert git(repository, beside, "ls-files").split() == ["a.md", "new.md"]
    assert git(repository, beside, "cat-file", "-p", "HEAD:a.md") == "A"
    assert git(repository, place.reading(), "cat-file", "-p", blob) == "new"
    place.remove()
    assert list(folder.iterdir()) == []
    assert git(repository, {}, "ls-files") == "a.md"
    with pytest.raises(subprocess.CalledProcessError):
        git(repository, {}, "cat-file", "-e", blob)


def test_the_copy_of_an_index_is_as_old_as_the_index(repository: SampleRepository) -> None:
    repository.commit({"a.md": "A"})
    index = repository.root / ".git/index"
    os.utime(index, ns=(1, 10**18))
    place = ScratchObjects()
    assert Path(writing(place, repository)["GIT_INDEX_FILE"]).stat().st_mtime_ns == 10**18
    place.remove()


def test_a_repository_without_an_index_has_none_aside_either(repository: SampleRepository) -> None:
    place = ScratchObjects()
    assert not Path(writing(place, repository)["GIT_INDEX_FILE"]).exists()
    place.remove()


def test_what_a_push_keeps_apart_is_seen_beside_the_place_and_without_it(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ALTERNATES, "/incoming")
    place = ScratchObjects()
    for environ in (place.reading(), writing(place, repository)):
        assert environ[ALTERNATES].endswith(":/incoming")
    assert scratch_objects.without_scratch_objects() == {ALTERNATES: "/incoming"}
    place.remove()
