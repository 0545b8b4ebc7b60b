"""Opens the service at a base address.

This module imports the network library and the dialects only when a service is opened: a plan only asks
for capabilities, opens no socket and encodes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.client.address import parse
from pressync.client.capabilities import capabilities_of

if TYPE_CHECKING:
    from pressync.client.credentials import Secret
    from pressync.client.port import Limits, Service


def open_service(
    url: str,
    *,
    dialect: str = "documented",
    authorization: Secret | None = None,
    concurrency: int = 1,
    allow_http: bool = False,
    limits: Limits | None = None,
) -> Service:
    """Open the service at a base address; nothing is sent yet. Without `limits` the port's own apply.

    ConfigError if the address or the dialect is invalid, or if credentials would cross a network in the
    clear and `allow_http` is false.
    """
    capabilities_of(dialect)
    address = parse(url)
    from pressync.client.http import Transport  # noqa: PLC0415 - a plan must not load requests
    from pressync.client.port import LIMITS  # noqa: PLC0415
    from pressync.client.remote import Remote  # noqa: PLC0415
    from pressync.client.wordpress import WORDPRESS, WordPressService  # noqa: PLC0415

    transport = Transport(
        address.through_script() if dialect == WORDPRESS.name else address,
        authorization=authorization,
        concurrency=concurrency,
        allow_http=allow_http,
        limits=limits or LIMITS,
    )
    return WordPressService(transport) if dialect == WORDPRESS.name else Remote(transport)
