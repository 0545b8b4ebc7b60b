"""Sync a real repository to a real service, in process, as the command line does; and count requests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pressync.apply import Pace, Watcher
from pressync.model import Outcome, Plan
from pressync.planning import Choices
from pressync.report.facts import Run
from pressync.service.retry import Patience
from pressync.workspace import Consent, Revision, Workspace

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
        return Workspace(self.root, environ={"PRESSYNC_URL": self.url}, wait=0, say=self.heard.append)

    def plan(self, choices: Choices | None = None, revision: Revision | None = None) -> Plan:
        """Draw the plan of HEAD."""
        with self.workspace() as workspace:
            return workspace.plan(revision or Revision(), choices or Choices()).plan

    def sync(
        self,
        choices: Choices | None = None,
        *,
        concurrency: int = 4,
        overwrite: bool = False,
        permanent: bool = False,
        keep_going: bool = False,
        stop: threading.Event | None = None,
        revision: Revision | None = None,
        on_outcome: Callable[[Outcome], None] = lambda _outcome: None,
    ) -> Run:
        """Sync HEAD without asking anybody."""
        pace = Pace(concurrency, None, permanent, overwrite, IMPATIENT)
        with self.workspace() as workspace:
            run = workspace.sync(
                revision or Revision(),
                choices or Choices(overwrite=overwrite),
                pace,
                Consent(lambda _plan: True, keep_going=keep_going),
                stop=stop or threading.Event(),
                watcher=Watcher(on_outcome, self.heard.append),
            )
        assert run is not None
        return run
