"""Responses in the form of WordPress, for examples without a site."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pressync.client.port import HttpResponse

if TYPE_CHECKING:
    from pressync.model.interface import Kind


def answered(status: int, value: object, **headers: str) -> HttpResponse:
    """Give an answer with this value as its JSON; a list is the only page, unless a header says otherwise."""
    counted = {"x-wp-totalpages": "1"} if isinstance(value, list) else {}
    named = {**counted, **{name.replace("_", "-"): text for name, text in headers.items()}}
    return HttpResponse(status, "application/json; charset=UTF-8", named, json.dumps(value).encode())


def refused(status: int, code: str, **data: object) -> HttpResponse:
    """Give an error in WordPress's own shape."""
    return answered(status, {"code": code, "message": "Sorry.", "data": {"status": status, **data}})


def page(kind: Kind, number: int = 7, **members: object) -> dict[str, object]:
    """Give a record with the members that are asked for."""
    return {
        "id": number,
        "type": str(kind),
        "slug": "about",
        "link": "https://example.org/about/",
        "status": "publish",
        "modified": "2024-03-01T10:00:00",
        "modified_gmt": "2024-03-01T09:00:00",
        "title": {"raw": "About"},
        "content": {"raw": "<p>x</p>"},
        "meta": [],
        **members,
    }
