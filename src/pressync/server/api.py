"""The five operations over HTTP, below the base address; success is 200 with the whole record (section 4).

The routes are the table of the interface, and the service refuses everything that is not in the table. A
lenient server would hide the mistakes of the client that is tested against it.
"""

from __future__ import annotations

import hmac
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import Flask, abort, jsonify, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.http import parse_options_header
from werkzeug.routing import BaseConverter

from pressync.model.interface import CREATE_PAGE, FORM_CONTENT_TYPE, OPERATIONS
from pressync.server.form_decoding import read_form
from pressync.server.refusal import HttpRefusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Response

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


def make_api(store: Store, *, token: str | None = None) -> Flask:
    """Make the service. With a `token`, only callers who present it may write.

    The service accepts the token as a Bearer token, or as the password of Basic credentials. (Section 5 of
    the interface does not show any authentication.)
    """
    api = Flask(__name__, static_folder=None)
    api.config["MAX_CONTENT_LENGTH"] = BODY_LIMIT
    api.json.sort_keys = False  # type: ignore[attr-defined]  # the document's order is kept
    api.json.ensure_ascii = False  # type: ignore[attr-defined]  # half the bytes of most languages
    api.url_map.merge_slashes = False
    api.url_map.converters["record"] = RecordIdConverter
    for operation in OPERATIONS:
        api.add_url_rule(
            operation.path.replace("{id}", "<record:record_id>"),
            endpoint=operation.name,
            view_func=_view(store, operation, token),
            methods=[operation.method],
            provide_automatic_options=False,
        )
    api.before_request(_check_path)
    api.register_error_handler(HttpRefusal, _refused)
    api.register_error_handler(Exception, _failed)
    api.after_request(_guarded)
    return api


def _view(store: Store, operation: Operation, token: str | None) -> Callable[..., RecordJson]:
    def view(record_id: int = 0) -> RecordJson:
        _check_caller(token)
        return _carried_out(store, operation, record_id, _fields(operation))

    return view


def _carried_out(store: Store, operation: Operation, record_id: int, fields: FormFields) -> RecordJson:
    if operation is CREATE_PAGE:
        return store.create_page(fields)
    if operation.method == "DELETE":
        return store.delete(operation.kind, record_id, force=bool(fields.get("force", False)))
    return store.update(operation.kind, record_id, fields)


def _check_path() -> None:
    # Routing would ignore extra slashes before the path. A base address with a slash at its end sends one.
    if request.environ["PATH_INFO"].startswith("//"):
        abort(404)


def _check_caller(token: str | None) -> None:
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


def _fields(operation: Operation) -> FormFields:
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


def _refused(refusal: HttpRefusal) -> Response:
    response = jsonify(refusal.body)
    response.status_code = refusal.status
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer, Basic realm="content service"'
    if refusal.status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = "1"
    return response


def _failed(error: Exception) -> Response:
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


def _guarded(response: Response) -> Response:
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    return response
