"""The five operations over HTTP, below the base address; success is 200 with the whole record (section 4).

The routes are the table of the interface, and the service refuses everything that is not in the table. A
lenient server would hide the mistakes of the client that is tested against it.
"""

from __future__ import annotations

import hmac
import logging
import re
from http import HTTPStatus
from typing import TYPE_CHECKING

from werkzeug.datastructures import Authorization
from werkzeug.http import parse_options_header

from pressync.model.interface import CREATE_PAGE, FORM_CONTENT_TYPE, OPERATIONS
from pressync.server.form_decoding import read_form
from pressync.server.json_response import send_json
from pressync.server.refusal import HttpRefusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from pressync.model.interface import Operation
    from pressync.server.form_decoding import FormFields
    from pressync.server.serialize import RecordJson
    from pressync.server.store import Store

# The limit of a request body in bytes. Form-encoding doubles the content, so this is 16 MiB of content.
BODY_LIMIT = 32 * 1024 * 1024

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
            return send_json(environ, start_response, record)
        except HttpRefusal as error:
            refusal = error
        except Exception:  # noqa: BLE001 - the log has the details, and the caller must not
            _log.exception("%s %s failed", environ["REQUEST_METHOD"], environ["PATH_INFO"])
            refusal = HttpRefusal(500, "internal_error", "The service failed; its log says why.")
        headers = _headers(environ, refusal)
        return send_json(environ, start_response, refusal.body, status=refusal.status, headers=headers)

    return application


def _route(environ: WSGIEnvironment) -> tuple[Operation, int]:
    """Find the operation of a request and the id in its path."""
    for path, operations in _ROUTES:
        if found := path.fullmatch(environ["PATH_INFO"]):
            operation = operations.get(environ["REQUEST_METHOD"])
            if operation is None:
                raise HttpRefusal(405, "wrong_method", "This path does not take the method of the request.")
            return operation, int(found[1]) if path.groups else 0
    raise HttpRefusal(404, "no_such_route", "The interface has no such path.")


def _carried_out(store: Store, operation: Operation, record_id: int, fields: FormFields) -> RecordJson:
    if operation is CREATE_PAGE:
        return store.create_page(fields)
    if operation.method == "DELETE":
        return store.delete(operation.kind, record_id, force=bool(fields.get("force", False)))
    return store.update(operation.kind, record_id, fields)


def _check_caller(environ: WSGIEnvironment, token: str | None) -> None:
    """Refuse web pages (403) and, where a token is set, callers who do not present it (401)."""
    # Any web page in the world can make a browser send a form to this address. The browser then sends an
    # Origin header, as with every POST and DELETE; other programs do not send one.
    if "HTTP_ORIGIN" in environ:
        raise HttpRefusal(403, "from_browser", "The service takes no writes from web pages.")
    if token is None:
        return
    given = Authorization.from_header(environ.get("HTTP_AUTHORIZATION"))
    presented = (given.token or given.password or "") if given else ""
    if not hmac.compare_digest(presented.encode(), token.encode()):
        raise HttpRefusal(401, "not_authorised", "Writing needs the token, as Bearer or as Basic password.")


def _fields(environ: WSGIEnvironment, operation: Operation) -> FormFields:
    """Read the body; only a DELETE may omit it."""
    if environ.get("QUERY_STRING"):
        raise HttpRefusal(400, "query_refused", "The interface has no query parameters; send body fields.")
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > BODY_LIMIT:
        raise HttpRefusal(413, "too_large", f"The body is longer than {BODY_LIMIT} bytes.")
    body = environ["wsgi.input"].read(length)
    if operation.method == "DELETE" and not body:
        return {}
    kind, parameters = parse_options_header(environ.get("CONTENT_TYPE"))
    charset = parameters.pop("charset", "utf-8")
    if kind.lower() != FORM_CONTENT_TYPE or parameters or charset.lower() not in {"utf-8", "utf8"}:
        raise HttpRefusal(415, "wrong_content_type", f"The body must be {FORM_CONTENT_TYPE}, in UTF-8.")
    return read_form(body, operation.body)


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
