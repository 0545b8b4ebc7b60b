"""Listens on 127.0.0.1 for the one request with which a browser brings an application password.

The password is in the address of that request. So the address has a random part that only the approved page
knows, the request is answered once, nothing of it is logged, and the browser is led on to a page without it.
Any page in the browser can make requests to this machine, also by a host name that it points here. So the
Host header must be the address itself.
"""

from __future__ import annotations

import hmac
import secrets
import sys
import threading
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self, cast
from urllib.parse import parse_qs

from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Mapping

_HOST = "127.0.0.1"
_LAST = "/closed"
# The server looks this often, in seconds, whether it is to end. Half a second would be felt after each login.
_POLL = 0.02
_MOST_FIELDS = 10
# A browser opens connections ahead on which it sends nothing.
_IDLE_SECONDS = 10
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class BroughtPassword:
    """The answer of the approved page: a user with a password, or a refusal; `site_url` names the site."""

    user: str
    password: str = field(repr=False)
    site_url: str

    @property
    def is_given(self) -> bool:
        """Whether the person approved."""
        return bool(self.password)


class Listener:
    """A listener for one answer. Use as a context manager."""

    def __init__(self) -> None:
        self._state = secrets.token_urlsafe(32)
        self._server = _Server((_HOST, 0), _Handler)
        self._server.listener = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL,), daemon=True)
        self._taken = threading.Event()
        self._lock = threading.Lock()
        self._approval: BroughtPassword | None = None
        self._closed = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def host(self) -> str:
        """The only Host header that is accepted."""
        return f"{_HOST}:{self._server.server_address[1]}"

    @property
    def address(self) -> str:
        """The address to which the approved page leads the browser."""
        return f"http://{self.host}/{self._state}"

    def wait(self, seconds: float) -> BroughtPassword | None:
        """Wait for the answer, and until the browser shows the last page; None if none comes in time."""
        self._taken.wait(seconds)
        if self._approval:
            self._closed.wait(min(seconds, 2))
        return self._approval

    def respond(self, path: str, headers: Mapping[str, str]) -> tuple[HTTPStatus, str]:
        """Give the status and the text, or the place, that answer a GET of a path."""
        parts = split(path)
        if parts is None:
            return HTTPStatus.BAD_REQUEST, "This is not an address."
        # A script or a picture of another page sends another destination. Only the window itself is led here.
        if headers.get("Host") != self.host or headers.get("Sec-Fetch-Dest", "document") != "document":
            return HTTPStatus.FORBIDDEN, "This address is for one browser only."
        if parts.path == _LAST and self._approval:
            self._closed.set()
            return HTTPStatus.OK, _sentence(self._approval)
        if not hmac.compare_digest(parts.path.encode(), f"/{self._state}".encode()):
            return HTTPStatus.NOT_FOUND, "There is nothing here."
        return self._taken_from(parts.query)

    def _taken_from(self, query: str) -> tuple[HTTPStatus, str]:
        approval = _read(query)
        if approval is None:
            return HTTPStatus.BAD_REQUEST, "The site sent neither a password nor a refusal."
        with self._lock:
            if self._approval:
                return HTTPStatus.GONE, "This login has ended. You may close this page."
            self._approval = approval
        self._taken.set()
        # The address of the next page has no password, and it is the one that stays in the browser.
        return HTTPStatus.SEE_OTHER, _LAST


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    listener: Listener

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in the library
        """Print nothing of a connection that broke: any page in the browser can break one."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server_version = "pressync"
    sys_version = ""
    timeout = _IDLE_SECONDS

    def do_GET(self) -> None:
        """Answer a request, in plain text."""
        listener = cast("_Server", self.server).listener
        headers = {name: self.headers.get(name, "") for name in self.headers}
        status, text = listener.respond(self.path, headers)
        body = b"" if status is HTTPStatus.SEE_OTHER else f"{text}\n".encode()
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if status is HTTPStatus.SEE_OTHER:
            self.send_header("Location", text)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing: the address of a request may have the password in it."""


def _read(query: str) -> BroughtPassword | None:
    try:
        found = parse_qs(query, max_num_fields=_MOST_FIELDS, strict_parsing=True, errors="strict")
    except ValueError:
        return None
    given = {name: values[0] for name, values in found.items() if len(values) == 1}
    if given.get("success") == "false":
        return BroughtPassword("", "", "")
    if not given.keys() >= {"site_url", "user_login", "password"}:
        return None
    return BroughtPassword(given["user_login"], given["password"], given["site_url"])


def _sentence(approval: BroughtPassword) -> str:
    if approval.is_given:
        return "pressync has the password and checks it now; the terminal says more. You may close this page."
    return "You did not approve, so pressync has no password. You may close this page."
