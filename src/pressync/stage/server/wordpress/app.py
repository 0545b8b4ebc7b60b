"""The dialect `wordpress` over HTTP: the parameters, the user, a batch, and a refusal in WordPress's words.

A request is one transaction of the store, and the response is sent when the transaction is durable. A batch
is one transaction too, because a sync to disk is most of the time of a small write. A request of it that
fails goes back to the point before it.
"""

from __future__ import annotations

import hmac
import logging
from typing import TYPE_CHECKING

from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.wrappers import Request as HttpRequest

from pressync.model.web_address import split
from pressync.stage.server import rows
from pressync.stage.server.database import read_settings
from pressync.stage.server.wire import BODY_LIMIT, JSON, HttpRefusal, read_json, send_json
from pressync.stage.server.wordpress import routes, users
from pressync.stage.server.wordpress.parameters import Parameter, as_list, parse_query, read
from pressync.stage.server.wordpress.routes import BATCH
from pressync.stage.server.wordpress.session import (
    VISITOR,
    ReceivedFile,
    Request,
    RestResponse,
    Session,
    WrongParameter,
    no_route,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Mapping

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from pressync.stage.server.store import Store
    from pressync.stage.server.wordpress.session import User

_METHODS = ("POST", "PUT", "PATCH", "DELETE")
_VALIDATION = ("require-all-validate", "normal")

# These resources take no batch requests on WordPress.
_ALONE = ("/wp/v2/media", "/wp/v2/settings")

if TYPE_CHECKING:
    Planned = Callable[[Session, Request], Callable[[], RestResponse]]


def carry_out_batch(session: Session, request: Request, planned: Planned) -> RestResponse:
    """Carry out a batch; `planned` checks one request, and gives the function that carries it out."""
    parameters = {
        "validation": Parameter("string", _VALIDATION, default="normal"),
        "requests": Parameter("array", required=True, check=_checked),
    }
    given = read(parameters, request.given)
    items = given["requests"]
    plans = [_plan(session, item, planned) for item in items] if isinstance(items, list) else []
    if given["validation"] == "require-all-validate" and any(isinstance(p, HttpRefusal) for p in plans):
        responses = [_envelope(_refused(plan)) if isinstance(plan, HttpRefusal) else None for plan in plans]
        return RestResponse(207, {"failed": "validation", "responses": responses})
    return RestResponse(207, {"responses": [_envelope(_run(session, plan)) for plan in plans]})


def _checked(value: object) -> object:
    """Check the form of the requests, which refuses the whole batch."""
    items = as_list("requests", value)
    if len(items) > BATCH:
        raise WrongParameter(f"requests must contain at most {BATCH} items.", "rest_too_many_items")
    for place, item in enumerate(items):
        name = f"requests[{place}]"
        if not isinstance(item, dict):
            raise WrongParameter(f"{name} is not of type object.", "rest_invalid_type", {"param": name})
        if "path" not in item:
            raise WrongParameter(f"path is a required property of {name}.", "rest_property_required")
        if item.get("method", "POST") not in _METHODS:
            allowed = f"{', '.join(_METHODS[:-1])}, and {_METHODS[-1]}"
            raise WrongParameter(f"{name}[method] is not one of {allowed}.", "rest_not_in_enum")
        if not isinstance(item.get("body", {}), (dict, list)):
            inner = f"{name}[body]"
            raise WrongParameter(f"{inner} is not of type object.", "rest_invalid_type", {"param": inner})
    return items


def _plan(
    session: Session, item: Mapping[str, object], planned: Planned
) -> Callable[[], RestResponse] | HttpRefusal:
    parts = split(str(item["path"]))
    if parts is None:
        return HttpRefusal(400, "parse_path_failed", "Could not parse the path.")
    body = item.get("body")
    given = {**parse_query(parts.query), **(body if isinstance(body, dict) else {})}
    request = Request(str(item.get("method", "POST")), parts.path.rstrip("/") or "/", given)
    if request.path.startswith(_ALONE) or request.path == "/batch/v1":
        message = "The requested route does not support batch requests."
        return HttpRefusal(400, "rest_batch_not_allowed", message)
    try:
        return planned(session, request)
    except HttpRefusal as refusal:
        return refusal


def _run(session: Session, plan: Callable[[], RestResponse] | HttpRefusal) -> RestResponse:
    if isinstance(plan, HttpRefusal):
        return _refused(plan)
    session.db.execute("SAVEPOINT item")
    try:
        shown = plan()
    except HttpRefusal as refusal:
        session.db.execute("ROLLBACK TO item")
        shown = _refused(refusal)
    session.db.execute("RELEASE item")
    return shown


def _refused(refusal: HttpRefusal) -> RestResponse:
    return RestResponse(refusal.status, refusal.body)


def _envelope(shown: RestResponse) -> dict[str, object]:
    return {"status": shown.status, "headers": dict(shown.headers) or [], "body": shown.value}


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
            response = _refused(refusal)
        except RequestEntityTooLarge:
            response = _refused(
                HttpRefusal(413, "rest_too_large", f"The body is longer than {BODY_LIMIT} bytes.")
            )
        except HTTPException as error:
            response = _refused(HttpRefusal(error.code or 400, "rest_bad_request", str(error.description)))
        except Exception:  # noqa: BLE001 - the log has the details, and the caller must not
            _log.exception("%s %s failed", http.method, http.path)
            response = _refused(
                HttpRefusal(500, "internal_server_error", "The service failed; its log says why.")
            )
        return send_json(
            environ,
            start_response,
            response.value,
            status=response.status,
            content_type=f"{JSON}; charset=UTF-8",
            headers=response.headers,
        )

    return application


def _response(store: Store, http: HttpRequest, dialects: Collection[str], token: str | None) -> RestResponse:
    # A web page can make a browser send a POST here. The browser then sends an Origin header.
    if http.method not in _READS and "Origin" in http.headers:
        raise HttpRefusal(403, "from_browser", "The service takes no writes from web pages.")
    request = _read(http)
    if request.method == "OPTIONS":
        found = routes.methods(request.path)
        if not found:
            raise no_route()
        return routes.describe(request.path, found)
    lend = store.database.reading if request.method == "GET" else store.writing
    sticky = _sticky(store) if request.method != "GET" else set[int]()
    with lend() as db:
        user = _user(db, http, token)
        session = Session(db, read_settings(db), store.now(), user, store.database.uploads, sticky)
        response = _carried_out(session, request, dialects, has_token=token is not None)
    for path in session.unneeded:
        path.unlink(missing_ok=True)
    return response


def _sticky(store: Store) -> set[int]:
    """Read the list of sticky posts as WordPress does: at the start of a request, before its turn to write.

    WordPress keeps the list in one option of the site, and writes all of it back. So of two requests at once,
    the later one undoes what the earlier one did to the list (measured on 6.1, 6.8 and 7.1).
    """
    with store.database.reading() as db:
        return rows.sticky(db)


def _carried_out(
    session: Session, request: Request, dialects: Collection[str], *, has_token: bool
) -> RestResponse:
    if request.path == "/" and request.method == "GET":
        return routes.show_index(session, request, dialects, has_token=has_token)
    if request.path == "/batch/v1" and request.method == "POST":
        return carry_out_batch(session, request, routes.planned)
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
        value = read_json(body.decode())
    except (ValueError, RecursionError):
        raise HttpRefusal(
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
