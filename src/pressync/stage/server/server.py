"""Serves the application on a socket: in the foreground until a signal, or in a thread while a block runs.

Both ways share one start and one stop, so that the tests exercise the code that people run. A stop waits
until the requests that have begun are finished.
"""

from __future__ import annotations

import json
import logging
import resource
import signal
import socket
import threading
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import create_server
from waitress.task import ErrorTask, WSGITask

from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.stage.server.app import DOCUMENTED, make_app
from pressync.stage.server.rows import SERVICE
from pressync.stage.server.store import Store
from pressync.stage.server.wire import BODY_LIMIT, TOO_LARGE, HttpRefusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from _typeshed.wsgi import WSGIApplication

# The tasks of a channel, the loop and the shutdown below are attributes that waitress does not document.
# Another minor version may have others, so pyproject.toml stops behind this one.
TESTED_WAITRESS = "3.0"

# Waitress warns when it has more requests than threads, but it only answers them one after the other.
logging.getLogger("waitress.queue").setLevel(logging.ERROR)

THREADS = 8

# A stop waits this many seconds for running requests: longer than a request may wait for the database.
_PATIENCE = 60

# A half-open connection costs a descriptor and not a thread. Waitress's own limit is 100 connections. Beyond
# it, Waitress accepts nobody for up to 120 seconds.
_MOST_CONNECTIONS = 1000
_IDLE_SECONDS = 30
_CLEANING_SECONDS = 5

# The database, the log and the listening socket may need this many more descriptors.
_OTHER_FILES = 64

# Seconds between checks for idle connections. Events on a socket are handled at once.
_CHECK_SECONDS = 1.0
PORT = 8127

_ANY_HOST = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - the address for a browser if the server listens on all


@dataclass(frozen=True, slots=True)
class RunningService:
    """A service that accepts requests: `url` is its base address for clients, `site` its web address."""

    url: str
    site: str
    store: Store


@contextmanager
def running(
    database: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    address: str | None = None,
    token: str | None = None,
    previews: bool = False,
    title: str | None = None,
    structure: str | None = None,
    dialect: str = DOCUMENTED,
    moves: bool = False,
    types: SiteTypes = DOCUMENTED_TYPES,
    clock: Callable[[], float] | None = None,
    around: Callable[[WSGIApplication], WSGIApplication] | None = None,
) -> Iterator[RunningService]:
    """Serve a database from a thread while the block runs; with port 0, on any free port.

    Links begin with `address`, which is stored; None keeps the stored one, unless a site of this machine
    `moves` to the port. The `structure` of permalinks is stored too. `dialect` is
    one of DIALECTS. `token`, `previews` and `around` are as in `make_app`. Raises OSError if the port is
    taken, and UnusableDatabase if the file is not a database of pressync.
    """
    with _bound(host, port) as listening:
        shown = _ANY_HOST.get(host, host)
        shown = f"[{shown}]" if ":" in shown else shown
        site = f"http://{shown}:{listening.getsockname()[1]}"
        store = Store(
            database,
            address=address,
            title=title,
            structure=structure,
            served_at=site if moves else None,
            # In the other dialect, a request can make posts.
            with_post=dialect == DOCUMENTED,
            types=types,
            **({"clock": clock} if clock else {}),
        )
        try:
            app = make_app(store, host=host, token=token, previews=previews, dialect=dialect, around=around)
            with _answering(listening, app):
                yield RunningService(f"{site}/{SERVICE}", site, store)
        finally:
            store.close()


def serve(
    starting: AbstractContextManager[RunningService], *, ready: Callable[[RunningService], None] | None = None
) -> None:
    """Serve until SIGINT or SIGTERM what `running` gives; `ready` is called once requests are answered.

    Call this function from the main thread. It raises as `running` does.
    """
    stopped = threading.Event()
    before = {each: signal.signal(each, lambda *_: stopped.set()) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        with starting as service:
            if ready:
                ready(service)
            stopped.wait()
    finally:
        for each, action in before.items():
            signal.signal(each, action)


class _ErrorTask(ErrorTask):  # type: ignore[misc]  # waitress has no types
    """Answers in our format the requests that waitress refuses before the application sees them."""

    def execute(self) -> None:
        error = self.request.error
        if error.code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            refusal = HttpRefusal(error.code, "too_large", TOO_LARGE)
        else:
            refusal = HttpRefusal(error.code, "bad_request", f"{error.reason}: {error.body}.")
        body = json.dumps(refusal.body).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Sends a short response as one packet. Waitress sends the head alone, and wakes the client twice."""

    wrote_header: bool

    def write(self, data: bytes) -> None:
        if self.complete and self.has_body and not self.wrote_header and self.content_length == len(data):
            self.wrote_header = True
            self.content_bytes_written = len(data)
            self.channel.write_soon(self.build_response_header() + data)
        else:
            super().write(data)


class _Parser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """Refuses a request whose address is not one, or whose length a proxy may read in another way than we do.

    Waitress prints a traceback for such an address, and hangs up. The proxy would take the rest of a body of
    two lengths for a part of this request, and we would take it for another request (RFC 9112, sections 6.1
    and 6.3). Waitress takes `chunked` and ignores a Content-Length beside it.
    """

    # Waitress logs the path if the client is gone before its answer. A refused request has none.
    path = ""

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            raise ParsingError("The first line or a header is invalid") from error
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("A request with Transfer-Encoding must not have a Content-Length")
        # Waitress has taken the header out of a request of HTTP/1.1, and does not read it in an older one.
        if "TRANSFER_ENCODING" in self.headers:
            raise ParsingError("Transfer-Encoding needs HTTP/1.1")


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    parser_class = _Parser
    task_class = _Task
    error_task_class = _ErrorTask


@contextmanager
def _answering(listening: socket.socket, application: WSGIApplication) -> Iterator[None]:
    """Answer requests on the socket from a thread, and stop cleanly."""
    channels: dict[int, object] = {}
    # The limit of connections leaves room within the system's limit of descriptors.
    most, (allowed, _) = _MOST_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY:
        most = max(_OTHER_FILES, min(most, allowed - _OTHER_FILES))
    server = create_server(
        application,
        map=channels,
        sockets=[listening],
        threads=THREADS,
        ident="pressync",
        # Waitress refuses a body as long as its limit; our limit allows that length.
        max_request_body_size=BODY_LIMIT + 1,
        connection_limit=most,
        channel_timeout=_IDLE_SECONDS,
        cleanup_interval=_CLEANING_SECONDS,
    )
    server.channel_class = _Channel
    stopping = threading.Event()

    def loop() -> None:
        while not stopping.is_set():
            wasyncore.loop(timeout=_CHECK_SECONDS, use_poll=True, map=channels, count=1)

    thread = threading.Thread(target=loop, name="pressync-service", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.task_dispatcher.shutdown(timeout=_PATIENCE)
        stopping.set()
        server.pull_trigger()
        thread.join()
        # Not earlier: the loop or a request may still write to a descriptor. If it were closed by then,
        # another file could have the same number, even the database.
        wasyncore.close_all(channels)


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    """Bind a socket at the first address of the host. Raises OSError, which names a port that is taken."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as bound:
        # The port of a service that has just stopped is still in TIME_WAIT; it may be used again.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(address)
        except OSError as error:
            raise OSError(
                error.errno, f"Cannot listen on {host} port {port} ({error.strerror}); choose another port"
            ) from None
        yield bound
