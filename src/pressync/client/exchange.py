"""One request on the wire: how far it got, and when its time is up.

It must not know what is sent. What decided its shape: exceptions cannot tell a connection that was never
made from one that broke after the work was done (the chains are the same), so the connection pool itself
notes the moment before the first byte leaves; and a socket's timeout counts each read anew, so a server
that drips is stopped by shutting the socket when the whole exchange has taken too long.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from contextvars import ContextVar
from enum import Enum
from time import monotonic
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util.wait import wait_for_read

from pressync.client.response_head import WholeHead

if TYPE_CHECKING:
    from collections.abc import Iterator

    # urllib3 shows this protocol to type checkers alone.
    from urllib3._base_connection import BaseHTTPConnection

# A server closes an idle connection when it likes. If it does so just when we send, that looks as if the
# call had been lost on the way, and a create would be in doubt although nothing happened. Apache closes
# after 5 seconds and some proxies after 2, so older connections are not used again.
_IDLE_SECONDS = 1.5

# Some close at once, without the word that HTTP has for it; their goodbye is at the heels of the answer.
# So long is it waited for, until once a connection was seen to stay.
_FIN_SECONDS = 0.02

# Overdue exchanges are looked for this often within their time, and at least once a second.
_TICKS = 20


class Stage(Enum):
    """How far an exchange got."""

    WAITING = "no connection was asked for"
    CONNECTING = "a connection was asked for; no byte of the request has left"
    SENDING = "the request has begun to leave, and may be carried out"


class Exchange:
    """The exchange that this thread is making; `expired` tells that its socket was shut for lateness."""

    def __init__(self, until: float) -> None:
        self.stage = Stage.WAITING
        self.expired = False
        self._until = until
        self._socket: socket.socket | None = None

    def begin(self, connected: object) -> None:
        """Note that the request leaves now, over this socket (a replayed exchange has none)."""
        self.stage = Stage.SENDING
        if isinstance(connected, socket.socket):
            self._socket = connected

    def expire_if_overdue(self, now: float) -> None:
        """Shut the socket if the time is up; the thread that reads from it wakes with an error."""
        if self._socket is not None and now > self._until:
            self.expired = True
            # The plain socket's method: TLS would first say goodbye to a peer that does not listen.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


# The exchange of this thread; outside of `Deadlines.exchange` no pool is asked for anything.
_CURRENT: ContextVar[Exchange] = ContextVar("exchange")


class Deadlines:
    """Opens exchanges and ends the overdue ones, from one background thread for all of them."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._open: set[Exchange] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._sweeper: threading.Thread | None = None

    @contextlib.contextmanager
    def exchange(self) -> Iterator[Exchange]:
        """Make this thread's exchange known to the pools, and to the sweep until it ends."""
        exchange = Exchange(monotonic() + self._seconds)
        token = _CURRENT.set(exchange)
        with self._lock:
            self._open.add(exchange)
            if self._sweeper is None:
                self._sweeper = threading.Thread(target=self._sweep, name="deadlines", daemon=True)
                self._sweeper.start()
        try:
            yield exchange
        finally:
            # Under the lock: the sweep must not shut a socket that the next exchange already uses.
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


# When each pooled connection was last used, on this machine's monotonic clock.
_IDLE_SINCE: WeakKeyDictionary[BaseHTTPConnection, float] = WeakKeyDictionary()


class _TrackingPool(HTTPConnectionPool):
    """A pool that tells the current exchange how far it got, and drops connections that may be closed."""

    # Whether the service keeps connections, as far as we have seen. Connections that are used at the same
    # time ask about it twice at worst.
    _keeps_open = False

    def _get_conn(self, timeout: float | None = None) -> BaseHTTPConnection:
        connection = super()._get_conn(timeout)
        if connection in _IDLE_SINCE and not self._is_usable(connection):
            connection.close()
        _CURRENT.get().stage = Stage.CONNECTING
        return connection

    def _put_conn(self, conn: BaseHTTPConnection | None) -> None:
        if conn is not None:
            _IDLE_SINCE[conn] = monotonic()
        super()._put_conn(conn)

    def _is_usable(self, connection: BaseHTTPConnection) -> bool:
        """Whether a connection that was used before can be used once more, as far as anybody can know."""
        if monotonic() - _IDLE_SINCE[connection] > _IDLE_SECONDS:
            return False
        line = getattr(connection, "sock", None)
        if line is not None and not self._keeps_open:
            self._keeps_open = not wait_for_read(line, timeout=_FIN_SECONDS)
            return self._keeps_open
        return True

    def _validate_conn(self, conn: BaseHTTPConnection) -> None:
        """Connect first (and tunnel, and shake hands); then note that the request leaves."""
        super()._validate_conn(conn)
        if conn.is_closed:
            conn.connect()
        conn.response_class = WholeHead  # type: ignore[attr-defined]  # urllib3 shows less than it has
        # Until it reads, urllib3 would leave the connect timeout in force: too short for sending a large
        # body over a slow line. The deadline is limit enough.
        conn.timeout = None
        _CURRENT.get().begin(getattr(conn, "sock", None))


class TrackingPool(_TrackingPool, HTTPConnectionPool):
    """The pool for http."""


class TrackingPoolTLS(_TrackingPool, HTTPSConnectionPool):
    """The pool for https."""


POOLS: dict[str, type[HTTPConnectionPool]] = {"http": TrackingPool, "https": TrackingPoolTLS}
