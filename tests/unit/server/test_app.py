"""The service and the web site side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unit.server.wire import get
from werkzeug.test import Client

from pressync.server.app import BOTH, DOCUMENTED, make_app

if TYPE_CHECKING:
    from pressync.server.server import RunningService
    from pressync.server.store import Store


def test_below_the_service_mistakes_are_json_and_beside_it_html(service: RunningService) -> None:
    assert get(f"{service.site}/wp-json/nowhere").headers["content-type"] == "application/json"
    assert get(f"{service.site}/nowhere").headers["content-type"].startswith("text/html")


def test_a_path_that_only_begins_like_the_service_is_the_web_sites(service: RunningService) -> None:
    assert get(f"{service.site}/wp-jsonish").headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("start", ["/", "/index.php"])
def test_a_query_leads_to_the_service_as_on_wordpress(store: Store, start: str) -> None:
    asked = Client(make_app(store, dialect=BOTH))
    made = asked.post(f"{start}?rest_route=/wp/v2/pages", json={"title": "Über", "slug": "a"})
    assert made.status_code == 201
    listed = asked.get(f"{start}?rest_route=/wp/v2/pages&status=any&_fields=slug")
    assert listed.json == [{"slug": "a"}]
    assert asked.get(f"{start}?rest_route=%2F&_fields=dialects").json == {
        "dialects": ["wordpress", "documented"]
    }
    assert '"rest_no_route"' in asked.get(f"{start}?rest_route=/nowhere/ü").text


def test_the_documented_service_has_no_such_query(store: Store) -> None:
    shown = Client(make_app(store, dialect=DOCUMENTED)).get("/?rest_route=/wp/v2/pages")
    assert shown.content_type.startswith("text/html")
