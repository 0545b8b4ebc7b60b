"""A site that says of itself what stock WordPress says, on loopback: just the reads, and their words."""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

EVERY_RIGHT = frozenset(
    f"{verb}_{kind}"
    for kind in ("pages", "posts")
    for verb in (
        *("edit", "edit_others", "edit_published", "publish"),
        *("delete", "delete_others", "delete_published"),
    )
)


@dataclass
class Lookalike:
    """What the site is like; `received` are the methods and paths, and whether credentials came along.

    `canned` is answered to everything instead, if it is there: the status, the headers, the JSON.
    """

    url: str = ""
    version: str = "6.8.1"
    rights: frozenset[str] = EVERY_RIGHT
    trashed: bool = False
    batch: bool = True
    filtered: bool = False
    says_link: bool = True
    namespaces: tuple[str, ...] = ("oembed/1.0", "wp/v2")
    user: str = "editor"
    password: str = "right"
    canned: tuple[int, dict[str, str], object] | None = None
    received: list[tuple[str, str, bool]] = field(default_factory=list)

    @property
    def base(self) -> str:
        """The base address of its interface."""
        return f"{self.url}/wp-json"


@contextlib.contextmanager
def serving(site: Lookalike | None = None) -> Iterator[Lookalike]:
    """Serve the site until the block ends."""
    served = site or Lookalike()

    class Bound(_Wire):
        state = served

    with ThreadingHTTPServer(("127.0.0.1", 0), Bound) as server:
        served.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


class _Wire(BaseHTTPRequestHandler):
    disable_nagle_algorithm = True
    state: Lookalike

    def do_GET(self) -> None:
        credentials = base64.b64encode(f"{self.state.user}:{self.state.password}".encode()).decode()
        known = self.headers.get("Authorization") == f"Basic {credentials}"
        self.state.received.append((self.command, self.path, "Authorization" in self.headers))
        if self.state.canned:
            status, headers, value = self.state.canned
            self._answer(status, json.dumps(value), "application/json", headers)
            return
        path, query = urlsplit(self.path).path.rstrip("/"), urlsplit(self.path).query
        if path == "":
            self._answer(200, f'<meta name="generator" content="WordPress {self.state.version}">')
            return
        status, body = _answered(self.state, path.removeprefix("/wp-json"), query, known=known)
        self._answer(status, json.dumps(body), "application/json; charset=UTF-8")

    def do_OPTIONS(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass

    def _answer(
        self, status: int, text: str, content_type: str = "text/html", headers: dict[str, str] | None = None
    ) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        link = {"Link": f'<{self.state.base}/>; rel="https://api.w.org/"'} if self.state.says_link else {}
        for name, value in (link if headers is None else headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


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
    match route:
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
            status, code = (401, "rest_not_logged_in") if "/users/" in route else (404, "rest_no_route")
            return status, {"code": code, "message": "No.", "data": {"status": status}}
