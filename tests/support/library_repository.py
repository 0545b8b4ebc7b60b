"""A repository bound to a service in memory that can do all that WordPress can."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.library_service import LibraryService
from tests.support.syncing import Site

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.client.port import Limits
    from pressync.model.changes import Plan


@dataclass
class Shelf(Site):
    """A repository bound to a library in memory."""

    service: LibraryService = field(default_factory=LibraryService)

    # More of the environment.
    variables: dict[str, str] = field(default_factory=dict)

    def workspace(self) -> Workspace:
        """Open the workspace; the caller closes it."""
        service = self.service

        class Bound(Workspace):
            @contextmanager
            def service(self, concurrency: int, limits: Limits | None = None) -> Iterator[LibraryService]:
                assert concurrency
                assert limits is None or limits.total
                yield service

        environ = {"PRESSYNC_URL": self.url, "PRESSYNC_DIALECT": "wordpress", **self.variables}
        return Bound.open(self.root, environ=environ, wait=0, say=self.heard.append)

    def drift(self) -> Plan:
        """Draw the plan of HEAD beside what the service holds."""
        with self.workspace() as workspace:
            return workspace.plan(Revision(), PlanOptions(), drift=True).plan
