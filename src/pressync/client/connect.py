"""Opens the service at a base address.

This module imports the network library and the dialects only when a service is opened: a plan only asks
for capabilities, opens no socket and encodes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.client.address import parse
from pressync.client.dialects import DEFAULT, DOCUMENTED, dialect_of

if TYPE_CHECKING:
    from pressync.client.credentials import Secret
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
    address = parse(url)
    from pressync.client.documented import Remote  # noqa: PLC0415
    from pressync.client.http import Transport  # noqa: PLC0415 - a plan must not load requests

    return Remote(
        Transport(
            address,
            authorization=authorization,
            concurrency=concurrency,
            allow_http=allow_http,
            limits=limits,
        )
    )


def open_wordpress(
    url: str,
    *,
    authorization: Secret | None = None,
    concurrency: int = 1,
    allow_http: bool = False,
    limits: Limits | None = None,
) -> WordPressService:
    """Open a WordPress site, as `open_service` does, for what only WordPress offers."""
    address = parse(url).through_script()
    from pressync.client.http import Transport  # noqa: PLC0415 - a plan must not load requests
    from pressync.client.wordpress import WordPressService  # noqa: PLC0415

    return WordPressService(
        Transport(
            address,
            authorization=authorization,
            concurrency=concurrency,
            allow_http=allow_http,
            limits=limits,
        )
    )
