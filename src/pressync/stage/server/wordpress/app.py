"""The dialect `wordpress` over HTTP: the routes, parameters, users, batches, and refusals in its words.

WordPress checks the parameters of a request before it asks for rights, and a batch may check all its requests
before the first is carried out. So a route gives a function that carries the request out. A request is one
transaction of the store, and the response is sent when the transaction is durable. A batch is one transaction
too, because a sync to disk is most of the time of a small write. A request of it that fails goes back to the
point before it.
"""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.wrappers import Request as HttpRequest

from pressync.model.web_address import split
from pressync.stage.server import kinds, rows, wire
from pressync.stage.server.database import read_settings, write_settings
from pressync.stage.server.rows import Permalinks
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress import lists, media, records, registered, terms, users
from pressync.stage.server.wordpress.parameters import Parameters, integer, no_route, parse_query, read
from pressync.stage.server.wordpress.session import (
    VISITOR,
    ReceivedFile,
    Request,
    RestResponse,
    Session,
    User,
    may_delete,
    may_edit,
    may_read,
    user_by_id,
    user_named,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from types import ModuleType

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from pressync.model.interface import SiteTypes
    from pressync.stage.server.database import Connection
    from pressync.stage.server.store import Store


CHANGES: Parameters = {"show_on_front": {"type": "string"}, "page_on_front": {"type": "integer"}}


def settings(session: Session, given: Mapping[str, object]) -> dict[str, object]:
    """Change the settings that are given, and show all to those who may change them. Raises HttpRefusal."""
    if not session.user.may("manage_options"):
        raise session.user.refused("rest_forbidden", "Sorry, you are not allowed to do that.")
    after = {**members(Permalinks(session.db).front), **given}
    chosen = after["page_on_front"] if after["show_on_front"] == "page" else 0
    if given and isinstance(chosen, int):
        write_settings(session.db, replace(read_settings(session.db), front=chosen))
    return {"title": session.settings.title, **members(Permalinks(session.db).front)}


def members(front: int) -> dict[str, object]:
    """Give the members that tell what the front of the site shows."""
    return {"show_on_front": "page" if front else "posts", "page_on_front": front}


# The most requests of a batch, as on WordPress.
BATCH = 25

ROUTES = (
    *("/wp/v2/pages", "/wp/v2/posts", "/wp/v2/categories", "/wp/v2/tags", "/wp/v2/media", "/wp/v2/users"),
    *("/wp/v2/users/me", "/wp/v2/settings", "/batch/v1"),
)


def show_index(
    session: Session, request: Request, dialects: Collection[str], *, has_token: bool
) -> RestResponse:
    """Show the site, and the dialects that it speaks: a real WordPress has no such member."""
    settings, types = session.settings, session.db.types
    passwords = {"application-passwords": {"endpoints": {}}} if has_token else []
    value = {
        "name": settings.title,
        "description": "",
        "url": settings.address,
        "home": settings.address,
        "gmt_offset": settings.offset / 60,
        "timezone_string": "" if settings.offset else "UTC",
        "namespaces": [
            *dict.fromkeys(("wp/v2", *(kind.row.route[1:].rpartition("/")[0] for kind in types.kinds)))
        ],
        "authentication": passwords,
        # If nobody has chosen a front page, the slugs of pages decide, and a rehearsal must know that.
        **(members(settings.front) if settings.front >= 0 else {}),
        "dialects": list(dialects),
        "routes": {
            route: {"namespace": route[1:].rpartition("/")[0]}
            for route in dict.fromkeys((*ROUTES, *registered.routes(types)))
        },
    }
    return request.answer(value)


def describe(types: SiteTypes, path: str, methods: Collection[str]) -> RestResponse:
    """Describe a route; that of the batch says how many requests it takes, that of a type its fields."""
    operations, of, _ = _at(types, path)
    if operations is records:
        return registered.described(path, methods, of)
    arguments: dict[str, object] = {}
    if path == "/batch/v1":
        arguments["requests"] = {"required": True, "type": "array", "maxItems": BATCH}
    endpoints = [{"methods": [method], "args": arguments} for method in methods]
    value = {"namespace": path[1:].rpartition("/")[0], "methods": list(methods), "endpoints": endpoints}
    return RestResponse(200, value, (("Allow", ", ".join(methods)),))


_WRITES = frozenset({"POST", "PUT", "PATCH"})


def _allowed(session: Session, path: str, methods: Collection[str]) -> str:
    """Name the methods that the user may use at a path; a record that is not there allows none."""
    operations, of, inside = _at(session.db.types, path)
    user, number = session.user, int(inside) if inside.isdecimal() else 0
    if operations is records and inside:
        stored = rows.find(session.db, of, number)
        may = {
            "GET": bool(stored and may_read(user, stored)),
            **dict.fromkeys(_WRITES, bool(stored and may_edit(user, stored))),
            "DELETE": bool(stored and may_delete(user, stored)),
        }
    elif operations is records:
        may = {"GET": True, "POST": user.may(f"edit_{of.row.rights}")}
    elif operations is media:
        medium = media.find(session.db, number) if inside else None
        may_write = media.may_change(user, medium, "edit") if medium else user.may("upload_files")
        may = {"GET": True, **dict.fromkeys(_WRITES, may_write)}
        may["DELETE"] = bool(medium and media.may_change(user, medium, "delete"))
    elif operations is terms:
        right = "manage_categories" if inside else terms.right_to_make(session.db.types, of)
        may = {"GET": True, **dict.fromkeys((*_WRITES, "DELETE"), user.may(right))}
    elif operations is users:
        may = {"GET": True, "POST": user.may("create_users")}
    else:
        may = dict.fromkeys(methods, path != _SETTINGS or user.may("manage_options"))
    return ", ".join(method for method in methods if may.get(method))


if TYPE_CHECKING:
    Act = Callable[[], RestResponse]

_PATH = re.compile(r"(/.*?)(?:/([0-9]{1,30}|me))?")
_OTHER_LISTS: Mapping[str, ModuleType] = {"/wp/v2/media": media, "/wp/v2/users": users}
_CONTEXT: Parameters = {"context": lists.PAGING["context"]}
_FORCE: Parameters = {"force": {"type": "boolean", "default": False}}
_SETTINGS = "/wp/v2/settings"
_ACCOUNT = re.compile(r"/wp/v2/(types|taxonomies)(?:/([a-z0-9_-]+))?")
_OTHERS: Mapping[str, tuple[str, ...]] = {
    "/": ("GET",),
    "/batch/v1": ("POST",),
    _SETTINGS: ("GET", "POST", "PUT", "PATCH"),
}


def _at(types: SiteTypes, path: str) -> tuple[ModuleType | None, Any, str]:
    """Give the operations of a path, what it is a list of, and the number below it, which is `me` for a user.

    The module of each sort of objects has the same six functions.
    """
    found = _PATH.fullmatch(path)
    route, inside = (found[1], found[2] or "") if found else (path, "")
    for kind in types.kinds:
        if kind.row.route == route:
            return records, kind, inside
    for taxonomy in types.taxonomies.values():
        if taxonomy.route == route:
            return terms, kinds.taxonomy_of(taxonomy.name), inside
    return _OTHER_LISTS.get(route), "", inside


def methods(types: SiteTypes, path: str) -> tuple[str, ...]:
    """Give the methods of a path; empty if there is no such route."""
    operations, _, inside = _at(types, path)
    if operations is None:
        return ("GET",) if _ACCOUNT.fullmatch(path) else _OTHERS.get(path, ())
    if operations is users:
        return ("GET",) if inside else ("GET", "POST")
    if inside == "me":
        return ()
    return ("GET", "POST", "PUT", "PATCH", "DELETE") if inside else ("GET", "POST")


def planned(session: Session, request: Request) -> Act:
    """Check a request, and give the function that carries it out. Raises Refusal."""
    if request.path == _SETTINGS and request.method in methods(session.db.types, _SETTINGS):
        given = read(CHANGES, request.given) if request.method != "GET" else {}
        return lambda: request.answer(settings(session, given))
    account = _ACCOUNT.fullmatch(request.path)
    if account and request.method == "GET":
        return partial(registered.account, session, request, account[1], account[2])
    operations, of, inside = _at(session.db.types, request.path)
    if operations is None or request.method not in methods(session.db.types, request.path):
        raise no_route()
    if inside and inside != "me":
        # A parameter `id` goes before the path, as on WordPress.
        number = read({"id": {"type": "integer"}}, {"id": request.given.get("id") or inside})["id"]
        request = replace(request, number=integer(number))
    if request.method == "GET":
        if operations is records and not inside and request.given.get("_method") == "OPTIONS":
            # The parameter wins over the method.
            return lambda: describe(session.db.types, request.path, methods(session.db.types, request.path))
        if inside and operations is not media:
            read(_CONTEXT, request.given)
        return partial(operations.get if inside else operations.listed, session, of, request)
    if request.method == "DELETE":
        force = bool(read(_FORCE, request.given)["force"])
        return partial(operations.delete, session, of, request, force=force)
    given = read(operations.parameters(session, of, request, new=not inside), request.given)
    return partial(operations.update if inside else operations.create, session, of, given, request)


# These resources take no batch requests on WordPress.
_ALONE = ("/wp/v2/media", "/wp/v2/settings")

_REQUEST: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "required": True},
        "method": {"type": "string", "enum": ["POST", "PUT", "PATCH", "DELETE"]},
        "body": {"type": "object"},
    },
}
_BATCH: Parameters = {
    "validation": {"type": "string", "enum": ["require-all-validate", "normal"], "default": "normal"},
    "requests": {"required": True, "type": "array", "maxItems": BATCH, "items": _REQUEST},
}


