"""A service is opened by its dialect: what it can do is known before, and no password goes in the clear."""

from __future__ import annotations

import pytest

from pressync.client.connect import open_service
from pressync.client.credentials import basic
from pressync.client.dialects import capabilities_of
from pressync.model.errors import ConfigError

PASSWORD = basic("editor", "hush")


def test_credentials_do_not_cross_a_network_in_the_clear_unless_allowed() -> None:
    with pytest.raises(ConfigError, match="allow_http = true") as caught:
        open_service("http://example.org/wp-json", authorization=PASSWORD)
    assert "hush" not in repr(caught.value)
    open_service("http://example.org/wp-json", authorization=PASSWORD, allow_http=True).close()


def test_an_open_service_does_not_show_its_credentials() -> None:
    service = open_service("https://example.org/wp-json", authorization=PASSWORD)
    assert PASSWORD.reveal().removeprefix("Basic ") not in repr(service)
    service.close()


def test_a_picture_that_may_have_a_script_is_not_an_upload() -> None:
    assert {"jpg", "webp", "pdf"} <= capabilities_of("wordpress").files
    assert "svg" not in capabilities_of("wordpress").files


def test_an_unknown_dialect_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="dialect 'klingon' is unknown; use one of documented, wordpress"):
        capabilities_of("klingon")
