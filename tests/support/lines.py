"""Lines to test over: a transport with short patience, peers that misbehave, ports where nobody is."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from pressync.client.address import parse
from pressync.client.credentials import basic
from pressync.client.http import Transport
from pressync.client.port import HttpRequest, Limits
from pressync.model.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.client.credentials import Secret
    from pressync.client.port import HttpResponse

FORM = "application/x-www-form-urlencoded"
CREATE = HttpRequest("POST", "/wp/v2/pages", FORM, b"slug=x")
QUICK = Limits(connect=5, read=5, total=5)
PASSWORD = basic("editor", "hush")


def send(
    url: str,
    request: HttpRequest = CREATE,
    *,
    limits: Limits = QUICK,
    authorization: Secret | None = None,
    times: int = 1,
) -> list[HttpResponse]:
    transport = Transport(
        parse(url), authorization=authorization, concurrency=1, allow_http=False, limits=limits
    )
    with contextlib.closing(transport):
        return [transport.send(request) for _ in range(times)]


def failure(url: str, *, limits: Limits = QUICK, authorization: Secret | None = None) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        send(url, limits=limits, authorization=authorization)
    return caught.value


def answer(connection: socket.socket, reply: bytes) -> bytes:
    """Read a little, reply, and end this side. The first bytes that came are returned.

    The rest is read until the client has closed its side: a close with bytes unread is a reset, and a reset
    takes the reply with it. The client sends the head and the body of a request one after the other.
    """
    first = connection.recv(65536)
    connection.sendall(reply)
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(65536):
        pass
    return first


@contextlib.contextmanager
def listening(reply: bytes) -> Iterator[str]:
    """Give the host and port of a peer that reads a little, replies to each connection and closes it."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        answer(connection, reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


def closed_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"
