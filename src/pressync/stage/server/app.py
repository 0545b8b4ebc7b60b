"""The whole application: the service below /wp-json in one dialect or in both, and the web site beside it.

The documented dialect is the table of the interface: success is 200 with the whole record (section 4), and
everything that is not in the table is refused. A lenient server would hide the mistakes of the client that is
tested against it. No request of one dialect is a request of the other. So a service in both dialects answers
a body that is a form as the documented interface, and everything else as WordPress. A request that names
another host is refused.
"""

from __future__ import annotations

import ipaddress
import logging
import re
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from werkzeug.datastructures import Authorization
from werkzeug.http import parse_options_header
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from pressync.model.interface import FORM_CONTENT_TYPE, OPERATIONS, Operation
from pressync.model.web_address import split
from pressync.stage.server import wire
from pressync.stage.server.rows import SERVICE, RecordJson
from pressync.stage.server.web import make_web
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress.app import make_wordpress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from pressync.stage.server.store import Store


_log = logging.getLogger(__name__)

# Each path of the table, with the operation of each method there. Only an id matches `{id}`.
_ROUTES = tuple(
    (
        re.compile(path.replace("{id}", "([1-9][0-9]{0,17})")),
        {operation.method: operation for operation in OPERATIONS if operation.path == path},
    )
    for path in dict.fromkeys(operation.path for operation in OPERATIONS)
)


def make_api(store: Store, *, token: str | None = None) -> WSGIApplication:
    """Make the service. With a `token`, only callers who present it may write.

    The service accepts the token as a Bearer token, or as the password of Basic credentials. (Section 5 of
    the interface does not show any authentication.)
    """

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        try:
            operation, record_id = _route(environ)
            _check_caller(environ, token)
            record = _carried_out(store, operation, record_id, _fields(environ, operation))
            return wire.send_json(environ, start_response, record)
        except HttpRefusal as error:
            refusal = error
        except Exception:  # noqa: BLE001 - the log has the details, and the caller must not
            _log.exception("%s %s failed", environ["REQUEST_METHOD"], environ["PATH_INFO"])
            refusal = HttpRefusal(500, "internal_error", wire.FAILED)
        headers = _headers(environ, refusal)
        return wire.send_json(environ, start_response, refusal.body, status=refusal.status, headers=headers)

    return application


def _route(environ: WSGIEnvironment) -> tuple[Operation, int]:
    for path, operations in _ROUTES:
        if found := path.fullmatch(environ["PATH_INFO"]):
            operation = operations.get(environ["REQUEST_METHOD"])
            if operation is None:
                raise HttpRefusal(405, "wrong_method", "This path does not take the method of the request.")
            return operation, int(found[1]) if path.groups else 0
    raise HttpRefusal(404, "no_such_route", "The interface has no such path.")


def _carried_out(store: Store, operation: Operation, record_id: int, fields: wire.FormFields) -> RecordJson:
    if operation.verb == "create":
        return store.create(operation.kind, fields)
    if operation.method == "DELETE":
        return store.delete(operation.kind, record_id, force=bool(fields.get("force", False)))
    return store.update(operation.kind, record_id, fields)


def _check_caller(environ: WSGIEnvironment, token: str | None) -> None:
    """Refuse web pages (403) and, where a token is set, callers who do not present it (401)."""
    wire.refuse_web_pages(environ)
    given = Authorization.from_header(environ.get("HTTP_AUTHORIZATION"))
    if token is not None and not wire.presents(given, token):
        raise HttpRefusal(401, "not_authorised", "Writing needs the token, as Bearer or as Basic password.")


def _fields(environ: WSGIEnvironment, operation: Operation) -> wire.FormFields:
    """Read the body; only a DELETE may omit it."""
    if environ.get("QUERY_STRING"):
        raise HttpRefusal(400, "query_refused", "The interface has no query parameters; send body fields.")
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > wire.BODY_LIMIT:
        raise HttpRefusal(413, "too_large", wire.TOO_LARGE)
    body = environ["wsgi.input"].read(length)
    if operation.method == "DELETE" and not body:
        return {}
    kind, parameters = parse_options_header(environ.get("CONTENT_TYPE"))
    charset = parameters.pop("charset", "utf-8")
    if kind.lower() != FORM_CONTENT_TYPE or parameters or charset.lower() not in {"utf-8", "utf8"}:
        raise HttpRefusal(415, "wrong_content_type", f"The body must be {FORM_CONTENT_TYPE}, in UTF-8.")
    return wire.read_form(body, operation.body)


