"""Starts the embedded service of a clone, and reads from its data at which port its links begin.

`sync` must work before anybody has started a server. So it starts one for the time of the run if none runs,
with the data that `pressync serve` shows. Several clones may have services at once, so each has a port of its
own, and the links of its records begin with that address.
"""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

from pressync.app import embedded_server
from pressync.app.embedded_server import DEFAULT_PORT, EmbeddedService, RunningServer
from pressync.model.errors import StorageError
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# At most this many ports are tried, from the first one on.
_PORTS = 100
# Seconds in which a server on this machine must answer.
_PATIENCE = 10
# At most this many bytes of a page are read.
_LARGEST = 1_000_000


def fault(running: RunningServer) -> str:
    """Say why a server that runs does not show its site as this version does; "" if it does.

    A server that was started before an update goes on with the pages of before, or without them.
    """
    from http import HTTPStatus  # noqa: PLC0415 - as in `_page`

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
    import http.client  # noqa: PLC0415 - it takes 10 ms, and a plan needs no server

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


def free_port(directory: Path, host: str = "127.0.0.1") -> int:
    """Give the port for the service of a directory: that of its links, else the next free one, else 0."""
    first = port_of_links(directory) or DEFAULT_PORT
    return next((port for port in range(first, first + _PORTS) if embedded_server.is_free(host, port)), 0)


@contextmanager
def running_or_started(directory: Path, types: SiteTypes = DOCUMENTED_TYPES) -> Iterator[str]:
    """Give the base address of this clone's service; if none runs, start one with these types for the block.

    :raises StorageError: the service cannot be started with its data.
    """
    running = embedded_server.find(directory)
    if running:
        yield running.url
        return
    from pressync.stage.server.database import UnusableDatabase  # noqa: PLC0415 - only a server needs SQLite
    from pressync.stage.server.server import running as serving  # noqa: PLC0415 - only a server needs Flask

    with ExitStack() as block:
        try:
            embedded_server.make_directory(directory)
            is_new = not embedded_server.database(directory).exists()
            address = f"http://127.0.0.1:{free_port(directory) or DEFAULT_PORT}" if is_new else None
            service = block.enter_context(
                serving(embedded_server.database(directory), address=address, dialect="both", types=types)
            )
        except (OSError, UnusableDatabase) as error:
            what = f"the embedded service does not start ({getattr(error, 'strerror', None) or error})"
            raise StorageError(what, where=str(directory), todo="repair its data, or move it away") from error
        yield service.url


def port_of_links(directory: Path) -> int | None:
    """Read the port that the links of a service begin with; None if they lead elsewhere."""
    from pressync.stage.server.database import stored_address  # noqa: PLC0415 - only a server needs SQLite

    parts = split(stored_address(embedded_server.database(directory)))
    return parts.port if parts and parts.hostname == "127.0.0.1" else None


EMBEDDED_SERVICE = EmbeddedService(running_or_started, free_port, fault)
