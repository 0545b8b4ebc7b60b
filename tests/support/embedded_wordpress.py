"""The embedded service's face of WordPress on a line that has faults on request (`Fault`).

An observer notes every request that would harm a real WordPress although it succeeds: a null, an `id` in a
body, or a body that is not JSON.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.strict_service import StrictService, answer
from tests.support.wire import PREFIX, End, Reply, listening
from werkzeug.test import Client

from pressync.server.app import WORDPRESS, make_app
from pressync.server.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.wire import Json, Received

USER, PASSWORD = "admin", "xxxx xxxx"
ENVIRON = {"PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": USER, "PRESSYNC_PASSWORD": PASSWORD}

# The line gives the headers of a connection itself.
_OF_THE_LINE = frozenset({"content-length", "content-type", "host"})


@dataclass
class EmbeddedWordPress(StrictService):
    """The face; with `is_busy`, it refuses each request but a batch once, before it carries it out.

    `exchanges` has each request that was carried out, with the status and the JSON of the response.
    """

    client: Client = field(kw_only=True)
    is_busy: bool = False
    refused: set[tuple[str, str, bytes]] = field(default_factory=set)
    exchanges: list[tuple[Received, int, object]] = field(default_factory=list)

    def take(self, received: Received) -> tuple[bytes, End]:
        """Act on a request, with the next fault if there is one."""
        key = received.method, received.path, received.body
        if self.is_busy and key not in self.refused and not received.path.endswith("/batch/v1"):
            self.refused.add(key)
            return answer(503, headers=(("Retry-After", "0"),)), End.KEEP
        return super().take(received)

    def respond(self, received: Received) -> Reply:
        """Carry out one request, and note what is wrong with it."""
        self._observe(received)
        sent = [(name, value) for name, value in received.headers.items() if name.lower() != "host"]
        response = self.client.open(
            received.path, method=received.method, headers=sent, data=received.body or None
        )
        self.exchanges.append((received, response.status_code, response.json))
        headers = tuple(pair for pair in response.headers.items() if pair[0].lower() not in _OF_THE_LINE)
        return Reply(response.status_code, None, headers, response.data, str(response.content_type))

    @property
    def shown(self) -> dict[int, Json]:
        """Every record as its administrator sees it, by id."""
        return {row["id"]: row for kind in ("pages", "posts") for row in self._rows(kind)}

    @property
    def pages(self) -> list[Json]:
        """The pages, by id."""
        return list(self._rows("pages"))

    def _rows(self, kind: str) -> Iterator[Json]:
        page, pages = 1, 1
        query = "context=edit&status=any,trash&orderby=id&order=asc&per_page=100"
        while page <= pages:
            path = f"{PREFIX}/wp/v2/{kind}?{query}&page={page}"
            response = self.client.get(path, auth=(USER, PASSWORD))
            yield from response.json or ()
            pages = int(response.headers["X-WP-TotalPages"])
            page += 1

    def _observe(self, received: Received) -> None:
        media_type = received.headers.get("Content-Type", "").partition(";")[0]
        if not received.body or media_type == "multipart/form-data":
            return
        if media_type != "application/json":
            self.violations.append(f"{received.method} {received.path}: a body of type {media_type}")
            return
        sent = json.loads(received.body)
        bodies = [item.get("body", {}) for item in sent.get("requests", ())] or [sent]
        for body in bodies:
            if "id" in body or None in body.values():
                self.violations.append(f"{received.method} {received.path}: {sorted(body)}")


@contextlib.contextmanager
def serving() -> Iterator[EmbeddedWordPress]:
    """Serve an empty site on loopback."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder, "site.db"), with_post=False)
        face = EmbeddedWordPress(client=Client(make_app(store, dialect=WORDPRESS, token=PASSWORD)))
        try:
            with listening(face):
                yield face
        finally:
            store.close()
