"""`pressync login` and `logout` as they are typed: what is printed, and what never is."""

from __future__ import annotations

import sys
import webbrowser
from typing import TYPE_CHECKING

import pytest
from tests.support.embedded_wordpress import PASSWORD, USER
from tests.support.keyrings import Keyring, installed
from tests.support.terminal import Terminal
from tests.unit.app.test_login import approved, site

from pressync.cli.commands import login

if TYPE_CHECKING:
    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository
    from tests.unit.app.test_login import Browser


__all__ = ["site"]


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    return installed(monkeypatch, Keyring())


def at(repository: SampleRepository, site: EmbeddedWordPress, user: str = f'user = "{USER}"') -> Terminal:
    settings = f'[sites.a]\nurl = "{site.url}"\ndialect = "wordpress"\n{user}\n'
    repository.commit({"pressync.toml": settings})
    return Terminal(repository, {})


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch, site: EmbeddedWordPress) -> Browser:
    """Put a browser in the place of the machine's."""
    opened = approved(site)
    monkeypatch.setattr(webbrowser, "open", opened.open)
    return opened


def test_a_login_says_who_and_where(
    repository: SampleRepository, site: EmbeddedWordPress, browser: Browser, keyring: Keyring
) -> None:
    terminal = at(repository, site)
    done = terminal.run("login")
    assert f"Logged in to {site.url} as {USER} (administrator)." in done.stdout
    assert f"The password is in {keyring.name}: service pressync, account {USER}@{site.url}." in done.stdout
    assert browser.opened[0] in done.stderr
    assert PASSWORD not in done.output
    assert "user 'admin' (pressync.toml [sites.a]) with a password" in terminal.run("doctor", exits=1).stdout


@pytest.mark.usefixtures("keyring", "browser")
def test_what_is_missing_after_a_login_is_told(repository: SampleRepository, site: EmbeddedWordPress) -> None:
    site.demote("contributor")
    said = at(repository, site, user="").run("login").stderr
    assert "This user cannot do all of a sync: " in said
    assert f'Now write `user = "{USER}"` below [sites.a].' in said


@pytest.mark.usefixtures("keyring")
def test_paste_needs_a_terminal_and_a_machine_without_a_browser_gets_the_address_only(
    repository: SampleRepository, site: EmbeddedWordPress, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = at(repository, site).run("login", "--paste", exits=2).stderr
    assert "no terminal to type the password at" in said

    def fail(_address: str) -> bool:
        raise webbrowser.Error("no browser")

    monkeypatch.setattr(webbrowser, "open", fail)
    assert not login.open_in_browser("https://example.org/")


URL = "https://example.org/wp-json"
KEY = ("pressync", f"{USER}@{URL}")


@pytest.fixture
def terminal(repository: SampleRepository) -> Terminal:
    settings = f'[sites.a]\nurl = "{URL}"\ndialect = "wordpress"\nuser = "{USER}"\n'
    repository.commit({"pressync.toml": settings})
    return Terminal(repository, {})


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    return installed(monkeypatch, Keyring(kept={KEY: PASSWORD}))


def test_a_removed_password_is_said_to_work_at_the_site(terminal: Terminal, filled: Keyring) -> None:
    assert "The site still accepts it: revoke it there" in terminal.run("logout").stdout
    assert not filled.kept
    assert f"The keyring has no password of {USER}@{URL}." in terminal.run("logout").stdout


@pytest.mark.parametrize("arguments", [(), ("--revoke",)])
def test_without_a_keyring_nobody_can_say_that_it_has_no_password(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert "the package `keyring` is not installed" in terminal.run("logout", *arguments, exits=2).stderr


@pytest.mark.parametrize(
    ("name", "said"), [("mine", "Revoked “mine” at the site"), ("", "no longer accepted")]
)
def test_a_password_is_revoked_at_the_site(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, filled: Keyring, name: str, said: str
) -> None:
    monkeypatch.setattr("pressync.app.login._revoked", lambda _service: name)
    assert said in terminal.run("logout", "--revoke").stdout
    assert not filled.kept
