"""The embedded service in the dialect `wordpress`, on a line that has faults on request (`Fault`).

An observer notes every request that would harm a real WordPress although it succeeds: a null, an `id` in a
body, or a body that is not JSON.
"""
# ruff: noqa: S608 - the names in the statements are our own

from __future__ import annotations

import contextlib
import copy
import json
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs
from tests.support.strict_service import StrictService, answer
from tests.support.wire import PREFIX, End, Reply, listening
from werkzeug.test import Client

from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes
from pressync.stage.server import rows
from pressync.stage.server.app import WORDPRESS, make_app
from pressync.stage.server.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.wire import Json, Received

USER, PASSWORD = "admin", "xxxx xxxx"
ENVIRON = {"PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": USER, "PRESSYNC_PASSWORD": PASSWORD}

# Carries out one item of a batch, with a fault or without: its place, and the function without a fault.
Each = Callable[[int, Callable[[], Reply]], Reply]

_TABLES = ("records", "terms", "media", "settings", "sqlite_sequence")

# The line gives the headers of a connection itself.
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_OF_THE_LINE = frozenset({"content-length", "content-type", "host"})


@dataclass
class EmbeddedWordPress(StrictService):
    """The service; with `is_busy`, it refuses each request but a batch once, before it carries it out.

    `registered` has the custom fields that its plug-ins register for posts, with the type of each. `custom`
    has their values in each post, by its id.

    `transformed` changes the JSON of a response by its path, as a filter of a plug-in does, and `allowed` has
    the header `Allow` of OPTIONS by route.

    `each` carries out the items of a batch one by one, and may have a fault at one of them. `exchanges` has
    each request that was carried out, with the status and the JSON of the response.
    """

    client: Client = field(kw_only=True)
    store: Store = field(kw_only=True)
    auth: tuple[str, str] = (USER, PASSWORD)
    is_busy: bool = False
    registered: dict[str, str] = field(default_factory=dict)
    custom: dict[int, Json] = field(default_factory=dict)
    each: Each | None = None
    transformed: Callable[[str, Any], Any] = field(default=lambda _path, shown: shown)
    allowed: dict[str, str] = field(default_factory=dict)
    refused: set[tuple[str, str, bytes]] = field(default_factory=set)
    exchanges: list[tuple[Received, int, object]] = field(default_factory=list)

    def post(self, route: str, **members: object) -> int:
        """Make or change a record, a term or a user as people do, past the line, and give its id."""
        said = self.client.post(f"{PREFIX}/wp/v2/{route}", json=members, auth=self.auth)
        if said.status_code not in {200, 201}:
            raise AssertionError(said.get_data(as_text=True))
        return int((said.json or {})["id"])

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
        if self.each and received.path.endswith("/batch/v1"):
            return self._one_by_one(self.each, received)
        return self._carried_out(received)

    def _carried_out(self, received: Received) -> Reply:
        sent = [(name, value) for name, value in received.headers.items() if name.lower() not in _OF_THE_LINE]
        response = self.client.open(
            received.path,
            method=received.method,
            headers=sent,
            data=received.body or None,
            content_type=received.headers.get("Content-Type"),
        )
        self.exchanges.append((received, response.status_code, response.json))
        route = received.path.removeprefix(f"{PREFIX}/wp/v2/")
        if route in self.allowed and received.method == "OPTIONS":
            return Reply(200, response.json, (("Allow", self.allowed[route]),))
        if self.registered and "_method=OPTIONS" in received.path:
            shown = {name: {"type": type_} for name, type_ in self.registered.items()}
            meta: Json = {"meta": {"properties": shown or []}}
            return Reply(200, {"schema": {"properties": meta}})
        self._keep_custom(received, response.json)
        headers = tuple(pair for pair in response.headers.items() if pair[0].lower() not in _OF_THE_LINE)
        return Reply(response.status_code, self.transformed(received.path, response.json), headers)

    def _keep_custom(self, received: Received, response: Any) -> None:  # noqa: ANN401 - any JSON
        """Keep the registered custom fields of what was carried out, as a database would."""
        if received.method == "GET" or not received.body.startswith(b"{"):
            return
        sent = json.loads(received.body)
        items = [item.get("body", {}) for item in sent["requests"]] if "requests" in sent else [sent]
        ends = [end["body"] for end in response["responses"]] if "requests" in sent else [response]
        for item, end in zip(items, ends, strict=True):
            given = {n: v for n, v in item.get("meta", {}).items() if n in self.registered}
            if given and "id" in end:
                self.custom.setdefault(end["id"], {}).update(given)

    def _one_by_one(self, each: Each, received: Received) -> Reply:
        """Carry the items of a batch out as requests of their own."""
        items = [
            replace(
                received,
                method=item["method"],
                path=f"{PREFIX}{item['path']}",
                body=json.dumps(item["body"]).encode() if "body" in item else b"",
            )
            for item in json.loads(received.body)["requests"]
        ]
        replies = [each(place, partial(self._carried_out, item)) for place, item in enumerate(items)]
        shown = [
            {
                "status": reply.status,
                "headers": dict(reply.headers),
                "body": reply.value if reply.raw is None else reply.raw.decode(),
            }
            for reply in replies
        ]
        return Reply(207, {"responses": shown})

    @property
    def types(self) -> SiteTypes:
        """The kinds that the site has."""
        return self.store.database.types

    @property
    def shown(self) -> dict[int, Json]:
        """Every record as its administrator sees it, by id."""
        return {row["id"]: row for kind in self.types.kinds for row in self._rows(kind.row.route)}

    @property
    def pages(self) -> list[Json]:
        """The pages, by id."""
        return list(self._rows(Kind.PAGE.row.route))

    def put(self, title: str, slug: str, kind: str = "page") -> int:
        """Make a record as a person does in the editor, and give its id."""
        body = {"title": title, "slug": slug, "status": "publish", "content": ""}
        path = f"{PREFIX}{self.types.kind(kind).row.route}"
        return int(self.client.post(path, json=body, auth=self.auth).get_json()["id"])

    def bend(self, number: int, bends: Callable[[Json], None]) -> None:
        """Store a record otherwise than it was asked for, without a word about it."""
        record = self.shown[number]
        before = copy.deepcopy(record)
        bends(record)
        with self.store.writing() as db:
            stored = rows.find(db, self.types.kind(record["type"]), number)
            assert stored
            columns = set(stored.__struct_fields__)
            changed = {
                name: _column(value)
                for name, value in record.items()
                if name in columns and value != before[name]
            }
            rows.save(db, structs.replace(stored, **changed))

    def trash(self, number: int) -> None:
        """Put a record into the trash."""
        self._delete(number)

    def remove(self, number: int) -> None:
        """Delete a record for good."""
        self._delete(number, "?force=true")

    def _delete(self, number: int, query: str = "") -> None:
        path = f"{PREFIX}{self.types.kind(self.shown[number]['type']).row.route}/{number}{query}"
        assert self.client.delete(path, auth=self.auth).status_code == 200

    def clear(self) -> None:
        """Delete every record for good."""
        with self.store.writing() as db:
            db.execute("DELETE FROM records")

    def memory(self) -> Any:  # noqa: ANN401 - the rows of the tables
        """Give the state of the site, for `recall`."""
        with self.store.database.reading() as db:
            return {table: db.execute(f"SELECT * FROM {table}").fetchall() for table in _TABLES}

    def recall(self, memory: Any) -> None:  # noqa: ANN401 - what `memory` gave
        """Go back to an earlier state."""
        with self.store.writing() as db:
            for table, rows_of_it in memory.items():
                db.execute(f"DELETE FROM {table}")
                if rows_of_it:
                    marks = ", ".join("?" * len(rows_of_it[0]))
                    db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows_of_it)

    def add_person(
        self, login: str, name: str, *, email: str = "", published: bool = False, role: str = "author"
    ) -> int:
        """Make a user, who has a post if `published`, and give the id."""
        with self.store.writing() as db:
            slug = re.sub(r"[^a-z0-9]+", "-", login.lower())
            made = db.execute(
                "INSERT INTO users (login, email, name, slug, role) VALUES (?, ?, ?, ?, ?)",
                (login, email or f"{slug}@example.org", name.replace("&", "&amp;"), slug, role),
            ).lastrowid
            assert made
        if published:
            body = {"title": login, "status": "publish", "author": made}
            self.client.post(f"{PREFIX}/wp/v2/posts", json=body, auth=self.auth)
        return made

    def demote(self, role: str = "author") -> None:
        """Give the caller another role."""
        with self.store.writing() as db:
            db.execute("UPDATE users SET role = ? WHERE id = 1", (role,))

    def _rows(self, route: str) -> Iterator[Json]:
        page, pages = 1, 1
        query = "context=edit&status=any,trash&orderby=id&order=asc&per_page=100"
        while page <= pages:
            path = f"{PREFIX}{route}?{query}&page={page}"
            response = self.client.get(path, auth=self.auth)
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
def serving(types: SiteTypes = DOCUMENTED_TYPES) -> Iterator[EmbeddedWordPress]:
    """Serve an empty site with these types on loopback."""
    with site(types=types) as service, listening(service):
        yield service


@contextlib.contextmanager
def site(
    user: str = USER, password: str = PASSWORD, types: SiteTypes = DOCUMENTED_TYPES
) -> Iterator[EmbeddedWordPress]:
    """Open an empty site of this administrator."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder, "site.db"), with_post=False, types=types, clock=_Clock())
        with store.writing() as db:
            db.execute("UPDATE users SET login = ?, name = ? WHERE id = 1", (user, user))
        client = Client(make_app(store, dialect=WORDPRESS, token=password))
        try:
            yield EmbeddedWordPress(client=client, store=store, auth=(user, password))
        finally:
            store.close()


def _column(value: Any) -> Any:  # noqa: ANN401 - any member of a record
    """Give a member of a record as the database has it: the site's clock shows GMT."""
    match value:
        case {"raw": text}:
            return text
        case list():
            return tuple(value)
        case str() if _DATE.fullmatch(value):
            return int(datetime.fromisoformat(f"{value}+00:00").timestamp())
        case _:
            return value
