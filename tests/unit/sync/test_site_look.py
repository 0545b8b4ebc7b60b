"""A wrong dialect is found before the first write to a target, and a look that fails stops nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.strict_service import Fault, answer
from tests.support.strict_service import serving as documented
from tests.support.terminal import Terminal
from tests.support.wordpress_lookalike import serving as wordpress

from pressync.model.interface import Kind
from pressync.stage.server.server import running
from pressync.sync import site_look

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

LOOK = ("GET", "/wp-json/", False)
WORDPRESS = {"PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": "editor", "PRESSYNC_PASSWORD": "right"}


@pytest.fixture
def terminal(repository: SampleRepository) -> Terminal:
    """One page, and no settings."""
    repository.commit({"content/pages/index.md": "# Home\n"})
    return Terminal(repository, {})


def test_a_forgotten_dialect_is_found_before_wordpress_publishes_anything(terminal: Terminal) -> None:
    with wordpress() as site:
        terminal.repository.commit({"pressync.toml": f'[sites.production]\nurl = "{site.base}"\n'})
        said = terminal.run("sync", "--yes", exits=2).stderr
        assert site.asked == [LOOK], "one request without credentials, and no write"
    assert "the site is stock WordPress" in said
    assert "nothing was sent" in said
    assert 'write `dialect = "wordpress"` below [sites.production] in pressync.toml' in said
    assert not (terminal.repository.root / ".pressync/production.json").exists()


def test_a_dialect_from_the_environment_is_corrected_there(terminal: Terminal) -> None:
    with wordpress() as site:
        terminal.environ |= {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "documented"}
        said = terminal.run("sync", "--yes", exits=2).stderr
    assert "PRESSYNC_DIALECT: the site is stock WordPress" in said
    assert "set PRESSYNC_DIALECT=wordpress" in said


def test_other_machines_hear_nothing_of_a_sync_with_a_wrong_dialect(terminal: Terminal) -> None:
    with wordpress() as site:
        settings = f'[sites.live]\nurl = "{site.base}"\nmanifest = "ref"\nremote = ""\n'
        terminal.repository.commit({"pressync.toml": settings})
        terminal.run("sync", "--yes", exits=2)
    assert "refs/pressync" not in terminal.repository.git("for-each-ref")


def test_nothing_is_asked_where_the_credentials_may_not_go(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("pressync.client.probe.probe", lambda base, *_: asked.append(base))
    terminal.environ |= {"PRESSYNC_URL": "http://elsewhere.test/wp-json", "PRESSYNC_TOKEN": "0123456789"}
    said = terminal.run("sync", "--yes", exits=2).stderr
    assert "credentials would be sent unencrypted" in said
    assert not asked


def test_a_record_that_was_only_adopted_is_no_reason_to_write_without_a_look(terminal: Terminal) -> None:
    with wordpress() as site:
        terminal.environ["PRESSYNC_URL"] = site.base
        terminal.run("adopt", "content/pages/index.md", "7")
        assert "stock WordPress" in terminal.run("sync", "--yes", exits=2).stderr
        assert site.asked == [LOOK]


def test_a_plan_opens_no_socket(terminal: Terminal) -> None:
    with wordpress() as site:
        terminal.environ["PRESSYNC_URL"] = site.base
        terminal.run("plan")
        assert not site.received


@pytest.mark.parametrize("dialect", ["documented", "wordpress"])
def test_a_service_that_names_both_dialects_may_be_written_to_in_each(
    terminal: Terminal, tmp_path: Path, dialect: str
) -> None:
    with running(tmp_path / "data" / "site.db", dialect="both") as service:
        terminal.environ |= {"PRESSYNC_URL": service.url, "PRESSYNC_DIALECT": dialect}
        terminal.run("sync", "--yes")
        assert [page["title"] for page in service.store.records(Kind.PAGE)] == [
            {"raw": "Home", "rendered": "Home"}
        ]


def test_a_documented_service_is_looked_at_once(terminal: Terminal) -> None:
    with documented() as service:
        terminal.environ["PRESSYNC_URL"] = service.url
        terminal.run("sync", "--yes")
        terminal.repository.commit({"content/pages/index.md": "# Welcome\n"})
        terminal.run("sync", "--yes")
        assert (len(service.looks), [one.method for one in service.received]) == (1, ["POST", "POST"])
        assert not service.violations


@pytest.mark.parametrize(
    "shows",
    [
        Fault(sends=answer(500, b"<h1>Oops</h1>", content_type="text/html")),
        Fault(sends=answer(405)),
        Fault(sends=answer(301, headers=(("Location", "https://elsewhere.test/wp-json/"),))),
        Fault(sends=answer(200, b"[" * 5000)),
        Fault(sends=b"not HTTP"),
        Fault(end="reset"),
        Fault(end="hang"),
    ],
)
def test_a_look_that_shows_nothing_stops_no_sync(
    terminal: Terminal, shows: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_look, "_LONGEST", 0.3)
    with documented() as service:
        service.shows = shows
        terminal.environ["PRESSYNC_URL"] = service.url
        terminal.run("sync", "--yes")
        assert [page["title"]["raw"] for page in service.pages] == ["Home"]


def test_a_documented_service_is_no_wordpress_and_the_message_says_so(terminal: Terminal) -> None:
    with documented() as service:
        service.authorization = "Basic ZWRpdG9yOnJpZ2h0"
        terminal.environ |= {"PRESSYNC_URL": service.url} | WORDPRESS
        said = terminal.run("sync", "--yes", exits=2).stderr
        assert not service.pages
    assert "no sign of stock WordPress" in said
    assert "set PRESSYNC_DIALECT=documented" in said


def test_wordpress_that_refuses_the_credentials_is_not_taken_for_another_service(terminal: Terminal) -> None:
    with wordpress() as site:
        terminal.environ |= {"PRESSYNC_URL": site.base} | WORDPRESS | {"PRESSYNC_PASSWORD": "wrong"}
        said = terminal.run("sync", "--yes", exits=1).stderr
    assert "application password" in said
    assert "dialect" not in said


def test_a_broken_response_of_wordpress_that_hides_its_index_is_not_a_wrong_dialect(
    terminal: Terminal,
) -> None:
    with embedded_wordpress.serving() as site:
        terminal.environ |= embedded_wordpress.ENVIRON | {"PRESSYNC_URL": site.url}
        site.faults.append(Fault(acts=False, sends=answer(200, b"<html>"), end="close"))
        said = terminal.run("sync", "--yes", exits=1).stderr
    assert "no sign of stock WordPress" not in said
    assert "the response is not JSON" in said
