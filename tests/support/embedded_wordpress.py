"""The embedded service's face of WordPress on a line that has faults on request (`Fault`).

An observer notes every request that would harm a real WordPress although it succeeds: a null, an `id` in a
body, or a body that is not JSON.
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.strict_service import StrictService, answer
from tests.support.wire import PREFIX, End, Reply, listening
from werkzeug.test import Client

from pressync.model.interface import Kind
from pressync.server import rows
from pressync.server.app import WORDPRESS, make_app
from pressync.server.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    store: Store = field(kw_only=True)
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

    def put(self, title: str, slug: str, kind: str = "page") -> int:
        """Make a record as a person does in the editor, and give its id."""
        body = {"title": title, "slug": slug, "status": "publish", "content": ""}
        path = f"{PREFIX}/wp/v2/{kind}s"
        return int(self.client.post(path, json=body, auth=(USER, PASSWORD)).get_json()["id"])

    def bend(self, number: int, bends: Callable[[Json], None]) -> None:
        """Store a record otherwise than it was asked for, without a word about it."""
        record = self.shown[number]
        before = copy.deepcopy(record)
        bends(record)
        with self.store.writing() as db:
            stored = rows.find(db, Kind(record["type"]), number)
            assert stored
            changed = {
                name: value["raw"] if isinstance(value, dict) else value
                for name, value in record.items()
                if value != before[name]
            }
            rows.save(db, replace(stored, **changed))

    def trash(self, number: int) -> None:
        """Put a record into the trash."""
        self._delete(number)

    def remove(self, number: int) -> None:
        """Delete a record for good."""
        self._delete(number, "?force=true")

    def _delete(self, number: int, query: str = "") -> None:
        path = f"{PREFIX}/wp/v2/{self.shown[number]['type']}s/{number}{query}"
        assert self.client.delete(path, auth=(USER, PASSWORD)).status_code == 200

    def add_person(self, login: str, name: str, *, email: str = "", published: bool = False) -> int:
        """Make an author, who has a post if `published`, and give the id."""
        with self.store.writing() as db:
            slug = re.sub(r"[^a-z0-9]+", "-", login.lower())
            made = db.execute(
                "INSERT INTO users (login, email, name, slug, role) VALUES (?, ?, ?, ?, 'author')",
                (login, email or f"{slug}@example.org", name.replace("&", "&amp;"), slug),
            ).lastrowid
            assert made
        if published:
            body = {"title": login, "status": "publish", "author": made}
            self.client.post(f"{PREFIX}/wp/v2/posts", json=body, auth=(USER, PASSWORD))
        return made

    def demote(self, role: str = "author") -> None:
        """Give the caller another role."""
        with self.store.writing() as db:
            db.execute("UPDATE users SET role = ? WHERE id = 1", (role,))

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


class _Clock:
    """A clock in which every request has a second of its own, so each write can be seen in `modified`."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self) -> float:
        self._last = max(time.time(), self._last + 1)
        return self._last


@contextlib.contextmanager
def serving() -> Iterator[EmbeddedWordPress]:
    """Serve an empty site on loopback."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder, "site.db"), with_post=False, clock=_Clock())
        client = Client(make_app(store, dialect=WORDPRESS, token=PASSWORD))
        face = EmbeddedWordPress(client=client, store=store)
        try:
            with listening(face):
                yield face
        finally:
            store.close()
