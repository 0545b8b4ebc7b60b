"""A repository of a small site, and a rehearsal of it in process."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from tests.support.kinds import TYPES
from tests.support.syncing import IMPATIENT, Bound

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.plan.build import PlanOptions
from pressync.stage.embedded import EMBEDDED_SERVICE
from pressync.stage.rehearse.embedded_stage import EmbeddedStage
from pressync.stage.rehearse.rehearse import Rehearsal, RehearsalRun
from pressync.stage.rehearse.stage import stage_folder
from pressync.stage.server.server import RunningService, running
from pressync.sync.apply import RunListener, RunOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.stage.rehearse.live_site import SiteReader

WORDPRESS = {"PRESSYNC_DIALECT": "wordpress"}


@dataclass
class Stages(Bound):
    """A repository that is bound to a site, and its rehearsals."""

    reader: SiteReader | None = None
    branch: str = ""
    stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def rehearsed(self, *, keep: str = "", revision: Revision | None = None) -> Iterator[Rehearsal]:
        """Rehearse the commit; the stage answers until the block ends."""
        with self.workspace() as site, stage_folder(site.clone.embedded_home) as folder:
            run = RehearsalRun(
                workspace=site,
                stage=EmbeddedStage(site),
                reader=self.reader,
                revision=revision or Revision(),
                plan_options=PlanOptions(),
                options=RunOptions(patience=IMPATIENT),
                stop=self.stop,
                listener=RunListener(lambda _outcome: None, self.heard.append),
            )
            with run.rehearsed(folder.path) as account:
                if keep:
                    folder.keep(keep)
                yield account

    def rehearse(self) -> Rehearsal:
        with self.rehearsed() as account:
            return account


class Embedded(Stages):
    """A repository without a configured site: the embedded service is its site."""

    def workspace(self) -> Workspace:
        say = self.heard.append
        return Workspace.open(self.root, environ={}, embedded=EMBEDDED_SERVICE, wait=0, say=say)


@pytest.fixture
def site_service(tmp_path: Path) -> Iterator[RunningService]:
    """Run a service that speaks as WordPress does, for the site."""
    with running(tmp_path / "site" / "site.db", dialect="both", types=TYPES) as service:
        # As `serve` does: the links of its records begin with its own address.
        with service.store.writing() as db:
            db.execute("UPDATE settings SET address = ?", (service.site,))
        yield service


@pytest.fixture
def bound(repository: SampleRepository, site_service: RunningService) -> Stages:
    return Stages(repository.root, site_service.url, environ=WORDPRESS)


@pytest.fixture
def embedded(repository: SampleRepository) -> Embedded:
    """Leave the repository to the embedded service."""
    return Embedded(repository.root, "")
