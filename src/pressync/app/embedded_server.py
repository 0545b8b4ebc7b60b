"""The embedded service of this clone: where its data lives, whether it runs, and how to speak to it.

It must not know plans. What decided its shape: `sync` must work in the first minute, before anybody has
started a server, so it starts one for its own time when none runs; the site is then the same data that
`pressync serve` shows.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.model.errors import StorageError
from pressync.state import atomic_files, private_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEFAULT_PORT = 8127
_DATABASE = "site.db"
_RUNNING = "running.json"
# How long a server on this machine may take to answer, in seconds.
_PATIENCE = 2


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that runs: its process, the base address of its interface, the address of its web pages."""

    pid: int
    url: str
    site: str


def data_directory(common_directory: Path) -> Path:
    """Name the folder of a clone's embedded service: beside the journal, never committed."""
    return common_directory / "pressync" / "serve"


def database(directory: Path) -> Path:
    """Name the service's database below its data directory."""
    return directory / _DATABASE


def make_directory(directory: Path) -> None:
    """Make a data directory, for its owner alone; one in a Git directory is closed if it is there.

    :raises OSError: it cannot be made.
    """
    atomic_files.make_folder(directory, mode=private_files.FOLDER)
    notes = directory.parent
    if directory == data_directory(notes.parent) and (notes.parent / "HEAD").is_file():
        private_files.close(notes)


def write_note(directory: Path, running: RunningServer) -> None:
    """Note the server that serves this directory, so that `sync` and `serve --stop` find it."""
    # At once, because whoever reads half a note starts a second server.
    private_files.write(directory / _RUNNING, f"{json.dumps(asdict(running))}\n".encode())


def remove_note(directory: Path) -> None:
    """Drop the note; the server has ended."""
    (directory / _RUNNING).unlink(missing_ok=True)


def find(directory: Path) -> RunningServer | None:
    """Find the server that serves this directory now; the note that a killed one left behind is none."""
    import http.client  # noqa: PLC0415 - 10 ms, and a plan speaks to no server

    try:
        note = json.loads((directory / _RUNNING).read_text(encoding="utf-8"))
        running = RunningServer(int(note["pid"]), str(note["url"]), str(note["site"]))
        if running.pid < 1:
            # To a signal, zero and less are groups of processes, our own among them.
            return None
        os.kill(running.pid, 0)
        return running if _is_ours(running.site) else None
    except (OSError, ValueError, KeyError, TypeError, OverflowError, http.client.HTTPException):
        return None


@contextmanager
def running_or_started(directory: Path) -> Iterator[str]:
    """Give the base address of this clone's service, started for the time of the block if none runs.

    :raises StorageError: it cannot be started on its data.
    """
    running = find(directory)
    if running:
        yield running.url
        return
    from pressync.server.database import UnusableDatabase  # noqa: PLC0415 - only who serves needs SQLite
    from pressync.server.server import running as serving  # noqa: PLC0415 - Flask is loaded only to serve

    with ExitStack() as block:
        try:
            make_directory(directory)
            service = block.enter_context(serving(database(directory)))
        except (OSError, UnusableDatabase) as error:
            what = f"the embedded service does not start ({getattr(error, 'strerror', None) or error})"
            raise StorageError(what, where=str(directory), todo="mend its data, or move it away") from error
        yield service.url


def _is_ours(site: str) -> bool:
    """Whether pressync answers there: the number of a dead process, and its port, may be somebody else's."""
    import http.client  # noqa: PLC0415 - as above

    parts = urlsplit(site)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_PATIENCE)
    try:
        connection.request("HEAD", "/")
        return connection.getresponse().getheader("Server") == "pressync"
    finally:
        connection.close()
