"""A site that says of itself what stock WordPress says, on loopback: just the reads, and their words."""

from __future__ import annotations

import base64
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import unquote, urlsplit

from tests.support.wire import End, FarSide, Reply, listening

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.wire import Received

EVERY_RIGHT = frozenset(
    f"{verb}_{kind}"
    for kind in ("pages", "posts")
    for verb in (
        *("edit", "edit_others", "edit_published", "publish"),
        *("delete", "delete_others", "delete_published"),
    )
)


_ROUTE = "rest_route="


@dataclass
class Lookalike(FarSide):
    """What the site is like.

    `canned` is answered to everything instead, if it is there: the status, the headers, the JSON.
    """

    prefix: ClassVar[str] = ""

    version: str = "6.8.1"
    rights: frozenset[str] = EVERY_RIGHT
    trashed: bool = False
    batch: bool = True
    filtered: bool = False
    says_link: bool = True
    # A firewall refuses the path of the interface, and not the query behind which it is, too.
    blocked: bool = False
    # The code with which a plug-in refuses guests everything of the interface.
    closed: str = ""
    server: str = ""
    namespaces: tuple[str, ...] = ("oembed/1.0", "wp/v2")
    user: str = "editor"
    password: str = "right"
    canned: tuple[int, dict[str, str], object] | None = None

    @property
    def base(self) -> str:
        """The base address of its interface."""
        return f"{self.url}/wp-json"

    @property
    def asked(self) -> list[tuple[str, str, bool]]:
        """What came: methods and paths, and whether credentials came along."""
        return [(one.method, one.path, "Authorization" in one.headers) for one in self.received]

    def take(self, received: Received) -> tuple[bytes, End]:
        """Answer one request."""
        return self._answered(received).spelled(), End.KEEP

    def _answered(self, received: Received) -> Reply:
        if self.canned:
            status, headers, value = self.canned
            return Reply(status, value, tuple(headers.items()), content_type="application/json")
        link: tuple[tuple[str, str], ...] = (
            (("Link", f'<{self.base}/>; rel="https://api.w.org/"'),) if self.says_link else ()
        )
        link += (("Server", self.server),) if self.server else ()
        credentials = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        known = received.headers.get("Authorization") == f"Basic {credentials}"
        path, query = urlsplit(received.path).path.rstrip("/"), urlsplit(received.path).query
        if query.startswith(_ROUTE) and path in {"", "/index.php"}:
            route = unquote(query.removeprefix(_ROUTE)).partition("&")[0].rstrip("/")
            return Reply(*_answered(self, route, query, known=known), link)
        if path.startswith("/wp-json") and self.blocked:
            return Reply(403, None, (), b"<title>Blocked</title>", "text/html")
        if path == "":
            front = f'<meta name="generator" content="WordPress {self.version}">'
            return Reply(200, None, link, front.encode(), "text/html")
        if not path.startswith("/wp-json"):
            return Reply(404, None, link, b"<title>Page not found</title>", "text/html; charset=UTF-8")
        return Reply(*_answered(self, path.removeprefix("/wp-json"), query, known=known), link)


@contextlib.contextmanager
def serving(site: Lookalike | None = None) -> Iterator[Lookalike]:
    """Serve the site until the block ends."""
    served = site or Lookalike()
    with listening(served):
        yield served


def _root(site: Lookalike) -> dict[str, object]:
    return {
        "name": "Lookalike",
        "home": site.url,
        "gmt_offset": 1,
        "timezone_string": "Europe/Berlin",
        "namespaces": list(site.namespaces),
        "authentication": {"application-passwords": {}},
    }


def _answered(site: Lookalike, route: str, query: str, *, known: bool) -> tuple[int, object]:
    """Answer a route; `known` tells whether the right credentials came along."""
    is_closed = bool(site.closed) and not known
    match None if is_closed else route:
        case "":
            return 200, _root(site)
        case "/wp/v2/users/me" if known:
            rights = dict.fromkeys(site.rights, True)
            return 200, {"id": 2, "name": "Ada", "slug": "ada", "roles": ["editor"], "capabilities": rights}
        case "/wp/v2/pages" | "/wp/v2/posts" if "status=trash" in query:
            return 200, [{"id": 3}] if site.trashed else []
        case "/wp/v2/pages" | "/wp/v2/posts":
            return 200, [{"id": 3, "_links": {} if site.filtered else {"wp:action-unfiltered-html": []}}]
        case "/batch/v1" if site.batch:
            return 200, {"endpoints": [{"args": {"requests": {"maxItems": 25}}}]}
        case _:
            unknown = (401, "rest_not_logged_in") if "/users/" in route else (404, "rest_no_route")
            status, code = (401, site.closed) if is_closed else unknown
            return status, {"code": code, "message": "No.", "data": {"status": status}}
