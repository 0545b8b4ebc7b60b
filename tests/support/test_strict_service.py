"""The strict service is strict: each deviation from the document is refused, and changes nothing."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING
from urllib.parse import quote_plus, urlsplit

import pytest
from tests.support.strict_service import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.strict_service import StrictService

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PAGES = "/wp-json/wp/v2/pages"
POST = "/wp-json/wp/v2/posts/1"


@pytest.fixture
def service() -> Iterator[StrictService]:
    with serving() as running:
        yield running


def ask(service: StrictService, method: str, path: str, body: str, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection(urlsplit(service.url).netloc)
    try:
        connection.request(method, path, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_what_the_document_shows_is_accepted(service: StrictService) -> None:
    title = quote_plus(json.dumps({"raw": "x", "rendered": "x"}))

    assert ask(service, "POST", PAGES, f"title={title}&slug=a+b&parent=0", FORM) == 200
    assert ask(service, "DELETE", POST, "force=false", FORM) == 200
    assert service.violations == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/wp-json/wp/v2/posts", "slug=x"),
        ("POST", PAGES + "/", "slug=x"),
        ("POST", PAGES + "?slug=x", "slug=x"),
        ("POST", PAGES + "/01", "slug=x"),
        ("DELETE", PAGES, "force=false"),
        ("DELETE", POST, ""),
        ("DELETE", POST, "force=1"),
        ("DELETE", POST, "force=false&slug=x"),
        ("POST", PAGES, "id=5"),
        ("POST", PAGES, "sticky=true"),
        ("POST", POST, "parent=1"),
        ("POST", PAGES, "slug=x&slug=y"),
        ("POST", PAGES, "slug"),
        ("POST", PAGES, "slug=a b"),
        ("POST", PAGES, "slug=%zz"),
        ("POST", PAGES, "slug=%ff"),
        ("POST", PAGES, "parent=007"),
        ("POST", PAGES, "parent="),
        ("POST", PAGES, "date=2024-03-01"),
        ("POST", PAGES, "title=x"),
        ("POST", PAGES, "title=" + quote_plus('{"raw": "x"}')),
        ("POST", PAGES, "title=" + quote_plus('{"raw": "x", "rendered": "x", "more": 1}')),
        ("POST", PAGES, "title=" + quote_plus('{"raw": "x", "raw": "x", "rendered": "x"}')),
        ("POST", PAGES, "title=" + quote_plus('{"raw": "x", "rendered": null}')),
        ("POST", PAGES, "meta=" + quote_plus("[]")),
        ("POST", POST, "sticky=1"),
        ("POST", POST, "tags=1,2"),
        ("POST", POST, "tags=" + quote_plus('["1"]')),
        ("POST", POST, "tags=null"),
    ],
)
def test_what_it_does_not_show_is_refused(service: StrictService, method: str, path: str, body: str) -> None:
    assert ask(service, method, path, body, FORM) == 400
    assert len(service.violations) == 1
    assert len(service.records) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "application/json"},
        {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"},
        FORM | {"Authorization": "Basic eDp5"},
        FORM | {"Cookie": "a=b"},
    ],
)
def test_headers_beyond_the_document_are_refused(service: StrictService, headers: dict[str, str]) -> None:
    assert ask(service, "POST", PAGES, "slug=x", headers) == 400
    assert len(service.violations) == 1
