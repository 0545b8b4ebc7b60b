"""The findings about a service without reads: a server answers, and it is not WordPress."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest
from tests.support.strict_service import serving
from tests.support.wordpress_lookalike import Lookalike
from tests.support.wordpress_lookalike import serving as looking_alike
from tests.unit.app.doctor.findings import findings, verdicts

from pressync.app import embedded_server
from pressync.app.doctor.examine import Verdict
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


@pytest.fixture
def repository(repository: SampleRepository) -> SampleRepository:
    """One page."""
    repository.commit({"content/pages/index.md": "# Home\n"})
    return repository


def test_a_service_that_answers_is_reached_and_the_rest_is_unknown(repository: SampleRepository) -> None:
    with serving() as service:
        seen = findings(repository, {"PRESSYNC_URL": service.url})
    assert {name: verdicts(seen)[name] for name in ("credentials", "service", "dialect", "rights")} == {
        "credentials": "unknown",
        "service": "ok",
        "dialect": "unknown",
        "rights": "unknown",
    }
    assert f"GET {service.url}/ without credentials: 404" in seen["service"].evidence
    # One request to the address itself, and no other.
    assert (len(service.looks), service.received, service.violations) == (1, [], [])


def test_the_embedded_service_at_an_address_is_like_any_other(
    repository: SampleRepository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with running(tmp_path_factory.mktemp("site") / "site.db") as service:
        seen = findings(repository, {"PRESSYNC_URL": service.url})
    assert "wrong" not in verdicts(seen).values()


def test_a_service_that_names_the_documented_interface_speaks_it(
    repository: SampleRepository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with running(tmp_path_factory.mktemp("site") / "site.db", dialect="both") as service:
        seen = findings(repository, {"PRESSYNC_URL": service.url})
        other = findings(repository, {"PRESSYNC_URL": service.url, "PRESSYNC_DIALECT": "wordpress"})
    assert seen["dialect"].verdict is Verdict.OK
    assert "names the documented interface" in seen["dialect"].evidence
    assert {name: other[name].verdict for name in ("service", "dialect", "batch")} == dict.fromkeys(
        ("service", "dialect", "batch"), Verdict.OK
    )


def test_where_nothing_listens_the_service_is_wrong(repository: SampleRepository) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        seen = findings(repository, {"PRESSYNC_URL": f"http://127.0.0.1:{free.getsockname()[1]}/wp-json"})
    assert seen["service"].verdict is Verdict.WRONG
    assert "connection refused" in seen["service"].evidence
    assert "dialect" not in seen


def test_stock_wordpress_is_recognised_without_showing_it_the_password(repository: SampleRepository) -> None:
    with looking_alike() as site:
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_USER": "ada", "PRESSYNC_PASSWORD": "right"}
        seen = findings(repository, environ)
    assert seen["dialect"].verdict is Verdict.WRONG
    assert 'dialect = "wordpress"' in seen["dialect"].todo
    assert site.asked == [("GET", "/wp-json/", False)]


@pytest.mark.parametrize(("location", "verdict"), [("https://127.0.0.1/x", "wrong"), ("/wp-json", "ok")])
def test_a_redirect_to_another_origin_is_wrong(
    repository: SampleRepository, location: str, verdict: str
) -> None:
    with looking_alike(Lookalike(canned=(301, {"Location": location}, {}))) as site:
        seen = findings(repository, {"PRESSYNC_URL": site.base})
    assert verdicts(seen)["service"] == verdict


def test_a_password_that_cannot_be_found_is_wrong(repository: SampleRepository) -> None:
    with serving() as service:
        seen = findings(repository, {"PRESSYNC_URL": service.url, "PRESSYNC_USER": "ada"})
    assert seen["credentials"].verdict is Verdict.WRONG
    assert seen["service"].verdict is Verdict.OK


def test_credentials_that_would_cross_a_network_in_the_clear_are_wrong(repository: SampleRepository) -> None:
    # A name that no network has (RFC 2606).
    environ = {"PRESSYNC_URL": "http://example.invalid/wp-json", "PRESSYNC_TOKEN": "abc"}
    seen = findings(repository, environ)
    assert seen["credentials"].verdict is Verdict.WRONG
    assert "unencrypted" in seen["credentials"].evidence


def test_the_embedded_service_is_told_to_run_while_it_runs(repository: SampleRepository) -> None:
    directory = embedded_server.data_directory(repository.root / ".git")
    evidence = findings(repository)["service"].evidence
    assert "does not run now" in evidence
    assert evidence.endswith(f"`pressync serve` uses port {embedded_server.free_port(directory)}")
    directory.mkdir(parents=True)
    with running(embedded_server.database(directory)) as service:
        embedded_server.write_note(
            directory, embedded_server.RunningServer(os.getpid(), service.url, service.site)
        )
        assert f"runs at {service.site}/" in findings(repository)["service"].evidence


def test_our_own_service_without_a_token_needs_no_credentials_in_either_dialect(
    repository: SampleRepository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with running(tmp_path_factory.mktemp("site") / "site.db", dialect="both") as service:
        environ = {"PRESSYNC_URL": service.url, "PRESSYNC_DIALECT": "wordpress"}
        assert "wrong" not in verdicts(findings(repository, environ)).values()
