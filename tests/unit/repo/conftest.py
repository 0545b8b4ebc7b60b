"""The port of each implementation, in a repository of each object format that the implementation can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.repo.discover import find
from pressync.repo.port import LibraryGit, PlainGit
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.repo.port import GitPort


@pytest.fixture(params=["library", "plain", "plain, sha256"])
def sample(request: pytest.FixtureRequest, tmp_path: Path) -> SampleRepository:
    """Make a repository; that of SHA-256 is for plain Git alone."""
    made = SampleRepository(tmp_path / "sample")
    made.root.mkdir()
    form = "sha256" if "sha256" in request.param else "sha1"
    made.git("init", "--quiet", "--initial-branch=main", f"--object-format={form}")
    return made


@pytest.fixture
def port(request: pytest.FixtureRequest, sample: SampleRepository) -> Iterator[GitPort]:
    """Open it by one of the implementations."""
    working = find(sample.root).working
    is_library = request.node.callspec.params["sample"] == "library"
    opened = LibraryGit(PlainGit(working)) if is_library else PlainGit(working)
    yield opened
    opened.close()


@pytest.fixture(params=["library", "plain"])
def opened(request: pytest.FixtureRequest, repository: SampleRepository) -> Iterator[Repository]:
    """Open the sample repository, with the implementation for work or that for little to do."""
    with Repository(repository.root) as opened:
        if request.param == "library":
            opened.begin_work("a" * 40)
        yield opened
