"""The routes of WordPress: which operation a method and a path mean, with its parameters checked.

WordPress checks the parameters of a request before it asks for rights, and a batch may check all its requests
before the first is carried out. So a route gives a function that carries the request out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pressync.model.interface import Kind
from pressync.server.wordpress import lists, media, records, site_settings, terms, users
from pressync.server.wordpress.fields import Fields
from pressync.server.wordpress.parameters import Parameter, read
from pressync.server.wordpress.refusals import no_route
from pressync.server.wordpress.session import RestResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.server.wordpress.session import Request, Session

    Act = Callable[[], RestResponse]

_PATH = re.compile(r"/wp/v2/(pages|posts|categories|tags|media|users)(?:/([0-9]{1,30}|me))?")
_KINDS = {"pages": Kind.PAGE, "posts": Kind.POST}
_CONTEXT: Mapping[str, Parameter] = {
    "context": Parameter("string", ("view", "embed", "edit"), default="view")
}
_FORCE: Mapping[str, Parameter] = {"force": Parameter("boolean", default=False)}
_CHANGES = frozenset({"POST", "PUT", "PATCH"})
_SETTINGS = "/wp/v2/settings"
_OTHERS: Mapping[str, tuple[str, ...]] = {
    "/": ("GET",),
    "/batch/v1": ("POST",),
    _SETTINGS: ("GET", "POST", "PUT", "PATCH"),
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
    found = _PATH.fullmatch(request.path)
    if found is None or request.method not in methods(request.path):
        raise no_route()
    name, inside = found[1], found[2]
    if inside and inside != "me":
        # A parameter `id` goes before the path, as on WordPress.
        number = read({"id": Parameter("integer")}, {"id": request.given.get("id") or inside})["id"]
        request = replace(request, number=number if isinstance(number, int) else 0)
    if name in _KINDS:
        return _record(session, _KINDS[name], request, one=bool(inside))
    if name in terms.ROUTES:
        return _term(session, terms.ROUTES[name], request, one=bool(inside))
    if name == "media":
        return _medium(session, request, one=bool(inside))
    return _user(session, request, inside)


def _record(session: Session, kind: Kind, request: Request, *, one: bool) -> Act:
    fields = Fields.of(request.given.get("_fields"))
    if request.method == "GET":
        if one:
            _check_context(request)
        return partial(records.get if one else lists.listed, session, kind, request)
    if request.method == "DELETE":
        return partial(records.delete, session, kind, request.number, fields, force=_forced(request))
    if not one:
        given = read(records.parameters(kind), request.given)
        return partial(records.create, session, kind, given | {"id": request.given.get("id")}, fields)
    stored = records.existing(session, kind, request.number)
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
    fields = Fields.of(request.given.get("_fields"))
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
    page, size = given["page"], given["per_page"]
    if not (isinstance(page, int) and isinstance(size, int)):
        raise no_route()
    sheet: list[object] = list(found[(page - 1) * size : page * size])
    return RestResponse(200, fields.cut(sheet), lists.headers(session, request, given, len(found)))


def _settings(session: Session, request: Request) -> Act:
    fields = Fields.of(request.given.get("_fields"))
    if request.method == "GET":
        return lambda: RestResponse(200, fields.cut(site_settings.show(session)))
    given = read(site_settings.CHANGES, request.given)
    return lambda: RestResponse(200, fields.cut(site_settings.change(session, given)))


def _check_context(request: Request) -> None:
    read(_CONTEXT, request.given)


def _forced(request: Request) -> bool:
    return bool(read(_FORCE, request.given)["force"])
