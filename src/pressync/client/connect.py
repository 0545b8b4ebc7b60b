"""Opens the service at a base address.

This module imports the network library and the dialects only when a service is opened: a plan only asks
for capabilities, opens no socket and encodes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.client.address import parse
from pressync.client.dialects import DEFAULT, DOCUMENTED, dialect_of

if TYPE_CHECKING:
    from pressync.client.address import Address
    from pressync.client.credentials import Secret
    from pressync.client.http import Transport
    from pressync.client.port import Limits, Service
    from pressync.client.wordpress import WordPressService


def open_service(
    url: str,
    *,
    dialect: str = DEFAULT.name,
    authorization: Secret | None = None,
    concurrency: int = 1,
    allow_http: bool = False,
    limits: Limits | None = None,
) -> Service:
    """Open the service at a base address; nothing is sent yet. Without `limits` the port's own apply.

    :raises ConfigError: the address or the dialect is invalid, or credentials would cross a network in the
        clear and `allow_http` is false.
    """
    if dialect_of(dialect) is not DOCUMENTED:
        return open_wordpress(
            url, authorization=authorization, concurrency=concurrency, allow_http=allow_http, limits=limits
        )
    from pressync.client.documented import Remote  # noqa: PLC0415 - a plan must not load requests

    return Remote(_transport(parse(url), authorization, concurrency, limits, allow_http=allow_http))


def open_wordpress(
    url: str,
    *,
    authorization: Secret | None = None,
    concurrency: int = 1,
    allow_http: bool = False,
    limits: Limits | None = None,
) -> WordPressService:
    """Open a WordPress site, as `open_service` does, for what only WordPress offers."""
    from pressync.client.wordpress import WordPressService  # noqa: PLC0415 - as above

    address = parse(url).through_script()
    return WordPressService(_transport(address, authorization, concurrency, limits, allow_http=allow_http))


def _transport(
    address: Address, secret: Secret | None, concurrency: int, limits: Limits | None, *, allow_http: bool
) -> Transport:
    from pressync.client.http import Transport  # noqa: PLC0415 - as above

    return Transport(
        address, authorization=secret, concurrency=concurrency, allow_http=allow_http, limits=limits
    )
