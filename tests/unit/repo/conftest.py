"""The port with each of its two ways to run Git, in a repository of each object format that each can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.repo.discover import find
from pressync.repo.port import Git
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["library", "plain", "plain, sha256"])
def sample(request: pytest.FixtureRequest, tmp_path: Path) -> SampleRepository:
    """Make a repository; that of SHA-256 is for plain Git alone."""
    made = SampleRepository(tmp_path / "sample")
    made.root.mkdir()
    form = "sha256" if "sha256" in request.param else "sha1"
    made.git("init", "--quiet", "--initial-branch=main", f"--object-format={form}")
    return made


@pytest.fixture
def port(request: pytest.FixtureRequest, sample: SampleRepository) -> Iterator[Git]:
    """Open it with one of the ways."""
    working = find(sample.root).working
    opened = Git(working)
    opened.uses_library = request.node.callspec.params["sample"] == "library"
    yield opened
    opened.close()


@pytest.fixture(params=["library", "plain"])
def opened(request: pytest.FixtureRequest, repository: SampleRepository) -> Iterator[Repository]:
    """Open the sample repository, as for work or for little to do."""
    with Repository(repository.root) as opened:
        if request.param == "library":
            opened.port.begin_work("a" * 40)
        yield opened
