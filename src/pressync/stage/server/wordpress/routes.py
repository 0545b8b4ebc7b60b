"""The routes of WordPress: which operation a method and a path mean, and the index that names them.

WordPress checks the parameters of a request before it asks for rights, and a batch may check all its requests
before the first is carried out. So a route gives a function that carries the request out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pressync.model.interface import Kind
from pressync.stage.server import rows
from pressync.stage.server.database import read_settings, write_settings
from pressync.stage.server.rows import TAXONOMIES, Permalinks
from pressync.stage.server.wordpress import lists, media, records, terms, users
from pressync.stage.server.wordpress.parameters import Parameter, read
from pressync.stage.server.wordpress.session import RestResponse, integer, no_route

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pressync.stage.server.wordpress.session import Fields, Request, Session

CHANGES: Mapping[str, Parameter] = {
    "show_on_front": Parameter("string"),
    "page_on_front": Parameter("integer"),
}


def show_settings(session: Session) -> dict[str, object]:
    """Show the settings. Raises HttpRefusal."""
    _check(session)
    front = Permalinks(session.db).front
    return {"title": session.settings.title, **members(front)}


def change(session: Session, given: Mapping[str, object]) -> dict[str, object]:
    """Change the settings that are given. Raises HttpRefusal."""
    _check(session)
    known = read_settings(session.db)
    after = {**members(Permalinks(session.db).front), **given}
    chosen = after["page_on_front"] if after["show_on_front"] == "page" else 0
    if given and isinstance(chosen, int):
        write_settings(session.db, replace(known, front=chosen))
    return show_settings(session)


def members(front: int) -> dict[str, object]:
    """Give the members that tell what the front of the site shows."""
    return {"show_on_front": "page" if front else "posts", "page_on_front": front}


def _check(session: Session) -> None:
    if not session.user.may("manage_options"):
        raise session.user.refused("rest_forbidden", "Sorry, you are not allowed to do that.")


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
    settings = session.settings
    passwords = {"application-passwords": {"endpoints": {}}} if has_token else []
    value = {
        "name": settings.title,
        "description": "",
        "url": settings.address,
        "home": settings.address,
        "gmt_offset": settings.offset / 60,
        "timezone_string": "" if settings.offset else "UTC",
        "namespaces": ["wp/v2"],
        "authentication": passwords,
        # If nobody has chosen a front page, the slugs of pages decide, and a rehearsal must know that.
        **(members(settings.front) if settings.front >= 0 else {}),
        "dialects": list(dialects),
        "routes": {route: {"namespace": route[1:].rpartition("/")[0]} for route in ROUTES},
    }
    return RestResponse(200, request.fields.cut(value))


def describe(path: str, methods: Collection[str]) -> RestResponse:
    """Describe a route; that of the batch says how many requests it takes."""
    arguments: dict[str, object] = {}
    if path == "/batch/v1":
        arguments["requests"] = {"required": True, "type": "array", "maxItems": BATCH}
    endpoints = [{"methods": [method], "args": arguments} for method in methods]
    value = {"namespace": path[1:].rpartition("/")[0], "methods": list(methods), "endpoints": endpoints}
    return RestResponse(200, value, (("Allow", ", ".join(methods)),))


if TYPE_CHECKING:
    Act = Callable[[], RestResponse]

_PATH = re.compile(r"/wp/v2/(pages|posts|categories|tags|media|users)(?:/([0-9]{1,30}|me))?")
_KINDS = {"pages": Kind.PAGE, "posts": Kind.POST}
_CONTEXT: Mapping[str, Parameter] = {
    "context": Parameter("string", ("view", "embed", "edit"), default="view")
}
_FORCE: Mapping[str, Parameter] = {"force": Parameter("boolean", default=False)}
_CHANGES = frozenset({"POST", "PUT", "PATCH"})
_SETTINGS = "/wp/v2/settings"
# The editor has notes, as that of WordPress 6.9 and later.
_TYPES = frozenset({"/wp/v2/types/page", "/wp/v2/types/post"})
_SUPPORTS: Mapping[str, object] = {"title": True, "editor": [{"notes": True}]}
_OTHERS: Mapping[str, tuple[str, ...]] = {
    "/": ("GET",),
    "/batch/v1": ("POST",),
    _SETTINGS: ("GET", "POST", "PUT", "PATCH"),
    **dict.fromkeys(_TYPES, ("GET",)),
}


def methods(path: str) -> tuple[str, ...]:
    """Give the methods of a path; empty if there is no such route."""
    found = _PATH.fullmatch(path)
    if found is None:
        return _OTHERS.get(path, ())
    if found[1] == "users":
        return ("GET",) if found[2] else ("GET", "POST")
    if found[2] == "me":
        return ()
    return ("GET", "POST", "PUT", "PATCH", "DELETE") if found[2] else ("GET", "POST")


def planned(session: Session, request: Request) -> Act:
    """Check a request, and give the function that carries it out. Raises Refusal."""
    if request.path == _SETTINGS and request.method in methods(_SETTINGS):
        return _settings(session, request)
    if request.path in _TYPES and request.method in methods(request.path):
        return _type(session, request)
    found = _PATH.fullmatch(request.path)
    if found is None or request.method not in methods(request.path):
        raise no_route()
    name, inside = found[1], found[2]
    if inside and inside != "me":
        # A parameter `id` goes before the path, as on WordPress.
        number = read({"id": Parameter("integer")}, {"id": request.given.get("id") or inside})["id"]
        request = replace(request, number=integer(number))
    if name in _KINDS:
        return _record(session, _KINDS[name], request, one=bool(inside))
    if name in TAXONOMIES:
        return _term(session, TAXONOMIES[name], request, one=bool(inside))
    if name == "media":
        return _medium(session, request, one=bool(inside))
    return _user(session, request, inside)


def _record(session: Session, kind: Kind, request: Request, *, one: bool) -> Act:
    fields = request.fields
    if request.method == "GET":
        if one:
            _check_context(request)
        elif request.given.get("_method") == "OPTIONS":
            # The parameter wins over the method. No field of a plugin is registered here.
            return lambda: RestResponse(200, {})
        return partial(records.get if one else lists.listed, session, kind, request)
    if request.method == "DELETE":
        return partial(records.delete, session, kind, request.number, fields, force=_forced(request))
    if not one:
        given = read(records.parameters(kind), request.given)
        return partial(records.create, session, kind, given | {"id": request.given.get("id")}, fields)
    stored = rows.find(session.db, kind, request.number)
    given = read(records.parameters(kind, stored.status if stored else ""), request.given)
    return partial(records.update, session, kind, request.number, given, fields)


def _term(session: Session, taxonomy: str, request: Request, *, one: bool) -> Act:
    if request.method == "GET":
        if one:
            _check_context(request)
        return partial(terms.get if one else terms.listed, session, taxonomy, request)
    if request.method == "DELETE":
        return partial(terms.delete, session, taxonomy, request, force=_forced(request))
    given = read(terms.parameters(taxonomy, new=not one), request.given)
    return partial(terms.update if one else terms.create, session, taxonomy, given, request)


def _medium(session: Session, request: Request, *, one: bool) -> Act:
    if request.method == "GET":
        return partial(media.get if one else media.listed, session, request)
    if request.method == "DELETE":
        return partial(media.delete, session, request, force=_forced(request))
    given = read(media.CHANGES, request.given)
    return partial(media.update if one else media.create, session, given, request)


def _user(session: Session, request: Request, inside: str | None) -> Act:
    fields = request.fields
    if request.method == "POST":
        given = read(users.CREATE, request.given)
        return lambda: RestResponse(201, fields.cut(users.create(session, given)))
    if inside:
        _check_context(request)
        one = users.me if inside == "me" else users.one
        return lambda: RestResponse(200, fields.cut(one(session, request)))
    return lambda: _users(session, request, fields)


def _users(session: Session, request: Request, fields: Fields) -> RestResponse:
    given = read(lists.PAGING, request.given)
    found = users.listed(session, given)
    page, size = integer(given["page"]), integer(given["per_page"])
    sheet: list[object] = list(found[(page - 1) * size : page * size])
    return RestResponse(200, fields.cut(sheet), lists.headers(session, request, given, len(found)))


def _settings(session: Session, request: Request) -> Act:
    fields = request.fields
    if request.method == "GET":
        return lambda: RestResponse(200, fields.cut(show_settings(session)))
    given = read(CHANGES, request.given)
    return lambda: RestResponse(200, fields.cut(change(session, given)))


def _type(session: Session, request: Request) -> Act:
    fields = request.fields
    session.user.check_editor("edit_pages" if request.path.endswith("page") else "edit_posts")
    return lambda: RestResponse(200, fields.cut({"supports": _SUPPORTS}))


def _check_context(request: Request) -> None:
    read(_CONTEXT, request.given)


def _forced(request: Request) -> bool:
    return bool(read(_FORCE, request.given)["force"])
