"""This side of the wire: the port, the dialects by name, and the way to open a service.

It must not import the network library until a service is really opened: a plan asks for capabilities
and opens no socket.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.errors import ConfigError
from pressync.service.address import parse
from pressync.service.documented import DOCUMENTED
from pressync.service.port import LIMITS
from pressync.service.wordpress import WORDPRESS, WordPressService

if TYPE_CHECKING:
    from pressync.model import Call, Capabilities, Record
    from pressync.service.credentials import Secret
    from pressync.service.http import Transport
    from pressync.service.port import Dialect, Limits, Service

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (DOCUMENTED, WORDPRESS)}


def dialect_named(name: str) -> Dialect:
    """Look a dialect up; ConfigError that lists those there are."""
    try:
        return DIALECTS[name]
    except KeyError:
        raise ConfigError(
            f"there is no dialect “{name}”", todo=f"set `dialect` to one of: {', '.join(sorted(DIALECTS))}"
        ) from None


def open_service(
    url: str,
    *,
    dialect: str = DOCUMENTED.name,
    authorization: Secret | None = None,
    concurrency: int = 1,
    allow_http: bool = False,
    limits: Limits = LIMITS,
) -> Service:
    """Make the service at a base address ready; nothing is sent yet.

    ConfigError if the address or the dialect is none, or if credentials would cross a network in the
    clear and `allow_http` does not say that they may.
    """
    spoken = dialect_named(dialect)
    address = parse(url)
    from pressync.service.http import Transport  # noqa: PLC0415 - a plan must not pay for requests

    transport = Transport(
        address.through_script() if spoken is WORDPRESS else address,
        authorization=authorization,
        concurrency=concurrency,
        allow_http=allow_http,
        limits=limits,
    )
    return WordPressService(transport) if spoken is WORDPRESS else _Remote(spoken, transport)


@dataclass(frozen=True, slots=True)
class _Remote:
    """A service that is spoken with over HTTP in one dialect."""

    dialect: Dialect
    transport: Transport

    @property
    def name(self) -> str:
        return self.dialect.name

    @property
    def capabilities(self) -> Capabilities:
        return self.dialect.capabilities

    def carry_out(self, call: Call) -> Record:
        return self.dialect.record(call, self.transport.send(self.dialect.request(call)))

    def close(self) -> None:
        self.transport.close()
