"""The application on a socket: start, stop, and what survives when it does not stop cleanly."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.support.hostile.raw_requests import BROKEN, answered
from tests.unit.stage.server.wire import get, write
from waitress.channel import ClientDisconnected, HTTPChannel

import pressync
from pressync.model.interface import Kind
from pressync.stage.server.server import running
from pressync.stage.server.store import Store

if TYPE_CHECKING:
    import logging
    from collections.abc import Iterator

_SERVE = """
import json, sys
from pathlib import Path
from pressync.stage.server.server import running, serve
def ready(up):
    print(json.dumps([up.url, up.site]), flush=True)
serve(running(Path(sys.argv[1]), moves=True, **json.loads(sys.argv[2])), ready=ready)
"""


@contextmanager
def served(database: Path, **options: object) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Serve a database from a process of its own; give the process, its base address and its site."""
    command = [sys.executable, "-c", _SERVE, str(database), json.dumps({"port": 0, **options})]
    environment = os.environ | {"PYTHONPATH": str(Path(pressync.__file__).parent.parent)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout
            url, site = json.loads(process.stdout.readline())
            yield process, url, site
        finally:
            process.kill()


def test_a_response_is_one_packet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []
    send = HTTPChannel.send

    def noted(channel: HTTPChannel, data: bytes, **options: object) -> object:
        sent.append(data)
        return send(channel, data, **options)

    monkeypatch.setattr(HTTPChannel, "send", noted)
    with running(tmp_path / "site.db") as service:
        made = write(f"{service.url}/wp/v2/pages", slug="a")
    (packet,) = sent
    assert packet.startswith(b"HTTP/1.1 200 OK\r\n")
    assert packet.endswith(made.body)


def test_a_service_that_stops_leaves_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()
    with running(tmp_path / "site.db") as service:
        get(service.site)
        assert threading.active_count() > before
    assert threading.active_count() == before


def test_a_stop_amid_writes_loses_none_that_was_acknowledged(tmp_path: Path) -> None:
    started = threading.Barrier(5)

    def write_until_it_stops(pages: str) -> list[int]:
        acknowledged = [int(write(pages, slug="a").json["id"])]
        started.wait()
        with suppress(OSError, HTTPException):
            while True:
                acknowledged.append(write(pages, slug="a").json["id"])
        return acknowledged

    with ThreadPoolExecutor(4) as pool:
        with running(tmp_path / "site.db") as service:
            writers = [pool.submit(write_until_it_stops, f"{service.url}/wp/v2/pages") for _ in range(4)]
            started.wait()
        acknowledged = {each for writer in writers for each in writer.result()}
    store = Store(tmp_path / "site.db")
    assert acknowledged <= {page["id"] for page in store.records(Kind.PAGE)}
    store.close()


def test_a_site_of_this_machine_moves_to_the_port_where_it_is_served(tmp_path: Path) -> None:
    sites = []
    for _ in range(2):
        with running(tmp_path / "site.db", moves=True) as service:
            sites.append(service.site)
            post = service.store.read(Kind.POST, 1)
            assert post
            assert post["link"] == f"{service.site}/blog/hello/"
    with running(tmp_path / "site.db") as service:
        assert service.store.settings.address == sites[1]
        assert service.store.own_addresses == {*sites}


def test_a_link_that_was_stored_at_another_port_leads_to_its_page_on_the_site(tmp_path: Path) -> None:
    with running(tmp_path / "site.db", address="http://127.0.0.1:1") as service:
        pages = f"{service.url}/wp/v2/pages"
        link = write(pages, slug="a").json["link"]
        stored = f'<p><a href="{link}">a</a> or {link}</p>'
        write(pages, slug="b", content={"raw": stored})
    with running(tmp_path / "site.db", moves=True) as service:
        assert f'<p><a href="/a/">a</a> or {link}</p>' in get(f"{service.site}/b/").text
        page = service.store.read(Kind.PAGE, 3)
        assert page
        assert page["content"]["raw"] == stored  # type: ignore[index]  # an object of JSON


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with (
            pytest.raises(OSError, match=f"127.0.0.1 port {port}.*choose another port"),
            running(tmp_path / "site.db", port=port),
        ):
            pass


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly(tmp_path: Path, word: signal.Signals) -> None:
    with served(tmp_path / "site.db") as (process, url, _):
        assert write(f"{url}/wp/v2/pages", slug="a").status == 200
        process.send_signal(word)
        assert process.wait(timeout=30) == 0
    # The last connection that is closed folds the log into the file.
    assert [path.name for path in tmp_path.iterdir()] == ["site.db"]


@pytest.mark.sweep
def test_a_killed_service_has_kept_every_write_that_it_acknowledged(tmp_path: Path) -> None:
    acknowledged: dict[int, str] = {}
    for round_ in range(3):
        with served(tmp_path / "site.db") as (process, url, _):
            pages = f"{url}/wp/v2/pages"
            killer_waits_for = len(acknowledged) + 10 + 7 * round_
            enough = threading.Event()
            killer = threading.Thread(target=lambda up=process, when=enough: (when.wait(), up.kill()))
            killer.start()
            try:
                while True:
                    text = f"<p>{len(acknowledged)} {'x' * 5000}</p>"
                    record = write(pages, slug="same", content={"raw": text}).json
                    acknowledged[record["id"]] = text
                    if len(acknowledged) >= killer_waits_for:
                        enough.set()
            except (OSError, HTTPException):
                enough.set()
            killer.join()
    store = Store(tmp_path / "site.db")
    kept = {page["id"]: page["content"]["raw"] for page in store.records(Kind.PAGE)}  # type: ignore[index]
    store.close()
    assert len(acknowledged) >= 10
    assert acknowledged.items() <= kept.items()
    # The one write of each round that was under way may be there as well.
    assert len(kept) <= len(acknowledged) + 3


def test_half_open_connections_keep_nobody_out(tmp_path: Path) -> None:
    with running(tmp_path / "site.db") as service:
        parts = urlsplit(service.url)
        place = (parts.hostname or "", parts.port or 0)
        with ExitStack() as block:
            for number in range(150):
                half = block.enter_context(socket.create_connection(place, timeout=30))
                begun = b"GET / HTT" if number % 2 else b"POST / HTTP/1.1\r\nContent-Length: 9999\r\n\r\na=b"
                half.sendall(begun)
            assert get(f"{service.site}/").status == 200
            assert write(f"{service.url}/wp/v2/pages", title={"raw": "Still here"}).status == 200


def test_a_broken_request_leaves_no_traceback(tmp_path: Path, logged: list[logging.LogRecord]) -> None:
    with running(tmp_path / "site.db") as service:
        answers = [answered(urlsplit(service.url).netloc, request).split(b" ")[1:2] for request in BROKEN]
        assert get(service.site).status == 200
    assert {int(*status) for status in answers} <= {200, 400, 404, 421, 431}
    assert answers.count([b"400"]) >= 5
    assert not [record for record in logged if record.exc_info or "exception" in record.getMessage()]


def test_a_client_that_does_not_wait_for_its_refusal_leaves_no_traceback(
    tmp_path: Path, logged: list[logging.LogRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_gone(_channel: HTTPChannel, _data: bytes) -> int:
        raise ClientDisconnected

    monkeypatch.setattr(HTTPChannel, "write_soon", is_gone)
    with running(tmp_path / "site.db") as service:
        for request in BROKEN:
            assert answered(urlsplit(service.url).netloc, request) == b""
    assert not [record for record in logged if record.exc_info]
