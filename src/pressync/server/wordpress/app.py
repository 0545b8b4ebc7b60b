"""The dialect `wordpress` over HTTP: the parameters, the user, and a refusal in WordPress's words.

A request is one transaction of the store, and the response is sent when the transaction is durable.
"""

from __future__ import annotations

import hmac
import logging
from typing import TYPE_CHECKING

from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.wrappers import Request as HttpRequest

from pressync.server import strict_json
from pressync.server.api import BODY_LIMIT
from pressync.server.database import read_settings
from pressync.server.json_response import JSON, send_json
from pressync.server.refusal import HttpRefusal
from pressync.server.wordpress import batch, index, routes, users
from pressync.server.wordpress.query import parse_query
from pressync.server.wordpress.refusals import RestRefusal, no_route
from pressync.server.wordpress.roles import VISITOR
from pressync.server.wordpress.session import ReceivedFile, Request, RestResponse, Session

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from pressync.server.store import Store
    from pressync.server.wordpress.roles import User

_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_OVERRIDES = frozenset({"GET", "PUT", "PATCH", "DELETE"})
_FORM = "application/x-www-form-urlencoded"

# WordPress accepts the content types that end with this, beside `application/json`.
_JSON = "+json"

_log = logging.getLogger(__name__)


def make_wordpress(store: Store, dialects: Collection[str], *, token: str | None = None) -> WSGIApplication:
    """Make the service in this dialect; its index names these `dialects`.

    Without a token, every caller is the administrator. With one, the token is the password of every user
    (Basic), or stands for the administrator (Bearer), and all other callers are visitors.
    """

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        http = HttpRequest(environ)
        http.max_content_length = BODY_LIMIT
        try:
            with http:
                response = _response(store, http, dialects, token)
        except HttpRefusal as refusal:
            response = RestResponse(refusal.status, refusal.body)
        except RequestEntityTooLarge:
            response = _failure(413, "rest_too_large", f"The body is longer than {BODY_LIMIT} bytes.")
        except HTTPException as error:
            response = _failure(error.code or 400, "rest_bad_request", str(error.description))
        except Exception:  # noqa: BLE001 - the log has the details, and the caller must not
            _log.exception("%s %s failed", http.method, http.path)
            response = _failure(500, "internal_server_error", "The service failed; its log says why.")
        return send_json(
            environ,
            start_response,
            response.value,
            status=response.status,
            content_type=f"{JSON}; charset=UTF-8",
            headers=response.headers,
        )

    return application


def _failure(status: int, code: str, message: str) -> RestResponse:
    return RestResponse(status, RestRefusal(status, code, message).body)


def _response(store: Store, http: HttpRequest, dialects: Collection[str], token: str | None) -> RestResponse:
    # A web page can make a browser send a POST here. The browser then sends an Origin header.
    if http.method not in _READS and "Origin" in http.headers:
        raise RestRefusal(403, "from_browser", "The service takes no writes from web pages.")
    request = _read(http)
    if request.method == "OPTIONS":
        found = routes.methods(request.path)
        if not found:
            raise no_route()
        return index.describe(request.path, found)
    lend = store.database.reading if request.method == "GET" else store.writing
    with lend() as db:
        user = _user(db, http, token)
        session = Session(db, read_settings(db), store.now(), user, store.database.uploads)
        response = _carried_out(session, request, dialects, has_token=token is not None)
    for path in session.unneeded:
        path.unlink(missing_ok=True)
    return response


def _carried_out(
    session: Session, request: Request, dialects: Collection[str], *, has_token: bool
) -> RestResponse:
    if request.path == "/" and request.method == "GET":
        return index.show(session, request, dialects, has_token=has_token)
    if request.path == "/batch/v1" and request.method == "POST":
        return batch.carry_out(session, request, routes.planned)
    return routes.planned(session, request)()


def _read(http: HttpRequest) -> Request:
    """Read the request: the parameters of the body go before those of the query."""
    method = "GET" if http.method == "HEAD" else http.method
    override = http.headers.get("X-HTTP-Method-Override", "").upper()
    if method == "POST" and override in _OVERRIDES:
        method = override
    path = http.path.rstrip("/") or "/"
    given = parse_query(http.query_string.decode("utf-8", "replace"))
    file: ReceivedFile | str = ""
    kind, _ = parse_options_header(http.headers.get("Content-Type"))
    if kind == "application/json" or kind.endswith(_JSON):
        given |= _json(http.get_data(cache=False))
    elif kind == _FORM:
        given |= parse_query(http.get_data(cache=False).decode("utf-8", "replace"))
    elif kind == "multipart/form-data":
        given |= http.form.to_dict()
        sent = http.files.get("file")
        file = ReceivedFile(sent.filename or "file", sent.read(), in_form=True) if sent else "empty"
    elif path == "/wp/v2/media" and method == "POST":
        file = _raw_file(http, kind)
    return Request(method, path, given, file=file)


def _raw_file(http: HttpRequest, kind: str) -> ReceivedFile | str:
    data = http.get_data(cache=False)
    if not data:
        return "empty"
    _, parameters = parse_options_header(http.headers.get("Content-Disposition"))
    name = parameters.get("filename", "")
    return (ReceivedFile(name, data) if name else "disposition") if kind else "type"


def _json(body: bytes) -> dict[str, object]:
    """Read a JSON body; an array has no named parameters."""
    if not body:
        return {}
    try:
        value = strict_json.read(body.decode())
    except (ValueError, RecursionError):
        raise RestRefusal(
            400, "rest_invalid_json", "Invalid JSON body passed.", json_error_message="Syntax error"
        ) from None
    return value if isinstance(value, dict) else {}


def _user(db: sqlite3.Connection, http: HttpRequest, token: str | None) -> User:
    given = http.authorization
    if token is None:
        return users.find(db, 1) or VISITOR
    presented = (given.token or given.password or "") if given else ""
    if given is None or not hmac.compare_digest(presented.encode(), token.encode()):
        return VISITOR
    if given.token:
        return users.find(db, 1) or VISITOR
    return users.named(db, given.username or "")
