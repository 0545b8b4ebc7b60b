"""A plain client for the tests: the documented encoding over http.client, and nothing clever.

It must not share code with pressync's own client, or both could be wrong together.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote_plus, urlsplit

FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value

    @property
    def text(self) -> str:
        return self.body.decode()


def encode(fields: dict[str, object]) -> bytes:
    """Write fields as section 4 shows them: objects and arrays as JSON text, booleans as words."""
    texts = {name: v if isinstance(v, str) else json.dumps(v) for name, v in fields.items()}
    return "&".join(f"{quote_plus(name)}={quote_plus(text)}" for name, text in texts.items()).encode()


def request(
    method: str, address: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> Answer:
    """Send one request to an address on its own connection."""
    parts = urlsplit(address)
    assert parts.hostname
    connection = HTTPConnection(parts.hostname, parts.port, timeout=30)
    try:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body, headers or {})
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, found, response.read())
    finally:
        connection.close()


def get(address: str) -> Answer:
    return request("GET", address)


def write(address: str, **fields: object) -> Answer:
    return request("POST", address, encode(fields), {"Content-Type": FORM})


def delete(address: str, **fields: object) -> Answer:
    """Delete, with a body only if there are fields."""
    if not fields:
        return request("DELETE", address)
    return request("DELETE", address, encode(fields), {"Content-Type": FORM})


def refusal(answer: Answer, status: int) -> tuple[str, str]:
    """Check that an answer has the shape of an error; give its code and the field it names."""
    body = answer.json
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    assert list(body) == ["code", "message", "data"]
    assert body["data"]["status"] == status
    return body["code"], body["data"].get("field", "")
