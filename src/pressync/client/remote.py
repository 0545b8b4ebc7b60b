"""A service over HTTP in the documented dialect: each call is one request, one response and one record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.client.documented import DOCUMENTED

if TYPE_CHECKING:
    from pressync.client.capabilities import Capabilities
    from pressync.client.http import Transport
    from pressync.model.calls import Call
    from pressync.model.records import Record


@dataclass(frozen=True, slots=True)
class Remote:
    """The service at the other end of a transport."""

    transport: Transport

    @property
    def name(self) -> str:
        """The dialect's name, for messages."""
        return DOCUMENTED.name

    @property
    def capabilities(self) -> Capabilities:
        """The abilities of this service."""
        return DOCUMENTED.capabilities

    @property
    def readable(self) -> None:
        """None: the documented interface reads nothing."""

    @property
    def library(self) -> None:
        """None: the documented interface has ids only."""

    def carry_out(self, call: Call) -> Record:
        """Make one attempt; return the record in the response, or raise the ServiceError that it shows."""
        return DOCUMENTED.record(call, self.transport.send(DOCUMENTED.request(call)))

    def close(self) -> None:
        """Close all connections."""
        self.transport.close()
