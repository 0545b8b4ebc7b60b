"""The contract of every service, kept by those on this machine, in both dialects, over real sockets."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress, hosted
from tests.support.contract import Contract
from tests.support.strict_service import serving
from tests.support.syncing import IMPATIENT

from pressync.client.connect import open_service
from pressync.client.credentials import basic, bearer
from pressync.client.retry import Retry, retrying
from pressync.model.interface import Kind
from pressync.stage.server.server import running

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

    @pytest.fixture(params=["documented", "both"])
    def url(self, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
        with running(tmp_path / "site.db", dialect=request.param) as site:
            if request.param == "both":
                site.store.create(Kind.POST, {"title": "Post"})
            yield site.url


class TestEmbeddedWordPress(Contract):
    """Against the other face of the same service."""

    # WordPress knows whole seconds, and so does this face.
    has_a_fine_clock = False

    @pytest.fixture
    def service(self, tmp_path: Path) -> Iterator[Service]:
        with (
            running(tmp_path / "site.db", dialect="both") as site,
            contextlib.closing(open_service(site.url, dialect="wordpress")) as service,
        ):
            yield service


class TestEmbeddedWordPressUnderFaults(Contract):
    """Against the same face, which refuses every request once; the client asks again."""

    has_a_fine_clock = False

    @pytest.fixture
    def service(self) -> Iterator[Service]:
        retry = Retry(IMPATIENT, lambda _seconds: None, lambda _sentence: None)
        with embedded_wordpress.serving() as site:
            site.is_busy = True
            secret = basic(embedded_wordpress.USER, embedded_wordpress.PASSWORD)
            opened = open_service(site.url, dialect="wordpress", authorization=secret)
            with contextlib.closing(opened):
                yield retrying(opened, retry)
                assert site.refused
            assert site.violations == []


class TestOneSiteOfAHost(Contract):
    """Against one site of each host with many, by a token, without an index and without batches."""

    has_a_fine_clock = False

    @pytest.fixture(params=hosted.HOSTS)
    def service(self, request: pytest.FixtureRequest) -> Iterator[Service]:
        with hosted.serving(request.param) as host:
            opened = open_service(host.url, dialect=request.param, authorization=bearer(hosted.TOKEN))
            with contextlib.closing(opened):
                yield opened
            assert host.violations == []
            assert not host.visitors.received
