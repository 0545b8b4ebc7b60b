"""A line that breaks when a test wants it to: it passes requests on to a site, notes them, and cuts."""

from __future__ import annotations

import contextlib
import http.client
import socket
import sys
import threading
from dataclasses import dataclass, field
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import subprocess
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
    at_work: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)
    changed: threading.Condition = field(init=False)

    def __post_init__(self) -> None:
        self.changed = threading.Condition(self.lock)

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
            self.at_work += 1
            self.changed.notify_all()
            return passed

    def ended(self) -> None:
        """Note that the site has nothing more to do with a request that came by."""
        with self.lock:
            self.at_work -= 1
            self.changed.notify_all()

    def wait_for(self, count: int, client: subprocess.Popen[Any]) -> None:
        """Wait until so many requests came by, or until the process that should make them has ended."""
        with self.changed:
            while len(self.passed) < count and client.poll() is None:
                self.changed.wait(timeout=0.05)

    def wait_until_idle(self) -> None:
        """Wait until the site has answered all that was passed on and not given up."""
        with self.changed:
            assert self.changed.wait_for(lambda: not self.at_work, timeout=60)


@contextlib.contextmanager
def line_to(site: str) -> Iterator[Line]:
    """Run a proxy to the site at this address, on a free port of this machine."""

    class Handler(_Handler):
        pass

    with _Server(("127.0.0.1", 0), Handler) as server:
        Handler.line = Line(site, f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield Handler.line
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: Any) -> None:  # noqa: ANN401 - http.server's signature
        # A client that was killed is no error of the line.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    line: Line
    protocol_version = "HTTP/1.1"
    # An answer's head and body go in two writes; the second must not wait for word of the first.
    disable_nagle_algorithm = True

    def _pass_on(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) < length:
            # The client died while it was sending: that is no request.
            return self._hang_up()
        # A list that is longer than a URL may be is asked for so.
        method = self.headers.get("X-HTTP-Method-Override") or self.command
        passed = self.line.note(method, self.path, body)
        try:
            return self._passed_on(passed)
        finally:
            self.line.ended()

    def _passed_on(self, passed: Passed) -> None:
        cut, body = self.line.cut(passed), passed.body
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
