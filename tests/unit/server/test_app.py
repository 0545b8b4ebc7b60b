"""The service and the web site side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.server.wire import get

if TYPE_CHECKING:
    from pressync.server.server import RunningService


def test_below_the_service_mistakes_are_json_and_beside_it_html(service: RunningService) -> None:
    assert get(f"{service.site}/wp-json/nowhere").headers["content-type"] == "application/json"
    assert get(f"{service.site}/nowhere").headers["content-type"].startswith("text/html")


def test_a_path_that_only_begins_like_the_service_is_the_web_sites(service: RunningService) -> None:
    assert get(f"{service.site}/wp-jsonish").headers["content-type"].startswith("text/html")
