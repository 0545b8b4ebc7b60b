"""HTTP: sends one request and reads one whole response, or raises an error.

The type of the error says whether the service may have carried the request out. The transport makes no
retries, follows no redirects, and uses neither cookies nor netrc, because only the caller knows what a second
call would do.
"""

from __future__ import annotations

import http.client
import re
import time
from dataclasses import replace
from functools import lru_cache
from http import HTTPStatus
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import requests
import requests.adapters
import urllib3

from pressync import __version__
from pressync.client.credentials import LEAST, LEAST_IN_RECORDS, Secret
from pressync.client.exchange import POOLS, Deadlines, Exchange, Stage
from pressync.client.port import LIMITS, HttpRequest, HttpResponse, Limits
from pressync.client.responses import SUCCESS
from pressync.model.errors import ConfigError, NoAnswer, NotSent, SafetyRefusal, ServiceError
from pressync.model.interface import JSON_CONTENT_TYPE
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.client.address import Address


_CHUNK = 65536

# The bytes that are read of an error.
_LARGEST_ERROR = 1024 * 1024

# The headers of caches have many names: `X-Cache: HIT`, `CF-Cache-Status: HIT`, `X-LiteSpeed-Cache: hit`.
_HIT = re.compile(r"\bhit\b", re.IGNORECASE)

# Everything that the libraries below raise when a connection fails.
_LINE_FAILURES = (OSError, urllib3.exceptions.HTTPError, http.client.HTTPException)


