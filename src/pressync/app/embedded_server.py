"""Finds the embedded service of this clone, and names its data directory.

Nothing here starts a service or reads its data: the wing `stage` does, and the command line hands in what it
gives as an `EmbeddedService`. A program that opens a workspace itself may leave it out.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from pressync.config.keys import EMBEDDED
from pressync.model.errors import ConfigError, PressyncError
from pressync.model.web_address import split
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from http.client import HTTPConnection

    from pressync.model.interface import SiteTypes

DEFAULT_PORT = 8127
_DATABASE = "site.db"
_RUNNING = "running.json"
# Seconds in which a server on this machine must answer.
_PATIENCE = 10


class RunningServer(NamedTuple):
    """A server that runs: its process id, the base address of its interface, the address of its pages."""

    pid: int
    url: str
    site: str


class SilentServerError(PressyncError):
    """A server of this site runs, and does not answer."""


class EmbeddedService(NamedTuple):
    """What the wing `stage` gives: a service that runs, the port for it, and what is wrong with one.

    `running_or_started` gives the base address of the service of a data directory; if none runs, it starts
    one for the time of the block.
    """

    running_or_started: Callable[[Path, SiteTypes], AbstractContextManager[str]]
    free_port: Callable[[Path], int]
    fault: Callable[[RunningServer], str]

    def where_to_look(self, directory: Path) -> str:
        """Say where the service of a directory shows its site, or will show it when it runs."""
        try:
            if running := find(directory):
                return f"Look at it: {running.site}/"
        except SilentServerError as error:
            return f"{error}; {error.todo}"
        address = f"http://127.0.0.1:{self.free_port(directory)}/"
        return f"Look at it: run `pressync serve` and open {address}"


def _no_service(directory: Path, _types: SiteTypes) -> NoReturn:
    problem = "a site is not configured, and this program is without the embedded service"
    raise ConfigError(problem, where=str(directory), todo="name the `url` of a site, or use the command line")


NO_SERVICE = EmbeddedService(_no_service, lambda _directory: DEFAULT_PORT, lambda _running: "")


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
    """Find the server that serves this directory now; the note of a killed server is ignored.

    :raises SilentServerError: its process runs and holds its port, and it does not answer.
    """
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
            asked.connect()
            return _answering(running, asked)
    except (OSError, ValueError, KeyError, TypeError, OverflowError, http.client.HTTPException):
        return None


def is_running(directory: Path) -> bool:
    """Tell whether a server serves this directory now, also one that does not answer."""
    try:
        return find(directory) is not None
    except SilentServerError:
        return True


def _answering(running: RunningServer, asked: HTTPConnection) -> RunningServer | None:
    try:
        asked.request("HEAD", "/")
        return running if asked.getresponse().getheader("Server") == "pressync" else None
    except TimeoutError as error:
        # A second server with the same data would be the one that `serve --stop` ends.
        problem = f"process {running.pid} serves this site at {running.site}/, but it does not answer"
        raise SilentServerError(
            problem, todo=f"try again later; if it stays so, `kill -9 {running.pid}`"
        ) from error


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
