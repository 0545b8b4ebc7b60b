"""Opening a service: by address and dialect, lazily, and never with credentials in the clear."""

from __future__ import annotations

import pytest

from pressync.client.connect import open_service
from pressync.client.credentials import basic
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind

PASSWORD = basic("editor", "hush")


def test_the_documented_dialect_is_the_default() -> None:
    service = open_service("http://127.0.0.1:8127/wp-json")

    assert service.name == "documented"
    assert service.capabilities.create == frozenset({Kind.PAGE})
    service.close()


def test_a_service_of_an_unknown_dialect_is_not_opened() -> None:
    with pytest.raises(ConfigError, match="klingon"):
        open_service("http://127.0.0.1:8127/wp-json", dialect="klingon")


def test_credentials_do_not_cross_a_network_in_the_clear_unless_allowed() -> None:
    with pytest.raises(ConfigError, match="allow_http = true") as caught:
        open_service("http://example.org/wp-json", authorization=PASSWORD)
    assert "hush" not in repr(caught.value)

    open_service("http://example.org/wp-json", authorization=PASSWORD, allow_http=True).close()


@pytest.mark.parametrize("url", ["https://example.org/wp-json", "http://localhost:8127/wp-json"])
def test_credentials_may_go_encrypted_or_to_this_machine(url: str) -> None:
    open_service(url, authorization=PASSWORD).close()


def test_an_open_service_does_not_show_its_credentials() -> None:
    service = open_service("https://example.org/wp-json", authorization=PASSWORD)

    assert PASSWORD.reveal().removeprefix("Basic ") not in repr(service)
    service.close()
