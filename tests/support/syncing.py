"""Sync a real repository to a real service, in process, as the command line does; and count requests."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.repository import SampleRepository

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.cli.report.documents import plan_document
from pressync.client.retry import Patience
from pressync.model.changes import Result
from pressync.model.interface import Kind
from pressync.plan.build import PlanOptions
from pressync.stage.embedded import EMBEDDED_SERVICE
from pressync.stage.server.server import running
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import Approval, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pressync.model.changes import Outcome, Plan
    from pressync.model.outcomes import RunResult
    from pressync.model.records import Entry
    from pressync.stage.server.server import RunningService

# Retries without waiting: a test has no time and no network to be patient with.
IMPATIENT = Patience(first=0.001, longest=0.002, jitter=0, budget=1)


@dataclass
class Site:
    """One repository bound to one service by a URL in the environment, as a workflow would have it."""

    root: Path
    url: str
    heard: list[str] = field(default_factory=list)

    def workspace(self) -> Workspace:
        """Open the workspace; the caller closes it."""
        environ = {"PRESSYNC_URL": self.url}
        say = self.heard.append
        return Workspace.open(self.root, environ=environ, embedded=EMBEDDED_SERVICE, wait=0, say=say)

    def entries(self) -> dict[str, Entry]:
        """Read what the manifest, and the journal after it, say now."""
        with self.workspace() as workspace, workspace.reading() as state:
            return dict(state.manifest.entries)

    def plan(self, choices: PlanOptions | None = None, revision: Revision | None = None) -> Plan:
        """Draw the plan of HEAD."""
        with self.workspace() as workspace:
            return workspace.plan(revision or Revision(), choices or PlanOptions()).plan

    def sync(
        self,
        choices: PlanOptions | None = None,
        *,
        concurrency: int = 4,
        overwrite: bool = False,
        permanent: bool = False,
        keep_going: bool = False,
        reviewed: Plan | None = None,
        stop: threading.Event | None = None,
        revision: Revision | None = None,
        on_outcome: Callable[[Outcome], None] = lambda _outcome: None,
    ) -> RunResult:
        """Sync HEAD without asking anybody; `reviewed` is a plan that somebody has reviewed."""
        revision = revision or Revision()
        pace = RunOptions(
            concurrency,
            permanent=permanent,
            overwrite=overwrite,
            patience=IMPATIENT,
        )
        with self.workspace() as workspace:
            run = workspace.sync(
                revision,
                choices or PlanOptions(overwrite=overwrite),
                pace,
                Approval(
                    lambda _plan: True,
                    parse({**plan_document(reviewed), "commit": revision.ref}) if reviewed else None,
                    keep_going=keep_going,
                ),
                stop=stop or threading.Event(),
                listener=RunListener(on_outcome, self.heard.append),
            )
        assert run is not None
        return run


@dataclass
class Bound(Site):
    """A repository bound to a site by more than its URL: the dialect and the user are in `environ` too."""

    environ: Mapping[str, str] = field(default_factory=dict)
    as_agent: bool = False

    def workspace(self) -> Workspace:
        """Open the workspace; the caller closes it."""
        environ = {"PRESSYNC_URL": self.url, **self.environ}
        say = self.heard.append
        return Workspace.open(
            self.root,
            environ=environ,
            embedded=EMBEDDED_SERVICE,
            wait=0,
            say=say,
            as_agent=self.as_agent,
        )


def stored_pages(service: RunningService) -> list[dict[str, Any]]:
    """Read the pages that the embedded service holds, those in the trash left out."""
    return [dict(page) for page in service.store.records(Kind.PAGE) if page["status"] != "trash"]


def synced_once(folder: Path, files: Mapping[str, str | bytes]) -> Bound:
    """Sync a new repository to a WordPress that is gone afterwards: a plan needs no service."""
    repository = SampleRepository.create(folder / "repository")
    repository.commit(files)
    with running(folder / "site.db", dialect="wordpress") as service:
        site = Bound(repository.root, service.url, environ={"PRESSYNC_DIALECT": "wordpress"})
        assert all(outcome.result is Result.DONE for outcome in site.sync().outcomes)
    return site
