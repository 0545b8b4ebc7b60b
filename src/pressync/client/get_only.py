"""A transport that can read and nothing else, for the look at a live site during a rehearsal.

A rehearsal promises that it changes nothing on the live site. So its reader gets this transport, whose only
request is a GET without a body: a mistake in the reader raises ValueError here, and nothing leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.client.http import Transport
from pressync.client.port import LIMITS, HttpRequest
from pressync.model.interface import JSON_CONTENT_TYPE

if TYPE_CHECKING:
    from pressync.client.address import Address
    from pressync.client.credentials import Secret
    from pressync.client.port import HttpResponse, Limits


class GetOnly:
    """Reads from one origin over one connection.

    ConfigError if credentials would cross a network in the clear, unless `allow_http`.
    """

    def __init__(
        self, address: Address, *, authorization: Secret | None, allow_http: bool, limits: Limits = LIMITS
    ) -> None:
        self._transport = Transport(
            address, authorization=authorization, concurrency=1, allow_http=allow_http, limits=limits
        )

    def get(self, path: str) -> HttpResponse:
        """Make one GET. The errors are those of `Transport.send`."""
        return self._transport.send(HttpRequest("GET", path, JSON_CONTENT_TYPE, b""))

    def send(self, request: HttpRequest) -> HttpResponse:
        """Make the GET of a function that reads; ValueError for every other request."""
        if request.method != "GET" or request.body or request.override:
            raise ValueError(f"a {request.override or request.method} is not a plain GET")
        return self.get(request.path)

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()
