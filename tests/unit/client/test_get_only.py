"""The transport of a reader: whatever it is asked for, only a GET without a body leaves."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from tests.support.lines import CREATE
from tests.support.strict_service import serving

from pressync.client.address import parse
from pressync.client.credentials import basic
from pressync.client.http import GetOnly
from pressync.client.port import HttpRequest
from pressync.model.errors import ConfigError

READ = HttpRequest("GET", "/wp/v2/pages", "application/json", b"")


def test_a_read_is_a_get_with_the_credentials_and_without_a_body() -> None:
    with serving() as service:
        reader = GetOnly(parse(service.url), authorization=basic("ada", "secret"), allow_http=False)
        with contextlib.closing(reader):
            reader.get("/wp/v2/pages")
            reader.send(READ)

        assert [(one.method, one.path, one.body) for one in service.received] == [
            ("GET", "/wp-json/wp/v2/pages", b"")
        ] * 2
        assert {one.headers["Authorization"][:6] for one in service.received} == {"Basic "}


@pytest.mark.parametrize(
    "request_",
    [
        CREATE,
        replace(READ, method="DELETE"),
        replace(READ, method="OPTIONS"),
        replace(READ, body=b"{}"),
        replace(READ, method="POST", override="GET"),
        replace(READ, override="DELETE"),
    ],
    ids=["create", "delete", "options", "body", "long list", "override"],
)
def test_everything_else_raises_before_anything_leaves(request_: HttpRequest) -> None:
    with serving() as service:
        reader = GetOnly(parse(service.url), authorization=None, allow_http=False)
        with contextlib.closing(reader), pytest.raises(ValueError, match="not a plain GET"):
            reader.send(request_)

        assert service.received == []


def test_credentials_do_not_cross_a_network_in_the_clear() -> None:
    with pytest.raises(ConfigError, match="unencrypted"):
        GetOnly(parse("http://example.org/wp-json"), authorization=basic("a", "b"), allow_http=False)
