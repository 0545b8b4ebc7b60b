"""Finds the base address of a site's interface from the site's own address, and the version of WordPress.

WordPress names the address of its interface in a header and in the page itself, so no path is guessed here.
The requests have no credentials, because their receiver is only known when the interface is found.
"""

from __future__ import annotations

import contextlib
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from pressync.client.address import above_dashboard, parse
from pressync.client.responses import RELATION, clean
from pressync.model.errors import BadAnswer, ConfigError, ServiceError
from pressync.model.web_address import from_root, joined, origin_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.client.port import HttpResponse

_REDIRECTS = 3

# An element of a Link header (RFC 8288): the address, and the parameters up to the next element.
_LINK = re.compile(r"<([^<>]*)>([^<]*)")

# The version in the `generator` of the front page, and in that of the feed.
_VERSION = re.compile(
    r"(?:WordPress |wordpress\.org/\?v=)(\d{1,4}(?:\.\d{1,4})*(?![\d.])[\w.-]{0,40})", re.ASCII
)

# The head of a page or a feed is shorter than this. After it, a version would be part of an article.
_HEAD = 200_000


def discover(site: str, *, tell: Callable[[str], None]) -> str:
    """Find the base address of the interface of the site at this address.

    Up to three redirects are followed. `tell` gets a sentence for each redirect and for an interface on
    another host, because the credentials will go there. BadAnswer if the page names no interface,
    ConfigError if an address cannot be used.
    """
    place, response = _front_page(above_dashboard(site), tell)
    interface = _from_header(response.headers.get("link", "")) or _PageHead.of(response).interface
    if interface is None:
        raise BadAnswer(
            "the page at this address does not name the address of its interface, as WordPress does",
            todo="check the address; if the site hides it, set `url` to its address followed by /wp-json",
        )
    base = _joined(place, interface)
    address = parse(base)
    if address.origin != origin_of(place):
        tell(f"the site's interface is on another host: {_shown(base)}")
    return base if address.query else base.rstrip("/")


def version(site: str) -> str | None:
    """Give the version of WordPress that the site's front page or its feed names; None if neither does."""
    home = site.rstrip("/")
    # Nothing depends on the version, so an error only means that it is unknown.
    with contextlib.suppress(ServiceError, ConfigError):
        for generator in _PageHead.of(_fetched(f"{home}/")).generators:
            if match := _VERSION.search(generator):
                return match[1]
        if match := _VERSION.search(_text(_fetched(f"{home}/feed/"))):
            return match[1]
    return None


def _front_page(site: str, tell: Callable[[str], None]) -> tuple[str, HttpResponse]:
    place = site
    for _ in range(_REDIRECTS + 1):
        response = _fetched(place)
        location = response.headers.get("location")
        if not 300 <= response.status < 400 or location is None:  # noqa: PLR2004 - the redirects
            return place, response
        onward = _joined(place, location)
        if place.startswith("https:") and not onward.startswith("https:"):
            raise BadAnswer(f"the site redirects from https to {_shown(onward)}", todo=_FINAL)
        tell(f"the site redirects to {_shown(onward)}")
        place = onward
    raise BadAnswer(f"the site redirects more than {_REDIRECTS} times", todo=_FINAL)


_FINAL = "give the site's final address"


def _fetched(url: str) -> HttpResponse:
    from pressync.client.http import ReadingTransport  # noqa: PLC0415 - a plan must not load requests

    path = from_root(url) or "/"
    with contextlib.closing(ReadingTransport(parse(origin_of(url) or url))) as site:
        return site.get(path)


def _joined(place: str, target: str) -> str:
    """Resolve an address that a site gave; BadAnswer if it is malformed."""
    whole = joined(place, target)
    if whole is None:
        raise BadAnswer("the site redirects to a malformed address", todo=_FINAL)
    return whole


def _shown(url: str) -> str:
    return clean(shown(url) or "")


def _text(response: HttpResponse) -> str:
    return response.body[:_HEAD].decode("utf-8", "replace")


def _from_header(text: str) -> str | None:
    """Find the interface in a Link header, which may have other links before and after it."""
    for address, parameters in _LINK.findall(text):
        if re.search(rf'rel="?{re.escape(RELATION)}"?(?:[;,\s]|$)', parameters):
            return str(address)
    return None


class _PageHead(HTMLParser):
    """The head of a page: the address of the interface, and the generators of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.interface: str | None = None
        self.generators: list[str] = []

    @classmethod
    def of(cls, response: HttpResponse) -> _PageHead:
        """Read the page of a response."""
        head = cls()
        # The parser raises AssertionError for a malformed declaration; the elements before it still count.
        with contextlib.suppress(AssertionError):
            head.feed(_text(response))
        return head

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read the link to the interface, and the generators."""
        members = dict(attrs)
        if tag == "link" and members.get("rel") == RELATION and self.interface is None:
            self.interface = members.get("href")
        if tag == "meta" and members.get("name") == "generator":
            self.generators.append(members.get("content") or "")
