"""The embedded service as a stage: it has the ids, the addresses and the users of the site.

Its store begins with the address of the site and with what the manifest and the reading of the site tell. So
every call and every response is as it will be on the site. If the site is the embedded service itself, the
stage is a copy of its database. The store knows the addresses of its records, so they are read once. An
address that is not one of a record, such as an archive or a feed, is asked of the web application itself,
without a connection.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from werkzeug.test import Client

from pressync.app import embedded_server
from pressync.client.credentials import Secret, basic, bearer
from pressync.model.web_address import origin_of, path_of
from pressync.stage.rehearse import given_site
from pressync.stage.rehearse.given_site import GivenRecords
from pressync.stage.rehearse.stage import RenderedPage, RenderedSite, SiteDifference, normal_path, on_disk
from pressync.stage.server import database, rows
from pressync.stage.server.database import UnusableDatabase
from pressync.stage.server.rendering import page_body
from pressync.stage.server.rows import Permalinks, StoredRecord
from pressync.stage.server.server import RunningService, running
from pressync.stage.server.web import make_web
from pressync.stage.server.wire import moment_text
from pressync.stage.server.wordpress.terms import TermRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from _typeshed.wsgi import WSGIApplication

    from pressync.app.workspace import Workspace
    from pressync.model.interface import Kind
    from pressync.stage.rehearse.live_site import LiveSite
    from pressync.stage.server.store import Store


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
        """Run the service."""
        token = secrets.token_urlsafe()
        with ExitStack() as block:
            with on_disk("the stage does not start", directory, UnusableDatabase):
                embedded_server.make_directory(directory)
                own = self._copied(directory) if self._workspace.settings.site.url is None else False
                service = block.enter_context(
                    running(
                        embedded_server.database(directory),
                        port=self._port,
                        token=token,
                        previews=True,
                        dialect="both",
                        types=self._workspace.settings.types,
                        around=self._around,
                    )
                )
            yield _RunningEmbedded(self._workspace, service, token, live, is_copy=own)

    def _copied(self, directory: Path) -> bool:
        """Copy the data of the embedded service that the site is, if it has any."""
        data = self._workspace.clone.embedded_data
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
        self._records: GivenRecords | None = None
        self.url = service.url
        self.address = service.site
        user = next((each for each in live.users if each.id == live.user), None)
        self.authorization: Secret = basic(user.login, token) if user else bearer(token)

    @property
    def home(self) -> str:
        return self._service.store.settings.address

    def bring(self, workspace: Workspace) -> None:
        if self._is_copy:
            return
        with workspace.state(writable=True) as state:
            store = self._service.store
            self._records = GivenRecords(workspace, state.manifest, self._live)
            given_site.fill(store, given_site.site_of(self._records, store.settings, store.database.uploads))
            state.put(*self._records.changed)
            state.save()

    def rendered(self) -> StoredPages:
        return StoredPages(self._service.store)

    def differences(self) -> tuple[SiteDifference, ...]:
        """Say what this service is not: the site's version of WordPress, its theme and its plugins."""
        live = self._live
        found = [
            ("version", "the embedded service", live.version),
            ("theme", "its own", live.theme),
            ("plugins", "none", ", ".join(live.plugins)),
        ]
        return self._records.differences(found) if self._records else ()


def _linked(source: str, target: str) -> None:
    """Let a second name stand for an uploaded file: the service never writes into one; else copy it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


# To make the body of a page takes ten times as long as to find its links.
_MADE_LINKS = re.compile(r"\[(?:gallery|caption|wp_caption|embed|audio|video)\b|<!-- wp:footnotes")


class StoredPages(RenderedSite):
    """The rendered site of a store. Its addresses are read once; a page is read when it is asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        address = store.settings.address
        below = path_of(address).rstrip("/")
        public: dict[str, tuple[Kind, int]] = {}
        secret: dict[str, tuple[Kind, int]] = {}
        with store.database.reading() as db:
            paths = Permalinks(db)
            for record in StoredRecord.read(db, "ORDER BY id", texts=False):
                # A draft without a slug has no other address.
                path = normal_path(below + paths.path(record)) if record.slug else f"/?p={record.id}"
                places = public if record.status == "publish" else secret
                places[path] = (record.kind, record.id)

        super().__init__(address, public, secret, self._page, self._answers)

    @property
    def own_addresses(self) -> frozenset[str]:
        """Every address that the site has or had."""
        return self._store.own_addresses

    def id_at(self, path: str) -> int | None:
        """Give the id of the record at a path of the stage, which visitors may not see; None without one."""
        place = self.place(self.below + path)
        found = self.public.get(place) or self.secret.get(place)
        return found[1] if found else None

    def paths(self) -> dict[int, str]:
        """Give the path of every record; that of a hidden one shows its preview."""
        previews = {number: f"/?p={number}&preview=true" for _, number in self.secret.values()}
        return previews | super().paths()

    @cached_property
    def _terms(self) -> dict[int, str]:
        with self._store.database.reading() as db:
            return {term.id: term.name for term in TermRow.read(db, "")}

    @cached_property
    def _web(self) -> Client:
        return Client(make_web(self._store, names_interface=True, previews=False))

    def _answers(self, path: str) -> bool:
        response = self._web.get(path, base_url=f"{origin_of(self.address)}/")
        return response.status_code < 400  # noqa: PLR2004 - the first error

    def _page(self, path: str, kind: Kind, number: int) -> RenderedPage | None:
        with self._store.database.reading() as db:
            stored = rows.find(db, kind, number)
            if stored is None:
                return None
            # Visitors get the text of a protected page only with its password.
            html = "" if stored.password else stored.content
            # Without links of WordPress's making, the stored text has all of them.
            if _MADE_LINKS.search(html):
                html = page_body(db, stored)
        origin = self.address.removesuffix(self.below)
        return RenderedPage(
            kind,
            number,
            f"{origin}{path}",
            html,
            stored.title,
            date=moment_text(stored.date, offset=self._store.settings.offset),
            date_gmt=moment_text(stored.date),
            terms=tuple(
                self._terms[each] for each in (*stored.categories, *stored.tags) if each in self._terms
            ),
        )
