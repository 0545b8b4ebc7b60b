"""The transport over real sockets: what goes out, what comes back, and over which connections."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.lines import CREATE, PASSWORD, closed_port, send
from tests.support.strict_service import Fault, answer, serving

from pressync.client import exchange
from pressync.client.address import parse
from pressync.client.credentials import basic
from pressync.client.http import ReadingTransport, Transport
from pressync.client.port import HttpRequest
from pressync.model.errors import SafetyRefusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.strict_service import StrictService

    from pressync.client.credentials import Secret


@pytest.fixture
def service() -> Iterator[StrictService]:
    with serving() as running:
        yield running


# What goes out, what comes back.


def test_credentials_of_netrc_and_cookies_are_not_sent(
    service: StrictService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    service.faults.append(Fault(sends=answer(headers=(("Set-Cookie", "a=b; Path=/"),)), end="keep"))
    send(service.url, times=2)
    assert not {"Authorization", "Cookie"} & {*service.received[0].headers, *service.received[1].headers}


def test_this_machine_is_not_asked_through_a_proxy(
    service: StrictService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://{closed_port()}")
    assert send(service.url)[0].status == 200


@pytest.mark.parametrize("location", ["/wp-json/wp/v2/pages", "https://[broken", "gopher://x", ""])
def test_a_redirect_is_a_response_and_is_not_followed(service: StrictService, location: str) -> None:
    service.faults.append(Fault(sends=answer(307, headers=(("Location", location),))))
    [got] = send(service.url)
    assert got.status == 307
    assert got.headers["location"] == location
    assert len(service.received) == 1


@pytest.mark.parametrize(
    ("header", "is_kept"),
    [
        (("Age", "12"), True),
        (("X-Cache", "HIT, MISS"), True),
        (("X-LiteSpeed-Cache", "hit"), True),
        (("CF-Cache-Status", "DYNAMIC"), False),
        (("Age", "0"), False),
        (("Age", "²"), False),
        (("X-Cache-Hits", "0"), False),
    ],
)
def test_a_read_that_a_cache_has_answered_is_asked_at_an_address_that_no_cache_has(
    service: StrictService, header: tuple[str, str], *, is_kept: bool
) -> None:
    service.faults.append(Fault(sends=answer(200, b'{"old": 1}', headers=(header,)), end="keep"))
    send(service.url, request=HttpRequest("GET", "/wp/v2/pages/7?context=edit"), authorization=PASSWORD)
    asked = [received.path.rpartition("?")[2].partition("&_=") for received in service.received]
    assert [query for query, _, _ in asked] == ["context=edit"] * (1 + is_kept)
    assert [bool(number) for _, _, number in asked] == [False, True][: 1 + is_kept]


SHORT, LONG = basic("editor", "right horse"), basic("editor", "abcd EFGH ijkl MNOP qrst 1234")


@pytest.mark.parametrize(
    ("secret", "status", "said", "left"),
    [
        *((SHORT, status, b"<p>right horse</p>", b"<p>[hidden]</p>") for status in (200, 207, 302, 403)),
        (PASSWORD, 400, PASSWORD.reveal().encode(), b"Basic [hidden]"),
        # A record is compared, so only a long secret is redacted in it.
        (SHORT, 201, b' {"title": "right horse"}', b' {"title": "right horse"}'),
        (LONG, 201, rb'{"link": "abcd\u0045FGHijklMNOPqrst1234"}', b'{"link": "[hidden]"}'),
    ],
)
def test_credentials_that_a_response_repeats_are_redacted(
    service: StrictService, secret: Secret, status: int, said: bytes, left: bytes
) -> None:
    place = (("Location", "https://editor:right horse@example.org/right horse"),)
    service.faults.append(Fault(sends=answer(status, said, headers=place)))
    [got] = send(service.url, authorization=secret)
    assert got.body == left
    if secret is SHORT:
        assert got.headers["location"] == "https://editor:[hidden]@example.org/[hidden]"


# Connections.


def test_an_idle_connection_is_not_used_again(
    service: StrictService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "_IDLE_SECONDS", -1)
    send(service.url, times=5)
    assert service.connections == 5


def test_a_service_that_closes_after_each_response_without_a_header_loses_no_response(
    service: StrictService, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine the goodbye may be late; it is not waited for any longer than it takes.
    monkeypatch.setattr(exchange, "_FIN_SECONDS", 5)
    service.faults += [Fault(sends=answer(), end="close")] * 30
    assert [got.status for got in send(service.url, times=30)] == [200] * 30
    assert service.connections == 30


def test_threads_share_as_many_connections_as_the_concurrency_says(service: StrictService) -> None:
    transport = Transport(parse(service.url), authorization=None, concurrency=3, allow_http=False)
    with contextlib.closing(transport), ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(transport.send, [CREATE] * 40))
    assert {got.status for got in answers} == {200}
    assert len(service.pages) == 40
    assert service.connections <= 3


def test_of_an_error_only_the_beginning_is_read(service: StrictService) -> None:
    service.faults.append(Fault(sends=answer(500, b"x" * 5_000_000)))
    [got] = send(service.url)
    assert got.status == 500
    assert 1_000_000 < len(got.body) < 2_000_000


READ = HttpRequest("GET", "/wp/v2/pages", "application/json", b"")


def test_a_read_is_a_get_with_the_credentials_and_without_a_body(service: StrictService) -> None:
    reader = ReadingTransport(parse(service.url), authorization=basic("ada", "secret"))
    with contextlib.closing(reader):
        reader.get("/wp/v2/pages")
        reader.send(READ)
    assert [(one.method, one.path, one.body) for one in service.received] == [
        ("GET", "/wp-json/wp/v2/pages", b"")
    ] * 2
    assert {one.headers["Authorization"][:6] for one in service.received} == {"Basic "}


@pytest.mark.parametrize(
    "request_",
    [
        CREATE,
        replace(READ, method="DELETE"),
        replace(READ, body=b"{}"),
        replace(READ, method="POST", override="GET"),
        replace(READ, override="DELETE"),
    ],
    ids=["create", "delete", "body", "long list", "override"],
)
def test_everything_else_raises_before_anything_leaves(request_: HttpRequest) -> None:
    with serving() as service:
        reader = ReadingTransport(parse(service.url))
        with contextlib.closing(reader), pytest.raises(SafetyRefusal, match="a tool that reads sends no"):
            reader.send(request_)
        assert service.received == []
