"""Sends one GET without credentials to an address, and tells whether stock WordPress responds.

The documented interface shows no read that would prove it. So only stock WordPress can be recognised, by
the routes in its JSON or by its Link header. The probe never follows a redirect.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.client.address import parse
from pressync.client.dialects import DOCUMENTED, WORDPRESS
from pressync.client.port import LIMITS, HttpRequest
from pressync.client.responses import object_or_nothing
from pressync.model.interface import JSON_CONTENT_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.client.dialects import DialectRow
    from pressync.client.port import HttpResponse, Limits

# The relation of the Link header with which WordPress names its interface.
RELATION = "https://api.w.org/"
_ROUTES = "wp/v2"


@dataclass(frozen=True, slots=True)
class Probe:
    """The result: `asked` is the address, `wordpress` the evidence that it speaks as WordPress, or empty.

    `leads_to` is the target of a redirect, or empty. `documented` tells whether the service names the
    documented dialect among its dialects, as pressync's own service does.
    """

    asked: str
    status: int
    wordpress: str
    leads_to: str
    documented: bool = False

    @property
    def shown(self) -> DialectRow | None:
        """The one dialect that the service is known to speak; None if it shows none, or if it speaks both."""
        return WORDPRESS if self.wordpress and not self.documented else None


def probe(base: str, limits: Limits = LIMITS) -> Probe:
    """Request a base address once.

    :raises ConfigError: the address is invalid.
    :raises NotSent: nothing listens there.
    :raises NoAnswer: the service did not respond.
    """
    from pressync.client.http import Transport  # noqa: PLC0415 - only a probe loads requests

    address = parse(base)
    opened = Transport(address, authorization=None, concurrency=1, allow_http=True, limits=limits)
    with closing(opened) as transport:
        response = transport.send(HttpRequest("GET", "/", JSON_CONTENT_TYPE, b""))
    location = response.headers.get("location", "")
    leads_to = location if 300 <= response.status < 400 else ""  # noqa: PLR2004 - the redirects
    index = object_or_nothing(response)
    dialects = index.get("dialects")
    documented = isinstance(dialects, list) and DOCUMENTED.name in dialects
    return Probe(address.join("/"), response.status, _wordpress(response, index), leads_to, documented)


def _wordpress(response: HttpResponse, index: Mapping[str, object]) -> str:
    spaces = index.get("namespaces")
    if isinstance(spaces, list) and _ROUTES in spaces:
        return f"its JSON lists the routes of WordPress ({_ROUTES})"
    if RELATION in response.headers.get("link", ""):
        return "its Link header names the interface of WordPress"
    return ""
