"""Sends a GET without credentials to an address, and tells whether stock WordPress responds.

The documented interface shows no read that would prove it. So only stock WordPress can be recognised, by the
routes in its JSON, by its Link header, or by the code with which it refuses guests. Every other service is
considered one in the documented dialect; the first write of a sync checks the dialect again. The probe never
follows a redirect.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from pressync.client.address import above_dashboard, parse
from pressync.client.dialects import DEFAULT, DIALECTS, DOCUMENTED, WORDPRESS, DialectRow
from pressync.client.port import LIMITS, Limits
from pressync.client.responses import RELATION, clean, inside, object_or_nothing
from pressync.model.errors import BadAnswer, ConfigError, NotSent
from pressync.model.interface import NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUTES = NAMESPACE[1:]
# The codes of WordPress and of its plug-ins for the interface begin so.
_OWN_CODE = "rest_"


@dataclass(frozen=True, slots=True)
class Probe:
    """The result: `asked` is the address, `wordpress` the evidence that it speaks as WordPress, or empty.

    `leads_to` is the target of a redirect, or empty. `documented` tells whether the service names the
    documented dialect among its dialects, as pressync's own service does. `lists_routes` tells that the
    response is the index of WordPress's interface itself. `is_closed` tells that WordPress shows the index to
    users alone. `server` is what the web server calls itself.
    """

    asked: str
    status: int
    wordpress: str
    leads_to: str
    documented: bool = False
    lists_routes: bool = False
    is_closed: bool = False
    server: str = ""

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
    from pressync.client.http import ReadingTransport  # noqa: PLC0415 - only a probe loads requests

    address = parse(base)
    with closing(ReadingTransport(address, limits=limits)) as transport:
        response = transport.get("/")
    location = response.headers.get("location", "")
    leads_to = location if 300 <= response.status < 400 else ""  # noqa: PLR2004 - the redirects
    index = object_or_nothing(response)
    dialects = index.get("dialects")
    documented = isinstance(dialects, list) and DOCUMENTED.name in dialects
    spaces, evidence = index.get("namespaces"), ""
    lists_routes = isinstance(spaces, list) and _ROUTES in spaces
    if lists_routes:
        evidence = f"its JSON lists the routes of WordPress ({_ROUTES})"
    elif RELATION in response.headers.get("link", ""):
        evidence = "its Link header names the interface of WordPress"
    refusal = "" if lists_routes else _refusal(response.status, index)
    evidence = f"WordPress shows its interface to users alone ({refusal})" if refusal else evidence
    return Probe(
        asked=address.join("/"),
        status=response.status,
        wordpress=evidence,
        leads_to=leads_to,
        documented=documented,
        lists_routes=lists_routes,
        is_closed=bool(refusal),
        server=response.headers.get("server", ""),
    )


def _refusal(status: int, error: object) -> str:
    """Give the code with which WordPress refuses guests; "" for any other response.

    A firewall before WordPress does not repeat the status in its body as WordPress does.
    """
    code = inside(error, "code")
    is_refused = status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
    is_own = (
        isinstance(code, str) and code.startswith(_OWN_CODE) and inside(error, "data", "status") == status
    )
    return clean(str(code), 60) if is_refused and is_own else ""


# The path of the interface on a site with permalinks.
_PATH = "/wp-json"
# WordPress has it there as well, whatever its permalinks are.
_QUERY = "?rest_route=/"


def opened(base: str, say: Callable[[str], None] = lambda _sentence: None) -> tuple[str, Probe]:
    """Probe an interface; where its path is blocked, say so, and give its other address and its probe.

    Security plug-ins and rules of web servers block `/wp-json/` by its path. WordPress has its interface at
    `?rest_route=` as well.

    :raises ServiceError: the service did not respond.
    """
    seen, path = probe(base), base.rstrip("/")
    if not (seen.lists_routes or seen.is_closed) and path.endswith(_PATH):
        other = f"{path.removesuffix(_PATH)}/{_QUERY}"
        answer = probe(other)
        if answer.lists_routes or answer.is_closed:
            say(f"something before WordPress blocks {base}; ?rest_route= is open, so that is used")
            return other, answer
    return base, seen


@dataclass(frozen=True, slots=True)
class Detected:
    """The base address, the dialect, and the evidence as sentences."""

    url: str
    dialect: str
    evidence: tuple[str, ...]


def detect(address: str) -> Detected:
    """Find the interface of a site by its address, or by that of the interface; https is the default.

    http is never tried instead, because the address that is found gets the credentials later.

    :raises ConfigError: the address is invalid.
    :raises ServiceError: no service responds there.
    """
    from pressync.client.discovery import discover  # noqa: PLC0415 - a probe does not need it

    place = above_dashboard(address if "://" in address else f"https://{address}")
    # Checked before anything is sent: these errors never repeat the address.
    parse(place)
    for row in DIALECTS.values():
        with suppress(ConfigError):
            if row.route and parse(place).of_one_site(row.route):
                note = f"{place} is the address of one site among those of a host; nothing was asked"
                return Detected(place.rstrip("/"), row.name, (note,))
    evidence: list[str] = []
    try:
        base = discover(place, tell=evidence.append)
    except NotSent as error:
        if place != address:
            error.what += " (the address does not say http or https, so https was taken)"
            error.todo = (
                f"if the site has http alone, write http://{address}; if not, {error.todo or 'try again'}"
            )
        raise
    except BadAnswer:
        base = place.rstrip("/")
        evidence.append(
            f"{base} does not name an interface as WordPress does, so it is considered the interface"
        )
    else:
        evidence.append(f"{place} says that its interface is {base}")
    base, seen = opened(base, evidence.append)
    if not seen.wordpress:
        base, seen = _unnamed(base, seen, evidence.append)
    asked = f"GET {seen.asked}: {seen.status}"
    if seen.wordpress:
        return Detected(base, WORDPRESS.name, (*evidence, f"{asked}; {seen.wordpress}"))
    return Detected(base, DEFAULT.name, (*evidence, f"{asked}; no sign of stock WordPress"))


def _unnamed(base: str, seen: Probe, say: Callable[[str], None]) -> tuple[str, Probe]:
    """Look for WordPress at the usual places below an address: some plug-ins take its name from the pages.

    Most of them show the interface to users alone as well.
    """
    for place in (f"{base}{_PATH}", f"{base}/{_QUERY}") if not parse(base).query else ():
        answer = probe(place)
        if answer.wordpress:
            say(f"{place} is the interface of WordPress")
            return place, answer
    return base, seen
