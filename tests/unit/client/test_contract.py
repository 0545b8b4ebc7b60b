"""The contract of every service, kept by those that speak the documented dialect, over real sockets."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from tests.support.contract import Contract
from tests.support.strict_service import serving

from pressync.client.connect import open_service
from pressync.server.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.client.port import Service


class _Documented(Contract):
    @pytest.fixture
    def service(self, url: str) -> Iterator[Service]:
        with contextlib.closing(open_service(url)) as service:
            yield service


class TestStrict(_Documented):
    """Against the service that forgives nothing."""

    @pytest.fixture
    def url(self) -> Iterator[str]:
        with serving() as service:
            yield service.url
            assert service.violations == []


class TestEmbedded(_Documented):
    """Against the service that pressync brings."""

    @pytest.fixture
    def url(self, tmp_path: Path) -> Iterator[str]:
        with running(tmp_path / "site.db") as site:
            yield site.url
