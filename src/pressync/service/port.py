"""The port: what pressync asks of any service, and what crosses the wire to ask it.

It must not know a dialect or a network library. What decided its shape: a dialect is two pure functions
(call -> request, answer -> record), so every encoding can be read, tested and replayed without a socket.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

from pressync.errors import WrongDialect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pressync.errors import ServiceError
    from pressync.interface import Kind
    from pressync.model import Call, Capabilities, Record


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent: `path` is below the base address and begins with a slash.

    The body is not shown by `repr`: it may hold the password of a page.
    """

    method: str
    path: str
    content_type: str
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the header names are in lower case, the body is decoded and whole."""

    status: int
    content_type: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way of speaking: its name, what it can ask for, and its two pure functions.

    `request` raises ValueError for a call that the dialect cannot express (a mistake of ours, not the
    user's). `record` raises the kinds of `ServiceError` that an answer can show.
    """

    name: str
    capabilities: Capabilities
    request: Callable[[Call], Request]
    record: Callable[[Call, Answer], Record]


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


class ReadableService(Service, Protocol):
    """A service with reads: what `Capabilities.read` promises. Every method makes one attempt."""

    def records(self, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
        """Read those of the records that exist, in any status or in the trash, by id."""

    def find(self, kind: Kind, *, slug: str, parent: int | None) -> list[Record]:
        """Read every record that a create with this slug may have made, wherever it is now."""

    def missing_rights(self, kind: Kind) -> tuple[str, ...]:
        """Name the rights that a sync needs and this user lacks; Refused if nobody is recognised."""

    def carry_out_many(self, calls: Sequence[Call]) -> list[Record | ServiceError]:
        """Carry out up to `Capabilities.batch` calls in order, each with an end of its own."""


def readable(service: Service) -> ReadableService | None:
    """Give the service as one with reads, if it says that it is one."""
    return cast("ReadableService", service) if service.capabilities.read else None


class WrongDialectShown(WrongDialect):
    """The echo shows literal JSON text; `record` is what was made, so that its id is never lost."""

    def __init__(self, what: str, *, record: Record, todo: str) -> None:
        super().__init__(what, todo=todo)
        self.record = record
