"""Measure how fast pressync creates pages, beside a client that does nothing else, and the CPU time of both.

Run it by hand: `python benchmarks/throughput.py [--json FILE]`. A server with one thread responds to every
request after a fixed time, in both dialects. A first sync notes the requests that it sends. Then bare
`requests`, with one session for all threads, sends the same bodies in the same run. The time of a sync counts
from the consent to the end of the run. Its CPU time is that of the whole sync, with the plan and the reads.
On a busy machine only ratios are reliable.

With PRESSYNC_URL, PRESSYNC_USER and PRESSYNC_PASSWORD it measures on that WordPress, directly and with 50 ms
put in between, and deletes the pages that it made.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock
from urllib.parse import parse_qsl, urlsplit

import requests
import trees
from requests.adapters import HTTPAdapter

from pressync.__main__ import THRESHOLDS
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.client.http import Transport
from pressync.plan.build import PlanOptions
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import Approval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.client.port import HttpRequest, HttpResponse

_ROUNDS, _PAGES = 3, 1000
_BATCHED = 4
_MADE: list[int] = []
_ACCOUNT = ("PRESSYNC_USER", "PRESSYNC_PASSWORD")


class Point(NamedTuple):
    """What is measured: the most that our time may be of a bare client's, and CPU ms of a record."""

    dialect: str
    latency: float
    at_a_time: int
    time_limit: float = 0.0
    work_limit: float = 0.0

    @property
    def name(self) -> str:
        """The name of the ratio."""
        return f"{self.dialect}, {self.latency * 1000:.0f} ms, {self.at_a_time} at a time"


_POINTS = (
    Point("documented", 0.0, 8),
    Point("documented", 0.05, 16, time_limit=1 / 0.95),
    Point("documented", 0.2, 32, time_limit=1 / 0.95),
    Point("wordpress", 0.0, _BATCHED, work_limit=1.0),
)
_SITE = (Point("a site", 0.0, _BATCHED, 1 / 0.65, 1.0), Point("a site", 0.05, _BATCHED, 1 / 0.9))


class Cost(NamedTuple):
    """Seconds, and seconds of work."""

    time: float
    work: float


class Result(NamedTuple):
    """The least cost of each client for the same requests."""

    bare: Cost
    synced: Cost
    requests: int


def main() -> None:
    """Print a row for each point."""
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(_serve(*sys.argv[2:]))
        return
    # The garbage of both clients is collected as seldom as that of the command.
    gc.set_threshold(*THRESHOLDS)
    ratios, limits = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "site")
        files = trees.make(root, _PAGES)
        if "PRESSYNC_URL" in os.environ:
            _flat(root, files)
        print("                                C/L: bare  sync | sync/bare | CPU ms a record: bare  sync")
        for point in _SITE if "PRESSYNC_URL" in os.environ else _POINTS:
            bare, synced, count = _measured(root, point)
            least = count * point.latency / point.at_a_time
            shares = f"{least / bare.time:4.0%} {least / synced.time:4.0%}" if least else "   -    -"
            work = [cost.work * 1000 / _PAGES for cost in (bare, synced)]
            print(
                f"{point.name:36} {shares} | {bare.time / synced.time:4.0%} | {work[0]:.2f} {work[1]:.2f}"
                f" | {_PAGES / bare.time:.0f}/s {_PAGES / synced.time:.0f}/s | {count} requests",
                flush=True,
            )
            if point.time_limit:
                ratios[f"{point.name} / bare requests"] = synced.time / bare.time
                limits[f"{point.name} / bare requests"] = point.time_limit
            if point.work_limit:
                ratios[f"{point.name}, CPU of a record / 1 ms"] = work[1]
                limits[f"{point.name}, CPU of a record / 1 ms"] = point.work_limit
    if sys.argv[1:2] == ["--json"]:
        Path(sys.argv[2]).write_text(json.dumps({"ratios": ratios, "limits": limits}), encoding="utf-8")


