"""The embedded service as a stage: it has the ids, the addresses and the users of the site.

Its store begins with the address of the site and with what the manifest and the reading of the site tell. So
every call and every response is as it will be on the site. If the site is the embedded service itself, the
stage is a copy of its database.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from pressync.app import embedded_server
from pressync.app.rehearse import given_site, site_data
from pressync.app.rehearse.given_site import GivenRecords
from pressync.app.rehearse.rendered_pages import StoredPages
from pressync.app.rehearse.stage import SiteDifference
from pressync.client.credentials import basic, bearer
from pressync.model.errors import StorageError
from pressync.server import database, given_state
from pressync.server.database import UnusableDatabase
from pressync.server.server import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from _typeshed.wsgi import WSGIApplication

    from pressync.app.rehearse.live_site import LiveSite
    from pressync.app.workspace import Workspace
    from pressync.client.credentials import Secret
    from pressync.server.server import RunningService


class EmbeddedStage:
    """The stage of `--on embedded` for the site of one workspace."""

    name = "embedded"

    def __init__(
        self,
        workspace: Workspace,
        *,
        port: int = 0,
        around: Callable[[WSGIApplication], WSGIApplication] | None = None,
    ) -> None:
        """Stand for the site of a workspace, on any free port or on one; `around` is as in `make_app`."""
        self._workspace = workspace
        self._port = port
        self._around = around

    @contextmanager
    def running(self, directory: Path, live: LiveSite) -> Iterator[_RunningEmbedded]:
        """Run the service; see `stage.RehearsalStage`."""
        token = secrets.token_urlsafe()
        with ExitStack() as block:
            try:
                embedded_server.make_directory(directory)
                own = self._copied(directory) if self._workspace.settings.site.url is None else False
                service = block.enter_context(
                    running(
                        embedded_server.database(directory),
                        port=self._port,
                        token=token,
                        previews=True,
                        dialect="both",
                        around=self._around,
                    )
                )
            except (OSError, UnusableDatabase) as error:
                what = f"the stage does not start ({getattr(error, 'strerror', None) or error})"
                todo = "see that the disk is not full and the folder can be written, and run again"
                raise StorageError(what, where=str(directory), todo=todo) from error
            yield _RunningEmbedded(self._workspace, service, token, live, is_copy=own)

    def _copied(self, directory: Path) -> bool:
        """Copy the data of the embedded service that the site is, if it has any."""
        data = embedded_server.data_directory(self._workspace.embedded_home)
        if embedded_server.database(data).is_file():
            database.copy(embedded_server.database(data), embedded_server.database(directory))
            if (data / "uploads").is_dir():
                shutil.copytree(data / "uploads", directory / "uploads", copy_function=_linked)
        return True


class _RunningEmbedded:
    """The service while it answers; see `stage.RunningStage`."""

    def __init__(
        self, workspace: Workspace, service: RunningService, token: str, live: LiveSite, *, is_copy: bool
    ) -> None:
        self._workspace = workspace
        self._service = service
        self._live = live
        self._is_copy = is_copy
        self._records = GivenRecords()
        self.url = service.url
        self.address = service.site
        user = next((each for each in site_data.users(live) if each.id == live.user), None)
        self.authorization: Secret = basic(user.login, token) if user else bearer(token)

    @property
    def home(self) -> str:
        """The address of the site's pages."""
        return self._service.store.settings.address

    def bring(self, workspace: Workspace) -> None:
        """Put what the site has, and what the manifest says, into the store."""
        if self._is_copy:
            return
        with workspace.state(writable=True) as state:
            uploads = self._service.store.database.uploads
            with given_state.writing(self._service.store) as given:
                self._records = given_site.put(given, workspace, state.manifest, self._live, uploads)
            state.put(*self._records.changed)
            state.save()

    def rendered(self) -> StoredPages:
        """Give the pages of the store."""
        return StoredPages(self._service.store)

    def differences(self) -> tuple[SiteDifference, ...]:
        """Say what this service is not: the site's version of WordPress, its theme and its plugins."""
        live = self._live
        found = [
            ("version", "the embedded service", live.version),
            ("theme", "its own", live.theme),
            ("plugins", "none", ", ".join(live.plugins)),
        ]
        rows = (SiteDifference(what, stage, there) for what, stage, there in found if there)
        return (*rows, *self._records.differences())


def _linked(source: str, target: str) -> None:
    """Let a second name stand for an uploaded file: the service never writes into one; else copy it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
