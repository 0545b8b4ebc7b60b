"""The capabilities of a service by its dialect: known before anything is encoded or loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pressync.client import dialects
from pressync.client.dialects import Capabilities, capabilities_of
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind


def test_the_documented_service_creates_pages_and_shows_nothing_else() -> None:
    assert capabilities_of("documented") == Capabilities(create=frozenset({Kind.PAGE}))


def test_wordpress_creates_both_kinds_and_is_read() -> None:
    able = capabilities_of("wordpress")
    assert all(map(able.creates, Kind))
    assert able.read
    assert able.names == {"author", "categories", "tags"}


def test_a_picture_that_may_have_a_script_is_not_an_upload() -> None:
    assert {"jpg", "webp", "pdf"} <= capabilities_of("wordpress").files
    assert "svg" not in capabilities_of("wordpress").files


def test_an_unknown_dialect_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        ConfigError, match="no dialect “klingon”; set `dialect` to one of: documented, wordpress"
    ):
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