def carry_out_batch(session: Session, request: Request) -> RestResponse:
    """Carry out a batch."""
    given = read(_BATCH, request.given)
    items = given["requests"]
    plans = [_plan(session, item) for item in items] if isinstance(items, list) else []
    if given["validation"] == "require-all-validate" and any(isinstance(p, HttpRefusal) for p in plans):
        responses = [_envelope(_refused(plan)) if isinstance(plan, HttpRefusal) else None for plan in plans]
        return RestResponse(207, {"failed": "validation", "responses": responses})
    return RestResponse(207, {"responses": [_envelope(_run(session, plan)) for plan in plans]})


def _plan(session: Session, item: Mapping[str, object]) -> Act | HttpRefusal:
    parts = split(str(item["path"]))
    if parts is None:
        return HttpRefusal(400, "parse_path_failed", "Could not parse the path.")
    body = item.get("body")
    given = {**parse_query(parts.query), **(body if isinstance(body, dict) else {})}
    request = Request(str(item.get("method", "POST")), parts.path.rstrip("/") or "/", given)
    operations, of, _ = _at(session.db.types, request.path)
    is_single = operations is records and not of.row.batched
    if is_single or request.path.startswith(_ALONE) or request.path == "/batch/v1":
        message = "The requested route does not support batch requests."
        return HttpRefusal(400, "rest_batch_not_allowed", message)
    try:
        return planned(session, request)
    except HttpRefusal as refusal:
        return refusal


