"""A small stock WordPress as a site for faults: reads, writes and batches as the real one was measured.

What real sites were seen to answer is kept: 201 for a create, `_fields` with dotted names, slugs numbered
among siblings, addresses that follow the pages above, `__trashed` in the trash, 410 for a second delete,
lists by id and by slug in any status, and batches in order under one 207.
"""

from __future__ import annotations

import copy
import json
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from tests.hostile.port import AUTHORIZATION, Reply
from tests.wordpress_lookalike import EVERY_RIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.hostile.port import Json, Mistreat, Received

_EPOCH = datetime(2024, 1, 1)  # noqa: DTZ001 - WordPress says its times without a zone
_TEXTS = ("title", "content", "excerpt")
_READ_ONLY = frozenset({"id", "link", "modified", "modified_gmt", "type", "guid", "generated_slug"})
_TRASHED = "__trashed"


class _Error(Exception):
    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.reply = Reply(status, {"code": code, "message": f"No: {code}.", "data": {"status": status}})


@dataclass
class WordPressSite:
    """The records by id, and a clock that moves by a second with every write."""

    records: dict[int, Json] = field(default_factory=dict)
    clock: int = 0

    def verbs(self, received: Received) -> list[str]:
        """Name what a request asks for; of a batch each item as well."""
        if urlsplit(received.path).path.endswith("/batch/v1"):
            requests = json.loads(received.body)["requests"]
            return ["batch", *(_verb(item["method"], item["path"]) for item in requests)]
        return [_verb(received.method, received.path)]

    def answer(self, received: Received, mistreat: Mistreat) -> Reply:
        """Carry a request out; each item of a batch goes through `mistreat`, with its number."""
        if received.headers.get("Authorization") != AUTHORIZATION:
            return _Error(401, "rest_cannot_create").reply
        path = received.path.removeprefix("/wp-json")
        body = json.loads(received.body) if received.body else {}
        if path == "/batch/v1":
            return self._batch(body["requests"], mistreat)
        return self._one(received.method, path, body)

    def memory(self) -> tuple[dict[int, Json], int]:
        """Give everything that the site knows."""
        return copy.deepcopy(self.records), self.clock

    def recall(self, memory: tuple[dict[int, Json], int]) -> None:
        """Forget everything that happened since."""
        records, self.clock = memory
        self.records = copy.deepcopy(records)

    def bent(self, reply: Reply, bends: Callable[[Json], None]) -> Reply:
        """Change the record that was just answered, and answer it once more, with the same members."""
        record = self.records[reply.value["id"]]
        bends(record)
        shown = self._shown(record)
        return Reply(reply.status, {name: shown[name] for name in reply.value})

    def link(self, record: Json) -> str:
        """Give the address of a record, below all its parents'."""
        slugs = [record["slug"]]
        parent = self.records.get(record.get("parent", 0))
        while parent and len(slugs) < 9:
            slugs.append(parent["slug"])
            parent = self.records.get(parent.get("parent", 0))
        return "http://127.0.0.1/" + "/".join(reversed(slugs)) + "/"

    def _batch(self, items: list[Json], mistreat: Mistreat) -> Reply:
        replies = [
            mistreat(
                place,
                lambda item=item: self._one(item["method"], item["path"], item.get("body", {})),  # type: ignore[misc]
            )
            for place, item in enumerate(items)
        ]
        answers = [
            {"status": reply.status, "headers": dict(reply.headers), "body": _item_body(reply)}
            for reply in replies
        ]
        return Reply(207, {"responses": answers})

    def _one(self, method: str, path: str, body: Json) -> Reply:
        parts = urlsplit(path)
        query = parse_qsl(parts.query)
        only = dict(query)
        try:
            if parts.path == "/wp/v2/users/me":
                return Reply(200, {"id": 2, "capabilities": dict.fromkeys(EVERY_RIGHT, True)})
            found = re.fullmatch(r"/wp/v2/(page|post)s(?:/([1-9]\d*))?", parts.path)
            if found is None:
                return _Error(404, "rest_no_route").reply
            kind, number = found[1], int(found[2] or 0)
            if method == "GET" and not number:
                return self._list(kind, query)
            status, record = self._acted(method, kind, number, body, only)
        except _Error as error:
            return error.reply
        return Reply(status, _filtered(record, only["_fields"]))

    def _acted(self, method: str, kind: str, number: int, body: Json, only: Json) -> tuple[int, Json]:
        if method == "POST" and not number:
            return 201, self._create(kind, body)
        record = self.records.get(number)
        if record is None or record["type"] != kind:
            raise _Error(404, "rest_post_invalid_id")
        if method == "POST":
            self._store(record, body)
        elif method == "DELETE" and only.get("force") == "true":
            shown = self._shown(self.records.pop(number))
            return 200, {"deleted": True, "previous": shown}
        elif method == "DELETE":
            if record["status"] == "trash":
                raise _Error(410, "rest_already_trashed")
            record["status"], record["slug"] = "trash", record["slug"] + _TRASHED
            self._touch(record)
        return 200, self._shown(record)

    def _create(self, kind: str, body: Json) -> Json:
        number = max(self.records, default=0) + 1
        self.records[number] = new_record(number, kind)
        self._store(self.records[number], {"status": "draft", **body})
        return self._shown(self.records[number])

    def _store(self, record: Json, body: Json) -> None:
        if "id" in body:
            raise _Error(400, "rest_post_exists")
        for name, value in body.items():
            if name in record and name not in _READ_ONLY:
                text = value.strip() if name == "title" else value
                record[name] = {"raw": text} if name in _TEXTS else value
        if "slug" in body or not record["slug"]:
            record["slug"] = self._free(record, body.get("slug") or _slugged(record["title"]["raw"]))
        self._touch(record)

    def _free(self, record: Json, slug: str) -> str:
        taken = {
            other["slug"]
            for other in self.records.values()
            if other is not record and (other["type"], other["parent"]) == (record["type"], record["parent"])
        }
        numbered = (f"{slug}-{number}" for number in range(2, 99))
        return slug if slug not in taken else next(name for name in numbered if name not in taken)

    def _touch(self, record: Json) -> None:
        self.clock += 1
        record["modified"] = record["modified_gmt"] = (_EPOCH + timedelta(seconds=self.clock)).isoformat()

    def _list(self, kind: str, query: list[tuple[str, str]]) -> Reply:
        only = dict(query)
        slugs = {value for name, value in query if name == "slug[]"}
        ids = {int(number) for number in only.get("include", "").split(",") if number}
        wanted = only.get("status", "publish").split(",")
        rows = [
            _filtered(self._shown(record), only["_fields"])
            for number, record in sorted(self.records.items())
            if record["type"] == kind
            and (record["status"] in wanted or ("any" in wanted and record["status"] != "trash"))
            and (not ids or number in ids)
            and (not slugs or record["slug"] in slugs)
        ]
        return Reply(200, rows, (("X-WP-Total", str(len(rows))), ("X-WP-TotalPages", "1")))

    def _shown(self, record: Json) -> Json:
        shown = copy.deepcopy(record) | {"link": self.link(record)}
        shown["generated_slug"] = _slugged(record["title"]["raw"])
        return shown


