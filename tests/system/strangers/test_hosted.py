"""One site of a host with many, such as WordPress.com: its token goes to the interface and nowhere else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from tests.support import hosted
from tests.support.embedded_wordpress import PASSWORD, USER
from tests.support.hosted import ENVIRON, HOSTS, TOKEN
from tests.support.keyrings import Keyring, installed
from tests.support.syncing import Bound
from tests.unit.app.doctor.findings import findings, verdicts

from pressync.app.login import LoginDialogue, login, logout
from pressync.app.redirects import public_address
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.client.credentials import basic, bearer
from pressync.client.port import require_facts
from pressync.client.probe import detect
from pressync.config.secrets import CredentialPolicy, authorization
from pressync.config.settings import load
from pressync.model.errors import ConfigError, Refused
from pressync.plan.build import PlanOptions, build_plan
from pressync.plan.survey import known
from pressync.stage.rehearse.live_site import reader_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.hosted import Host
    from tests.support.repository import SampleRepository


URL = "https://public-api.wordpress.com/wp/v2/sites/garden.example"


@pytest.fixture
def host() -> Iterator[Host]:
    with hosted.serving() as host:
        yield host


@pytest.fixture
def garden(repository: SampleRepository) -> SampleRepository:
    repository.commit(
        {
            "content/pages/about.md": "# About\n\n![A cat](cat.png), [the news](../posts/news.md)\n",
            "content/pages/cat.png": b"\x89PNG\r\n\x1a\n",
            "content/posts/news.md": "---\ntags: [Roses]\n---\n# News\n\nText.\n",
        }
    )
    return repository


def bound(garden: SampleRepository, host: Host, dialect: str = "wordpress.com") -> Bound:
    return Bound(garden.root, host.url, environ={**ENVIRON, "PRESSYNC_DIALECT": dialect})


@pytest.mark.parametrize("dialect", HOSTS)
def test_a_sync_makes_its_records_and_the_next_one_has_nothing_to_do(
    garden: SampleRepository, dialect: str
) -> None:
    with hosted.serving(dialect) as host:
        _makes_its_records_once(bound(garden, host, dialect), host)


def _makes_its_records_once(site: Bound, host: Host) -> None:
    done = site.sync()
    assert {outcome.result.value for outcome in done.outcomes} == {"done"}
    assert not site.sync().outcomes
    # The interface is at another origin than the pages, the files and the links in them.
    assert all(entry.link.startswith(host.visitors.url) for entry in site.entries().values())
    about = next(record for record in host.shown.values() if record["slug"] == "about")
    assert f"{host.visitors.url}/wp-content/uploads/" in about["content"]["raw"]
    assert not any("batch" in one.path for one in host.received)


def test_what_is_not_of_the_interface_is_read_without_credentials(
    garden: SampleRepository, host: Host
) -> None:
    site = bound(garden, host)
    site.sync()
    garden.commit({"content/pages/new.md": "# New\n"})
    with site.workspace() as workspace, workspace.reading() as state:
        reader = reader_of(workspace)
        assert reader is not None
        planned = build_plan(
            workspace.content(Revision()), workspace.capabilities, known(state), PlanOptions()
        )
        live = reader.read(planned, state)
        there = f"{host.visitors.url}/elsewhere/"
        assert reader.answering([there], live.home) == {there}
    assert (live.home, live.permalinks is not None) == (host.visitors.url, True)
    assert host.visitors.received
    assert not any("Authorization" in one.headers for one in host.visitors.received)


def test_doctor_does_not_call_wrong_what_the_interface_does_not_show(
    garden: SampleRepository, host: Host
) -> None:
    found = findings(garden, {**ENVIRON, "PRESSYNC_URL": host.url})
    said = verdicts(found)
    assert {name for name, verdict in said.items() if verdict == "wrong"} == set()
    assert (said["service"], said["user"], said["dialect"]) == ("ok", "ok", "unknown")


@pytest.mark.parametrize(
    ("environ", "url", "wrong"),
    [
        ({"PRESSYNC_TOKEN": "another-token"}, hosted.SITE, {"service"}),
        ({}, "nobody.example", {"service"}),
    ],
    ids=["token", "site"],
)
def test_doctor_names_what_is_wrong_on_such_a_host(
    garden: SampleRepository, host: Host, environ: dict[str, str], url: str, wrong: set[str]
) -> None:
    at = host.url.replace(hosted.SITE, url)
    said = verdicts(findings(garden, {**ENVIRON, **environ, "PRESSYNC_URL": at}))
    assert wrong <= {name for name, verdict in said.items() if verdict == "wrong"}


def of_command(secret: str) -> tuple[str, ...]:
    return (sys.executable, "-c", f"print({secret!r})")


@pytest.mark.parametrize(
    ("environ", "user", "command", "kept"),
    [
        ({"PRESSYNC_TOKEN": TOKEN}, None, (), {}),
        ({"PRESSYNC_PASSWORD": TOKEN}, None, (), {}),
        ({}, None, of_command(TOKEN), {}),
        ({}, None, (), {("pressync", f"token@{URL}"): TOKEN}),
        ({"PRESSYNC_PASSWORD": PASSWORD}, USER, (), {}),
        ({}, USER, (), {("pressync", f"{USER}@{URL}"): PASSWORD}),
    ],
    ids=["token", "password variable", "command", "keyring", "user", "user in the keyring"],
)
def test_a_token_comes_from_where_a_password_does(
    monkeypatch: pytest.MonkeyPatch,
    environ: dict[str, str],
    user: str | None,
    command: tuple[str, ...],
    kept: dict[tuple[str, str], str],
) -> None:
    installed(monkeypatch, Keyring(kept=kept))
    site = load(None, where="", environ={"PRESSYNC_URL": URL, "PRESSYNC_DIALECT": "wordpress.com"}).site
    secret = authorization(site._replace(user=user, password_command=command), environ)
    assert secret is not None
    assert secret.reveal() == (basic(USER, PASSWORD) if user else bearer(TOKEN)).reveal()


def test_a_password_without_a_user_is_no_token_of_another_dialect(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, Keyring(kept={("pressync", f"token@{URL}"): TOKEN}))
    site = load(None, where="", environ={"PRESSYNC_URL": URL, "PRESSYNC_DIALECT": "wordpress"}).site
    assert authorization(site, {}) is None
    with pytest.raises(ConfigError, match="but not a user"):
        authorization(site, {"PRESSYNC_PASSWORD": TOKEN})


@pytest.mark.parametrize(("user", "secret"), [(None, TOKEN), (USER, PASSWORD)], ids=["token", "password"])
def test_login_asks_for_a_token_or_the_password_of_the_user_and_stores_what_the_site_accepts(
    monkeypatch: pytest.MonkeyPatch, garden: SampleRepository, host: Host, user: str | None, secret: str
) -> None:
    keyring = installed(monkeypatch, Keyring())
    environ = {"PRESSYNC_URL": host.url, "PRESSYNC_DIALECT": "wordpress.com"}
    environ |= {"PRESSYNC_USER": user} if user else {}
    typed = iter(["another", secret])
    person = LoginDialogue(lambda _sentence: None, lambda _address: False, lambda _question: next(typed))
    with Workspace.open(garden.root, environ=environ) as workspace:
        with pytest.raises(Refused):
            login(workspace, person, paste=False)
        assert keyring.kept == {}
        assert login(workspace, person, paste=False).name == USER
        assert list(keyring.kept.values()) == [secret]
        with workspace.service(1) as service:
            assert require_facts(service).is_user
        with pytest.raises(ConfigError, match="does not show how to revoke"):
            logout(workspace, revoke=True)
        logout(workspace, revoke=False)
    assert keyring.kept == {}


def test_settings_that_a_push_brought_get_no_token_of_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, Keyring(kept={("pressync", f"token@{URL}"): TOKEN}))
    settings = load(f'[sites.blog]\nurl = "{URL}"\ndialect = "wordpress.com"\n', where="x", environ={})
    with pytest.raises(ConfigError, match="was pushed"):
        CredentialPolicy(settings, {}, is_pushed=True).authorization()


def test_init_knows_the_address_of_one_site_among_many_without_asking() -> None:
    seen = detect("public-api.wordpress.com/wp/v2/sites/garden.example/")
    assert (seen.url, seen.dialect) == (URL, "wordpress.com")


@pytest.mark.parametrize(
    ("url", "home"),
    [(URL, "https://garden.example"), (URL.replace("garden.example", "12345"), "")],
    ids=["name", "number"],
)
def test_the_pages_are_where_the_name_of_the_site_says_and_not_at_the_interface(url: str, home: str) -> None:
    site = load(None, where="", environ={"PRESSYNC_URL": url, "PRESSYNC_DIALECT": "wordpress.com"}).site
    assert (site.home, public_address(site)) == (home, home or None)
