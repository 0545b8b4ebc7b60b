"""The index at the base address, and the description of one route: people and `doctor` look at them first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.server.wordpress import site_settings
from pressync.server.wordpress.fields import Fields
from pressync.server.wordpress.session import RestResponse

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.server.wordpress.session import Request, Session

# The most requests of a batch, as on WordPress.
BATCH = 25

ROUTES = (
    *("/wp/v2/pages", "/wp/v2/posts", "/wp/v2/categories", "/wp/v2/tags", "/wp/v2/media", "/wp/v2/users"),
    *("/wp/v2/users/me", "/wp/v2/settings", "/batch/v1"),
)


def show(session: Session, request: Request, dialects: Collection[str], *, has_token: bool) -> RestResponse:
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
        **(site_settings.members(settings.front) if settings.front >= 0 else {}),
        "dialects": list(dialects),
        "routes": {route: {"namespace": route[1:].rpartition("/")[0]} for route in ROUTES},
    }
    return RestResponse(200, Fields.of(request.given.get("_fields")).cut(value))


def describe(path: str, methods: Collection[str]) -> RestResponse:
    """Describe a route; that of the batch says how many requests it takes."""
    arguments: dict[str, object] = {}
    if path == "/batch/v1":
        arguments["requests"] = {"required": True, "type": "array", "maxItems": BATCH}
    endpoints = [{"methods": [method], "args": arguments} for method in methods]
    value = {"namespace": path[1:].rpartition("/")[0], "methods": list(methods), "endpoints": endpoints}
    return RestResponse(200, value, (("Allow", ", ".join(methods)),))
