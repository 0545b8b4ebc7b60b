"""A strict service: it refuses with 400 everything that `content-service.md` does not show.

It was written from that document alone and imports nothing of pressync, so the two cannot share a mistake. It
stores what it receives, records every violation, and has faults on request (`Fault`).
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from tests.support.wire import PREFIX, End, FarSide, Json, Reply, listening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.wire import Received

# The state of a site: its records, and the last id that it gave.
Memory = tuple[dict[int, Json], int]

# Section 4.1 and 4.4: the fields of the request bodies.
_STRING, _DATE, _INTEGER, _BOOLEAN, _INTEGERS = "string", "date-time", "integer", "boolean", "integers"
_OBJECTS: dict[str, dict[str, type]] = {
    "title": {"raw": str, "rendered": str},
    "content": {"raw": str, "rendered": str, "block_version": int, "protected": bool},
    "excerpt": {"raw": str, "rendered": str, "protected": bool},
    "meta": {"footnotes": str},
}
_COMMON = {
    "date": _DATE,
    "date_gmt": _DATE,
    "slug": _STRING,
    "status": _STRING,
    "password": _STRING,
    "title": "object",
    "content": "object",
    "author": _INTEGER,
    "excerpt": "object",
    "featured_media": _INTEGER,
    "comment_status": _STRING,
    "ping_status": _STRING,
    "meta": "object",
    "template": _STRING,
}
_BODIES: dict[str, dict[str, str]] = {
    "page": {**_COMMON, "parent": _INTEGER, "menu_order": _INTEGER},
    "post": {
        **_COMMON,
        "format": _STRING,
        "sticky": _BOOLEAN,
        "categories": _INTEGERS,
        "tags": _INTEGERS,
    },
}
FIRST_POST = 1

# The bytes of a form: unreserved characters, the asterisk of HTML's own encoding, and the separators.
_ENCODED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~*+%="
_BROKEN = re.compile(rb"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True)
class Fault:
    """A fault at one request.

    `acts`: whether the service carries the operation out first. `sends`: the bytes instead of the right
    response. `end`: how the connection ends, one of `End`.
    """

    acts: bool = True
    sends: bytes = b""
    end: str = "close"


@dataclass
class StrictService(FarSide):
    """The state of the service, and the requests that it has seen.

    `looks` are the requests for its address alone, and `shows` is the response to them.
    """

    authorization: str | None = None
    records: dict[int, Json] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)
    faults: deque[Fault | None] = field(default_factory=deque)
    last_id: int = 0
    looks: list[Received] = field(default_factory=list)
    shows: Fault | None = None

    @property
    def pages(self) -> list[Json]:
        """The pages, by id."""
        return [record for _, record in sorted(self.records.items()) if record["type"] == "page"]

    @property
    def shown(self) -> dict[int, Json]:
        """Every record as a response would show it, by id."""
        return self.records

    def next_id(self) -> int:
        """Give an id that no record has or had."""
        self.last_id = max(self.last_id, *self.records, 0) + 1
        return self.last_id

    def put(self, title: str, slug: str, kind: str = "page") -> int:
        """Make a record as a person does on the site, and give its id."""
        number = self.next_id()
        self.records[number] = new_record(number, kind)
        change(self.records[number], {"title": {"raw": title, "rendered": title}, "slug": slug})
        return number

    def bend(self, number: int, bends: Callable[[Json], None]) -> None:
        """Change a stored record, as a service does with a field that it was sent."""
        bends(self.records[number])
        change(self.records[number], {})

    def trash(self, number: int) -> None:
        """Put a record into the trash."""
        change(self.records[number], {"status": "trash"})

    def remove(self, number: int) -> None:
        """Delete a record for good."""
        del self.records[number]

    def clear(self) -> None:
        """Delete every record for good."""
        self.records.clear()

    def memory(self) -> Memory:
        """Give the state of the site, for `recall`."""
        return copy.deepcopy(self.records), self.last_id

    def recall(self, memory: Memory) -> None:
        """Go back to an earlier state."""
        records, self.last_id = memory
        self.records = copy.deepcopy(records)

    def take(self, received: Received) -> tuple[bytes, End]:
        """Act on a request, with the next fault if there is one; a look at the address meets no fault."""
        if is_look(received):
            self.looks.append(self.received.pop())
            if self.shows:
                return self.shows.sends, End(self.shows.end)
            return self.respond(received).spelled(), End.KEEP
        fault = self.faults.popleft() if self.faults else None
        if fault is None:
            return self.respond(received).spelled(), End.KEEP
        if fault.acts:
            self.respond(received)
        return fault.sends, End(fault.end)

    def respond(self, received: Received) -> Reply:
        """Carry out one request; the caller holds the lock."""
        return Reply(*respond(self, received), content_type="application/json")


class Violation(Exception):  # noqa: N818 - it is the service's response, not a failure of the tests
    """A request that the document does not show; the response is 400."""


@contextlib.contextmanager
def serving(port: int = 0) -> Iterator[StrictService]:
    """Serve on loopback, with one post (id 1), because there is no way to create one."""
    service = StrictService()
    service.records[FIRST_POST] = new_record(FIRST_POST, "post")
    with listening(service, port):
        yield service


def answer(
    status: int = 200,
    body: bytes = b"{}",
    *,
    content_type: str = "application/json",
    headers: tuple[tuple[str, str], ...] = (),
) -> bytes:
    """Give the bytes of a whole HTTP response, for `Fault.sends`."""
    return Reply(status, None, headers, body, content_type).spelled()


def is_look(received: Received) -> bool:
    """Tell whether a request asks for nothing but the address itself, as a stranger does."""
    return (received.method, received.path, received.body) == (
        "GET",
        f"{PREFIX}/",
        b"",
    ) and "Authorization" not in received.headers


def respond(state: StrictService, received: Received) -> tuple[int, Json]:
    """Carry a request out as the document says: the status, and the record or the error."""
    if is_look(received):
        return 404, _error("not_found", "Nothing is here.", 404)
    if state.authorization and received.headers.get("Authorization") != state.authorization:
        return 401, _error("not_logged_in", "Who are you?", 401)
    try:
        kind, number, fields = _understood(state, received)
    except Violation as violation:
        state.violations.append(str(violation))
        return 400, _error("violation", str(violation), 400)
    if number is None:
        number = state.next_id()
        state.records[number] = new_record(number, kind)
    found = state.records.get(number)
    if found is None or found["type"] != kind:
        return 404, _error("invalid_id", f"There is no {kind} {number}.", 404)
    if "force" not in fields:
        change(found, fields)
    elif fields["force"]:
        state.remove(number)
    elif found["status"] == "trash":
        return 410, _error("already_trashed", "It is in the trash.", 410)
    else:
        state.trash(number)
    return 200, copy.deepcopy(found)


def _understood(state: StrictService, received: Received) -> tuple[str, int | None, Json]:
    """Check one request against sections 1 and 4: kind, id (None for a create) and fields."""
    shown = re.fullmatch(rf"{PREFIX}/wp/v2/(page|post)s(?:/([1-9][0-9]*))?", received.path)
    _require(shown is not None, f"path {received.path}")
    assert shown is not None
    kind, number = shown[1], int(shown[2]) if shown[2] else None
    operation = (received.method, kind, number is not None)
    _require(
        operation
        in {
            ("POST", "page", False),
            ("POST", "page", True),
            ("DELETE", "page", True),
            ("POST", "post", True),
            ("DELETE", "post", True),
        },
        f"operation {received.method} {received.path}",
    )
    headers = {name.lower(): value for name, value in received.headers.items()}
    _require(headers.get("content-type") == "application/x-www-form-urlencoded", "content type")
    _require("content-length" in headers and "transfer-encoding" not in headers, "framing")
    _require("cookie" not in headers, "a cookie")
    _require(state.authorization is not None or "authorization" not in headers, "uncalled-for credentials")
    pairs = _pairs(received.body)
    if received.method == "DELETE":
        _require(pairs.keys() == {"force"}, f"fields {sorted(pairs)} of a delete")
        return kind, number, {"force": _typed("force", _BOOLEAN, pairs["force"])}
    _require(pairs.keys() <= _BODIES[kind].keys(), f"fields {sorted(pairs.keys() - _BODIES[kind].keys())}")
    return kind, number, {name: _typed(name, _BODIES[kind][name], text) for name, text in pairs.items()}


def _pairs(body: bytes) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for part in body.split(b"&") if body else ():
        _require(part.count(b"=") == 1, "a part of the form without exactly one equals sign")
        _require(not part.translate(None, _ENCODED) and not _BROKEN.search(part), "an unencoded byte")
        name, text = (_utf8(unquote_to_bytes(half.replace(b"+", b" "))) for half in part.split(b"="))
        _require(name not in pairs, f"{name} twice")
        pairs[name] = text
    return pairs


def _utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Violation("not UTF-8") from None


def _typed(name: str, kind: str, text: str) -> object:
    if kind == _STRING:
        return text
    if kind == _DATE:
        _require(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", text) is not None, f"{name} {text!r}")
        datetime.fromisoformat(text)
        return text
    if kind == _INTEGER:
        _require(re.fullmatch(r"0|-?[1-9][0-9]*", text) is not None, f"{name} {text!r}")
        return int(text)
    if kind == _BOOLEAN:
        _require(text in {"true", "false"}, f"{name} {text!r}")
        return text == "true"
    return _typed_json(name, kind, text)


def _typed_json(name: str, kind: str, text: str) -> object:
    try:
        value = json.loads(text, object_pairs_hook=_without_repetition)
    except json.JSONDecodeError:
        raise Violation(f"{name} is not a JSON text") from None
    if kind == _INTEGERS:
        _require(isinstance(value, list) and all(type(item) is int for item in value), f"{name} {text}")
        return value
    members = _OBJECTS[name]
    _require(isinstance(value, dict) and value.keys() == members.keys(), f"members of {name}: {text[:80]}")
    for member, member_type in members.items():
        _require(type(value[member]) is member_type, f"{name}.{member} is {value[member]!r:.80}")
    return value


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    _require(len({name for name, _ in pairs}) == len(pairs), "a member twice")
    return dict(pairs)


def _require(met: bool, what: str) -> None:
    if not met:
        raise Violation(f"the document does not show this: {what}")


def change(record: Json, fields: Json) -> None:
    """Store fields in a record; its address follows its slug, and its modified time moves on."""
    record.update(fields)
    if fields.get("slug") or "slug" not in fields:
        record["link"] = f"http://127.0.0.1:8127/{record['slug'] or record['id']}/"
    moved = datetime.fromisoformat(record["modified"]).replace(microsecond=0)
    record["modified"] = record["modified_gmt"] = moved.replace(year=moved.year + 1).isoformat()


def new_record(number: int, kind: str) -> Json:
    """Make an empty record with every field of section 2, and no other."""
    record: Json = {
        "date": "2024-01-01T00:00:00",
        "date_gmt": "2024-01-01T00:00:00",
        "guid": {"raw": f"urn:record:{number}", "rendered": f"urn:record:{number}"},
        "id": number,
        "link": f"http://127.0.0.1:8127/{number}/",
        "modified": "2024-01-01T00:00:00",
        "modified_gmt": "2024-01-01T00:00:00",
        "slug": "",
        "status": "publish",
        "type": kind,
        "password": "",
        "permalink_template": "http://127.0.0.1:8127/%slug%/",
        "generated_slug": "",
        "class_list": [],
        "title": {"raw": "", "rendered": ""},
        "content": {"raw": "", "rendered": "", "block_version": 0, "protected": False},
        "author": 1,
        "excerpt": {"raw": "", "rendered": "", "protected": False},
        "featured_media": 0,
        "comment_status": "open",
        "ping_status": "open",
        "meta": {"footnotes": ""},
        "template": "",
    }
    if kind == "page":
        return record | {"parent": 0, "menu_order": 0}
    return record | {"format": "standard", "sticky": False, "categories": [], "tags": []}


def _error(code: str, message: str, status: int) -> Json:
    return {"code": code, "message": message, "data": {"status": status}}
