"""A WordPress in memory that behaves as the real versions did: writes, reads, lists, batches, trash.

It imports nothing of pressync. If no real site was asked such a request, it responds with 400 and records a
violation. It has faults on request, as the strict documented service does (`Fault`).
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.support import strict_users
from tests.support.strict_service import StrictService, Violation
from tests.support.wire import PREFIX, Reply, listening

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.support.wire import Json, Received

# Carries out one item of a batch, with a fault or without: its place, and the function without a fault.
Each = Callable[[int, Callable[[], Reply]], Reply]

USER, PASSWORD = "editor", "xxxx xxxx"
ENVIRON = {"PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": USER, "PRESSYNC_PASSWORD": PASSWORD}

_KINDS = {"pages": "page", "posts": "post"}
_TEXTS = ("title", "content", "excerpt")
_FIELDS = frozenset(
    {"date", "date_gmt", "slug", "status", "password", "author", "featured_media", "comment_status"}
    | {"ping_status", "meta", "template", *_TEXTS}
)
_OWN_FIELDS = {"page": {"parent", "menu_order"}, "post": {"format", "sticky", "categories", "tags"}}
_TRASHED = "__trashed"
_START = datetime(2024, 1, 1, tzinfo=UTC)


class _Refusal(Exception):  # noqa: N818 - it is a response of the site
    """A refusal in WordPress's form: its status and its code."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code