def _run(session: Session, plan: Act | HttpRefusal) -> RestResponse:
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
        http.max_content_length = wire.BODY_LIMIT
        try:
            with http:
                response = _response(store, http, dialects, token)
        except HttpRefusal as refusal:
            response = _refused(refusal)
        except RequestEntityTooLarge:
            response = _refused(HttpRefusal(413, "rest_too_large", wire.TOO_LARGE))
        except HTTPException as error:
            response = _refused(HttpRefusal(error.code or 400, "rest_bad_request", str(error.description)))
        except Exception:  # noqa: BLE001 - the log has the details, and the caller must not
            _log.exception("%s %s failed", http.method, http.path)
            response = _refused(HttpRefusal(500, "internal_server_error", wire.FAILED))
        return wire.send_json(
            environ,
            start_response,
            response.value,
            status=response.status,
            content_type=f"{wire.JSON}; charset=UTF-8",
            headers=response.headers,
        )

    return application


def _response(store: Store, http: HttpRequest, dialects: Collection[str], token: str | None) -> RestResponse:
    if http.method not in _READS:
        wire.refuse_web_pages(http.environ)
    request = _read(http)
    if request.method == "OPTIONS":
        types = store.database.types
        found = methods(types, request.path)
        if not found:
            raise no_route()
        with store.database.reading() as db:
            user = _caller(db, http, token)
            session = Session(db, read_settings(db), store.now(), user, store.database.uploads, set())
            allowed = _allowed(session, request.path, found)
        return replace(describe(types, request.path, found), headers=(("Allow", allowed),))
    lend = store.database.reading if request.method == "GET" else store.writing
    sticky = set[int]()
    if request.method != "GET":
        # WordPress keeps the list of sticky posts in one option of the site, reads it at the start of a
        # request, and writes all of it back. So of two requests at once, the later one undoes what the
        # earlier one did to the list (measured on 6.1, 6.8 and 7.1).
        with store.database.reading() as db:
            sticky = rows.sticky(db)
    with lend() as db:
        user = _caller(db, http, token)
        session = Session(db, read_settings(db), store.now(), user, store.database.uploads, sticky)
        if request.path == "/" and request.method == "GET":
            response = show_index(session, request, dialects, has_token=token is not None)
        elif request.path == "/batch/v1" and request.method == "POST":
            response = carry_out_batch(session, request)
        else:
            response = planned(session, request)()
    for path in session.unneeded:
        path.unlink(missing_ok=True)
    return response


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
    if not kind:
        return "type"
    return ReceivedFile(name, data) if name else "disposition"


def _json(body: bytes) -> dict[str, object]:
    """Read a JSON body; an array has no named parameters."""
    if not body:
        return {}
    try:
        value = wire.read_json(body.decode())
    except (ValueError, RecursionError):
        raise HttpRefusal(
            400, "rest_invalid_json", "Invalid JSON body passed.", json_error_message="Syntax error"
        ) from None
    return value if isinstance(value, dict) else {}


def _caller(db: Connection, http: HttpRequest, token: str | None) -> User:
    given = http.authorization
    if token is not None and not wire.presents(given, token):
        return VISITOR
    if token is None or given is None or given.token:
        return user_by_id(db, 1) or VISITOR
    return user_named(db, given.username or "")
