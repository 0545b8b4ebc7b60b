"""Whatever happens on the line, the error says what it may have done; a head that is cut is an error.

The services are real (a strict one, and bare sockets); only the waiting times are shortened.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import zlib
from typing import TYPE_CHECKING

import pytest
from tests.support import lines
from tests.support.lines import CREATE, FORM, PASSWORD, QUICK, failure, listening, send
from tests.support.strict_service import Fault, answer, serving
from tests.support.syncing import IMPATIENT

from pressync.client.address import parse
from pressync.client.exchange import Deadlines, Exchange
from pressync.client.http import Transport
from pressync.client.port import LIMITS, HttpRequest, Limits
from pressync.client.retry import Retry, retrying
from pressync.client.wordpress import WordPressService
from pressync.model.errors import NoAnswer, NotSent
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.support.strict_service import StrictService


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
                        received.append(lines.answer(connection, reply))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/wp-json", received
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.mark.parametrize("end", range(HEAD), ids=lambda end: repr(WHOLE[max(0, end - 8) : end])[2:-1])
def test_a_head_that_is_cut_anywhere_counts_as_no_response_and_the_url_is_not_blamed(end: int) -> None:
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


def test_a_read_whose_response_is_cut_inside_its_head_is_repeated() -> None:
    with replying([WHOLE[: HEAD - 20], WHOLE, WHOLE, WHOLE]) as (url, received):
        transport = Transport(parse(url), authorization=None, concurrency=1, allow_http=False, limits=QUICK)
        told: list[str] = []
        reads = retrying(WordPressService(transport), Retry(IMPATIENT, lambda _seconds: False, told.append))
        with contextlib.closing(transport):
            assert reads.find(Kind.PAGE, ["a"]) == {"a": []}
    assert len(told) == 1
    assert received[0] == received[1]


@pytest.fixture
def service() -> Iterator[StrictService]:
    with serving() as running:
        yield running


# Certainly not carried out.


def test_a_name_without_an_address_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)

    error = failure("https://nowhere.invalid/wp-json")

    assert isinstance(error, NotSent)
    assert "the name nowhere.invalid has no address" in str(error)


def test_a_peer_that_does_not_accept_is_not_sent() -> None:
    # A full backlog: the kernel leaves the next connection waiting.
    with socket.socket() as server, contextlib.ExitStack() as waiting:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        host, port = server.getsockname()
        for _ in range(4):
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex((host, port))
        error = failure(f"http://{host}:{port}/wp-json", limits=Limits(connect=0.2))
    assert isinstance(error, NotSent)
    assert "within 0.2 s" in str(error)


@pytest.mark.parametrize(
    ("reply", "said"), [(b"HTTP/1.1 400 Bad Request\r\n\r\n", "there is not TLS"), (b"", "")]
)
def test_a_peer_that_speaks_no_tls_or_hangs_up_in_the_handshake_is_not_sent(reply: bytes, said: str) -> None:
    with listening(reply) as host:
        error = failure(f"https://{host}/wp-json")
    assert isinstance(error, NotSent)
    assert said in str(error)


@pytest.mark.parametrize("reply", [b"HTTP/1.1 403 Forbidden\r\n\r\n", b"", None])
def test_a_proxy_that_makes_no_tunnel_or_has_no_address_is_not_sent(
    reply: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(reply or b"") as proxy:
        address = f"http://somebody:hush@{proxy}" if reply is not None else "http://:hush@:99"
        monkeypatch.setenv("https_proxy", address)
        error = failure("https://example.org/wp-json", authorization=PASSWORD)
    assert isinstance(error, NotSent)
    assert "HTTPS_PROXY" in str(error)
    assert "hush" not in str(error)


# Perhaps carried out.


@pytest.mark.parametrize("acts", [True, False])
@pytest.mark.parametrize("end", ["close", "reset"])
@pytest.mark.parametrize(
    "sends",
    [
        b"",
        b"HTTP/1.",
        answer(200, b'{"id": 1}')[:-1],
        b"SSH-2.0-hello\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{",
        answer(200, b"not gzip", headers=(("Content-Encoding", "gzip"),)),
    ],
    ids=["nothing", "half a status line", "half a body", "another protocol", "broken chunks", "not gzip"],
)
def test_a_line_that_breaks_after_sending_counts_as_no_response_whether_or_not_the_service_acted(
    service: StrictService, sends: bytes, end: str, acts: bool
) -> None:
    service.faults.append(Fault(acts=acts, sends=sends, end=end))
    error = failure(service.url)
    assert isinstance(error, NoAnswer)
    assert len(service.pages) == acts
    assert len(service.received) == 1


def test_silence_counts_as_no_response(service: StrictService) -> None:
    service.faults.append(Fault(end="hang"))
    error = failure(service.url, limits=Limits(read=0.1))
    assert isinstance(error, NoAnswer)
    assert str(error) == f"no response from {service.url.removesuffix('/wp-json')} within 0.1 s"


@pytest.mark.parametrize(
    "sends",
    [
        b"H",
        b"HTTP/1.1 200 OK\r\nX-Slow: y",
        answer(200, b"x" * 10_000)[:-9_000],
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n ",
    ],
    ids=["in the status line", "in a header", "in the body", "in a body without a length"],
)
def test_a_service_that_drips_bytes_for_ever_is_no_response(service: StrictService, sends: bytes) -> None:
    service.faults.append(Fault(sends=sends, end="drip"))
    error = failure(service.url, limits=Limits(total=0.3))
    assert isinstance(error, NoAnswer)
    assert "no complete response" in str(error)
    assert "within 0.3 s" in str(error)


def test_a_socket_is_shut_after_its_time_and_not_before() -> None:
    near, far = socket.socketpair()
    with near, far:
        exchange = Exchange(until=10.0, service=Deadlines(seconds=10.0))
        exchange.expire_if_overdue(now=11.0)
        assert not exchange.expired, "it has no socket yet"
        exchange.begin(near)
        exchange.expire_if_overdue(now=10.0)
        near.sendall(b"in time")
        assert (far.recv(99), exchange.expired) == (b"in time", False)
        exchange.expire_if_overdue(now=10.1)
        assert (far.recv(99), exchange.expired) == (b"", True)


def test_a_peer_that_does_not_read_counts_as_no_response() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        large = HttpRequest("POST", "/wp/v2/pages", FORM, b"x" * 20_000_000)
        with pytest.raises(NoAnswer, match=r"within 0\.3 s"):
            send(f"http://{host}:{port}/wp-json", large, limits=Limits(connect=0.1, total=0.3))


@pytest.mark.parametrize("status", [200, 302])
def test_a_response_over_the_limit_counts_as_no_response(service: StrictService, status: int) -> None:
    service.faults.append(Fault(sends=answer(status, b" " * 200_000, headers=(("Location", "/elsewhere"),))))
    error = failure(service.url, limits=Limits(largest=100_000))
    assert isinstance(error, NoAnswer)
    assert "over 100000 bytes" in str(error)


def test_a_response_of_a_gigabyte_is_given_up_at_the_limit(service: StrictService) -> None:
    # The same packed megabytes again and again: flushed fully, they refer to none before them.
    packer = zlib.compressobj(wbits=31)
    head = packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    more = packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    bomb = head + 63 * more
    service.faults.append(Fault(sends=answer(200, bomb, headers=(("Content-Encoding", "gzip"),))))
    error = failure(service.url)
    assert isinstance(error, NoAnswer)
    assert f"over {LIMITS.largest} bytes" in str(error)


def test_no_error_holds_on_to_the_request_and_its_credentials(service: StrictService) -> None:
    service.faults.append(Fault(end="reset"))
    error = failure(service.url, authorization=PASSWORD)
    assert error.__context__ is None
    assert error.__cause__ is None
    assert PASSWORD.reveal() not in repr(error)


def test_a_connection_that_failed_is_replaced(service: StrictService) -> None:
    transport = Transport(parse(service.url), authorization=None, concurrency=1, allow_http=False)
    service.faults.append(Fault(acts=False, end="reset"))
    with contextlib.closing(transport):
        with pytest.raises(NoAnswer):
            transport.send(CREATE)
        assert transport.send(CREATE).status == 200
