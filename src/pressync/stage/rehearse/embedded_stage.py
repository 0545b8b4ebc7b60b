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
from urllib.parse import unquote

from werkzeug.test import Client

from pressync.app import embedded_server
from pressync.client.credentials import Secret, basic, bearer
from pressync.model.web_address import origin_of, path_of
from pressync.stage.rehearse import given_site
from pressync.stage.rehearse.given_site import GivenRecords
from pressync.stage.rehearse.stage import RenderedPage, SiteDifference, on_disk
from pressync.stage.server import database, rows, slugs
from pressync.stage.server.database import UnusableDatabase
from pressync.stage.server.rendering import page_body
from pressync.stage.server.rows import Permalinks, StoredRecord
from pressync.stage.server.server import RunningService, running
from pressync.stage.server.web import make_web

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
        user = next((each for each in given_site.users(live) if each.id == live.user), None)
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
_PUBLIC = frozenset({"publish"})
# A longer number is not an id of any database.
_BY_NUMBER = re.compile(r"/?\?(?:p|page_id)=([0-9]{1,18})(?:&.*)?")


class StoredPages:
    """The rendered site of a store; see `stage.RenderedSite`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.address = store.settings.address
        self._below = path_of(self.address).rstrip("/")
        self._seen: dict[str, bool] = {}

    def pages(self) -> Iterator[RenderedPage]:
        """Give every public record, one at a time."""
        for path, (kind, number) in self._public.items():
            page = self._page(path, kind, number)
            if page:
                yield page

    def has(self, path: str) -> bool:
        """Tell whether a visitor gets something at this path."""
        if _normal(path) in self._public:
            return True
        if number := self._number(path):
            return number in self._public_ids
        if path not in self._seen:
            inner = path.removeprefix(self._below)
            response = self._web.get(inner or "/", base_url=f"{origin_of(self.address)}/")
            self._seen[path] = response.status_code < 400  # noqa: PLR2004 - the first error
        return self._seen[path]

    def hidden(self, path: str) -> bool:
        """Tell whether a record is there that visitors do not see."""
        if number := self._number(path):
            return number in self._ids and number not in self._public_ids
        return _normal(path) in self._records and _normal(path) not in self._public

    def page_at(self, path: str) -> RenderedPage | None:
        """Give the public record at a path."""
        found = self._public.get(_normal(path))
        return self._page(path, *found) if found else None

    @property
    def own_addresses(self) -> frozenset[str]:
        """Every address that the site has or had."""
        return self._store.own_addresses

    def id_at(self, path: str) -> int | None:
        """Give the id of the record at a path of the stage, which visitors may not see; None without one."""
        found = self._records.get(_normal(self._below + path))
        return self._number(path) or (found and found[1])

    def paths(self) -> dict[int, str]:
        """Give the path on the stage of every record by its id; that of a hidden one shows its preview."""
        return {
            number: path.removeprefix(self._below) if status in _PUBLIC else f"/?p={number}&preview=true"
            for path, (_, number, status) in self._records.items()
        }

    def _number(self, path: str) -> int | None:
        """Give the id in an address such as `/?p=3`, which every record has; None for any other address."""
        found = _BY_NUMBER.fullmatch(path.removeprefix(self._below))
        return int(found[1]) if found else None

    @cached_property
    def _ids(self) -> frozenset[int]:
        return frozenset(number for _, number, _ in self._records.values())

    @cached_property
    def _public_ids(self) -> frozenset[int]:
        return frozenset(number for _, number in self._public.values())

    @cached_property
    def _web(self) -> Client:
        return Client(make_web(self._store, names_interface=True))

    @cached_property
    def _records(self) -> dict[str, tuple[Kind, int, str]]:
        """The kind, the id and the status of every record by its path; a public one goes first."""
        found: dict[str, tuple[Kind, int, str]] = {}
        with self._store.database.reading() as db:
            paths = Permalinks(db)
            for record in StoredRecord.read(db, "ORDER BY id", texts=False):
                path = _normal(self._below + paths.path(record))
                if not record.slug:
                    # A draft without a slug has no other address.
                    path = f"/?p={record.id}"
                if path not in found or record.status in _PUBLIC:
                    found[path] = (record.kind, record.id, record.status)
        return found

    @cached_property
    def _public(self) -> dict[str, tuple[Kind, int]]:
        return {
            path: (kind, number)
            for path, (kind, number, status) in self._records.items()
            if status in _PUBLIC
        }

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
        origin = self.address.removesuffix(self._below)
        return RenderedPage(kind, number, f"{origin}{path}", html, stored.title)


def _normal(path: str) -> str:
    """Give a path in one form: encoded letters in lower case, a slash at the end; one with a query stays."""
    if "?" in path:
        return path
    inner = "/".join(slugs.from_address(unquote(segment)) for segment in path.strip("/").split("/"))
    return f"/{inner}/" if inner else "/"
