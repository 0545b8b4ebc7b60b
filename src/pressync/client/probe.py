"""What an address shows of itself to one GET without credentials: that it answers, and whether as WordPress.

It must not write, follow a redirect or judge. What decided its shape: the documented interface shows no
read that would prove it, so only stock WordPress can be recognised, by what it says of itself.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.client.address import parse
from pressync.client.port import HttpRequest
from pressync.client.responses import json_object
from pressync.model.errors import BadAnswer
from pressync.model.interface import JSON_CONTENT_TYPE

if TYPE_CHECKING:
    from pressync.client.port import HttpResponse

# The relation of the Link header with which WordPress names its interface.
_RELATION = "https://api.w.org/"
_ROUTES = "wp/v2"


@dataclass(frozen=True, slots=True)
class Probe:
    """What came back: `asked` is the address, `wordpress` says how it shows itself, "" if it does not.

    `leads_to` is where a redirect leads, "" if there is none.
    """

    asked: str
    status: int
    wordpress: str
    leads_to: str


def probe(base: str) -> Probe:
    """Ask for a base address once.

    :raises ConfigError: it is no address.
    :raises NotSent: nothing listens there, or NoAnswer: it did not answer.
    """
    from pressync.client.http import Transport  # noqa: PLC0415 - only who asks pays for requests

    address = parse(base)
    with closing(Transport(address, authorization=None, concurrency=1, allow_http=True)) as transport:
        response = transport.send(HttpRequest("GET", "/", JSON_CONTENT_TYPE, b""))
    location = response.headers.get("location", "")
    leads_to = location if 300 <= response.status < 400 else ""  # noqa: PLR2004 - the redirects
    return Probe(address.join("/"), response.status, _wordpress(response), leads_to)


def _wordpress(response: HttpResponse) -> str:
    try:
        spaces = json_object(response).get("namespaces")
    except BadAnswer:
        spaces = None
    if isinstance(spaces, list) and _ROUTES in spaces:
        return f"its JSON lists the routes of WordPress ({_ROUTES})"
    if _RELATION in response.headers.get("link", ""):
        return "its Link header names the interface of WordPress"
    return ""
