"""Opens the service at a base address.

This module imports the network library and the dialects only when a service is opened: a plan only asks
for capabilities, opens no socket and encodes nothing.
"""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from pressync.client.address import Address, parse
from pressync.client.dialects import DEFAULT, dialect_of
from pressync.model.errors import ConfigError, ServiceError
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.client.credentials import Secret
    from pressync.client.dialects import DialectRow
    from pressync.client.port import HttpResponse, Limits, Service
    from pressync.model.interface import Kind
    from pressync.model.records import Fields


class Encoder(Protocol):
    """Makes the values that a service stores of the fields of a record; `stored` ones stay as they are."""

    def __call__(self, kind: Kind, fields: Fields, *, stored: Fields = ...) -> Mapping[str, object]:
        """Make them by name."""


def open_service(
    url: str,
    *,
    dialect: str = DEFAULT.name,
    types: SiteTypes = DOCUMENTED_TYPES,
    authorization: Secret | None = None,
    concurrency: int = 1,
    allow_http: bool = False,
    limits: Limits | None = None,
    say: Callable[[str], None] | None = None,
    only_reads: bool = False,
) -> Service:
    """Open the service at a base address; nothing is sent yet. Without `limits` the port's own apply.

    `say` takes a sentence for people where another address of the same interface is used. With `only_reads`,
    every other request is refused before it leaves.

    :raises ConfigError: the address or the dialect is invalid, or credentials would cross a network in the
        clear and `allow_http` is false.
    """
    from pressync.client.http import ReadingTransport, Transport  # noqa: PLC0415 - a plan must not load requests

    row = dialect_of(dialect)
    address = parse(url).through_script() if row.through_script else parse(url)
    address = address.of_one_site(row.route) if row.route else address
    make = ReadingTransport if only_reads else Transport
    transport = make(
        address,
        authorization=authorization,
        concurrency=concurrency,
        allow_http=allow_http,
        limits=limits,
        detour=_detour(url, say) if row.through_script and say else None,
    )
    opened: Callable[[Transport, SiteTypes, DialectRow], Service] = _loaded(row.opener)
    return opened(transport, types, row)


def stored_by(dialect: str) -> Encoder:
    """Give the function that makes the values which a service of this dialect stores."""
    encoder: Encoder = _loaded(dialect_of(dialect).encoder)
    return encoder


def _loaded(place: str) -> Any:  # noqa: ANN401 - the row says what it is
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _detour(url: str, say: Callable[[str], None]) -> Callable[[HttpResponse], Address | None]:
    """Make the question after the other address of the interface, if WordPress did not write a response."""

    def other_address(response: HttpResponse) -> Address | None:
        from pressync.client.probe import opened  # noqa: PLC0415 - most sites are never probed
        from pressync.client.responses import object_or_nothing  # noqa: PLC0415 - as above

        is_refusal = HTTPStatus.BAD_REQUEST <= response.status < HTTPStatus.INTERNAL_SERVER_ERROR
        if not is_refusal or object_or_nothing(response):
            return None
        with suppress(ServiceError, ConfigError):
            other, _ = opened(url, say)
            if other != url:
                return parse(other).through_script()
        return None

    return other_address
