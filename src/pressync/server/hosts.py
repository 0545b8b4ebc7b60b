"""Refuses, in JSON, requests whose `Host` header does not name this server.

The owner of `evil.example` can point that name to 127.0.0.1 (DNS rebinding). A browser then treats this
service as that site, and the scripts of its pages could read and write here. The browser still sends the name
in `Host`, so this header alone shows the difference. The port is not compared: a tunnel may use another port,
and a rebound name cannot hide behind a port.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.server.json_response import send_json
from pressync.server.refusal import HttpRefusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def restrict_hosts(
    application: WSGIApplication, host: str, address: Callable[[], str | None]
) -> WSGIApplication:
    """Wrap an application that listens on `host` and whose links begin with `address`.

    A server that listens on every address accepts any IP address as its name, because an IP address cannot be
    rebound.
    """

    def guarded(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if _is_own(environ.get("HTTP_HOST", ""), host, address):
            return application(environ, start_response)
        refusal = _foreign()
        return send_json(environ, start_response, refusal.body, status=refusal.status)

    return guarded


def _is_own(named: str, host: str, address: Callable[[], str | None]) -> bool:
    """Whether a `Host` header names this server. Only programs with HTTP/1.0 omit it, browsers never do."""
    if not named:
        return True
    name = _name(f"//{named}")
    if name in LOOPBACK or (name and name == host.lower()):
        return True
    if _is_any(host) and _is_number(name):
        return True
    return bool(name) and name == _name(address() or "")


def _name(address: str) -> str:
    """Give the host of an address in lower case and without its port; "" if the address is not valid."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return ""
    return "" if "@" in parts.netloc else (parts.hostname or "")


def _is_any(host: str) -> bool:
    return _is_number(host) and ipaddress.ip_address(host).is_unspecified


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _foreign() -> HttpRefusal:
    return HttpRefusal(
        421,
        "foreign_host",
        "This service answers only to its own host names; `pressync serve --address URL` adds one.",
    )
