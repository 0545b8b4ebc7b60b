"""A server for tests on loopback: connections, requests, bytes of responses, and ends of connections.

It imports nothing of pressync, and does not interpret requests. A `FarSide` takes one request at a time,
under its lock, and says which bytes to send and how the connection ends.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import sys
import threading
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Json = dict[str, Any]

PREFIX = "/wp-json"

_FLOOD = b" " * 65536


class End(StrEnum):
    """How a connection ends after the bytes of a response."""

    KEEP = "keep"  # for the next request
    CLOSE = "close"
    RESET = "reset"
    HANG = "hang"  # silence until the client hangs up
    DRIP = "drip"  # the last byte for ever, slowly
    FLOOD = "flood"  # blanks for ever, fast


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """One response: a JSON value, or `raw` bytes in its place."""

    status: int
    value: Any
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes | None = None
    content_type: str = "application/json; charset=UTF-8"

    @property
    def body(self) -> bytes:
        """The body in bytes."""
        return json.dumps(self.value).encode() if self.raw is None else self.raw

    def spelled(self) -> bytes:
        """Give the whole response in one piece; a second one would wait for an acknowledgement."""
        lines = [f"HTTP/1.1 {self.status} Whatever", f"Content-Type: {self.content_type}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        lines += [] if self.status == 204 else [f"Content-Length: {len(self.body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


@dataclass
class FarSide:
    """The requests that came; `url` is the base address, `mistakes` are the errors of the server itself."""

    # The path of its base address.
    prefix: ClassVar[str] = PREFIX

    url: str = ""
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    connected: int = 0
    under_way: int = 0
    mistakes: list[BaseException | None] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)
    lock: threading.RLock = field(default_factory=threading.RLock)
    changed: threading.Condition = field(init=False)

    def __post_init__(self) -> None:
        self.changed = threading.Condition(self.lock)

    def take(self, received: Received) -> tuple[bytes, End]:
        """Act on a request: give the bytes to send and how the connection ends. The caller has the lock."""
        raise NotImplementedError

    def hung_up(self, received: Received) -> None:
        """Learn that the client hung up while it waited for a response; the caller holds the lock."""

    def wait_until_idle(self) -> None:
        """Wait until every client has hung up; then every request that was sent is carried out."""
        with self.changed:
            assert self.changed.wait_for(lambda: not self.connected, timeout=30)
            assert not self.mistakes, self.mistakes

    def wait_until_answered(self) -> None:
        """Wait until all requests have a response; connections may stay open."""
        with self.changed:
            assert self.changed.wait_for(lambda: not self.under_way, timeout=30)
            assert not self.mistakes, self.mistakes

    def wait_for_requests(self, count: int, has_ended: Callable[[], bool]) -> None:
        """Wait until this many requests have come, or until the client has ended."""
        with self.changed:
            while len(self.received) < count and not has_ended():
                self.changed.wait(timeout=0.05)


@contextlib.contextmanager
def listening(far_side: FarSide, port: int = 0) -> Iterator[None]:
    """Put a far side on loopback, and its address into it; a mistake of its own fails whoever listened."""

    class Bound(_Wire):
        state = far_side

    server = _Server(("127.0.0.1", port), Bound)
    server.mistakes = far_side.mistakes
    far_side.url = f"http://127.0.0.1:{server.server_address[1]}{far_side.prefix}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        far_side.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()
    assert not far_side.mistakes, far_side.mistakes


class _Server(ThreadingHTTPServer):
    mistakes: list[BaseException | None]
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        # Only closed, not shut down first: a connection that is to be reset must not end politely.
        self.close_request(request)

    def handle_error(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        # A client that hangs up, as the tests' do when they lose patience, is no error of the service.
        error = sys.exception()
        if not isinstance(error, OSError):
            self.mistakes.append(error)
            super().handle_error(request, client_address)


class _Wire(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state: FarSide

    def setup(self) -> None:
        super().setup()
        with self.state.lock:
            self.state.connections += 1
            self.state.connected += 1

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        received = Received(self.command, self.path, dict(self.headers.items()), self.rfile.read(length))
        if len(received.body) < length:
            # The client died while it was sending: that is no request.
            self.close_connection = True
            return
        with self._counted():
            with self.state.lock:
                self.state.received.append(received)
                self.state.changed.notify_all()
                data, end = self.state.take(received)
            self.close_connection = end is not End.KEEP
            with contextlib.suppress(OSError):
                self._end(received, data, end)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET  # noqa: N815 - the library's names

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()
        with self.state.lock:
            self.state.connected -= 1
            self.state.changed.notify_all()

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        with self.state.lock:
            self.state.under_way += 1
        try:
            yield
        finally:
            with self.state.lock:
                self.state.under_way -= 1
                self.state.changed.notify_all()

    def _end(self, received: Received, data: bytes, end: End) -> None:
        self.connection.sendall(data)
        match end:
            case End.KEEP | End.CLOSE:
                pass
            case End.RESET:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            case End.DRIP:
                self._pour(data[-1:], pause=0.005)
            case End.FLOOD:
                self._pour(_FLOOD, pause=0.0)
            case End.HANG:
                self._wait_for_hang_up()
                with self.state.lock:
                    self.state.hung_up(received)

    def _pour(self, more: bytes, *, pause: float) -> None:
        while not self.state.stopping.wait(pause):
            self.connection.sendall(more)

    def _wait_for_hang_up(self) -> None:
        self.connection.settimeout(0.01)
        while not self.state.stopping.is_set():
            try:
                if not self.connection.recv(1):
                    return
            except TimeoutError:
                continue
            except ConnectionError:
                return
