"""A service is opened by its dialect: what it can do is known before, and no password goes in the clear."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pressync.client import dialects
from pressync.client.connect import open_service
from pressync.client.credentials import basic
from pressync.client.dialects import capabilities_of
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind

PASSWORD = basic("editor", "hush")


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


def test_wordpress_creates_both_kinds_and_is_read() -> None:
    able = capabilities_of("wordpress")
    assert all(map(able.creates, Kind))
    assert able.read
    assert able.names == {"author", "categories", "tags"}


def test_a_picture_that_may_have_a_script_is_not_an_upload() -> None:
    assert {"jpg", "webp", "pdf"} <= capabilities_of("wordpress").files
    assert "svg" not in capabilities_of("wordpress").files


def test_an_unknown_dialect_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="dialect 'klingon' is unknown; use one of documented, wordpress"):
        capabilities_of("klingon")


def test_capabilities_and_retries_load_neither_the_network_library_nor_a_dialect() -> None:
    source = Path(dialects.__file__ or "").parents[2]
    code = (
        "import sys; import pressync.client.retry, pressync.client.credentials;"
        "from pressync.client.dialects import capabilities_of; capabilities_of('documented');"
        "dialects = {'pressync.client.documented', 'pressync.client.wordpress'};"
        "sys.exit(bool({'requests', 'urllib3', *dialects} & sys.modules.keys()))"
    )

    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(source)}, check=False)

    assert done.returncode == 0
