"""The pages of the embedded stage, from its store: no page is fetched, because the service knows them all.

The addresses of records are read once. An address that is not one of a record, such as an archive or a feed,
is asked of the web application itself, without a connection.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from werkzeug.test import Client

from pressync.app.rehearse.stage import RenderedPage
from pressync.server import rows, slugs
from pressync.server.page_body import page_body
from pressync.server.permalinks import Permalinks
from pressync.server.web import make_web

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.model.interface import Kind
    from pressync.server.store import Store

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
        self._below = urlsplit(self.address).path.rstrip("/")
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
            self._seen[path] = self._web.get(inner or "/", base_url=self._origin).status_code < 400  # noqa: PLR2004
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

    @property
    def _origin(self) -> str:
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}/"

    @cached_property
    def _web(self) -> Client:
        return Client(make_web(self._store, names_interface=True))

    @cached_property
    def _records(self) -> dict[str, tuple[Kind, int, str]]:
        """The kind, the id and the status of every record by its path; a public one goes first."""
        found: dict[str, tuple[Kind, int, str]] = {}
        with self._store.database.reading() as db:
            paths = Permalinks(db)
            for record in rows.without_texts(db):
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