def _headers(environ: WSGIEnvironment, refusal: HttpRefusal) -> Iterable[tuple[str, str]]:
    """Give the headers that say what the caller can do after a refusal."""
    match refusal.status:
        case HTTPStatus.UNAUTHORIZED:
            yield "WWW-Authenticate", 'Bearer, Basic realm="content service"'
        case HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = (operations for path, operations in _ROUTES if path.fullmatch(environ["PATH_INFO"]))
            yield "Allow", ", ".join(sorted(next(allowed)))
        case HTTPStatus.SERVICE_UNAVAILABLE:
            yield "Retry-After", "1"


LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def restrict_hosts(
    application: WSGIApplication, host: str, address: Callable[[], str | None]
) -> WSGIApplication:
    """Wrap an application that listens on `host` and whose links begin with `address`.

    A server that listens on every address accepts any IP address as its name, because an IP address cannot be
    rebound.
    """
    own = {*LOOPBACK, host.lower()} - {""}
    is_any = _is_number(host) and ipaddress.ip_address(host).is_unspecified

    def guarded(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        # Only programs with HTTP/1.0 omit the header, browsers never do.
        named = environ.get("HTTP_HOST", "")
        name = _name(f"//{named}")
        is_own = name in own or (is_any and _is_number(name)) or (name and name == _name(address() or ""))
        if is_own or not named:
            return application(environ, start_response)
        what = "This service answers only to its own host names; `pressync serve --address URL` adds one."
        refusal = HttpRefusal(421, "foreign_host", what)
        return wire.send_json(environ, start_response, refusal.body, status=refusal.status)

    return guarded


def _name(address: str) -> str:
    """Give the host of an address in lower case and without its port; "" if the address is not valid."""
    parts = split(address)
    return "" if parts is None or "@" in parts.netloc else (parts.hostname or "")


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


# The paths of WordPress's own program.
_FRONT = frozenset({"", "/", "/index.php"})

DOCUMENTED, WORDPRESS, BOTH = "documented", "wordpress", "both"
DIALECTS = (BOTH, DOCUMENTED, WORDPRESS)


def make_app(
    store: Store,
    *,
    host: str = "127.0.0.1",
    token: str | None = None,
    previews: bool = False,
    dialect: str = DOCUMENTED,
    around: Callable[[WSGIApplication], WSGIApplication] | None = None,
) -> WSGIApplication:
    """Make the WSGI application of a store; with a `token`, only callers who present it may write.

    It accepts requests for `host`, for loopback, and for the host of the store's own address. `dialect` is
    one of DIALECTS. Without a `token`, or with `previews`, everybody can look at drafts. `around` may answer
    requests that were accepted, and change the answers of the others.
    """
    web = make_web(store, names_interface=dialect != DOCUMENTED, previews=previews or token is None)
    service = _service(store, token, dialect)
    application: WSGIApplication = DispatcherMiddleware(web, {f"/{SERVICE}": service})
    if dialect != DOCUMENTED:
        application = _with_queries(application)
    if around:
        application = around(application)
    return restrict_hosts(application, host, lambda: store.settings.address)


def _with_queries(application: WSGIApplication) -> WSGIApplication:
    """Lead `/?rest_route=/wp/v2/pages` to the service, as WordPress does with and without permalinks."""

    def routed(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        query = environ.get("QUERY_STRING", "")
        if environ.get("PATH_INFO", "") in _FRONT and "rest_route=" in query:
            # As in PHP, the last one of several counts. PATH_INFO has the bytes of UTF-8 as characters.
            route = parse_qs(query, encoding="latin-1").get("rest_route", [""])[-1]
            environ = {**environ, "PATH_INFO": f"/{SERVICE}/{route.lstrip('/')}"}
        return application(environ, start_response)

    return routed


def _service(store: Store, token: str | None, dialect: str) -> WSGIApplication:
    documented = make_api(store, token=token)
    if dialect == DOCUMENTED:
        return documented
    named = (WORDPRESS, DOCUMENTED) if dialect == BOTH else (WORDPRESS,)
    wordpress = make_wordpress(store, named, token=token)
    if dialect == WORDPRESS:
        return wordpress

    def by_body(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        kind, _ = parse_options_header(environ.get("CONTENT_TYPE"))
        chosen = documented if kind.lower() == FORM_CONTENT_TYPE else wordpress
        return chosen(environ, start_response)

    return by_body
