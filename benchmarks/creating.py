"""Measure how fast pressync creates pages, beside a client that does nothing else, and the CPU time of both.

Run it by hand: `python benchmarks/creating.py [PAGES]`. A server with one thread responds to every create
after a fixed time. Bare `requests`, with one session for all threads, sends the same bodies as a whole sync,
once with the journal and once with a journal without fsync. On a busy machine only ratios are reliable. A run
begins with one call alone and goes level by level, so few pages show this cost more than many.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock
from urllib.parse import parse_qsl

import requests
import trees
from requests.adapters import HTTPAdapter

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.client.documented import request
from pressync.model.calls import CreateCall
from pressync.model.interface import Kind
from pressync.model.records import CREATED_WITH
from pressync.plan.build import PlanOptions
from pressync.state import atomic_files
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.run import Approval

if TYPE_CHECKING:
    from collections.abc import Iterator

_POINTS = ((0.0, 1), (0.0, 8), (0.05, 8), (0.05, 16), (0.2, 8), (0.2, 32))


def main() -> None:
    """Print a row for each latency and concurrency."""
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(_serve(float(sys.argv[2])))
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "site")
        trees.make(root, count)
        bodies = _bodies(root)
        print("latency  at a time | of C/L: bare  sync | sync/bare | CPU ms a record: bare  sync  no journal")
        for latency, at_a_time in _POINTS:
            _point(root, bodies, latency, at_a_time)


def _point(root: Path, bodies: list[bytes], latency: float, at_a_time: int) -> None:
    bare = synced = unsafe = (1e9, 1e9)
    for _ in range(2):
        with _server(latency) as url:
            bare = _least(bare, _bare(url, bodies, at_a_time))
            synced = _least(synced, _sync(root, url, at_a_time))
            with mock.patch.object(atomic_files, "_sync"):
                unsafe = _least(unsafe, _sync(root, url, at_a_time))
    limit = len(bodies) * latency / at_a_time
    of_limit = f"{limit / bare[0]:.0%} {limit / synced[0]:.0%}" if latency else "-"
    each = [f"{cpu * 1000 / len(bodies):.2f}" for _, cpu in (bare, synced, unsafe)]
    print(
        f"{latency * 1000:4.0f} ms {at_a_time:3} | {of_limit} | {bare[0] / synced[0]:.0%} | {' '.join(each)}"
        f" | {len(bodies) / bare[0]:.0f}/s {len(bodies) / synced[0]:.0f}/s {len(bodies) / unsafe[0]:.0f}/s",
        flush=True,
    )


def _least(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return min(one[0], other[0]), min(one[1], other[1])


def _cpu() -> float:
    """Count this process's own seconds of work, its threads included, and not those of Git."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _bodies(root: Path) -> list[bytes]:
    """Encode every page of the tree, as a create would send it."""
    with Workspace(root, environ={}) as workspace:
        content = workspace.content(Revision())
        prepared = [content.prepare(path, {}) for path in content.sources]
    calls = (CreateCall(Kind.PAGE, {**CREATED_WITH, **page.fields, "parent": 0}) for page in prepared)
    return [request(call).body for call in calls]


def _bare(url: str, bodies: list[bytes], at_a_time: int) -> tuple[float, float]:
    """Post bodies and read the answers, with nothing around it: seconds, and seconds of work."""
    session = requests.Session()
    session.trust_env = False
    session.mount("http://", HTTPAdapter(pool_maxsize=at_a_time, pool_block=True))
    headers = {"Content-Type": "application/x-www-form-urlencoded"}

    def post(body: bytes) -> None:
        session.post(f"{url}/wp/v2/pages", data=body, headers=headers).raise_for_status()

    begun, worked = time.perf_counter(), _cpu()
    with ThreadPoolExecutor(at_a_time) as pool:
        list(pool.map(post, bodies))
    session.close()
    return time.perf_counter() - begun, _cpu() - worked


def _sync(root: Path, url: str, at_a_time: int) -> tuple[float, float]:
    """Sync a clone that knows nothing yet: from the consent to the end of the run."""
    for file in (*root.glob(".pressync/*"), *root.glob(".git/pressync/*")):
        file.unlink()
    started = [0.0, 0.0]

    def agree(_plan: object) -> bool:
        started[:] = [time.perf_counter(), _cpu()]
        return True

    with Workspace(root, environ={"PRESSYNC_URL": url}) as workspace:
        ended = workspace.sync(
            Revision(),
            PlanOptions(),
            RunOptions(at_a_time),
            Approval(agree),
            stop=threading.Event(),
            watcher=RunListener(lambda _outcome: None, lambda _sentence: None),
        )
        taken = time.perf_counter() - started[0], _cpu() - started[1]
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
    """One connection: whole requests in, a record each out after the latency."""

    number = 0

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
            asyncio.get_running_loop().call_later(self._latency, self._answer, body[:length])

    def _answer(self, body: bytes) -> None:
        _Answering.number += 1
        number = _Answering.number
        fields = {
            name: json.loads(value) if value.startswith("{") else value
            for name, value in parse_qsl(body.decode(), keep_blank_values=True)
        }
        for name in {"parent", "menu_order"} & fields.keys():
            fields[name] = int(fields[name])
        now = "2026-01-01T00:00:00"
        about = {"id": number, "type": "page", "link": f"http://site.test/{number}/"}
        text = json.dumps({**fields, **about, "modified": now, "modified_gmt": now}).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(text)
        self._transport.write(head + text)  # type: ignore[attr-defined]


async def _serve(latency: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: _Answering(latency), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    main()
