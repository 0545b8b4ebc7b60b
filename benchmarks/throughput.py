"""Measure how fast pressync creates pages, beside a client that does nothing else, and the CPU time of both.

Run it by hand: `python benchmarks/throughput.py [PAGES [DIALECT…]]`. A server with one thread responds to
every request after a fixed time, in both dialects. A first sync notes the requests that it sends. Then bare
`requests`, with one session for all threads, sends the same bodies in the same run. The time of a sync counts
from the consent to the end of the run. Its CPU time is that of the whole sync, with the plan and the reads.
On a busy machine only ratios are reliable.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
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
from urllib.parse import parse_qsl

import requests
import trees
from requests.adapters import HTTPAdapter

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.client.http import Transport
from pressync.plan.build import PlanOptions
from pressync.state import atomic_files
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.approval import Approval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.client.port import HttpRequest, HttpResponse

_POINTS = (
    *(("documented", latency, at_a_time) for latency, at_a_time in ((0.0, 8), (0.05, 16), (0.2, 32))),
    *(("wordpress", latency, 4) for latency in (0.0, 0.05)),
)
_ROUNDS = 2


class Cost(NamedTuple):
    """Seconds, and seconds of work."""

    time: float
    work: float


def main() -> None:
    """Print a row for each dialect, latency and concurrency."""
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(_serve(float(sys.argv[2])))
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "site")
        trees.make(root, count)
        print("dialect    latency  C |  C/L: bare  sync | sync/bare | CPU ms a record: bare sync no fsync")
        for dialect, latency, at_a_time in _POINTS:
            if sys.argv[2:] and dialect not in sys.argv[2:]:
                continue
            _point(root, count, dialect, latency, at_a_time)


def _point(root: Path, count: int, dialect: str, latency: float, at_a_time: int) -> None:
    bare = synced = unsafe = Cost(1e9, 1e9)
    sent: list[HttpRequest] = []
    send = Transport.send

    def noted(self: Transport, request: HttpRequest) -> HttpResponse:
        if request.method == "POST" and not request.override:
            sent.append(request)
        return send(self, request)

    with _server(latency) as url:
        with mock.patch.object(Transport, "send", noted):
            _sync(root, url, dialect, at_a_time)
        for _ in range(_ROUNDS):
            bare = _least(bare, _bare(url, sent, at_a_time))
            synced = _least(synced, _sync(root, url, dialect, at_a_time))
            with mock.patch.object(atomic_files, "_sync"):
                unsafe = _least(unsafe, _sync(root, url, dialect, at_a_time))
    limit = len(sent) * latency / at_a_time
    of_limit = f"{limit / bare.time:.0%} {limit / synced.time:.0%}" if latency else "-"
    each = " ".join(f"{cost.work * 1000 / count:.2f}" for cost in (bare, synced, unsafe))
    print(
        f"{dialect:10} {latency * 1000:4.0f} ms {at_a_time:3} | {of_limit} | {bare.time / synced.time:.0%}"
        f" | {each} | {count / bare.time:.0f}/s {count / synced.time:.0f}/s | {len(sent)} requests",
        flush=True,
    )


def _least(one: Cost, other: Cost) -> Cost:
    return Cost(min(one.time, other.time), min(one.work, other.work))


def _cpu() -> float:
    """Count this process's own seconds of work, its threads included, and not those of Git."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _bare(url: str, sent: list[HttpRequest], at_a_time: int) -> Cost:
    """Post bodies and read the answers, with nothing around it."""
    session = requests.Session()
    session.trust_env = False
    session.mount("http://", HTTPAdapter(pool_maxsize=at_a_time, pool_block=True))

    def post(request: HttpRequest) -> None:
        headers = {"Content-Type": request.content_type}
        session.post(f"{url}{request.path}", data=request.body, headers=headers).raise_for_status()

    begun, worked = time.perf_counter(), _cpu()
    with ThreadPoolExecutor(at_a_time) as pool:
        list(pool.map(post, sent))
    session.close()
    return Cost(time.perf_counter() - begun, _cpu() - worked)


def _sync(root: Path, url: str, dialect: str, at_a_time: int) -> Cost:
    """Sync a clone that knows nothing yet."""
    for file in (*root.glob(".pressync/*"), *root.glob(".git/pressync/*")):
        file.unlink()
    started = 0.0

    def agree(_plan: object) -> bool:
        nonlocal started
        started = time.perf_counter()
        return True

    environ = {"PRESSYNC_URL": url, "PRESSYNC_DIALECT": dialect}
    if dialect == "wordpress":
        environ |= {"PRESSYNC_USER": "editor", "PRESSYNC_PASSWORD": "aaaa bbbb cccc dddd eeee ffff"}
    worked = _cpu()
    with Workspace(root, environ=environ) as workspace:
        ended = workspace.sync(
            Revision(),
            PlanOptions(),
            RunOptions(at_a_time),
            Approval(agree),
            stop=threading.Event(),
            listener=RunListener(lambda _outcome: None, lambda _sentence: None),
        )
        taken = Cost(time.perf_counter() - started, _cpu() - worked)
    assert ended  # noqa: S101
    assert all(outcome.result.value == "done" for outcome in ended.outcomes)  # noqa: S101
    return taken


@contextlib.contextmanager
def _server(latency: float) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, __file__, "serve", str(latency)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout  # noqa: S101
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
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


async def _serve(latency: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: _Answering(latency), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    main()