@dataclass
class StrictWordPress(StrictService):
    """The site; PHP dies after `stops_after` items of the next batches.

    `each` carries out the items of a batch, and may have a fault at one of them.
    """

    batches: bool = True
    stops_after: int | None = None
    each: Each = lambda _place, act: act()
    changes: int = 0
    people: list[Json] = field(default_factory=list)
    may_list_users: bool = True

    @property
    def shown(self) -> dict[int, Json]:
        """Every record as an answer would show it, by id."""
        return {number: self._shown(number) for number in self.records}

    def respond(self, received: Received) -> Reply:
        """Carry out one request."""
        try:
            return self._answer(received)
        except _Refusal as refusal:
            return _refused(refusal)
        except Violation as violation:
            self.violations.append(str(violation))
            return Reply(400, {"code": "violation", "message": str(violation), "data": {"status": 400}})

    def _answer(self, received: Received) -> Reply:
        if received.headers.get("Authorization") != self.authorization:
            raise _Refusal(401, "rest_forbidden")
        _require(received.headers.get("Content-Type") == "application/json", "content type")
        body = json.loads(received.body) if received.body else {}
        _require(isinstance(body, dict), "a body that is no object")
        if received.path == f"{PREFIX}/batch/v1":
            return self._batch(body)
        path = received.path.removeprefix(PREFIX)
        if received.headers.get("X-HTTP-Method-Override") == "GET":
            _require(received.method == "POST", "a method that is overridden")
            _require(body.keys() == {"slug"}, "a list that is asked for with more than slugs in the body")
            return self._one("GET", f"{path}&{urlencode([('slug[]', slug) for slug in body['slug']])}", {})
        return self._one(received.method, path, body)

    def _batch(self, body: Json) -> Reply:
        if not self.batches:
            raise _Refusal(404, "rest_no_route")
        items = body["requests"]
        _require(body.keys() <= {"requests", "validation"} and 0 < len(items) <= 25, "a batch of that form")
        replies = [
            self.each(place, partial(self._item, item))
            for place, item in enumerate(items[: self.stops_after])
        ]
        if self.stops_after is not None:
            return Reply(502, {})
        answers = [
            {"status": reply.status, "headers": dict(reply.headers), "body": _embedded(reply)}
            for reply in replies
        ]
        return Reply(207, {"responses": answers})

    def _item(self, item: Json) -> Reply:
        try:
            return self._one(item["method"], item["path"], item.get("body", {}))
        except _Refusal as refusal:
            return _refused(refusal)

    def _one(self, method: str, path: str, body: Json) -> Reply:
        parts = urlsplit(path)
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        query = dict(pairs)
        if parts.path.startswith("/wp/v2/users"):
            return self._users(parts.path, query)
        shown = re.fullmatch(r"/wp/v2/(pages|posts)(?:/([1-9][0-9]*))?", parts.path)
        if shown is None:
            raise _Refusal(404, "rest_no_route")
        kind, number = _KINDS[shown[1]], int(shown[2]) if shown[2] else None
        match method, number:
            case "GET", None:
                return self._listed(kind, query, [name for key, name in pairs if key == "slug[]"])
            case "POST", None:
                self._check(kind, body)
                number = self.next_id()
                self.records[number] = self._new(number, kind)
                self._write(self.records[number], body)
                return Reply(201, _filtered(self._shown(number), query))
        if self.records.get(number or 0, {}).get("type") != kind:
            raise _Refusal(404, "rest_post_invalid_id")
        assert number is not None
        match method:
            case "GET":
                return Reply(200, _filtered(self._shown(number), query))
            case "POST":
                self._check(kind, body)
                self._write(self.records[number], body)
                return Reply(200, _filtered(self._shown(number), query))
            case "DELETE":
                return self._delete(number, query)
        raise Violation(f"{method} {path}")

    def _users(self, path: str, query: Mapping[str, str]) -> Reply:
        if path == "/wp/v2/users/me":
            return Reply(200, _filtered(_ME, query))
        if number := re.fullmatch(r"/wp/v2/users/(\d+)", path):
            there = [user for user in self.people if user["id"] == int(number[1])]
            if there and not self.may_list_users and not there[0]["published"]:
                raise _Refusal(403, "rest_user_cannot_view")
            if not there:
                raise _Refusal(404, "rest_user_invalid_id")
            return Reply(200, _filtered(there[0], query))
        rows = strict_users.found(self.people, query, may_list=self.may_list_users)
        if rows is None:
            raise _Refusal(403, "rest_forbidden_context")
        return _paged(rows, query)

    def _listed(self, kind: str, query: Mapping[str, str], slugs: list[str]) -> Reply:
        _require(query.get("status") == "any,trash", f"list {dict(query)}")
        _require("edit" in query.get("context", "") or query.get("_fields") == "id", f"list {dict(query)}")
        _require(query.get("orderby") in {"id", "include"}, "a list without a steady order")
        newest_first = query.get("order") == "desc"
        found = [self._shown(number) for number in sorted(self.records, reverse=newest_first)]
        found = [row for row in found if row["type"] == kind]
        if slugs:
            found = [row for row in found if row["slug"] in slugs]
        if "include" in query:
            wanted = [int(number) for number in query["include"].split(",")]
            found = [row for row in found if row["id"] in wanted]
        if "parent" in query:
            found = [row for row in found if row["parent"] == int(query["parent"])]
        return _paged(found, query)

    def _delete(self, number: int, query: Mapping[str, str]) -> Reply:
        record = self.records[number]
        if query.get("force") == "true":
            previous = self._shown(number)
            self.remove(number)
            return Reply(200, _filtered({"deleted": True, "previous": previous, **previous}, query))
        if record["status"] == "trash":
            raise _Refusal(410, "rest_already_trashed")
        self.trash(number)
        return Reply(200, _filtered(self._shown(number), query))

    def put(self, title: str, slug: str, kind: str = "page") -> int:
        """Make a record as a person does in the editor, and give its id."""
        number = self.next_id()
        self.records[number] = self._new(number, kind)
        self._write(self.records[number], {"title": title, "slug": slug, "status": "publish"})
        return number

    def bend(self, number: int, bends: Callable[[Json], None]) -> None:
        """Store a record otherwise than it was asked for."""
        bends(self.records[number])

    def trash(self, number: int) -> None:
        """Put a record into the trash."""
        record = self.records[number]
        record |= {"status": "trash", "slug": record["slug"] + _TRASHED}
        self._touch(record)

    def remove(self, number: int) -> None:
        """Delete a record for good; its children come to stand at the top."""
        del self.records[number]
        for record in self.records.values():
            if record.get("parent") == number:
                record["parent"] = 0

    def _check(self, kind: str, body: Json) -> None:
        _require(body.keys() <= _FIELDS | _OWN_FIELDS[kind], f"fields {sorted(body)}")
        _require(None not in body.values(), "null")
        _require(all(isinstance(body.get(name, ""), str) for name in _TEXTS), "a text that is none")
        if body.get("parent") and self.records.get(body["parent"], {}).get("type") != "page":
            raise _Refusal(400, "rest_post_invalid_id")

    def _write(self, record: Json, body: Json) -> None:
        trashed = record["status"] == "trash"
        for name, value in body.items():
            if name in _TEXTS:
                record[name] = {**record[name], "raw": value}
            elif name != "slug" or value:
                record[name] = value
        if trashed and "status" not in body:
            record["status"] = "trash"
        if trashed and record["status"] != "trash":
            record["slug"] = record["slug"].removesuffix(_TRASHED)
        if record.get("parent") and self._is_below(record["id"], record["parent"]):
            record["parent"] = 0
        if record["status"] != "trash":
            record["slug"] = self._free_slug(record)
        self._touch(record)

    def _is_below(self, number: int, parent: int) -> bool:
        while parent:
            if parent == number:
                return True
            parent = self.records.get(parent, {}).get("parent", 0)
        return False

    def _free_slug(self, record: Json) -> str:
        wanted = record["slug"] or re.sub(r"[^a-z0-9]+", "-", record["title"]["raw"].lower()).strip("-")
        beside = {
            other["slug"]
            for other in self.records.values()
            if other is not record
            and other["status"] != "trash"
            and other["type"] == record["type"]
            and other.get("parent") == record.get("parent")
        }
        count, slug = 1, wanted
        while slug in beside:
            count += 1
            slug = f"{wanted}-{count}"
        return slug

    def _touch(self, record: Json) -> None:
        self.changes += 1
        moment = (_START + timedelta(seconds=self.changes)).replace(tzinfo=None).isoformat()
        record |= {"modified": moment, "modified_gmt": moment}

    def _shown(self, number: int) -> Json:
        record = self.records[number]
        names, parent = [record["slug"]], record.get("parent", 0)
        while parent in self.records:
            names.insert(0, self.records[parent]["slug"])
            parent = self.records[parent]["parent"]
        generated = re.sub(r"[^a-z0-9]+", "-", record["title"]["raw"].lower()).strip("-")
        link = f"{self.url.removesuffix(PREFIX)}/{'/'.join(names)}/"
        return {**record, "link": link, "generated_slug": generated}

    def _new(self, number: int, kind: str) -> Json:
        made: Json = {
            "id": number,
            "type": kind,
            "slug": "",
            "status": "draft",
            "author": 1,
            "template": "",
            "date": "2024-01-01T00:00:00",
            "date_gmt": "2024-01-01T00:00:00",
            "password": "",
            "featured_media": 0,
            "comment_status": "closed",
            "ping_status": "closed",
            "meta": [],
            **{name: {"raw": "", "rendered": ""} for name in _TEXTS},
            "guid": {"raw": f"{self.url}/?p={number}", "rendered": f"{self.url}/?p={number}"},
        }
        if kind == "page":
            return made | {"parent": 0, "menu_order": 0}
        return made | {"format": "standard", "sticky": False, "categories": [1], "tags": []}