class Transport:
    """Sends requests to one origin, from up to `concurrency` threads with one connection each.

    ConfigError if credentials would cross a network in the clear, unless `allow_http`.
    """

    def __init__(
        self,
        address: Address,
        *,
        authorization: Secret | None = None,
        concurrency: int = 1,
        allow_http: bool = False,
        limits: Limits | None = None,
        detour: Callable[[HttpResponse], Address | None] | None = None,
    ) -> None:
        """Use the address, or that which `detour` gives if the response to the first read shows a block."""
        if authorization and address.scheme == "http" and not (address.loopback or allow_http):
            raise ConfigError(
                f"credentials would be sent unencrypted to {address.host}",
                todo="use https, or set `allow_http = true` for this site if its network is trusted",
            )
        self._address = address
        self._authorization = authorization
        self._limits = limits or LIMITS
        self._deadlines = Deadlines(self._limits.total)
        self._session = _session(address, concurrency)
        self._detour = detour
        # `requests` needs a third of the time of sending to prepare a request. All creates of a run differ
        # only in their bodies, so they share one prepared request. Each update and each delete has a path of
        # its own, so only a few are kept.
        self._without_body = lru_cache(maxsize=8)(self._prepare_without_body)

    def address_of(self, path: str) -> str:
        """Give the full address of a path, for messages: it has neither a user nor a password."""
        return self._address.join(path)

    @property
    def has_credentials(self) -> bool:
        """Whether requests have credentials; the service may still ignore them."""
        return self._authorization is not None

    def send(self, request: HttpRequest) -> HttpResponse:
        """Make one exchange. NotSent if no byte left; NoAnswer if the request began and no response came."""
        response, detour, self._detour = self._sent(request), self._detour, None
        if request.method != "GET":
            return response
        if detour is not None and (other := detour(response)) is not None:
            self._address = other
            self._without_body.cache_clear()
            response = self._sent(request)
        if self._authorization is not None and _is_kept(response):
            response = self._sent(replace(request, path=_never_asked(request.path)))
        return response

    def _sent(self, request: HttpRequest) -> HttpResponse:
        try:
            with self._deadlines.exchange() as exchange:
                return self._exchanged(request, exchange)
        except _LINE_FAILURES as error:
            failure = self._failure(exchange, error)
        # Raised outside of the except clause. Inside of it, our error would hold on to the library's error,
        # which has the request and its headers.
        raise failure

    def close(self) -> None:
        """Close all connections."""
        self._deadlines.close()
        self._session.close()

    def _exchanged(self, request: HttpRequest, exchange: Exchange) -> HttpResponse:
        with self._session.send(
            self._prepared(request),
            stream=True,
            allow_redirects=False,
            timeout=(self._limits.connect, self._limits.read),
        ) as response:
            body = self._body(response)
            if exchange.expired:
                # A response without a length ends where its connection ends, also if we closed that.
                raise self._overdue()
            # A record is compared with the fields that were sent. So only a secret that is too long to be
            # a word is redacted in it.
            is_record = response.status_code in SUCCESS and body.lstrip()[:1] in {b"{", b"["}
            return HttpResponse(
                status=response.status_code,
                content_type=self._redact_line(response.headers.get("Content-Type", "")),
                headers={name.lower(): self._redact_line(value) for name, value in response.headers.items()},
                body=self._redact(body, LEAST_IN_RECORDS if is_record else LEAST),
                has_credentials=self._authorization is not None,
            )

    def _redact(self, text: bytes, least: int = LEAST) -> bytes:
        """Redact our credentials: debug pages and redirects repeat them."""
        return self._authorization.redact(text, least) if self._authorization else text

    def _redact_line(self, header: str) -> str:
        # http.client reads headers as Latin-1, in which every byte is a character.
        return self._redact(header.encode("latin-1", "replace")).decode("latin-1")

    def _prepared(self, request: HttpRequest) -> requests.PreparedRequest:
        prepared = self._without_body(request.method, request.path, request.content_type).copy()
        if request.body:
            prepared.body = request.body
            prepared.headers["Content-Length"] = str(len(request.body))
        if request.override:
            prepared.headers["X-HTTP-Method-Override"] = request.override
        return prepared

    def _prepare_without_body(self, method: str, path: str, content_type: str) -> requests.PreparedRequest:
        headers = {"Content-Type": content_type}
        if self._authorization:
            headers["Authorization"] = self._authorization.reveal()
        url = self._address.join(path)
        return self._session.prepare_request(requests.Request(method, url, headers=headers))

    def _body(self, response: requests.Response) -> bytes:
        """Read a body; of an error only the beginning, which has the message for people."""
        is_error, body = response.status_code >= HTTPStatus.BAD_REQUEST, bytearray()
        for chunk in response.iter_content(_CHUNK):
            body += chunk
            if is_error and len(body) > _LARGEST_ERROR:
                break
            if not is_error and len(body) > self._limits.largest:
                raise NoAnswer(f"the response of {self._address.origin} is over {self._limits.largest} bytes")
        return bytes(body)

    def _overdue(self) -> NoAnswer:
        return NoAnswer(f"no complete response from {self._address.origin} within {self._limits.total:g} s")

    def _failure(self, exchange: Exchange, error: Exception) -> ServiceError:
        """Class a failure by the stage that the exchange reached; the library's error only gives the words.

        NotSent needs a proof: our pool was asked for a connection and did not begin to send, or nobody can
        use the address. Without a proof, the service may have carried the request out.
        """
        unusable = isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidSchema)
        if unusable and exchange.stage is Stage.WAITING:
            return NotSent(
                f"the address of {self._address.host} or of its proxy cannot be used",
                todo="check `url` and HTTPS_PROXY",
            )
        if exchange.stage is Stage.CONNECTING:
            return self._not_sent(error)
        if exchange.expired:
            return self._overdue()
        if _within(error, TimeoutError, urllib3.exceptions.TimeoutError, requests.exceptions.Timeout):
            return NoAnswer(f"no response from {self._address.origin} within {self._limits.read:g} s")
        return NoAnswer(f"the connection to {self._address.origin} broke before the response was complete")

    def _not_sent(self, error: Exception) -> NotSent:
        host = self._address.host
        if _within(error, requests.exceptions.ProxyError, urllib3.exceptions.ProxyError):
            return NotSent(f"the proxy did not connect to {host}", todo="check HTTPS_PROXY")
        if _within(error, requests.exceptions.SSLError, urllib3.exceptions.SSLError):
            # OpenSSL calls it a wrong version if a server answers in plain text.
            is_plain = "WRONG_VERSION_NUMBER" in str(error)
            why, todo = _PLAIN_TEXT if is_plain else _NOT_ACCEPTED
            return NotSent(f"no secure connection to {host}: {why}", todo=todo)
        if _within(error, urllib3.exceptions.NameResolutionError):
            return NotSent(f"the name {host} has no address", todo="check `url` and the network")
        if _within(error, ConnectionRefusedError):
            return NotSent(f"connection refused by {host}", todo="is the service running?")
        if _within(error, TimeoutError, urllib3.exceptions.ConnectTimeoutError):
            return NotSent(f"no connection to {host} within {self._limits.connect:g} s")
        return NotSent(
            f"no connection to {host}", todo="check `url`, the network, and HTTPS_PROXY if it is set"
        )


