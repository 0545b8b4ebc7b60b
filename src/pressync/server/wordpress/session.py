"""One request, the state of the store that it sees, and the response that it gets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.server.database import SiteSettings
    from pressync.server.wordpress.roles import User


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """The bytes of an upload, the file name that it was sent with, and whether it came in a form."""

    name: str
    data: bytes
    in_form: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One request: `given` has the parameters of body, query and path, and `number` the id of the record.

    `file` is the file of an upload, or the problem with it.
    """

    method: str
    path: str
    given: Mapping[str, object] = field(default_factory=dict)
    number: int = 0
    file: ReceivedFile | str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """The view of one request: one transaction of the store, the settings, the time and the user.

    The files in `unneeded` are deleted when the transaction is durable.
    """

    db: sqlite3.Connection
    settings: SiteSettings
    now: int
    user: User
    uploads: Path
    unneeded: list[Path] = field(default_factory=list)

    @property
    def base(self) -> str:
        """The base address of the interface; one with a query takes the parameters after `&`."""
        return interface_address(self.settings)

    def link(self, path: str, query: str) -> str:
        """Give the address of an archive or a file: its path, or its query with plain permalinks."""
        return f"{self.settings.address}/{path if self.settings.permalinks else query}"


def interface_address(settings: SiteSettings) -> str:
    """Give the base address of the interface, as WordPress writes it for these permalinks."""
    return f"{settings.address}/{'wp-json' if settings.permalinks else 'index.php?rest_route='}"


@dataclass(frozen=True, slots=True)
class RestResponse:
    """A response: its status, its JSON value and its headers."""

    status: int
    value: object
    headers: tuple[tuple[str, str], ...] = ()
