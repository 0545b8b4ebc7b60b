"""The five operations over HTTP, below the base address; success is 200 with the whole record (section 4).

The routes are the table of the interface, and the service refuses everything that is not in the table. A
lenient server would hide the mistakes of the client that is tested against it.
"""

from __future__ import annotations

import hmac
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING

import msgspec
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.http import parse_options_header
from werkzeug.routing import BaseConverter, Map, Rule
from werkzeug.wrappers import Request, Response

from pressync.model.interface import CREATE_PAGE, FORM_CONTENT_TYPE, OPERATIONS
from pressync.server.form_decoding import read_form
from pressync.server.refusal import HttpRefusal

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from pressync.model.interface import Operation
    from pressync.server.form_decoding import FormFields
    from pressync.server.serialize import RecordJson
    from pressync.server.store import Store

# The limit of a request body in bytes. Form-encoding doubles the content, so this is 16 MiB of content.
BODY_LIMIT = 32 * 1024 * 1024

_log = logging.getLogger(__name__)

# Status codes of routing and body limits -> our error codes.
_CODES = {404: "no_such_route", 405: "wrong_method", 413: "too_large"}


class RecordIdConverter(BaseConverter):
    """A record's id in a path. Anything else in its place does not match a route, and gives 404."""

    regex = "[1-9][0-9]{0,17}"

    def to_python(self, value: str) -> int:
        """Read the digits."""
        return int(value)


def make_api(store: Store, *, token: str | None = None) -> WSGIApplication:
    """Make the service. With a `token`, only callers who present it may write.

    The service accepts the token as a Bearer token, or as the password of Basic credentials. (Section 5 of
    the interface does not show any authentication.)
    """
    routes = Map(
        [
            Rule(
                operation.path.replace("{id}", "<record:record_id>"),
                endpoint=operation,
                methods=[operation.method],
            )
            for operation in OPERATIONS
        ],
        converters={"record": RecordIdConverter},
        merge_slashes=False,
    )

    @Request.application
    def application(request: Request) -> Response:
        request.max_content_length = BODY_LIMIT
        try:
            operation, record_id = _route(routes, request)
            _check_caller(request, token)
            return _response(_carried_out(store, operation, record_id, _fields(request, operation)))
        except HttpRefusal as refusal:
            return _refused(refusal)
        except Exception as error:  # noqa: BLE001 - the log has the details, and the caller must not
            return _failed(request, error)

    return application


def _route(routes: Map, request: Request) -> tuple[Operation, int]:
    """Find the operation of a request and the id in its path. Raises HTTPException."""
    # Routing would ignore extra slashes before the path. A base address with a slash at its end sends one.
    if request.environ["PATH_INFO"].startswith("//"):
        raise NotFound
    operation, values = routes.bind_to_environ(request.environ).match()
    return operation, values.get("record_id", 0)


def _carried_out(store: Store, operation: Operation, record_id: int, fields: FormFields) -> RecordJson:
    if operation is CREATE_PAGE:
        return store.create_page(fields)
    if operation.method == "DELETE":
        return store.delete(operation.kind, record_id, force=bool(fields.get("force", False)))
    return store.update(operation.kind, record_id, fields)


def _check_caller(request: Request, token: str | None) -> None:
    """Refuse web pages (403) and, where a token is set, callers who do not present it (401)."""
    # Any web page in the world can make a browser send a form to this address. The browser then sends an
    # Origin header, as with every POST and DELETE; other programs do not send one.
    if "Origin" in request.headers:
        raise HttpRefusal(403, "from_browser", "The service takes no writes from web pages.")
    if token is None:
        return
    given = request.authorization
    presented = (given.token or given.password or "") if given else ""
    if not hmac.compare_digest(presented.encode(), token.encode()):
        raise HttpRefusal(401, "not_authorised", "Writing needs the token, as Bearer or as Basic password.")


def _fields(request: Request, operation: Operation) -> FormFields:
    """Read the body; only a DELETE may omit it."""
    if request.query_string:
        raise HttpRefusal(400, "query_refused", "The interface has no query parameters; send body fields.")
    body = request.get_data(cache=False)
    if operation.method == "DELETE" and not body:
        return {}
    kind, parameters = parse_options_header(request.headers.get("Content-Type"))
    charset = parameters.pop("charset", "utf-8")
    if kind.lower() != FORM_CONTENT_TYPE or parameters or charset.lower() not in {"utf-8", "utf8"}:
        raise HttpRefusal(415, "wrong_content_type", f"The body must be {FORM_CONTENT_TYPE}, in UTF-8.")
    return read_form(body, operation.body)


def _response(value: RecordJson, status: int = HTTPStatus.OK) -> Response:
    response = Response(msgspec.json.encode(value), status, content_type="application/json")
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    return response


def _refused(refusal: HttpRefusal) -> Response:
    response = _response(refusal.body, refusal.status)
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer, Basic realm="content service"'
    if refusal.status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = "1"
    return response


def _failed(request: Request, error: Exception) -> Response:
    """Answer routing errors in our format, and an internal error without its details."""
    if not isinstance(error, HTTPException):
        _log.error("%s %s failed", request.method, request.path, exc_info=error)
        return _refused(HttpRefusal(500, "internal_error", "The service failed; its log says why."))
    status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
    message = error.description or "The request cannot be answered."
    response = _refused(HttpRefusal(status, _CODES.get(status, "bad_request"), message))
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    return response