def _measured(root: Path, point: Point) -> Result:
    bare = synced = Cost(1e9, 1e9)
    sent: list[HttpRequest] = []
    send = Transport.send

    def noted(self: Transport, request: HttpRequest) -> HttpResponse:
        if request.method == "POST" and not request.override:
            sent.append(request)
        return send(self, request)

    with _server(point.latency) as url:
        try:
            with mock.patch.object(Transport, "send", noted):
                _sync(root, url, point)
            for _ in range(_ROUNDS):
                bare = _least(bare, _bare(url, sent, point.at_a_time))
                synced = _least(synced, _sync(root, url, point))
        finally:
            _clear(url)
    return Result(bare, synced, len(sent))


def _least(one: Cost, other: Cost) -> Cost:
    return Cost(min(one.time, other.time), min(one.work, other.work))


def _cpu() -> float:
    """Count this process's own seconds of work, its threads included, and not those of Git."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _session(at_a_time: int) -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    session.mount("http://", HTTPAdapter(pool_maxsize=at_a_time, pool_block=True))
    if "PRESSYNC_PASSWORD" in os.environ:
        session.auth = (os.environ["PRESSYNC_USER"], os.environ["PRESSYNC_PASSWORD"])
    return session


def _flat(root: Path, files: list[Path]) -> None:
    """Put all pages at the top, under slugs of their own: the id of a parent would differ in each round."""
    for number, file in enumerate(files):
        text = file.read_text(encoding="utf-8").replace("slug: p", "slug: b-throughput-")
        (root / f"content/pages/throughput-{number}.md").write_text(text, encoding="utf-8")
        file.unlink()
    trees.git(root, "add", "--all")
    trees.git(root, "commit", "--quiet", "-m", "All pages at the top")


def _clear(url: str) -> None:
    """Delete the pages that were made on a site."""
    if "PRESSYNC_URL" in os.environ:
        session = _session(1)
        for begin in range(0, len(_MADE), 25):
            paths = [f"/wp/v2/pages/{number}?force=true" for number in _MADE[begin : begin + 25]]
            items = [{"method": "DELETE", "path": path} for path in paths]
            session.post(f"{url}/batch/v1", json={"requests": items}).raise_for_status()
    _MADE.clear()


def _bare(url: str, sent: list[HttpRequest], at_a_time: int) -> Cost:
    """Post bodies and read the answers, with nothing around it."""
    _clear(url)
    session = _session(at_a_time)

    def post(request: HttpRequest) -> None:
        headers = {"Content-Type": request.content_type}
        response = session.post(f"{url}{request.path}", data=request.body, headers=headers)
        response.raise_for_status()
        answered.append(response.content)

    answered: list[bytes] = []
    begun, worked = time.perf_counter(), _cpu()
    with ThreadPoolExecutor(at_a_time) as pool:
        list(pool.map(post, sent))
    session.close()
    cost = Cost(time.perf_counter() - begun, _cpu() - worked)
    if "PRESSYNC_URL" in os.environ:
        every = [json.loads(body) for body in answered]
        _MADE.extend(made["body"]["id"] for each in every for made in each.get("responses", [{"body": each}]))
    return cost


def _sync(root: Path, url: str, point: Point) -> Cost:
    """Sync a clone that knows nothing yet."""
    _clear(url)
    for file in (*root.glob(".pressync/*"), *root.glob(".git/pressync/*")):
        if file.is_file():
            file.unlink()
    started = 0.0

    def agree(_plan: object) -> bool:
        nonlocal started
        started = time.perf_counter()
        return True

    environ = {"PRESSYNC_URL": url, "PRESSYNC_DIALECT": point.dialect}
    if point.dialect != "documented":
        environ |= {"PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": "editor", "PRESSYNC_PASSWORD": "x" * 24}
        environ |= {name: value for name in _ACCOUNT if (value := os.environ.get(name))}
    worked = _cpu()
    with Workspace.open(root, environ=environ) as workspace:
        ended = workspace.sync(
            Revision(),
            PlanOptions(),
            RunOptions(point.at_a_time),
            Approval(agree),
            stop=threading.Event(),
            listener=RunListener(lambda _outcome: None, lambda _sentence: None),
        )
        taken = Cost(time.perf_counter() - started, _cpu() - worked)
    assert ended  # noqa: S101
    assert all(outcome.result.value == "done" for outcome in ended.outcomes)  # noqa: S101
    _MADE.extend(outcome.entry.id for outcome in ended.outcomes if outcome.entry)
    return taken


@contextlib.contextmanager
def _server(latency: float) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, __file__, "serve", str(latency), *_upstream()], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout  # noqa: S101
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}{_path()}"
    finally:
        process.kill()
        process.wait()


class _Answering(asyncio.Protocol):
    """One connection: whole requests in, a response each out after the latency."""

    numbers = itertools.count(1)

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, end, body = self._read.partition(b"\r\n\r\n")
        if not end:
            return
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        if len(body) >= length:
            self._read = body[length:]
            asyncio.get_running_loop().call_later(self._latency, self._answer, head, body[:length])

    def _answer(self, head: bytes, body: bytes) -> None:
        reads = b"x-http-method-override: get" in head.lower()
        status, answer = _answered(head.split(b" ", 2)[1].decode(), b"" if reads else body)
        text = json.dumps(answer, separators=(",", ":")).encode()
        start = f"HTTP/1.1 {status} Fine\r\nContent-Type: application/json\r\nX-WP-Total: 0\r\n"
        self._transport.write(  # type: ignore[attr-defined]
            f"{start}X-WP-TotalPages: 1\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text
        )


def _answered(path: str, body: bytes) -> tuple[int, object]:
    if "/batch/" in path:
        items = json.loads(body)["requests"]
        return 207, {"responses": [{"body": _made(i["body"]), "status": 201, "headers": {}} for i in items]}
    if "/users/me" in path:
        verbs = ("publish", "edit", "delete")
        capable = (
            *verbs,
            *(f"{verb}_{whose}" for verb in verbs for whose in ("others", "published", "private")),
        )
        rights = {f"{word}_{kind}s": True for word in capable for kind in ("page", "post")}
        return 200, {"id": 1, "name": "editor", "capabilities": rights | {"unfiltered_html": True}}
    if not body:
        return 200, []
    if body.startswith(b"{"):
        return 201, _made(json.loads(body))
    fields = {
        name: json.loads(value) if value.startswith("{") else value
        for name, value in parse_qsl(body.decode(), keep_blank_values=True)
    }
    return 200, _made(
        {**fields, **{name: int(fields[name]) for name in {"parent", "menu_order"} & fields.keys()}}
    )


def _made(fields: dict[str, object]) -> dict[str, object]:
    number = next(_Answering.numbers)
    texts = {name: {"raw": fields[name]} for name in ("title", "content") if isinstance(fields[name], str)}
    now = "2026-01-01T00:00:00"
    about = {"id": number, "type": "page", "link": f"http://site.test/{number}/"}
    return {**fields, **texts, **about, "modified": now, "modified_gmt": now}


def _upstream() -> list[str]:
    """Give the host and the port of the site that is measured, if there is one."""
    parts = urlsplit(os.environ.get("PRESSYNC_URL", ""))
    return [parts.hostname, str(parts.port or 80)] if parts.hostname else []


def _path() -> str:
    return urlsplit(os.environ.get("PRESSYNC_URL", "")).path.rstrip("/")


async def _serve(latency: str, host: str = "", port: str = "") -> None:
    seconds, loop = float(latency), asyncio.get_running_loop()

    async def relayed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_site, to_site = await asyncio.open_connection(host, int(port))
        await asyncio.gather(_pumped(reader, to_site, 0.0), _pumped(from_site, writer, seconds))

    if host:
        server = await asyncio.start_server(relayed, "127.0.0.1", 0)
    else:
        server = await loop.create_server(lambda: _Answering(seconds), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _pumped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, latency: float) -> None:
    """Pass everything on, each part after the latency."""
    while data := await reader.read(65536):
        asyncio.get_running_loop().call_later(latency, writer.write, data)
    asyncio.get_running_loop().call_later(latency, writer.close)


if __name__ == "__main__":
    main()
