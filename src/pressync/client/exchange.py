"""One exchange on the wire: the stage that it reached, its deadline, and the whole head of its response.

A connection that was never made and one that broke after the work was done raise the same chain of
exceptions. So our connections record the moment before the first byte leaves. The timeout of a socket begins
anew with each read, so a background thread shuts the socket when the whole exchange takes too long.

`http.client` takes the end of the connection for the end of the head. So a response that was cut there looks
like a complete response without a body. Our connections make it an error.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from contextvars import ContextVar
from enum import Enum
from time import monotonic
from typing import TYPE_CHECKING, Any

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util.wait import wait_for_read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from urllib3.response import BaseHTTPResponse, HTTPResponse


# 101 is the answer to a wish that we never have.
_ANNOUNCING = range(102, 200)

# A server may close an idle connection at any time. If it does so just when we send, the response seems
# lost, and a create becomes unconfirmed although nothing happened. Apache closes after 5 seconds and some
# proxies after 2, so a connection is not used again after this time.
_IDLE_SECONDS = 1.5

# Some servers close the connection right after the response without sending `Connection: close`. Until we
# have seen one connection stay open, we wait this long for the FIN before we use a connection again.
_FIN_SECONDS = 0.02

# The thread looks for overdue exchanges this often within their time, and at least once a second.
_TICKS = 20


class CutHead(http.client.HTTPException):
    """The connection ended before the blank line that ends a response's head."""


class WholeHead(http.client.HTTPResponse):
    """A response that reads its head up to the blank line, or raises `CutHead`."""

    def begin(self) -> None:
        """Read the status line and the headers; skip responses such as 103, which announce the real one."""
        stream = self.fp
        watched = _Watched(stream)
        self.fp = watched  # type: ignore[assignment]  # the head is read line by line
        try:
            super().begin()
            # `http.client` skips 100 alone, and RFC 9110, 15.2, has a client skip every 1xx.
            while self.status in _ANNOUNCING:
                self.headers = None  # type: ignore[assignment]  # so `begin` reads the next head
                super().begin()
        finally:
            # `http.client` closes the stream where it cannot read the status line.
            if self.fp is not None:
                self.fp = stream
        if not watched.last.endswith(b"\n"):
            raise CutHead("the head of the response is cut off")


class _Watched:
    """The stream of a response; it remembers the last line that was read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.last = b""

    def readline(self, limit: int = -1, /) -> bytes:
        self.last = self._stream.readline(limit)
        return self.last

    def close(self) -> None:
        self._stream.close()

    def flush(self) -> None:
        self._stream.flush()


class Stage(Enum):
    """The stage that an exchange has reached."""

    WAITING = "no connection was asked for"
    CONNECTING = "a connection was asked for; no byte of the request has left"
    SENDING = "the request has begun to leave, and may be carried out"


class Exchange:
    """The exchange of one thread; `expired` tells that its socket was shut at the deadline."""

    def __init__(self, until: float, service: Deadlines) -> None:
        self.service = service
        self.stage = Stage.WAITING
        self.expired = False
        self._until = until
        self._socket: socket.socket | None = None

    def begin(self, connected: object) -> None:
        """Record that the request leaves now over this socket; a replayed exchange has none."""
        self.stage = Stage.SENDING
        if isinstance(connected, socket.socket):
            self._socket = connected

    def expire_if_overdue(self, now: float) -> None:
        """Shut the socket after the deadline; the thread that reads from it wakes with an error."""
        if self._socket is not None and now > self._until:
            self.expired = True
            # The plain socket's method: TLS would first send an alert to a peer that does not read.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


# The exchange of this thread. The pools are used only inside of `Deadlines.exchange`.
_CURRENT: ContextVar[Exchange] = ContextVar("exchange")


class Deadlines:
    """Opens exchanges; one background thread ends those that are overdue."""

    def __init__(self, seconds: float) -> None:
        # True once we have seen the service keep a connection open. Two threads may find that out at the
        # same time, which does no harm.
        self.keeps_connections = False
        self._seconds = seconds
        self._open: set[Exchange] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._sweeper: threading.Thread | None = None

    @contextlib.contextmanager
    def exchange(self) -> Iterator[Exchange]:
        """Make this thread's exchange known to the pools and to the background thread until it ends."""
        exchange = Exchange(monotonic() + self._seconds, self)
        token = _CURRENT.set(exchange)
        with self._lock:
            self._open.add(exchange)
            if self._sweeper is None:
                self._sweeper = threading.Thread(target=self._sweep, name="deadlines", daemon=True)
                self._sweeper.start()
        try:
            yield exchange
        finally:
            # Under the lock: the background thread must not shut a socket that the next exchange uses.
            with self._lock:
                self._open.discard(exchange)
            _CURRENT.reset(token)

    def close(self) -> None:
        """End the background thread."""
        self._closed.set()

    def _sweep(self) -> None:
        while not self._closed.wait(min(1.0, self._seconds / _TICKS)):
            now = monotonic()
            with self._lock:
                for exchange in self._open:
                    exchange.expire_if_overdue(now)


class _TrackingConnection(HTTPConnection):
    """Sets the stage of the current exchange, and counts as closed where the service may have closed it."""

    response_class = WholeHead
    _last_used: float | None = None

    @property
    def is_connected(self) -> bool:
        """Whether the pool may use this connection again: it replaces those that are closed."""
        is_open = super().is_connected
        if not is_open or self._last_used is None:
            return is_open
        if monotonic() - self._last_used > _IDLE_SECONDS:
            return False
        service = _CURRENT.get().service
        if self.sock is not None and not service.keeps_connections:
            service.keeps_connections = not wait_for_read(self.sock, timeout=_FIN_SECONDS)
            return service.keeps_connections
        return True

    def request(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - urllib3's own
        """Connect first (tunnel and TLS were made before); then record that the request leaves."""
        if self.is_closed:
            self.connect()
        # Until urllib3 reads, it leaves the connect timeout in force. That is too short for sending a large
        # body over a slow line. The deadline limits the sending.
        self.timeout = None
        _CURRENT.get().begin(self.sock)
        super().request(*arguments, **options)

    def getresponse(self) -> HTTPResponse:  # type: ignore[override] # as urllib3 has it
        """Record when the connection was last used; a body that takes long counts from its head."""
        response = super().getresponse()
        self._last_used = monotonic()
        return response


class _TrackingConnectionTLS(_TrackingConnection, HTTPSConnection):
    """The same over TLS."""


class TrackingPool(HTTPConnectionPool):
    """The pool for http."""

    ConnectionCls = _TrackingConnection

    def urlopen(self, *arguments: Any, **options: Any) -> BaseHTTPResponse:  # noqa: ANN401 - urllib3's own
        """Record that a connection is wanted: until its request leaves, nothing was sent."""
        _CURRENT.get().stage = Stage.CONNECTING
        return super().urlopen(*arguments, **options)


class TrackingPoolTLS(TrackingPool, HTTPSConnectionPool):
    """The pool for https."""

    ConnectionCls = _TrackingConnectionTLS


POOLS: dict[str, type[HTTPConnectionPool]] = {"http": TrackingPool, "https": TrackingPoolTLS}
