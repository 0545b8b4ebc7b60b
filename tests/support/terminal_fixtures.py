"""The command line in process, in a real repository, against the real embedded service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.terminal import Terminal

from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.stage.server.server import RunningService


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    """Run the embedded service on a free port."""
    with running(tmp_path / "site.db") as serving:
        yield serving


@pytest.fixture
def terminal(repository: SampleRepository, service: RunningService) -> Terminal:
    """Make a repository of three pages, and the service's address in the environment."""
    repository.commit(
        {
            "content/pages/index.md": "# Home\n\nSee [about](about.md).\n",
            "content/pages/about.md": "---\ntitle: About us\nweight: 2\n---\nWe are.\n\n## Team\n",
            "content/pages/about/history.md": "# History\n\nBack to [the team](../about.md#team).\n",
        }
    )
    return Terminal(repository, {"PRESSYNC_URL": service.url})
