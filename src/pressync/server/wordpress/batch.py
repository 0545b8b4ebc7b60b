"""Many requests in one: `POST /batch/v1` carries them out in order, and each succeeds or fails alone.

All of them are in one transaction, because a sync to disk is most of the time of a small write. A request
that fails goes back to the point before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.server.refusal import HttpRefusal
from pressync.server.wordpress.index import BATCH
from pressync.server.wordpress.parameters import Parameter, as_list, read
from pressync.server.wordpress.query import parse_query
from pressync.server.wordpress.refusals import RestRefusal, WrongParameter
from pressync.server.wordpress.session import Request, RestResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pressync.server.wordpress.session import Session

_METHODS = ("POST", "PUT", "PATCH", "DELETE")
_VALIDATION = ("require-all-validate", "normal")
_ITEM: Mapping[str, Parameter] = {"path": Parameter("string", required=True)}

# These resources take no batch requests on WordPress.
_ALONE = ("/wp/v2/media", "/wp/v2/settings")

if TYPE_CHECKING:
    Planned = Callable[[Session, Request], Callable[[], RestResponse]]


def carry_out(session: Session, request: Request, planned: Planned) -> RestResponse:
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
    try:
        parts = urlsplit(str(item["path"]))
    except ValueError:
        return RestRefusal(400, "parse_path_failed", "Could not parse the path.")
    body = item.get("body")
    given = {**parse_query(parts.query), **(body if isinstance(body, dict) else {})}
    request = Request(str(item.get("method", "POST")), parts.path.rstrip("/") or "/", given)
    try:
        if request.path.startswith(_ALONE) or request.path == "/batch/v1":
            message = "The requested route does not support batch requests."
            raise RestRefusal(400, "rest_batch_not_allowed", message)
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
