"""The workspace of a rehearsal: the site's plan and settings, another service, another manifest."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.support.syncing import IMPATIENT, Site

from pressync.app.rehearse.staged_workspace import on_stage
from pressync.app.revision import Revision
from pressync.plan.build import PlanOptions
from pressync.server.server import running
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.approval import Approval

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

    from pressync.client.credentials import Secret
    from pressync.model.outcomes import RunResult


@dataclass
class _Stage:
    """An embedded service as it is, without anything of the site."""

    url: str
    address: str
    authorization: Secret | None = None

    def rehearse(self, site: Site, directory: Path) -> RunResult | None:
        """Sync to this stage as the site would be synced."""
        with site.workspace() as real:
            staged = on_stage(real, self, directory)  # type: ignore[arg-type]  # `bring` is not used
            return staged.sync(
                Revision(),
                PlanOptions(),
                RunOptions(1, patience=IMPATIENT),
                Approval(lambda _plan: True),
                stop=threading.Event(),
                listener=RunListener(lambda _outcome: None, site.heard.append),
            )


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[_Stage]:
    with running(tmp_path / "stage" / "site.db", dialect="both") as service:
        yield _Stage(service.url, service.site)


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Read the bytes and the time of every file, those of Git too."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def test_a_rehearsal_writes_to_the_stage_and_nowhere_else(
    repository: SampleRepository, strict: StrictService, stage: _Stage, tmp_path: Path
) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n"})
    site = Site(repository.root, strict.url)
    site.sync()
    repository.commit({"content/pages/c.md": "# C\n"})
    before, asked = files(repository.root), strict.connections
    result = stage.rehearse(site, tmp_path / "stage")
    assert result is not None
    assert [outcome.change.path for outcome in result.outcomes] == ["content/pages/c.md"]
    assert files(repository.root) == before
    assert strict.connections == asked
    real = site.plan()
    assert (result.plan.target, result.plan.changes) == (real.target, real.changes)
