"""A service on loopback that misbehaves at the one request, or the one item of a batch, that a test names.

It must not import pressync, nor know what a fault means. What decided its shape: requests are numbered and
carried out under one lock, so that a fault strikes once, and where it was to.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from tests.hostile.port import EVERYWHERE, NOWHERE, Asked, End, Point, Received

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.hostile.port import Fault, Reply, Site

_FLOOD = b" " * 65536


@dataclass
class HostileService:
    """A site with a fault at a point. `asked` is what came; `url` is the base address."""

    site: Site
    url: str = ""
    fault: Fault | None = None
    point: Point = NOWHERE
    fired: int = 0
    received: list[Received] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)
    turn: threading.Condition = field(default_factory=threading.Condition)
    under_way: int = 0
    mistakes: list[BaseException | None] = field(default_factory=list)

    def begin(self, fault: Fault | None = None, point: Point = NOWHERE) -> None:
        """Wait until nothing is under way, forget what came, and lie in wait with a fault."""
        with self.turn:
            assert self.turn.wait_for(lambda: self.under_way == 0, timeout=30)
            assert not self.mistakes, self.mistakes
            self.fault, self.point, self.fired = fault, point, 0
            self.received.clear()
            self.asked.clear()

    def take(self, received: Received) -> tuple[Reply | None, End]:
        """Note a request and act on it; what to answer, None for nothing, and how to end."""
        with self.turn:
            number = len(self.received)
            self.received.append(received)
            whole, *items = self.site.verbs(received)
            self.asked.append(Asked(Point(number), whole))
            self.asked += [Asked(Point(number, place), verb) for place, verb in enumerate(items)]
            fault = self.fault if self.point in {Point(number), EVERYWHERE} else None
            if fault is None:
                return self.site.answer(received, lambda place, act: self._item(number, place, act)), End.KEEP
            self.fired += 1
            if fault.end == End.LATE:
                return None, End.LATE
            reply = self._mistreated(fault, lambda: self.site.answer(received, lambda _, act: act()))
            return reply, fault.end

    def act_late(self, received: Received) -> None:
        """Carry out what nobody waits for any more."""
        with self.turn:
            self.site.answer(received, lambda _, act: act())

    def _item(self, number: int, place: int, act: Callable[[], Reply]) -> Reply:
        if self.fault is None or self.point != Point(number, place):
            return act()
        self.fired += 1
        return self._mistreated(self.fault, act)

    def _mistreated(self, fault: Fault, act: Callable[[], Reply]) -> Reply:
        before = self.site.memory()
        honest = act()
        if not fault.acts:
            self.site.recall(before)
        elif fault.bends and honest.status < 300:
            honest = self.site.bent(honest, fault.bends)
        return fault.shows(honest, self.site)


@contextlib.contextmanager
def serving(site: Site) -> Iterator[HostileService]:
    """Serve a site on loopback until the block ends."""
    service = HostileService(site)

    class Bound(_Wire):
        state = service

    server = _Server(("127.0.0.1", 0), Bound)
    server.mistakes = service.mistakes
    service.url = f"http://127.0.0.1:{server.server_address[1]}/wp-json"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    mistakes: list[BaseException | None]
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        # Only closed, not shut down first: a connection that is to be reset must not end politely.
        self.close_request(request)

    def handle_error(self, *_: object) -> None:
        # A client that hangs up is no error of the service.
        error = sys.exception()
        if not isinstance(error, OSError):
            self.mistakes.append(error)


class _Wire(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state: HostileService

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        received = Received(self.command, self.path, dict(self.headers.items()), self.rfile.read(length))
        if len(received.body) < length:
            self.close_connection = True
            return
        with self._counted():
            reply, end = self.state.take(received)
            self.close_connection = end is not End.KEEP
            with contextlib.suppress(OSError):
                self._end(received, reply.spelled() if reply else b"", end)

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        with self.state.turn:
            self.state.under_way += 1
        try:
            yield
        finally:
            with self.state.turn:
                self.state.under_way -= 1
                self.state.turn.notify_all()

    def _end(self, received: Received, data: bytes, end: End) -> None:
        match end:
            case End.KEEP | End.ANSWER_AND_CLOSE:
                self.connection.sendall(data)
            case End.HALF:
                self.connection.sendall(data[:-9])
            case End.RESET:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            case End.DRIP:
                self._pour(data[:30], b"y", pause=0.005)
            case End.FLOOD:
                head = data.partition(b"\r\n\r\n")[0].replace(b"Content-Length", b"X-Length")
                self._pour(head + b"\r\n\r\n{", _FLOOD, pause=0.0)
            case End.HANG | End.LATE:
                self._wait_for_hang_up()
                if end is End.LATE:
                    self.state.act_late(received)
            case End.CLOSE:
                pass

    def _pour(self, first: bytes, more: bytes, *, pause: float) -> None:
        self.connection.sendall(first)
        while not self.state.stopping.wait(pause):
            self.connection.sendall(more)

    def _wait_for_hang_up(self) -> None:
        self.connection.settimeout(0.01)
        while not self.state.stopping.is_set():
            with contextlib.suppress(TimeoutError):
                if not self.connection.recv(1):
                    return
