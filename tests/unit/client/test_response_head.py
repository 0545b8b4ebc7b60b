"""A response that is cut inside its head is an error, wherever the cut is."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING

import pytest
from tests.support.lines import QUICK, answer, failure, listening, send
from tests.support.syncing import IMPATIENT

from pressync.client.address import parse
from pressync.client.http import Transport
from pressync.client.retry import Retry, retrying
from pressync.client.wordpress import WordPressService
from pressync.model.errors import NoAnswer
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Served-By: web-1\r\n\r\n[]"
HEAD = WHOLE.index(b"\r\n\r\n") + 4


@contextlib.contextmanager
def replying(replies: Sequence[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """Give the address of a peer that sends one of these to each connection, and what it received."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                for reply in replies:
                    connection, _ = server.accept()
                    with connection:
                        received.append(answer(connection, reply))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/wp-json", received
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.mark.parametrize("end", range(HEAD), ids=lambda end: repr(WHOLE[max(0, end - 8) : end])[2:-1])
def test_a_head_that_is_cut_anywhere_is_no_response_and_the_url_is_not_blamed(end: int) -> None:
    with listening(WHOLE[:end]) as host:
        error = failure(f"http://{host}/wp-json")
    assert isinstance(error, NoAnswer)
    assert "broke before the response was complete" in str(error)
    assert "url" not in str(error)


def test_early_hints_before_the_response_are_skipped() -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
    with listening(hints + b"HTTP/1.1 102 Processing\r\n\r\n" + WHOLE) as host:
        [got] = send(f"http://{host}/wp-json")
    assert (got.status, got.body) == (200, b"[]")
    assert "link" not in got.headers


def test_a_whole_head_is_read_as_it_is() -> None:
    with listening(WHOLE) as host:
        [got] = send(f"http://{host}/wp-json")
    assert (got.status, got.headers["x-served-by"], got.body) == (200, "web-1", b"[]")


def test_a_response_without_a_body_is_complete() -> None:
    with listening(b"HTTP/1.1 204 No Content\r\n\r\n") as host:
        assert send(f"http://{host}/wp-json")[0].status == 204


def test_a_read_whose_response_is_cut_inside_its_head_is_repeated() -> None:
    with replying([WHOLE[: HEAD - 20], WHOLE, WHOLE, WHOLE]) as (url, received):
        transport = Transport(parse(url), authorization=None, concurrency=1, allow_http=False, limits=QUICK)
        told: list[str] = []
        reads = retrying(WordPressService(transport), Retry(IMPATIENT, lambda _seconds: False, told.append))
        with contextlib.closing(transport):
            assert reads.find(Kind.PAGE, slug="a", parent=None) == []
    assert len(told) == 1
    assert received[0] == received[1]
