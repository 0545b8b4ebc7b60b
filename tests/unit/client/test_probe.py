"""One GET recognises WordPress by its routes or its header, and nothing else."""

from __future__ import annotations

import pytest
from tests.support.wordpress_lookalike import Lookalike, serving

from pressync.client.probe import probe

LINK = {"Link": '<https://site.test/wp-json/>; rel="https://api.w.org/"'}


@pytest.mark.parametrize(
    ("body", "headers", "shown"),
    [
        ({"namespaces": ["oembed/1.0", "wp/v2"]}, {}, "routes"),
        ({"namespaces": ["other/v1"]}, {}, ""),
        ({"namespaces": "wp/v2"}, {}, ""),
        ({}, LINK, "Link header"),
        ({"namespaces": ["wp/v2"], "dialects": ["wordpress"]}, {}, "routes"),
        ([1, 2], {"Link": "<https://site.test/style.css>; rel=preload"}, ""),
    ],
)
def test_wordpress_shows_itself_by_its_routes_or_its_header(
    body: object, headers: dict[str, str], shown: str
) -> None:
    with serving(Lookalike(canned=(200, headers, body))) as site:
        seen = probe(site.base)
    assert (seen.asked, seen.status, seen.leads_to) == (f"{site.base}/", 200, "")
    assert (shown in seen.wordpress) if shown else (seen.wordpress == "")


def test_a_redirect_is_told_and_not_followed() -> None:
    with serving(Lookalike(canned=(301, {"Location": "/elsewhere"}, {}))) as site:
        assert probe(site.base).leads_to == "/elsewhere"
    assert len(site.asked) == 1


def test_no_credentials_go_along() -> None:
    with serving() as site:
        probe(site.base)
    assert site.asked == [("GET", "/wp-json/", False)]


@pytest.mark.parametrize(
    ("named", "documented"), [(["wordpress", "documented"], True), (["x"], False), ("documented", False)]
)
def test_a_service_may_name_its_dialects(named: object, documented: bool) -> None:
    body = {"namespaces": ["wp/v2"], "dialects": named}
    with serving(Lookalike(canned=(200, {}, body))) as site:
        seen = probe(site.base)
    assert (bool(seen.wordpress), seen.documented) == (True, documented)
