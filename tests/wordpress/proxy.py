"""A line that breaks when a test wants it to: it passes requests on to a site, notes them, and cuts."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from dataclasses import dataclass, field
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# What belongs to one line and is not passed on to the next.
_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})

_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Cut(Enum):
    """Where the line breaks; seen from the client, all look alike."""

    BEFORE = auto()  # the site never hears of the request
    AT_WORK = auto()  # the site has the request, and nobody waits for its answer
    ANSWERED = auto()  # the site's answer is lost whole
    HALF = auto()  # half of the answer arrives


@dataclass(frozen=True)
class Passed:
    """A request that came by: `number` counts the writes, from 1; reads have 0."""

    method: str
    path: str
    number: int
    body: bytes = field(repr=False)

    @property
    def is_write(self) -> bool:
        """Whether it asks the site to change anything."""
        return self.method in _WRITES


@dataclass
class Line:
    """A running proxy: what came by, and the test's word on what to cut.

    With `moved_to`, every request is sent on to that site instead of being passed on.
    """

    site: str
    url: str
    passed: list[Passed] = field(default_factory=list)
    cut: Callable[[Passed], Cut | None] = lambda _passed: None
    moved_to: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def writes(self) -> list[Passed]:
        """The requests that asked the site to change anything."""
        return [one for one in self.passed if one.is_write]

    def note(self, method: str, path: str, body: bytes) -> Passed:
        """Add a request to those that came by."""
        with self.lock:
            number = len(self.writes) + 1 if method in _WRITES else 0
            passed = Passed(method, path, number, body)
            self.passed.append(passed)
            return passed


@contextlib.contextmanager
def line_to(site: str) -> Iterator[Line]:
    """Run a proxy to the site at this address, on a free port of this machine."""

    class Handler(_Handler):
        pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Handler.line = Line(site, f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield Handler.line
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    line: Line
    protocol_version = "HTTP/1.1"
    # An answer's head and body go in two writes; the second must not wait for word of the first.
    disable_nagle_algorithm = True

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        cut = self.line.cut(self.line.note(self.command, self.path, body))
        if cut is Cut.BEFORE:
            return self._hang_up()
        if self.line.moved_to:
            return self._answer(301, [("Location", self.line.moved_to + self.path)], b"")
        parts = urlsplit(self.line.site)
        upstream = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
        with contextlib.closing(upstream):
            upstream.request(self.command, self.path, body, {**headers, "Content-Length": str(len(body))})
            if cut is Cut.AT_WORK:
                return self._hang_up()
            answer = upstream.getresponse()
            text = answer.read()
        if cut is Cut.ANSWERED:
            return self._hang_up()
        self._answer(answer.status, answer.getheaders(), text, half=cut is Cut.HALF)
        return self._hang_up() if cut is Cut.HALF else None

    def _answer(
        self, status: int, headers: list[tuple[str, str]], text: bytes, *, half: bool = False
    ) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text[: len(text) // 2] if half else text)

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = _pass_on  # noqa: N815 - http.server's names

    def _hang_up(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: Any) -> None:  # noqa: ANN401 - http.server's signature
        """Say nothing: the tests tell what they need to."""
