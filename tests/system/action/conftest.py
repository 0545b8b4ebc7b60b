"""A runner, a repository with an origin, the embedded service as the site, and GitHub's comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.github_lookalike import serving
from tests.support.repository import SampleRepository
from tests.system.action.machine import check_out, machine
from tests.system.action.runner import REPOSITORY, TOKEN, Runner

from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.github_lookalike import GitHub

    from pressync.stage.server.server import RunningService

PAGES = {
    "content/pages/index.md": "# Home\n\nSee [about](about.md).\n",
    "content/pages/about.md": "---\ntitle: About us\n---\nWe are.\n",
}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running(tmp_path / "site.db") as serving:
        yield serving


@pytest.fixture
def github() -> Iterator[GitHub]:
    with serving(REPOSITORY, TOKEN) as site:
        yield site


@pytest.fixture
def origin(tmp_path: Path, service: RunningService) -> SampleRepository:
    """Make the repository that GitHub has: two pages, and the settings of a site."""
    made = SampleRepository.create(tmp_path / "origin")
    made.git("config", "receive.denyCurrentBranch", "updateInstead")
    made.commit({"pressync.toml": f'[sites.live]\nurl = "{service.url}"\n', **PAGES})
    return made


@pytest.fixture
def clone(tmp_path: Path, origin: SampleRepository) -> SampleRepository:
    """Check its main branch out, as actions/checkout does with `fetch-depth: 0`."""
    return check_out(origin, tmp_path / "work")


@pytest.fixture
def runner(clone: SampleRepository, tmp_path: Path, github: GitHub, program: Path) -> Runner:
    """Give a machine on which the step that installs has been run."""
    return Runner(clone.root, machine(tmp_path / "temporary", program), api=github.url)
