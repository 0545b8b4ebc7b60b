"""The embedded service of this clone: where its data lives, whether it runs, and how to speak to it.

It must not know plans. What decided its shape: `sync` must work in the first minute, before anybody has
started a server, so it starts one for its own time when none runs; the site is then the same data that
`pressync serve` shows.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

DEFAULT_PORT = 8127
_DATABASE = "site.db"
_RUNNING = "running.json"


@dataclass(frozen=True, slots=True)
class Running:
    """A server that runs: its process, the base address of its interface, the address of its web pages."""

    pid: int
    url: str
    site: str


def data_directory(common_directory: Path) -> Path:
    """Where the embedded service of a clone keeps its data: beside the journal, never committed."""
    return common_directory / "pressync" / "serve"


def database(directory: Path) -> Path:
    """The service's database below its data directory."""
    return directory / _DATABASE


def remember(directory: Path, running: Running) -> None:
    """Note the server that serves this directory, so that `sync` and `serve --stop` find it."""
    directory.mkdir(parents=True, exist_ok=True)
    note = {"pid": running.pid, "url": running.url, "site": running.site}
    (directory / _RUNNING).write_text(json.dumps(note) + "\n", encoding="utf-8")


def forget(directory: Path) -> None:
    """Drop the note; the server has ended."""
    (directory / _RUNNING).unlink(missing_ok=True)


def found(directory: Path) -> Running | None:
    """The server that serves this directory now; a note that a killed one left behind does not count."""
    try:
        note = json.loads((directory / _RUNNING).read_text(encoding="utf-8"))
        running = Running(int(note["pid"]), str(note["url"]), str(note["site"]))
        os.kill(running.pid, 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return running if _answers(running.url) else None


@contextmanager
def at_hand(directory: Path) -> Iterator[str]:
    """Give the base address of this clone's service, started for the time of the block if none runs."""
    running = found(directory)
    if running:
        yield running.url
        return
    from pressync.local.server import running as serving  # noqa: PLC0415 - Flask is loaded only to serve

    directory.mkdir(parents=True, exist_ok=True)
    with serving(database(directory)) as site:
        yield site.url


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=2):
            return True
    except OSError:
        return False
