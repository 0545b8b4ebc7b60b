"""Finds or starts the embedded service of this clone, and names its data directory.

`sync` must work before anybody has started a server. So it starts one for the time of the run if none runs,
with the data that `pressync serve` shows. Several clones may have services at once, so each has a port of its
own, and the links of its records begin with that address.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pressync.config.keys import EMBEDDED
from pressync.model.errors import StorageError
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.model.web_address import split
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_PORT = 8127
_DATABASE = "site.db"
_RUNNING = "running.json"
# At most this many ports are tried, from the first one on.
_PORTS = 100
# Seconds in which a server on this machine must answer.
_PATIENCE = 10
# At most this many bytes of a page are read.
_LARGEST = 1_000_000


class RunningServer(NamedTuple):
    """A server that runs: its process id, the base address of its interface, the address of its pages."""

    pid: int
    url: str
    site: str


def data_directory(home: Path) -> Path:
    """Name the data directory of an embedded service; it is beside the journal and never committed."""
    return home / "pressync" / "serve"


def database(directory: Path) -> Path:
    """Name the database in a data directory."""
    return directory / _DATABASE


def make_directory(directory: Path) -> None:
    """Make a data directory that only its owner can open; inside a Git directory, close its parent too.

    :raises OSError: it cannot be made.
    """
    atomic_files.make_folder(directory, mode=atomic_files.PRIVATE_FOLDER)
    parent = directory.parent
    if directory == data_directory(parent.parent) and (parent.parent / "HEAD").is_file():
        atomic_files.make_private(parent)


def write_note(directory: Path, running: RunningServer) -> None:
    """Write which server serves this directory, so that `sync` and `serve --stop` find it."""
    # The write is atomic: a run that read half a note would start a second server.
    atomic_files.write_private(directory / _RUNNING, f"{json.dumps(running._asdict())}\n".encode())


def remove_note(directory: Path) -> None:
    """Remove the note of a server that has ended."""
    (directory / _RUNNING).unlink(missing_ok=True)


def find(directory: Path) -> RunningServer | None:
    """Find the server that serves this directory now; the note of a killed server is ignored."""
    import http.client  # noqa: PLC0415 - it takes 10 ms, and a plan needs no server

    try:
        note = json.loads((directory / _RUNNING).read_text(encoding="utf-8"))
        running = RunningServer(int(note["pid"]), str(note["url"]), str(note["site"]))
        parts = split(running.site)
        if running.pid < 1 or parts is None:
            # For `os.kill`, a number below 1 means a group of processes; 0 is our own group.
            return None
        os.kill(running.pid, 0)
        # Another program may have a dead server's process id and port.
        with closing(
            http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_PATIENCE)
        ) as asked:
            asked.request("HEAD", "/")
            return running if asked.getresponse().getheader("Server") == "pressync" else None
    except (OSError, ValueError, KeyError, TypeError, OverflowError, http.client.HTTPException):
        return None


def fault(running: RunningServer) -> str:
    """Say why a server that runs does not show its site as this version does; "" if it does.

    A server that was started before an update goes on with the pages of before, or without them.
    """
    from http import HTTPStatus  # noqa: PLC0415 - as in `find`

    from pressync.stage.server.page_files import EDITION, page_files  # noqa: PLC0415 - few commands need it

    status, _ = _page(running, "/")
    if status >= HTTPStatus.BAD_REQUEST:
        return f"its front page answers with {status}"
    if not status:
        return "its front page does not answer"
    status, edition = _page(running, EDITION)
    is_ours = status == HTTPStatus.OK and edition == page_files().edition.encode()
    return "" if is_ours else "it shows the pages of another version of pressync"


def _page(running: RunningServer, path: str) -> tuple[int, bytes]:
    """Ask for a page, and give its status and its text; 0 if there is no answer."""
    import http.client  # noqa: PLC0415 - as in `find`

    parts = split(running.site)
    if parts is None:
        return 0, b""
    try:
        with closing(
            http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_PATIENCE)
        ) as asked:
            asked.request("GET", path)
            response = asked.getresponse()
            return response.status, response.read(_LARGEST)
    except (OSError, http.client.HTTPException):
        return 0, b""


def where_to_look(directory: Path) -> str:
    """Say where the service of a directory shows its site, or will show it when it runs."""
    if running := find(directory):
        return f"Look at it: {running.site}/"
    return f"Look at it: run `pressync serve` and open http://127.0.0.1:{free_port(directory)}/"


def free_port(directory: Path, host: str = "127.0.0.1") -> int:
    """Give the port for the service of a directory: that of its links, else the next free one, else 0."""
    first = port_of_links(directory) or DEFAULT_PORT
    return next((port for port in range(first, first + _PORTS) if is_free(host, port)), 0)


def is_free(host: str, port: int) -> bool:
    """Tell whether a server can listen on a port; 0 stands for any port."""
    import socket  # noqa: PLC0415 - a run with nothing to do asks for the address alone

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as bound:
            # As a server does: the port of a service that has just stopped is free.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
    except (OSError, UnicodeError, OverflowError):
        return False
    return True


@contextmanager
def running_or_started(directory: Path, types: SiteTypes = DOCUMENTED_TYPES) -> Iterator[str]:
    """Give the base address of this clone's service; if none runs, start one with these types for the block.

    :raises StorageError: the service cannot be started with its data.
    """
    running = find(directory)
    if running:
        yield running.url
        return
    from pressync.stage.server.database import UnusableDatabase  # noqa: PLC0415 - only a server needs SQLite
    from pressync.stage.server.server import running as serving  # noqa: PLC0415 - only a server needs Flask

    with ExitStack() as block:
        try:
            make_directory(directory)
            is_new = not database(directory).exists()
            address = f"http://127.0.0.1:{free_port(directory) or DEFAULT_PORT}" if is_new else None
            service = block.enter_context(
                serving(database(directory), address=address, dialect="both", types=types)
            )
        except (OSError, UnusableDatabase) as error:
            what = f"the embedded service does not start ({getattr(error, 'strerror', None) or error})"
            raise StorageError(what, where=str(directory), todo="repair its data, or move it away") from error
        yield service.url


def port_of_links(directory: Path) -> int | None:
    """Read the port that the links of a service begin with; None if they lead elsewhere."""
    from pressync.stage.server.database import stored_address  # noqa: PLC0415 - only a server needs SQLite

    parts = split(stored_address(database(directory)))
    return parts.port if parts and parts.hostname == "127.0.0.1" else None


MANIFEST = f".pressync/{EMBEDDED}.json"


def home(root: Path | None, git: Path, common: Path) -> Path:
    """Choose the Git directory that has the embedded service of a work tree, and the notes of its syncs.

    The manifest of the embedded service is in the work tree and is not committed. So each linked work tree
    has a service of its own. A linked work tree that an earlier version synced to the service of the clone
    keeps that one.
    """
    own = Path(os.path.realpath(git))
    was_shared = root is not None and (root / MANIFEST).is_file() and not (own / "pressync").exists()
    return common if was_shared else own
