"""Measure how many creates a second the embedded service acknowledges, beside an earlier version of itself.

Run it by hand: `python benchmarks/service.py --before PYTHON [--json FILE]`. PYTHON is that of an environment
with the earlier version. The two take turns. Eight clients with a connection each send creates of 4 KB to a
new service for a fixed number of creates, and both the rate and the service's CPU time count. An acknowledged
create is durable in both, so the disk is a part of the figure.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import measure

_CLIENTS, _CREATES, _ROUNDS = 8, 250, 4
_RATIO = "creates of the embedded service / before"
_LIMITS = {_RATIO: 0.5}
_SERVE = """
import sys, time
from pathlib import Path
from pressync.stage.server.server import running
with running(Path(sys.argv[1])) as service:
    print(service.url, flush=True)
    sys.stdin.read()
"""


class _Cost(NamedTuple):
    """Seconds, and seconds of the service's work, of one create."""

    time: float
    work: float


def main() -> None:
    """Print the rate of each version, and the ratio."""
    if "--before" not in sys.argv:
        print("service is left out: no earlier version is named by --before", file=sys.stderr)
        measure.report({}, {})
        return
    versions = {"before": sys.argv[sys.argv.index("--before") + 1], "now": sys.executable}
    costs = {name: _Cost(1e9, 1e9) for name in versions}
    for _ in range(_ROUNDS):
        for name, python in versions.items():
            found = _measured(python)
            costs[name] = _Cost(min(costs[name].time, found.time), min(costs[name].work, found.work))
    for name, cost in costs.items():
        print(f"{name:8} {1 / cost.time:6.0f} creates a second, {cost.work * 1e3:.2f} ms of work for each")
    ratio = costs["now"].time / costs["before"].time
    work = costs["now"].work / costs["before"].work
    measure.report({_RATIO: ratio, "work of such a create / before": work}, _LIMITS)


def _measured(python: str) -> _Cost:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            (python, "-c", _SERVE, str(Path(folder, "site.db"))),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=variables,
        ) as server,
    ):
        assert server.stdout  # noqa: S101
        url = server.stdout.readline().strip()
        _create_all(url, "first", 10)
        worked, begun = _cpu(server.pid), time.perf_counter()
        with ThreadPoolExecutor(_CLIENTS) as pool:
            list(pool.map(lambda client: _create_all(url, f"client-{client}", _CREATES), range(_CLIENTS)))
        taken, worked = time.perf_counter() - begun, _cpu(server.pid) - worked
        server.kill()
    return _Cost(taken / (_CLIENTS * _CREATES), worked / (_CLIENTS * _CREATES))


def _create_all(url: str, slug: str, count: int) -> None:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    texts = {"title": "A page", "content": "<p>Some words of it.</p>\n" * 160}
    fields = {name: json.dumps({"raw": text}) for name, text in texts.items()}
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for number in range(count):
        # The service would look for a free number for each slug that is taken.
        body = urlencode({**fields, "slug": f"{slug}-{number}", "status": "publish"})
        connection.request("POST", f"{parts.path}/wp/v2/pages", body, headers)
        response = connection.getresponse()
        response.read()
        if response.status >= 300:  # noqa: PLR2004 - not created
            raise RuntimeError(f"the service responded with {response.status}")
    connection.close()


def _cpu(process: int) -> float:
    """Give a process's own seconds of work, from the fields `utime` and `stime` of Linux."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