@contextlib.contextmanager
def serving() -> Iterator[StrictWordPress]:
    """Serve an empty site on loopback."""
    secret = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    site = StrictWordPress(authorization=f"Basic {secret}")
    with listening(site):
        yield site


_ME: Json = {
    "id": 1,
    "name": "Ada",
    "slug": USER,
    "username": USER,
    "email": "ada@example.org",
    "roles": ["editor"],
    "capabilities": {
        f"{verb}{which}_{kind}": True
        for kind in _KINDS
        for verb in ("edit", "delete", "publish")
        for which in ("", "_others", "_published")
    },
}


def _refused(refusal: _Refusal) -> Reply:
    return Reply(refusal.status, {"code": refusal.code, "message": "No.", "data": {"status": refusal.status}})


def _paged(found: list[Json], query: Mapping[str, str]) -> Reply:
    size, page = int(query["per_page"]), int(query.get("page", "1"))
    pages = max(1, -(-len(found) // size))
    rows = [_filtered(row, query) for row in found[(page - 1) * size : page * size]]
    return Reply(200, rows, (("X-WP-Total", str(len(found))), ("X-WP-TotalPages", str(pages))))


def _embedded(reply: Reply) -> object:
    return reply.value if reply.raw is None else reply.raw.decode()


def _filtered(value: Json, query: Mapping[str, str]) -> Json:
    """Leave the members that `_fields` names, `title.raw` and the like among them."""
    if "_fields" not in query:
        return value
    kept: Json = {}
    for name in query["_fields"].split(","):
        outer, _, inner = name.partition(".")
        if outer in value:
            kept[outer] = {inner: value[outer][inner]} if inner else value[outer]
    return kept


def _require(met: bool, what: str) -> None:
    if not met:
        raise Violation(f"WordPress was never seen to be asked this: {what}")