_PLAIN_TEXT = (
    "what answers there is not TLS",
    "check the port, and the scheme: a site without TLS has http:// in its `url`",
)
_NOT_ACCEPTED = (
    "its certificate or its TLS version is not accepted",
    "check the certificate; REQUESTS_CA_BUNDLE names the bundle of a private authority",
)


class _Session(requests.Session):
    """A session that follows no redirects and keeps no cookies."""

    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002 - requests' signature
        # Even with allow_redirects=False the session reads the whole body of a redirect, to prepare the
        # next request. That would ignore all our limits.
        return None


class _Adapter(requests.adapters.HTTPAdapter):
    """An adapter whose pools record the stage of an exchange."""

    def init_poolmanager(self, *args: object, **kwargs: object) -> None:
        super().init_poolmanager(*args, **kwargs)  # type: ignore[arg-type]
        self.poolmanager.pool_classes_by_scheme = POOLS

    def proxy_manager_for(self, proxy: str, **kwargs: object) -> urllib3.ProxyManager:
        manager: urllib3.ProxyManager = super().proxy_manager_for(proxy, **kwargs)
        # SOCKS has its own pools, which record no stage. So its failures all count as perhaps carried out.
        if not proxy.lower().startswith("socks"):
            manager.pool_classes_by_scheme = POOLS
        return manager


def _session(address: Address, concurrency: int) -> _Session:
    session = _Session()
    adapter = _Adapter(pool_maxsize=concurrency, pool_block=True, max_retries=0)
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    session.headers["User-Agent"] = f"pressync/{__version__}"
    session.headers["Accept"] = JSON_CONTENT_TYPE
    # The environment is read once, because reading it costs a fifth of each request. It gives only proxies
    # and certificate bundles: netrc could add credentials that are not for this service.
    environment = session.merge_environment_settings(address.origin, {}, None, None, None)
    session.trust_env = False
    session.verify = environment["verify"]
    if not address.loopback:
        # A service on this machine is not behind a proxy, and its credentials may go unencrypted.
        session.proxies = environment["proxies"]
    return session


# Some hosts and plugins keep the responses to reads for a minute, also those to a user. Such a response does
# not have an edit that somebody has made since, and our own last write looks like an edit. WordPress ignores
# a parameter that it does not know, and no cache has its address.
def _is_kept(response: HttpResponse) -> bool:
    """Tell whether a cache before the site says that it has given this response (RFC 9111, 5.1)."""
    age = response.headers.get("age", "").strip()
    if age.isascii() and age.isdigit() and age.strip("0"):
        return True
    return any("cache" in name and _HIT.search(value) for name, value in response.headers.items())


def _never_asked(path: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}_={time.time_ns()}"


def _within(error: BaseException | None, *kinds: type[BaseException]) -> bool:
    """Tell whether an error, one of its causes or one of its arguments is of one of these kinds."""
    pending: list[object] = [error]
    seen: set[int] = set()
    while pending:
        one = pending.pop()
        if not isinstance(one, BaseException) or id(one) in seen:
            continue
        if isinstance(one, kinds):
            return True
        seen.add(id(one))
        pending += [one.__cause__, one.__context__, getattr(one, "reason", None), *one.args]
    return False


class ReadingTransport(Transport):
    """Carries GET and OPTIONS, and nothing else."""

    def send(self, request: HttpRequest) -> HttpResponse:
        """Make one exchange that changes nothing; SafetyRefusal for every other request."""
        if not _only_reads(request):
            problem = f"a tool that reads sends no {one_line(request.override or request.method)}"
            raise SafetyRefusal(problem, todo="a person can do it", code="beyond_agent_policy")
        return super().send(request)

    def get(self, path: str) -> HttpResponse:
        """Make one GET."""
        return self.send(HttpRequest("GET", path))


def _only_reads(request: HttpRequest) -> bool:
    """Tell whether a request changes nothing: WordPress takes its method from a parameter as well.

    PHP reads a dot and a blank in the name of a parameter as `_`.
    """
    query = parse_qsl(request.path.partition("?")[2], keep_blank_values=True)
    named = {value.upper() for name, value in query if re.sub(r"[. +]", "_", name).startswith("_method")}
    is_plain = not (request.body or request.override) and named <= {"GET", "OPTIONS"}
    return is_plain and request.method in {"GET", "OPTIONS"}
