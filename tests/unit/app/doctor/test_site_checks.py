"""The findings about a site: the documented interface, a look-alike, and recorded responses of WordPress."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.live.sites import LIVE, RECORDING, URLS
from tests.support.keyrings import Keyring, installed
from tests.support.strict_service import serving
from tests.support.wordpress_lookalike import EVERY_RIGHT, Lookalike
from tests.support.wordpress_lookalike import serving as looking_alike
from tests.unit.app.doctor.findings import findings, verdicts
from tests.unit.client.wordpress.recording import tape

from pressync.app import embedded_server
from pressync.app.doctor import site_checks
from pressync.app.doctor.examine import Verdict
from pressync.app.workspace import Workspace
from pressync.client.credentials import basic
from pressync.client.wordpress import discover
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

    from pressync.app.doctor.examine import Finding


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


def test_stock_wordpress_is_recognised_without_showing_it_the_password(repository: SampleRepository) -> None:
    with looking_alike() as site:
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_USER": "ada", "PRESSYNC_PASSWORD": "right"}
        seen = findings(repository, environ)
    assert seen["dialect"].verdict is Verdict.WRONG
    assert 'dialect = "wordpress"' in seen["dialect"].todo
    assert site.asked == [("GET", "/wp-json/", False)]


@pytest.mark.parametrize(("location", "verdict"), [("https://127.0.0.1/x", "wrong"), ("/wp-json", "ok")])
def test_a_redirect_elsewhere_is_wrong(repository: SampleRepository, location: str, verdict: str) -> None:
    with looking_alike(Lookalike(canned=(301, {"Location": location}, {}))) as site:
        seen = findings(repository, {"PRESSYNC_URL": site.base})
    assert verdicts(seen)["service"] == verdict


def test_credentials_in_the_clear_are_wrong(repository: SampleRepository) -> None:
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


def examined(
    repository: SampleRepository, site: Lookalike, *, password: str | None = Lookalike.password
) -> dict[str, Finding]:
    """Examine a repository of one page against a site."""
    with looking_alike(site):
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress"}
        if password:
            environ |= {"PRESSYNC_USER": "editor", "PRESSYNC_PASSWORD": password}
        return findings(repository, environ)


def test_a_site_where_all_is_well_is_told_so_and_only_read(repository: SampleRepository) -> None:
    site = Lookalike(trashed=True)
    seen = examined(repository, site)
    assert set(verdicts(seen).values()) == {"ok"}
    assert "Lookalike" in seen["service"].evidence
    assert "6.8.1" in seen["version"].evidence
    assert "Europe/Berlin" in seen["time zone"].evidence
    assert {method for method, _, _ in site.asked} == {"GET", "OPTIONS"}


def test_a_wrong_password_is_told_with_what_to_look_at(repository: SampleRepository) -> None:
    seen = examined(repository, Lookalike(), password="false friend")
    assert seen["user"].verdict is Verdict.WRONG
    assert "application password" in seen["user"].todo
    assert "`pressync config` shows it" in seen["user"].todo
    assert "user 'editor' (PRESSYNC_USER)" in seen["credentials"].evidence
    assert not any(name.startswith("rights") for name in seen)
    assert "false friend" not in repr(seen)


def test_a_refused_password_is_named(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    site = Lookalike()
    with looking_alike(site):
        keyring = Keyring(kept={("pressync", f"editor@{site.base}"): "false friend"})
        installed(monkeypatch, keyring)
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": "editor"}
        seen = findings(repository, environ)
        assert seen["user"].verdict is Verdict.WRONG
        assert "the password that is stored in the keyring" in seen["user"].evidence
        assert seen["user"].todo.startswith("`pressync login` gets a new one")
        keyring.kept["pressync", f"editor@{site.base}"] = site.password
        assert findings(repository, environ)["user"].verdict is Verdict.OK


def test_without_credentials_the_site_is_still_described(repository: SampleRepository) -> None:
    seen = examined(repository, Lookalike(), password=None)
    assert seen["credentials"].verdict is Verdict.WRONG
    assert seen["service"].verdict is Verdict.OK
    assert "user" not in seen


def test_a_missing_right_is_wrong_only_where_the_content_needs_it(repository: SampleRepository) -> None:
    lacking = EVERY_RIGHT - {"publish_pages", "publish_posts"}
    seen = examined(repository, Lookalike(rights=lacking))
    assert seen["rights: pages"].verdict is Verdict.WRONG
    assert seen["rights: pages"].evidence == "may write pages that are not published; missing: publish_pages"
    assert seen["rights: posts"].verdict is Verdict.UNKNOWN
    assert "publish_posts" in seen["rights: posts"].evidence


def test_a_user_of_the_own_posts_is_told_what_is_possible(repository: SampleRepository) -> None:
    repository.commit({"content/posts/mine.md": "# Mine\n", "content/pages/about.md": "# About\n"})
    author = {"edit_posts", "edit_published_posts", "publish_posts", "delete_posts", "delete_published_posts"}
    seen = examined(repository, Lookalike(rights=frozenset(author)))
    assert seen["rights: posts"].verdict is Verdict.UNKNOWN
    assert seen["rights: posts"].evidence == (
        "may publish, change and delete the user's own posts; missing: edit_others_posts, delete_others_posts"
    )
    assert seen["rights: pages"].verdict is Verdict.WRONG
    assert seen["rights: pages"].evidence.startswith("missing: edit_pages, ")
    assert seen["rights: pages"].todo.startswith("a sync blocks the pages that need them; ")


@pytest.mark.parametrize(
    ("version", "verdict"), [("5.9", "wrong"), ("6.1", "ok"), ("10.0", "ok"), ("", "unknown")]
)
def test_the_version_must_be_a_proven_one(repository: SampleRepository, version: str, verdict: str) -> None:
    assert verdicts(examined(repository, Lookalike(version=version)))["version"] == verdict


def test_a_site_without_batches_or_with_a_filter_says_so(repository: SampleRepository) -> None:
    seen = verdicts(examined(repository, Lookalike(batch=False, filtered=True)))
    assert (seen["batch"], seen["HTML"], seen["trash"]) == ("unknown", "unknown", "unknown")


@pytest.mark.parametrize("wrong", ["", "/elsewhere/wp-json"])
def test_the_address_that_the_site_names_is_told(repository: SampleRepository, wrong: str) -> None:
    with looking_alike() as site:
        url = f"{site.url}{wrong}"
        seen = findings(repository, {"PRESSYNC_URL": url, "PRESSYNC_DIALECT": "wordpress"})
    assert seen["service"].verdict is Verdict.WRONG
    assert seen["service"].evidence.startswith(f"GET {url}/: ")
    assert seen["service"].todo == f"set `url` to {site.base}: the site names this address itself"


def test_what_is_no_wordpress_is_told_with_the_other_dialect(repository: SampleRepository) -> None:
    seen = examined(repository, Lookalike(namespaces=("oembed/1.0",)))
    assert seen["service"].verdict is Verdict.WRONG
    assert 'dialect = "documented"' in seen["service"].todo


@pytest.mark.skipif(LIVE or RECORDING, reason="the recordings are those of another test")
@pytest.mark.parametrize(("name", "version"), [("old", "6.1"), ("mid", "6.8"), ("new", "7.1")])
def test_what_a_real_site_said_is_told(repository: SampleRepository, name: str, version: str) -> None:
    environ = {"PRESSYNC_URL": f"{URLS[name]}/wp-json", "PRESSYNC_DIALECT": "wordpress"}
    with Workspace.open(repository.root, environ=environ) as workspace, tape(f"{name}-description"):
        url = discover(URLS[name], tell=lambda _sentence: None)
        seen = {
            each.name: each
            for each in site_checks.of_wordpress(workspace, url, basic("admin", "on no record"))
        }
    assert "wrong" not in verdicts(seen).values()
    assert f"WordPress {version}" in seen["version"].evidence
    assert "administrator" in seen["user"].evidence
    assert "25 calls" in seen["batch"].evidence


@pytest.mark.parametrize(
    ("server", "line"), [("Apache/2.4", "SetEnvIf"), ("nginx", "fastcgi_param"), ("?", "on")]
)
def test_a_lost_password_is_told_with_the_lines(repository: SampleRepository, server: str, line: str) -> None:
    with looking_alike(Lookalike(server=server)) as site:
        environ = {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress", "PRESSYNC_USER": "editor"}
        seen = findings(repository, {**environ, "PRESSYNC_PASSWORD": "wrong"})

    assert seen["user"].verdict is Verdict.WRONG
    assert line in seen["user"].todo.rpartition("Authorization header")[2]


def test_a_blocked_path_is_told_with_the_address_that_is_open(repository: SampleRepository) -> None:
    with looking_alike(Lookalike(blocked=True)) as site:
        seen = findings(repository, {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress"})

    assert seen["service"].todo == f"set `url` to {site.url}/?rest_route=/"
