"""The port: what pressync asks of any service, and what crosses the wire to ask it.

It must not know a dialect or a network library. What decided its shape: a dialect is two pure functions
(call -> request, answer -> record), so every encoding can be read, tested and replayed without a socket.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

from pressync.model.errors import ConfigError, WrongDialect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pressync.model.errors import ServiceError
    from pressync.model.interface import Kind
    from pressync.model.records import Call, Capabilities, Record


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What is sent: `path` is below the base address and begins with a slash.

    The body is not shown by `repr`: it may hold the password of a page. `meant` is the method that a server
    is to take it for, if it is another than the one that can carry a body.
    """

    method: str
    path: str
    content_type: str
    body: bytes = field(repr=False)
    meant: str = ""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What came back: the header names are in lower case, the body is decoded and whole."""

    status: int
    content_type: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Limits:
    """How long one exchange may take, in seconds, and how large an answer may be, in decoded bytes.

    `connect` and `read` are for each wait, `total` for the whole exchange, however slowly it drips.
    """

    connect: float = 10.0
    read: float = 60.0
    total: float = 120.0
    largest: int = 64 * 1024 * 1024


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way of speaking: its name, what it can ask for, and its two pure functions.

    `request` raises ValueError for a call that the dialect cannot express (a mistake of ours, not the
    user's). `record` raises the kinds of `ServiceError` that an answer can show.
    """

    name: str
    capabilities: Capabilities
    request: Callable[[Call], HttpRequest]
    record: Callable[[Call, HttpResponse], Record]


class Service(Protocol):
    """A service that a run can ask to change its records."""

    @property
    def name(self) -> str:
        """The dialect's name, for messages."""

    @property
    def capabilities(self) -> Capabilities:
        """What may be asked of this service."""

    def carry_out(self, call: Call) -> Record:
        """Make one attempt. Every `ServiceError` tells whether the call was certainly not carried out."""

    def close(self) -> None:
        """Let go of connections; the service is not used again."""


@dataclass(frozen=True, slots=True)
class Term:
    """A category or tag; `name` is as people see it, `parent` is 0 at the top."""

    id: int
    name: str
    slug: str
    parent: int


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to be uploaded: the name that it gets, the slug that it is found by, and its content."""

    name: str
    slug: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A file that the service has: its id and its address."""

    id: int
    link: str


@dataclass(frozen=True, slots=True)
class AtAddress:
    """The records that hold one slug, or did before the trash, and those with the next number behind it."""

    holding: tuple[Record, ...] = ()
    numbered: tuple[Record, ...] = ()


class Reads(Protocol):
    """What can be asked of a service with reads without changing anything."""

    def records(self, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
        """Read those of the records that exist, in any status or in the trash, by id."""

    def find(self, kind: Kind, *, slug: str, parent: int | None) -> list[Record]:
        """Read every record that a create with this slug may have made, wherever it is now."""

    def find_recent(self, kind: Kind, slugs: Sequence[str], *, requests: int) -> dict[str, list[Record]]:
        """Read what creates with these slugs may have made just now, by slug, in at most so many requests.

        A slug that these requests cannot answer completely is absent.
        """

    def at_addresses(self, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
        """Read what holds these slugs, in any status or in the trash, below any parent; absent if nothing."""

    def user(self) -> int:
        """Give the id of the user that we are; Refused if nobody is recognised."""

    def newest(self, kind: Kind, *, besides: Collection[int]) -> list[Record]:
        """Read the newest records but these ids, wherever they are; some hundred of them at most."""

    def missing_rights(self, kind: Kind) -> tuple[str, ...]:
        """Name the rights that a sync needs and this user lacks; Refused if nobody is recognised."""


class ReadableService(Service, Reads, Protocol):
    """A service with reads: what `Capabilities.read` promises. Every method makes one attempt."""

    def carry_out_many(self, calls: Sequence[Call]) -> list[Record | ServiceError]:
        """Carry out up to `Capabilities.batch` calls in order, each with an end of its own."""


class Library(Protocol):
    """What can be asked of a service with terms, people and files. Every method makes one attempt."""

    def terms(self, field: str) -> list[Term]:
        """Read every term of a field of `Capabilities.names` (`categories` or `tags`)."""

    def make_term(self, field: str, name: str, parent: int) -> int:
        """Make a term, or find that there is one of this name below `parent`; its id."""

    def author(self, name: str) -> int | None:
        """Look up who has this login or e-mail address."""

    def uploaded(self, slugs: Collection[str]) -> dict[str, Uploaded]:
        """Look up files by the slugs that they were uploaded with."""

    def upload(self, upload: Upload) -> Uploaded:
        """Upload a file, whose ending is one of `Capabilities.files`."""

    def delete_upload(self, number: int) -> None:
        """Delete an uploaded file for good; a service has no trash for them."""


class LibraryService(ReadableService, Library, Protocol):
    """A service with terms, people and files: what `Capabilities.names` and `files` promise."""


# The methods that may be repeated after a lost response, because two calls leave the same state as one.
# `make_term` and `upload` are not among them: each may make a second one. `carry_out` depends on its call.
REPEATABLE = frozenset(
    {
        *("records", "find", "find_recent", "at_addresses", "user", "newest", "missing_rights"),
        *("terms", "author", "uploaded", "delete_upload"),
    }
)


def readable(service: Service) -> ReadableService | None:
    """Give the service as one with reads, if it says that it is one."""
    return cast("ReadableService", service) if service.capabilities.read else None


def require_readable(service: Service) -> ReadableService:
    """Give the service as one with reads, where something that needs them has begun.

    :raises ConfigError: it has none.
    """
    asked = readable(service)
    if asked is None:
        what = f"the {service.name} interface shows no way to read a record"
        raise ConfigError(what, todo="look at the site yourself")
    return asked


def library(service: Service) -> LibraryService | None:
    """Give the service as one with terms, people and files, if it says that it is one."""
    capabilities = service.capabilities
    return cast("LibraryService", service) if capabilities.names or capabilities.files else None


class WrongDialectShown(WrongDialect):
    """The echo shows literal JSON text; `record` is what was made, so that its id is never lost."""

    def __init__(self, what: str, *, record: Record, todo: str) -> None:
        super().__init__(what, todo=todo)
        self.record = record