def new_record(number: int, kind: str) -> Json:
    """Make an empty record, with all members that are asked for."""
    return {
        "id": number,
        "type": kind,
        "slug": "",
        "status": "draft",
        "modified": _EPOCH.isoformat(),
        "modified_gmt": _EPOCH.isoformat(),
        "date": _EPOCH.isoformat(),
        "date_gmt": _EPOCH.isoformat(),
        "password": "",
        "title": {"raw": ""},
        "content": {"raw": ""},
        "excerpt": {"raw": ""},
        "author": 2,
        "featured_media": 0,
        "comment_status": "closed",
        "ping_status": "closed",
        "meta": {"footnotes": ""},
        "template": "",
        "parent": 0,
        "menu_order": 0,
        "format": "standard",
        "sticky": False,
        "categories": [1],
        "tags": [],
    }


def _verb(method: str, path: str) -> str:
    if method == "POST":
        return "update" if re.search(r"s/\d+(?:\?|$)", path) else "create"
    return "delete" if method == "DELETE" else "read"


def _item_body(reply: Reply) -> Any:  # noqa: ANN401 - any JSON
    return reply.value if reply.raw is None else reply.raw.decode()


def _slugged(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _filtered(record: Json, fields: str) -> Json:
    """Leave the members that `_fields` names; `title.raw` is a member of a member."""
    kept: Json = {}
    for name in fields.split(","):
        whole, _, part = name.partition(".")
        if whole in record:
            kept[whole] = {part: record[whole][part]} if part else record[whole]
    return kept
